//! Outputs as people paste them, written for these tests in the form of each tool: sample data of no drive.

pub const SMARTCTL_ATA: &str = "\
smartctl 6.6 2017-11-05 r4594 [x86_64-linux-4.15.0] (local build)
Copyright (C) 2002-17, Bruce Allen, Christian Franke, www.smartmontools.org

=== START OF INFORMATION SECTION ===
Model Family:     Example Disks
Device Model:     EXAMPLE DISK-8
Serial Number:    EX8A4711
LU WWN Device Id: 5 000000 000000001
Firmware Version: SB01
User Capacity:    1.000.204.886.016 bytes [1,00 TB]
Sector Sizes:     512 bytes logical, 4096 bytes physical
Rotation Rate:    7200 rpm
Form Factor:      3.5 inches
SATA Version is:  SATA 3.0, 6.0 Gb/s (current: 3.0 Gb/s)
SMART support is: Available - device has SMART capability.
Rd look-ahead is: Enabled
Write cache is:   Disabled

=== START OF READ SMART DATA SECTION ===
SMART overall-health self-assessment test result: PASSED
Serial Number:    NOTTHIS1
";
pub const SMARTCTL_SAS: &str = "\
smartctl 7.1 2019-12-30 r5022 [x86_64-linux-5.4.0] (local build)
Copyright (C) 2002-19, Bruce Allen, Christian Franke, www.smartmontools.org

=== START OF INFORMATION SECTION ===
Vendor:               EXAMPLE
Product:              SAS10000
Revision:             ES12
User Capacity:        600,127,266,816 bytes [600 GB]
Logical block size:   512 bytes
Rotation Rate:        10020 rpm
Form Factor:          2.5 inches
Serial number:        6SJ0PQ4K
Device type:          disk
Transport protocol:   SAS (SPL-3)
";
pub const SMARTCTL_NVME: &str = "\
smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.15.0] (local build)
Copyright (C) 2002-20, Bruce Allen, Christian Franke, www.smartmontools.org

=== START OF INFORMATION SECTION ===
Model Number:                       EXAMPLE FLASH-1
Serial Number:                      S4E1NX0R
Firmware Version:                   2B2Q
Total NVM Capacity:                 512,110,190,592 [512 GB]
Number of Namespaces:               1
Namespace 1 Size/Capacity:          512,110,190,592 [512 GB]
Namespace 1 Formatted LBA Size:     512
";
pub const HDPARM_PASTE: &str = "\
$ sudo hdparm -t --direct /dev/sdb

/dev/sdb:
 Timing O_DIRECT disk reads: 456 MB in  3.01 seconds = 151.67 MB/sec
";
pub const ZCAV_1_03: &str = "\
Script started on Mon 04 May 2009 10:00:00 AM CET
$ zcav -c 1 /dev/sdb
#loops: 1, version: 1.03
#block K/s time
0 60839 1.683130
100 60001 1.706618
200 58996 1.735711
$ exit
";
pub const HDTUNE_PRO: &str = "\
HD Tune Pro 5.75: EXAMPLE DISK-8 Benchmark

Test capacity: full

Read transfer rate
Transfer Rate Minimum : 66.0 MB/s
Transfer Rate Maximum : 123.7 MB/s
Transfer Rate Average : 100.0 MB/s
Access Time           : 14.2 ms
Burst Rate            : 134.9 MB/s
CPU Usage             : 2.4%

Write transfer rate
Transfer Rate Minimum : 50.0 MB/s
Access Time           : 3.1 ms

CrystalDiskMark 5.1.0 x64 (C) 2007-2015 hiyohiyo
    Sequential Write (Q= 32,T= 1)  :   105.855 MB/s
";
pub const HDTUNE_GERMAN: &str = "\
HD Tune: EXAMPLE DISK-8 Benchmark

Transferrate Minimum : 66,0 MB/s
Transferrate Maximum : 123,7 MB/s
Transferrate Durchschnitt : 100,0 MB/s
Zugriffszeit : 14,2 ms
Burst-Rate : 134,9 MB/s
CPU-Auslastung : 2,4%
";
pub const DISKINFO: &str = "\
root@example:~ # diskinfo -tv /dev/da1
/dev/da1
\t512         \t# sectorsize
\t8589934592  \t# mediasize in bytes (8.0G)
\t16777216    \t# mediasize in sectors
\t4096        \t# stripesize
\t0           \t# stripeoffset
\tEXAMPLE DISK-8\t# Disk descr.
\tEX8A4711    \t# Disk ident.
\t7200        \t# Rotation rate in RPM

