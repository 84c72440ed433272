//! What of people's files is read, and what is refused, by the reason that decides.

use super::texts::*;
use super::*;

/// Of a drive without a serial number: its digest is slow on purpose.
fn told(text: &str) -> Result<RunDocument, ImportError> {
    let identity = input("identity.json", &changed(IDENTITY, "\"serial_number\": \"SAMPLE0001\",", ""));
    let inputs = [input("output", text.as_bytes())];
    document(Tool::of_all(&inputs)?, &inputs, Some(&identity), &ImportOptions::default())
}

fn device(text: &str) -> Result<DeviceReport, String> {
    let input = input("identity", text.as_bytes());
    let facts = smartctl::facts(&input).map_err(|error| error.to_string())?;
    smartctl::device(&facts, &ImportOptions::default())
}

#[test]
fn smartctls_text_says_what_its_json_does() {
    let ata = device(SMARTCTL_ATA).unwrap();
    assert_eq!((ata.model.as_str(), ata.capacity_bytes), ("EXAMPLE DISK-8", 1_000_204_886_016));
    assert_eq!((ata.logical_block_bytes, ata.physical_block_bytes), (512, 4096));
    assert_eq!((ata.rotation_rate_rpm, ata.interface.as_str()), (Some(7200), "ata"));
    assert_eq!(
        (ata.link_speed_bits_per_s, ata.link_speed_supported_bits_per_s),
        (Some(3_000_000_000), Some(6_000_000_000))
    );
    assert_eq!((ata.look_ahead.current, ata.write_cache.current), (Some(true), Some(false)));
    assert_eq!(ata.unit_digest, crate::report::digest::unit_digest("EXAMPLE DISK-8", "EX8A4711"));
    let sas = device(SMARTCTL_SAS).unwrap();
    assert_eq!((sas.vendor.as_deref(), sas.model.as_str()), (Some("EXAMPLE"), "SAS10000"));
    assert_eq!((sas.firmware.as_deref(), sas.interface.as_str()), (Some("ES12"), "scsi"));
    let nvme = device(SMARTCTL_NVME).unwrap();
    assert_eq!((nvme.model.as_str(), nvme.rotational.value), ("EXAMPLE FLASH-1", false));
}

#[test]
fn smartctls_numbers_are_read_in_every_language_and_checked() {
    for number in [
        "1,000,204,886,016",
        "1 000 204 886 016",
        "1\u{a0}000\u{a0}204\u{a0}886\u{a0}016",
        "1'000'204'886'016",
        "1\u{fffd}000\u{fffd}204\u{fffd}886\u{fffd}016",
    ] {
        let text = SMARTCTL_ATA.replace("1.000.204.886.016", number).replace("EX8A4711", "--");
        assert_eq!(device(&text).unwrap().capacity_bytes, 1_000_204_886_016, "{number}");
    }
    let damaged = SMARTCTL_ATA.replace("1.000.204.886.016", "1.000.$04.886.016");
    assert!(device(&damaged).unwrap_err().contains("damaged"));
    let other = SMARTCTL_ATA.replace("1.000.204", "4.000.204");
    assert!(device(&other).unwrap_err().contains("damaged"));
}

#[test]
fn counters_of_spinning_up_and_seeking_say_that_a_drive_turns() {
    let old = SMARTCTL_ATA.replace("Rotation Rate:    7200 rpm\n", "");
    let why = device(&old).unwrap_err();
    assert!(why.contains("--rotational yes"), "{why}");
    let in_short = "
ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE
  1 Raw_Read_Error_Rate     POSR-K   200   200   051    -    0
  3 Spin_Up_Time            POS--K   140   140   021    -    3958
                            ||||||_ K auto-keep
";
    let in_full = "
ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  1 Raw_Read_Error_Rate     0x000f   117   099   006    Pre-fail  Always       -       24h+15m
  3 Spin_Up_Time            0x0003   098   097   000    Pre-fail  Always       -       0
  7 Seek_Error_Rate         0x000f   083   060   030    Pre-fail  Always       -       184476319 (Average 1)
";
    for table in [in_short, in_full] {
        let drive = device(&format!("{old}{table}")).unwrap();
        assert_eq!((drive.rotational.value, drive.rotational.source.as_str()), (true, "device"));
        assert_eq!(drive.rotation_rate_rpm, None);
        // What flash drives that list these counters print.
        let idle = table.replace(" 3958", " 0").replace(" 184476319", " 0");
        assert!(device(&format!("{old}{idle}")).unwrap_err().contains("--rotational yes"));
    }
    let flash = old.replace("SATA Version", "Rotation Rate:    Solid State Device\nSATA Version");
    assert!(!device(&format!("{flash}{in_short}")).unwrap().rotational.value);
}

