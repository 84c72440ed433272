//! Captured trees of disks on different buses: paths, names and forms of sysfs, with sample values.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::super::host;
use super::*;

struct Machine(tempfile::TempDir);

impl Machine {
    /// A disk whose folder in `sys/block` is a link into the tree of devices, as on a real machine.
    fn with_disk(name: &str, place: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let machine = Self(folder);
        let device = format!("sys/devices/{place}");
        machine.put(&format!("{device}/block/{name}/size"), "2000409264\n");
        for (path, text) in files {
            machine.put(&format!("{device}/block/{name}/{path}"), text);
        }
        fs::create_dir_all(machine.path("sys/block")).expect("the folder");
        let link = machine.path(&format!("sys/block/{name}"));
        symlink(machine.path(&format!("{device}/block/{name}")), link).expect("the link");
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        fs::write(path, text).expect("the file");
    }

    fn tree(&self) -> Tree {
        Tree::below(self.0.path())
    }

    fn disk(&self, name: &str) -> Disk {
        Disk::read(&self.tree(), name).expect("a disk")
    }
}

const SATA: &str = "pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0";

fn sata() -> Machine {
    let files = [
        ("device/vendor", "ATA     \n"),
        ("device/model", "SAMPLE HD103 TRU\n"),
        ("device/rev", "1AJ1\n"),
        ("queue/rotational", "1\n"),
        ("queue/logical_block_size", "512\n"),
        ("queue/physical_block_size", "4096\n"),
        ("queue/scheduler", "none [mq-deadline] bfq\n"),
        ("queue/write_cache", "write back\n"),
        ("queue/max_sectors_kb", "1280\n"),
        ("queue/max_segments", "168\n"),
        ("ro", "0\n"),
        ("stat", " 10 1 80 4 20 0 160 5 0 9 9 3 0 0 0 2 1\n"),
    ];
    let machine = Machine::with_disk("sda", SATA, &files);
    machine.put("sys/devices/pci0000:00/0000:00:1f.2/vendor", "0x8086\n");
    machine.put("sys/devices/pci0000:00/0000:00:1f.2/device", "0x1c02\n");
    machine.put("sys/devices/pci0000:00/0000:00:1f.2/class", "0x010601\n");
    machine.put("sys/devices/pci0000:00/0000:00:1f.2/ata3/link3/ata_link/link3/sata_spd", "6.0 Gbps\n");
    symlink("../../../bus/pci/drivers/ahci", machine.path("sys/devices/pci0000:00/0000:00:1f.2/driver"))
        .expect("a link");
    machine
}

#[test]
fn a_sata_disk_tells_blocks_scheduler_cache_link_and_controller() {
    let disk = sata().disk("sda");
    assert_eq!((disk.logical_block_bytes, disk.physical_block_bytes), (Some(512), Some(4096)));
    assert_eq!(disk.capacity_bytes, 2_000_409_264 * 512);
    assert_eq!(disk.interface, "ata");
    assert_eq!(disk.vendor, None, "ATA is not a vendor");
    assert_eq!(disk.scheduler.as_deref(), Some("mq-deadline"));
    assert_eq!(disk.caches.write.current, Some(true));
    assert_eq!(disk.link_speed_bits_per_s, Some(6_000_000_000));
    assert_eq!(disk.controller.as_deref(), Some("ahci (0x8086:0x1c02)"));
    assert_eq!(disk.kernel_says_rotational, Some(true));
    assert!(!disk.read_only);
}

#[test]
fn requests_are_no_larger_than_the_kernel_passes_on_in_one_piece() {
    // 168 segments of a page each are less than 1280 KiB.
    assert_eq!(sata().disk("sda").max_request_bytes, Some(168 * 4096));
}

#[test]
fn a_disk_with_two_actuators_tells_the_blocks_of_each() {
    let machine = sata();
    assert_eq!(machine.disk("sda").access_ranges, []);
    let put = |range: u32, file: &str, sectors: &str| {
        let queue = format!("sys/devices/{SATA}/block/sda/queue/independent_access_ranges");
        machine.put(&format!("{queue}/{range}/{file}"), sectors);
    };
    put(0, "sector", "0\n");
    put(0, "nr_sectors", "1000204632\n");
    assert_eq!(machine.disk("sda").access_ranges, [], "one range is the whole disk");
    put(1, "sector", "1000204632\n");
    put(1, "nr_sectors", "1000204632\n");
    let half = 1_000_204_632 * 512;
    let ranges = [0, half].map(|offset_bytes| AccessRange { offset_bytes, length_bytes: half });
    assert_eq!(machine.disk("sda").access_ranges, ranges);
}

#[test]
fn a_shingled_disk_is_one_whether_the_kernel_or_the_disk_says_so() {
    let machine = sata();
    let told = |place: &str, bytes: &[u8]| {
        machine.put(&format!("sys/devices/{SATA}/block/sda/{place}"), bytes);
        machine.disk("sda").shingled
    };
    assert_eq!(told("queue/zoned", b"none\n"), None);
    let page = [0, 0xB1, 0, 6, 0x15, 0x18, 0, 2, 0x20, 0];
    assert_eq!(told("device/vpd_pgb1", &page).as_deref(), Some("drive-managed"));
    assert_eq!(told("queue/zoned", b"host-managed\n").as_deref(), Some("host-managed"));
}