Seek times:
\tFull stroke:\t  250 iter in   4.591331 sec =   18.365 msec

Transfer rates:
\toutside:       102400 kbytes in   0.439125 sec =   233191 kbytes/sec
\tmiddle:        102400 kbytes in   0.519029 sec =   197291 kbytes/sec
\tinside:        102400 kbytes in   0.819735 sec =   124918 kbytes/sec
";
pub const DD: &str = "\
$ sudo dd if=/dev/sdb of=/dev/null bs=1M count=500 iflag=direct
500+0 records in
500+0 records out
524288000 bytes (524 MB, 500 MiB) copied, 4.24844 s, 123 MB/s
";
pub const IOPING: &str = "\
$ sudo ioping -D -c 20 /dev/sdb
4 KiB <<< /dev/sdb (block device 8 GiB): request=1 time=11.3 ms (warmup)
4 KiB <<< /dev/sdb (block device 8 GiB): request=2 time=14.2 ms

--- /dev/sdb (block device 8 GiB) ioping statistics ---
19 requests completed in 231.4 ms, 76 KiB read, 82 iops, 328.4 KiB/s
generated 20 requests in 19.0 s, 80 KiB, 1 iops, 4.21 KiB/s
min/avg/max/mdev = 4.21 ms / 12.2 ms / 20.4 ms / 4.10 ms
";
/// One JSON of fio 3.1 in the form `json`: percentiles, and no count beside the latencies.
pub const FIO_3_1: &str = r#"fio: this platform does not support process shared mutexes
{
  "fio version" : "fio-3.1",
  "timestamp" : 1565334733,
  "jobs" : [{
    "jobname" : "random-read", "groupid" : 0, "error" : 0,
    "job options" : {"rw" : "randread", "bs" : "4k", "ioengine" : "libaio", "iodepth" : "1", "direct" : "1",
      "invalidate" : "1", "verify" : "0", "fallocate" : "none", "buffered" : "0", "filename" : "/dev/sdb",
      "write_lat_log" : "depth-1", "log_avg_msec" : "500"},
    "read" : {"io_bytes" : 17711104, "iops" : 72.05, "runtime" : 60012, "total_ios" : 4324,
      "slat_ns" : {"min" : 43493, "max" : 136482, "mean" : 61789.9, "stddev" : 10125.7},
      "clat_ns" : {"min" : 3047704, "max" : 24705827, "mean" : 13787035.2, "stddev" : 3908717.7,
        "percentile" : {"1.000000" : 5865472, "50.000000" : 13697024, "99.000000" : 21626880, "0.00" : 0}},
      "lat_ns" : {"min" : 3108548, "max" : 24770893, "mean" : 13852391.3, "stddev" : 3908640.9}},
    "write" : {"io_bytes" : 0, "iops" : 0.0, "runtime" : 0, "total_ios" : 0,
      "clat_ns" : {"min" : 0, "max" : 0, "mean" : 0.0, "stddev" : 0.0}}
  }]
}
"#;
/// One of fio 2.18: microseconds.
pub const FIO_2: &str = r#"{
  "fio version" : "fio-2.18",
  "jobs" : [{
    "jobname" : "/dev/sdb", "groupid" : 0, "error" : 0,
    "job options" : {"rw" : "randread", "bs" : "4k", "ioengine" : "libaio", "iodepth" : "08", "direct" : "1"},
    "read" : {"io_bytes" : 20000, "runtime" : 60000, "total_ios" : 5000,
      "clat" : {"min" : 3047, "max" : 904705, "mean" : 95787.03, "stddev" : 39087.17,
        "percentile" : {"50.000000" : 90624, "99.000000" : 218112, "0.00" : 0}}},
    "write" : {"io_bytes" : 0, "runtime" : 0, "total_ios" : 0, "clat" : {"min" : 0, "max" : 0}}
  }]
}
"#;