#[test]
fn a_masked_serial_number_stands_for_no_unit() {
    for serial in
        ["XXXXXXXX", "REDACTED", "--", "Z1Z5DWJK0000XXXXXXXX", "xxx", "WD-WCC7K0000000", "AR01234567890C", "********"]
    {
        let found = device(&SMARTCTL_ATA.replace("EX8A4711", serial)).unwrap();
        assert_eq!(found.unit_digest, None, "{serial}");
    }
    for serial in ["WD-WCC4J1ABCDEZ", "9YHSDH9B", "S24ZN902000L", "PK1334PEK49SBS", "Z1Z5DWJK0000C515ABCD"] {
        assert!(device(&SMARTCTL_ATA.replace("EX8A4711", serial)).unwrap().unit_digest.is_some(), "{serial}");
    }
}

#[test]
fn what_is_no_drive_is_refused_with_a_remedy() {
    for (vendor, product) in [("Intel", "Raid 1 Volume"), ("HP", "LOGICAL VOLUME"), ("DELL", "PERC H730 Mini")] {
        let text = SMARTCTL_SAS.replace("EXAMPLE", vendor).replace("SAS10000", product);
        let words = device(&text).unwrap_err();
        assert!(words.contains("not a drive") && words.contains("-d megaraid,N"), "{words}");
    }
    let masked = SMARTCTL_ATA.replace("EXAMPLE DISK-8", "XXXX XX0000NM123");
    assert!(device(&masked).unwrap_err().contains("masked"));
    assert!(device(&SMARTCTL_SAS.replace("SAS (SPL-3)", "iSCSI")).unwrap_err().contains("iSCSI"));
    let two = format!("{SMARTCTL_ATA}{}", SMARTCTL_ATA.replace("EX8A4711", "EX8A4712"));
    assert!(device(&two).unwrap_err().contains("several drives"));
    let json = String::from_utf8(IDENTITY.to_vec()).unwrap();
    for several in [format!("[{json},{json}]"), format!("{json}{json}")] {
        assert!(device(&several).unwrap_err().contains("several drives"));
    }
    let controller = SMARTCTL_NVME
        .replace("Namespace 1", "Namespaces")
        .replace("of Namespaces:               1", "of Namespaces: 128");
    assert!(device(&controller).unwrap_err().contains("/dev/nvme0n1"));
}

#[test]
fn a_drive_nobody_asked_is_described_by_whoever_imports() {
    let asked = ImportOptions {
        model: Some("EXAMPLE DISK-8".to_owned()),
        capacity_bytes: Some(1_000_204_886_016),
        rotational: Some(true),
        source: Some("somebody, CC0".to_owned()),
        ..ImportOptions::default()
    };
    let inputs = [input("hdparm", HDPARM_PASTE.as_bytes())];
    let document = document(Tool::Hdparm, &inputs, None, &asked).unwrap();
    assert_eq!((document.device.block_bytes, document.device.unit_digest.as_deref()), (512, None));
    assert!(remarks(&document).contains("the drive itself was not asked"));
    assert_eq!(document.imported.unwrap().source.as_deref(), Some("somebody, CC0"));
    assert!(why(super::document(Tool::Hdparm, &inputs, None, &ImportOptions::default())).contains("--identity"));
}