#[test]
fn the_identity_page_goes_before_the_model_name_that_scsi_cuts_short() {
    let machine = sata();
    let mut page = vec![0_u8; 60 + 512];
    page[1] = 0x89;
    let name: Vec<u8> = format!("{:<40}", "SAMPLE HD103 TRUNCATED BY SCSI").into_bytes();
    for (index, pair) in name.chunks_exact(2).enumerate() {
        page[60 + 54 + 2 * index..][..2].copy_from_slice(&[pair[1], pair[0]]);
    }
    page[60 + 434..60 + 436].copy_from_slice(&7200_u16.to_le_bytes());
    machine.put(&format!("sys/devices/{SATA}/block/sda/device/vpd_pg89"), page);
    machine.put(&format!("sys/devices/{SATA}/block/sda/device/vpd_pg80"), b"\x00\x80\x00\x08S123456 ");
    let disk = machine.disk("sda");
    assert_eq!(disk.model.as_deref(), Some("SAMPLE HD103 TRUNCATED BY SCSI"));
    assert_eq!(disk.serial.as_deref(), Some("S123456"));
    assert_eq!(disk.rotation_rate_rpm, Some(7200));
    assert_eq!(disk.firmware.as_deref(), Some("1AJ1"), "what the page leaves out stays as it was");
}

#[test]
fn completed_requests_are_reads_writes_discards_and_flushes() {
    assert_eq!(requests_completed(&sata().tree(), "sda"), Some(10 + 20 + 3 + 2));
    let old = Machine::with_disk("sda", SATA, &[("stat", "10 1 80 4 20 0 160 5 0 9 9\n")]);
    assert_eq!(requests_completed(&old.tree(), "sda"), Some(30));
    assert_eq!(requests_completed(&old.tree(), "sdz"), None);
}

#[test]
fn an_nvme_disk_tells_its_serial_and_firmware_and_a_virtio_disk_no_vendor() {
    let files = [("device/model", "SAMPLE NVME   \n"), ("device/serial", " S1 \n"), ("device/firmware_rev", "2B0\n")];
    let disk = Machine::with_disk("nvme0n1", "pci0000:00/nvme/nvme0", &files).disk("nvme0n1");
    assert_eq!((disk.serial.as_deref(), disk.firmware.as_deref()), (Some("S1"), Some("2B0")));
    let files = [("device/vendor", "0x1af4\n"), ("serial", "VIRT-1\n")];
    let disk = Machine::with_disk("vda", "pci0000:00/virtio0", &files).disk("vda");
    assert_eq!((disk.vendor, disk.serial.as_deref()), (None, Some("VIRT-1")));
}

#[test]
fn ram_disks_mappings_and_empty_loop_devices_are_no_disks() {
    for name in ["zram0", "ram1", "dm-4", "md127", "sr0", "fd0"] {
        let machine = Machine::with_disk(name, "virtual", &[]);
        assert!(!Disk::is_measurable_kind(&machine.tree(), name), "{name}");
    }
    let machine = Machine::with_disk("loop0", "virtual", &[("size", "0\n")]);
    assert!(!Disk::is_measurable_kind(&machine.tree(), "loop0"));
    assert!(Disk::is_measurable_kind(&sata().tree(), "sda"));
    let machine = Machine::with_disk("mdraidlike", "virtual", &[]);
    assert!(Disk::is_measurable_kind(&machine.tree(), "mdraidlike"));
}

#[test]
fn words_from_a_device_lose_their_padding_and_control_characters() {
    assert_eq!(tree::clean("  A\u{0}B\u{1b}[31m \n").as_deref(), Some("AB[31m"));
    assert_eq!(tree::clean(" \n"), None);
    assert_eq!(tree::clean(&"x".repeat(1000)).map(|words| words.len()), Some(256));
}

#[test]
fn a_machine_tells_its_cpu_kernel_memory_and_load() {
    let machine = Machine::with_disk("sda", SATA, &[]);
    machine.put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Sample CPU @ 2 GHz\n");
    machine.put("proc/sys/kernel/osrelease", "6.1.0-sample\n");
    machine.put("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
    machine.put("proc/loadavg", "0.42 0.30 0.20 1/100 123\n");
    machine.put("proc/thread-self/status", "Name:\tx\nnonvoluntary_ctxt_switches:\t17\n");
    let tree = machine.tree();
    assert_eq!(host::cpu(&tree).as_deref(), Some("Sample CPU @ 2 GHz"));
    assert_eq!(host::kernel(&tree).as_deref(), Some("Linux 6.1.0-sample"));
    assert_eq!(host::memory_bytes(&tree), Some(16_384 * 1024));
    assert_eq!(host::load_average(&tree), Some(0.42));
    assert_eq!(host::involuntary_context_switches(&tree), Some(17));
    assert!(Path::new(&tree.dev).ends_with("dev"));
}