#[test]
fn hdparms_device_line_decides_what_was_read() {
    assert!(told(HDPARM_PASTE).is_ok());
    for (name, reason) in [("sdb1", "partition"), ("VG/home", "LVM"), ("md0", "RAID"), ("xvda", "virtual machine")] {
        let words = why(told(&HDPARM_PASTE.replace("sdb", name)));
        assert!(words.contains(reason), "{words}");
    }
    let two = format!("{HDPARM_PASTE}{}", HDPARM_PASTE.replace("sdb", "sdc"));
    let words = why(told(&two));
    assert!(words.contains("several drives (/dev/sdb, /dev/sdc)") && words.contains("--device /dev/sdb"), "{words}");
    let mixed = format!("{HDPARM_PASTE}{}", HDPARM_PASTE.replace("sdb", "sdb1"));
    let document = told(&mixed).unwrap();
    assert_eq!(samples(&document, "positional")[0]["length_blocks"].as_array().unwrap().len(), 1);
    assert!(remarks(&document).contains("/dev/sdb1 is a partition"));
    assert!(why(told(" Timing O_DIRECT disk reads: 456 MB in  3.01 seconds = 151.67 MB/sec")).contains("no line says"));
}

#[test]
fn what_is_no_drives_is_refused_for_that_before_anything_that_is_missing() {
    let inputs = [input("hdparm.txt", HDPARM_PASTE.replace("sdb", "sdb1").as_bytes())];
    let named = ImportOptions {
        model: Some("EX-1000".to_owned()),
        capacity_bytes: Some(1_000_204_886_016),
        ..ImportOptions::default()
    };
    let words = why(document(Tool::Hdparm, &inputs, None, &named));
    assert!(words.contains("partition") && !words.contains("--rotational"), "{words}");
}

#[test]
fn hdparms_old_colours_folded_and_quoted_lines_are_read() {
    let old = "/dev/hda:\n Timing buffered disk reads:  64 MB in  1.68 seconds =38.10 MB/sec\n";
    let document = told(old).unwrap();
    assert!(remarks(&document).contains("64 MB, however long"));
    assert!(document.benchmarks.len() == 1);
    let same = samples(&told(HDPARM_PASTE).unwrap(), "positional");
    let coloured = HDPARM_PASTE.replace("/dev/sdb:", "\u{1b}[33m\u{1b}(B\u{1b}[m/dev/sdb:\u{1b}[0m");
    let folded = HDPARM_PASTE.replace("seconds =", "seconds =\n");
    let quoted = format!("> {}\r\n", HDPARM_PASTE.replace('\n', "\r\n> "));
    for text in [coloured, folded, quoted] {
        assert_eq!(samples(&told(&text).unwrap(), "positional"), same, "{text}");
    }
    let cut = format!("{HDPARM_PASTE}/dev/sdb:\n Timing O_DIRECT disk reads: 456 MB in  3.01 seconds = 151.67 MB/\n");
    let document = told(&cut).unwrap();
    assert_eq!(samples(&document, "positional"), same);
    assert!(remarks(&document).contains("ends early"));
}

#[test]
fn zcav_1_03_counts_in_mebibytes_and_kibibytes() {
    let identity = SMARTCTL_ATA.replace("1.000.204.886.016 bytes [1,00 TB]", "314.572.800 bytes [314 MB]");
    let inputs = [input("zcav", ZCAV_1_03.as_bytes())];
    let made = document(Tool::Zcav, &inputs, Some(&input("identity", identity.as_bytes())), &ImportOptions::default());
    let zones = &samples(&made.unwrap(), "zoned")[0];
    assert_eq!(zones["offset_blocks"], json_of(&[0, 204_800, 409_600]));
    assert!(zones["elapsed_ns"][0].as_u64().unwrap().abs_diff(1_683_130_000) < 20_000);
    for (from, to, reason) in
        [("/dev/sdb", "/dev/sdb3", "partition"), ("-c 1", "-w", "wrote"), ("100 60001", "100 70001", "does not follow")]
    {
        let words = why(told(&ZCAV_1_03.replace(from, to)));
        assert!(words.contains(reason), "{words}");
    }
}

#[test]
fn hd_tunes_text_is_found_among_others_and_in_german() {
    let plain = |text: &str| samples(&told(text).unwrap(), "access")[0]["stated"].clone();
    let pro = plain(HDTUNE_PRO);
    assert_eq!(
        (pro["transfer_minimum_mb_per_s"].as_str(), pro["access_time_ms"].as_str()),
        (Some("66.0"), Some("14.2"))
    );
    assert_eq!(plain(HDTUNE_GERMAN), pro);
    assert_eq!(plain(&HDTUNE_GERMAN.replace("Transferrate", "\u{dc}bertragungsrate")), pro);
    assert!(remarks(&told(HDTUNE_PRO).unwrap()).contains("What HD Tune wrote was left out"));
    let unknown = told(&HDTUNE_PRO.replace(": 2.4%", ": -1.0%")).unwrap();
    assert!(samples(&unknown, "access")[0]["stated"].get("cpu_usage_percent").is_none());
    for (from, to, reason) in [
        ("capacity: full", "capacity: 40 GB", "a part of the disk"),
        ("Benchmark", "Error Scan", "error scan"),
        ("Minimum : 66.0", "Minimum : 266.0", "contradict"),
    ] {
        let words = why(told(&HDTUNE_PRO.replace(from, to)));
        assert!(words.contains(reason), "{words}");
    }
}

#[test]
fn diskinfo_says_itself_which_drive_it_read() {
    let inputs = [input("diskinfo", DISKINFO.as_bytes())];
    let document = document(Tool::of_all(&inputs).unwrap(), &inputs, None, &ImportOptions::default()).unwrap();
    assert_eq!((document.device.model.as_str(), document.device.rotation_rate_rpm), ("EXAMPLE DISK-8", Some(7200)));
    let places = samples(&document, "positional");
    assert_eq!(places[2]["offset_blocks"], json_of(&[16_777_216 - 204_800]));
    assert!(places[0]["elapsed_ns"][0].as_u64().unwrap().abs_diff(439_125_000) < 2_000);
    assert!(remarks(&document).contains("seek times"));
    for (from, to, reason) in [
        ("/dev/da1", "/dev/da1p2", "partition"),
        ("/dev/da1\n", "da1p2\n", "partition"),
        ("8589934592", "8589934080", "media size"),
        ("233191", "333191", "not as diskinfo"),
    ] {
        assert!(why(told(&DISKINFO.replace(from, to))).contains(reason), "{to}");
    }
}

#[test]
fn dd_is_read_with_its_command() {
    let series = samples(&told(DD).unwrap(), "positional")[0].clone();
    assert_eq!((series["position"].as_str(), series["length_blocks"][0].as_u64()), (Some("outer"), Some(1_024_000)));
    assert_eq!(series["elapsed_ns"][0], 4_248_440_000u64);
    for (from, to, reason) in [
        ("if=/dev/sdb", "if=/dev/sdb1", "partition"),
        ("of=/dev/null", "of=/mnt/test.bin", "elsewhere"),
        ("count=500", "count=400", "not what its command asked for"),
        ("$ sudo dd if=/dev/sdb of=/dev/null bs=1M count=500 iflag=direct\n", "", "the one command of dd"),
    ] {
        let words = why(told(&DD.replace(from, to)));
        assert!(words.contains(reason), "{words}");
    }
}

#[test]
fn iopings_mean_is_carried_as_printed() {
    let document = told(IOPING).unwrap();
    assert_eq!(samples(&document, "access")[0]["stated"]["access_time_ms"], "12.2");
    assert!(!remarks(&document).contains("page cache"));
    for (from, to, reason) in [
        ("/dev/sdb", "/home", "ran on a file"),
        ("-D -c", "-L -c", "option -L"),
        ("4 KiB <<<", "256 KiB <<<", "not of 4 KiB"),
        ("19 requests", "9 requests", "fewer than 10"),
        ("12.2 ms /", "32.2 ms /", "min/avg/max/mdev"),
    ] {
        let words = why(told(&IOPING.replace(from, to)));
        assert!(words.contains(reason), "{words}");
    }
}

#[test]
fn fios_sums_are_kept_where_buckets_lack() {
    let document = told(FIO_3_1).unwrap();
    let reads = &samples(&document, "random_io")[0]["reads"];
    assert_eq!((reads["minimum_ns"].as_u64(), reads["maximum_ns"].as_u64()), (Some(3_047_704), Some(24_705_827)));
    assert_eq!(reads["summary"]["per_million"], json_of(&[10_000, 500_000, 990_000]));
    assert_eq!(reads["summary"]["percentile_ns"][1], 13_697_024);
    // As PowerShell redirects it.
    let utf_16: Vec<u8> = "\u{feff}".encode_utf16().chain(FIO_3_1.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(samples(&import_one(&utf_16).unwrap(), "random_io"), samples(&document, "random_io"));
    let old = told(FIO_2).unwrap();
    let series = &samples(&old, "random_io")[0];
    assert_eq!((series["pattern"].as_str(), series["concurrency"].as_u64()), (Some("queue"), Some(8)));
    assert_eq!(series["reads"]["summary"]["percentile_ns"][0], 90_624_000);
    let checker = Checker::new(KINDS.iter().map(|kind| (kind.slug(), kind.declaration().schema))).unwrap();
    for document in [document, old] {
        assert_eq!(checker.check(&Json::of(&document).unwrap()), []);
    }
}

#[test]
fn the_reason_that_decides_goes_before_an_option_that_is_not_known() {
    for (from, to, reason) in [
        ("/dev/sdb", "/dev/mapper/vg-x", "device mapper"),
        ("/dev/sdb", "/dev/sdb:/dev/sdc", "several devices"),
        ("\"filename\" : \"/dev/sdb\"", "\"filename\" : \"test.bin\"", "ran on a file"),
        ("\"filename\" : \"/dev/sdb\"", "\"directory\" : \"/mnt\"", "files of a file system"),
        ("\"direct\" : \"1\"", "\"direct\" : \"0\"", "page cache"),
        ("\"verify\" : \"0\"", "\"verify\" : \"md5\"", "\"verify=md5\" may change"),
        ("fio-3.1", "fio-1.9", "only the JSON of fio 2 and 3"),
    ] {
        let words = why(told(&FIO_3_1.replace("\"rate\"", "").replace(from, to)));
        assert!(words.contains(reason), "{words}");
    }
    assert!(why(told("mytest: (groupid=0, jobs=1): err= 0: pid=379504: Mon Jul  3 2023\n")).contains("fio's text"));
    assert!(why(told("    CrystalDiskMark 5.1.0 x64 (C) 2007-2015 hiyohiyo\n")).contains("file system"));
}

#[test]
fn options_of_writes_do_nothing_to_reads() {
    let with = FIO_3_1.replace("\"verify\" : \"0\"", "\"end_fsync\" : \"1\"");
    assert!(told(&with).is_ok());
    let writes = with.replace("randread", "randwrite");
    assert!(why(told(&writes)).contains("\"end_fsync=1\" may change"));
}

#[test]
fn several_invocations_of_fio_on_one_drive_are_one_run() {
    let deeper = FIO_3_1.replace("\"iodepth\" : \"1\"", "\"iodepth\" : \"4\"");
    let both = [input("one.json", FIO_3_1.as_bytes()), input("two.json", deeper.as_bytes())];
    let document = import(&both).unwrap();
    let series = samples(&document, "random_io");
    assert_eq!((series[0]["concurrency"].as_u64(), series[1]["concurrency"].as_u64()), (Some(1), Some(4)));
    let other = [input("one.json", FIO_3_1.as_bytes()), input("two.json", deeper.replace("sdb", "sdc").as_bytes())];
    assert!(why(import(&other)).contains("several devices (/dev/sdb, /dev/sdc)"));
    let log = [input("depth-1_lat.1.log", b"500, 13852391, 0, 0\n1000, 13852391, 0, 0\n")];
    assert!(why(import(&log)).contains("logs alone"));
    let with_log =
        import(&[input("one.json", FIO_3_1.as_bytes()), input("depth-1_lat.1.log", b"500, 13852391, 0, 0\n")]);
    assert!(remarks(&with_log.unwrap()).contains("means of stretches of time"));
}

#[test]
fn no_name_of_a_volume_or_by_id_goes_into_a_document() {
    let job = FIO_3_1
        .replace("random-read", "/dev/disk/by-id/ata-EXAMPLE_EX8A4711")
        .replace("/dev/sdb", "/dev/disk/by-id/ata-EXAMPLE_EX8A4711");
    let text = serde_json::to_string(&told(&job).unwrap()).unwrap();
    assert!(!text.contains("EX8A4711"), "{text}");
}
