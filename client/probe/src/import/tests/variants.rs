//! What other versions, languages and users of the tools print of the same.

use super::texts::*;
use super::*;

/// Of a drive without a serial number: its digest is slow on purpose.
fn told(text: &str) -> Result<RunDocument, ImportError> {
    let identity = input("identity.json", &changed(IDENTITY, "\"serial_number\": \"SAMPLE0001\",", ""));
    let inputs = [input("output", text.as_bytes())];
    document(Tool::of_all(&inputs)?, &inputs, Some(&identity), &ImportOptions::default())
}

fn access_time(text: &str) -> Value {
    samples(&told(text).unwrap_or_else(|error| panic!("{error}\n{text}")), "access")[0]["stated"]["access_time_ms"]
        .clone()
}

#[test]
fn iopings_old_and_short_summaries_are_read() {
    let summary = &IOPING[IOPING.find("--- ").unwrap()..];
    assert_eq!(access_time(summary), "12.2");
    let many = summary.replace("19 requests completed in 231.4 ms", "14.9 k requests completed in 181.8 s");
    assert_eq!(access_time(&many.replace("76 KiB read", "58.2 MiB read")), "12.2");
    let old = "--- /dev/sdb (device 8.0 Gb) ioping statistics ---\n450 requests completed in 3000.1 ms, 150 iops, 0.6 mb/s\nmin/avg/max/mdev = 0.1/6.7/74.1/6.5 ms\n";
    assert_eq!(access_time(old), "6.7");
    let from = "4 KiB from /dev/sdb (device 8 GiB): request=1 time=8.2 ms\n";
    assert_eq!(access_time(&format!("{from}{old}")), "6.7");
    let flash = summary
        .replace("4.21 ms / 12.2 ms / 20.4 ms / 4.10 ms", "61.9 us / 197.8 us / 5.88 ms / 97.4 us")
        .replace("231.4 ms", "3.76 ms");
    assert_eq!(access_time(&flash), "0.1978");
    let slow =
        summary.replace("12.2 ms / 20.4 ms / 4.10 ms", "1.05 s / 2.40 s / 9.10 ms").replace("231.4 ms", "20.0 s");
    assert_eq!(access_time(&slow), "1050");
    let few = "--- /dev/sdb (device 8.0 Gb) ioping statistics ---\n20 requests completed in 19.1 s, 1 iops, 4.44 KiB/s\nmin/avg/max/mdev = 0.1/6.7/74.1/6.5 ms\n";
    assert_eq!(access_time(few), "6.7");
}

#[test]
fn iopings_summary_alone_says_when_it_wrote_or_read_other_blocks() {
    let summary = &IOPING[IOPING.find("--- ").unwrap()..];
    for (from, to, reason) in [
        ("76 KiB read", "76 KiB written", "it wrote"),
        ("76 KiB read, 82 iops, 328.4 KiB/s", "4.75 MiB read, 82 iops, 20.5 MiB/s", "not of 4 KiB but of 262144"),
        ("231.4 ms", "831.4 ms", "are not its mean"),
        ("/dev/sdb (block device", "/dev/sdb1 (device", "partition"),
    ] {
        let words = why(told(&summary.replace(from, to)));
        assert!(words.contains(reason), "{words}");
    }
    let sequential = "--- /dev/sdb (device 8.0 Gb) ioping statistics ---\n1.8 k requests completed in 3.0 s, 600 iops, 150.1 MiB/s\nmin/avg/max/mdev = 648 us / 1.7 ms / 152.2 ms / 5.2 ms\n";
    assert!(why(told(sequential)).contains("not of 4 KiB"));
    let to = format!("4 KiB to /dev/sdb (device 8 GiB): request=1 time=8.2 ms\n{summary}");
    assert!(why(told(&to)).contains("it wrote"));
}

const DD_COMMAND: &str =
    "$ sudo dd if=/dev/sdb of=/dev/null bs=1M count=500 iflag=direct\n500+0 records in\n500+0 records out\n";

#[test]
fn dd_is_read_in_every_language_and_of_every_maker() {
    let expected = samples(&told(DD).unwrap(), "positional");
    for result in [
        "524288000 bytes (524 MB) copied, 4.24844 s, 123 MB/s",
        "524288000 Bytes (524 MB, 500 MiB) kopiert, 4,24844 s, 123 MB/s",
        "524288000 octets (524 MB, 500 MiB) copi\u{e9}s, 4,24844 s, 123 MB/s",
        "524288000 bytes (524 MB, 500 MiB) copiados, 4,24844 s, 123 MB/s",
        "524288000 \u{431}\u{430}\u{439}\u{442} (524 MB, 500 MiB) \u{441}\u{43a}\u{43e}\u{43f}\u{438}\u{440}\u{43e}\u{432}\u{430}\u{43d}\u{43e}, 4,24844 s, 123 MB/s",
        "524288000\u{5b57}\u{8282}\u{ff08}524 MB\u{ff0c}500 MiB\u{ff09}\u{5df2}\u{590d}\u{5236}\u{ff0c}4.24844 s\u{ff0c}123 MB/s",
        "524288000 bytes (500.0MB) copied, 4.24844 seconds, 117.7MB/s",
        "524288000 bytes transferred in 4.248440 secs (123407180 bytes/sec)",
    ] {
        let found = told(&format!("{DD_COMMAND}{result}\n")).unwrap_or_else(|error| panic!("{result}: {error}"));
        assert_eq!(samples(&found, "positional"), expected, "{result}");
    }
    let shown = "100663296 bytes (101 MB, 96 MiB) copied, 1 s, 101 MB/s\r314572800 bytes (315 MB, 300 MiB) copied, 3 s, 105 MB/s\r";
    let progress = DD_COMMAND.replace("iflag=direct", "iflag=direct status=progress");
    let whole = format!("{progress}{shown}524288000 bytes (524 MB, 500 MiB) copied, 4.24844 s, 123 MB/s\n");
    assert_eq!(samples(&told(&whole).unwrap(), "positional"), expected);
}

#[test]
fn several_readings_of_dd_are_one_run_and_those_of_files_are_left_out() {
    let middle = DD.replace("count=500", "count=500 skip=4096");
    let file = DD.replace("if=/dev/sdb", "if=/mnt/test.bin");
    let document = told(&format!("{DD}{DD}{middle}{file}")).unwrap();
    let series = samples(&document, "positional");
    assert_eq!(
        (series[0]["length_blocks"].as_array().unwrap().len(), series[1]["position"].as_str()),
        (2, Some("middle"))
    );
    assert_eq!(series[1]["offset_blocks"][0], 4096 * 2048);
    assert!(remarks(&document).contains("ran on a file"), "{}", remarks(&document));
    for (text, reason) in [
        (format!("{DD}{}", DD.replace("/dev/sdb", "/dev/sdc")), "several drives"),
        (format!("{DD}{}", DD.replace(" iflag=direct", "")), "not one measurement"),
        (DD.replace("if=/dev/sdb of=/dev/null", "if=/dev/zero of=/dev/sdb"), "it wrote"),
        (DD.replace("of=/dev/null", "of=/dev/null oflag=sync"), "operand oflag"),
        (
            DD.replace("524288000", "8388608000").replace("4.24844", "67.97504").replace("count=500", "count=8000"),
            "in one go",
        ),
    ] {
        let words = why(told(&text));
        assert!(words.contains(reason), "{words}");
    }
}

#[test]
fn dds_skip_is_in_bytes_where_its_flags_say_so() {
    let middle =
        DD.replace("count=500 iflag=direct", "count=524288000 skip=4294967296 iflag=skip_bytes,count_bytes,direct");
    assert_eq!(samples(&told(&middle).unwrap(), "positional")[0]["offset_blocks"][0], 4096 * 2048);
    let to_nowhere =
        DD.replace(" of=/dev/null bs=1M count=500 iflag=direct", " bs=1M count=500 iflag=direct > /dev/null");
    assert_eq!(samples(&told(&to_nowhere).unwrap(), "positional"), samples(&told(DD).unwrap(), "positional"));
}

#[test]
fn words_behind_hdparms_result_change_nothing() {
    let same = samples(&told(HDPARM_PASTE).unwrap(), "positional");
    for end in ["MB/sec.", "MB/sec, which is slow", "MB/sec  <- here"] {
        let found = told(&HDPARM_PASTE.replace("MB/sec\n", &format!("{end}\n"))).unwrap();
        assert_eq!(samples(&found, "positional"), same, "{end}");
    }
    let failed = format!("{HDPARM_PASTE}/dev/sdb:\n Timing O_DIRECT disk reads: read() failed: Input/output error\n");
    assert!(remarks(&told(&failed).unwrap()).contains("measurement that failed"));
    assert!(
        why(told("/dev/sdb:\n Timing cached reads:   3462 MB in  2.00 seconds = 1731.24 MB/sec\n"))
            .contains("memory alone")
    );
    assert!(why(told("\n")).contains("it is empty"));
}

const HDPARM_IDENTITY: &str = "/dev/sdb:

ATA device, with non-removable media
\tModel Number:       EXAMPLE DISK-8
\tSerial Number:      --
\tFirmware Revision:  EX01
Configuration:
\tLBA    user addressable sectors:   16777216
\tLBA48  user addressable sectors:   16777216
\tLogical  Sector size:                   512 bytes
\tPhysical Sector size:                  4096 bytes
\tdevice size with M = 1024*1024:        8192 MBytes
\tdevice size with M = 1000*1000:        8589 MBytes (8 GB)
\tForm Factor: 3.5 inch
\tNominal Media Rotation Rate: 7200
Capabilities:
Commands/features:
\tEnabled\tSupported:
\t    \tWrite cache
\t   *\tLook-ahead
";

#[test]
fn hdparms_own_words_say_which_drive_it_read() {
    let asked = ImportOptions::default();
    let read = |text: &str| {
        let inputs = [input("hdparm", text.as_bytes())];
        document(Tool::of_all(&inputs)?, &inputs, None, &asked)
    };
    let found = read(&format!("{HDPARM_IDENTITY}{}", HDPARM_PASTE.trim_start())).unwrap().device;
    assert_eq!(
        (found.model.as_str(), found.capacity_bytes, found.rotation_rate_rpm),
        ("EXAMPLE DISK-8", 8_589_934_592, Some(7200))
    );
    assert_eq!((found.logical_block_bytes, found.physical_block_bytes), (512, 4096));
    assert_eq!((found.write_cache.current, found.look_ahead.current), (Some(false), Some(true)));
    let (outputs, identity) =
        split(vec![input("I", HDPARM_IDENTITY.as_bytes()), input("t", HDPARM_PASTE.as_bytes())]).unwrap();
    let apart = document(Tool::Hdparm, &outputs, identity.as_ref(), &asked).unwrap();
    assert_eq!(apart.device.firmware.as_deref(), Some("EX01"));
    assert!(why(read(&format!("{}{HDPARM_PASTE}", HDPARM_IDENTITY.replace("sdb", "sdc")))).contains("--identity"));
    for (from, to) in [
        ("8589 MBytes", "9589 MBytes"),
        ("LBA48  user addressable sectors:   16777216", "LBA48  user addressable sectors:   16877216"),
    ] {
        let identity = input("I", HDPARM_IDENTITY.replace(from, to).as_bytes());
        let words = why(document(Tool::Hdparm, &outputs, Some(&identity), &asked));
        assert!(words.contains("contradict"), "{words}");
    }
}

#[test]
fn hd_tune_names_the_model_itself() {
    let asked =
        ImportOptions { capacity_bytes: Some(8_589_934_592), rotational: Some(true), ..ImportOptions::default() };
    let read = |text: &str, asked: &ImportOptions| {
        let inputs = [input("hdtune", text.as_bytes())];
        document(Tool::of_all(&inputs)?, &inputs, None, asked)
    };
    let found = read(HDTUNE_PRO, &asked).unwrap();
    assert_eq!(found.device.model, "EXAMPLE DISK-8");
    assert!(remarks(&found).contains("The model is that of the tool's own text"));
    assert!(why(read(HDTUNE_PRO, &ImportOptions::default())).contains("no capacity: add --capacity"));
    let scan = HDTUNE_PRO.replace("Benchmark", "Error Scan");
    assert!(why(read(&scan, &asked)).contains("error scan"));
    let array = HDTUNE_PRO.replace("EXAMPLE DISK-8", "Intel   Raid 0 Volume");
    assert!(why(read(&array, &asked)).contains("not a drive"));
}

#[test]
fn fios_sums_that_lack_one_or_contradict_each_other_carry_nothing() {
    for lacking in
        ["\"min\" : 3047704, ", ", \"mean\" : 13787035.2", ", \"stddev\" : 3908717.7", "\"max\" : 24705827, "]
    {
        let found = told(&FIO_3_1.replace(lacking, "")).unwrap();
        assert_eq!(samples(&found, "random_io")[0]["reads"], Value::Null, "{lacking}");
    }
    assert!(why(told(&FIO_3_1.replace("72.05", "172.05"))).contains("its iops are not its requests"));
    for (from, to) in [("13697024", "13697025"), ("3047704", "13047704")] {
        let found = told(&FIO_3_1.replace(from, to)).unwrap();
        let reads = &samples(&found, "random_io")[0]["reads"];
        assert_eq!(reads.pointer("/summary/percentile_ns/1"), None, "{to}: {reads}");
    }
}

#[test]
fn fios_least_mean_most_and_deviation_are_kept_without_percentiles_and_of_clones() {
    let checker = Checker::new(KINDS.iter().map(|kind| (kind.slug(), kind.declaration().schema))).unwrap();
    let start = FIO_3_1.find("\"percentile\"").unwrap();
    let end = start + FIO_3_1[start..].find('}').unwrap() + 1;
    let bare = format!("{}\"percentile\" : {{}}{}", &FIO_3_1[..start], &FIO_3_1[end..]);
    let whole = samples(&told(FIO_3_1).unwrap(), "random_io")[0]["reads"].clone();
    let document = told(&bare).unwrap();
    let reads = samples(&document, "random_io")[0]["reads"].clone();
    assert_eq!(checker.check(&Json::of(&document).unwrap()), []);
    for member in ["minimum_ns", "maximum_ns", "total_ns"] {
        assert_eq!(reads[member], whole[member], "{member}");
    }
    assert_eq!(reads["summary"]["per_million"], json_of(&[]));
    assert!(remarks(&document).contains("it printed no percentiles"));
    let first = bare.find("\"jobs\"").unwrap();
    let (from, to) = (first + bare[first..].find('{').unwrap(), bare.rfind(']').unwrap());
    let job = bare[from..to].trim_end();
    let twice = format!("{},\n{job}{}", &bare[..from + job.len()], &bare[to..]);
    let twice = twice.replace("\"filename\"", "\"numjobs\" : \"2\", \"filename\"");
    let both = samples(&told(&twice).unwrap(), "random_io")[0].clone();
    assert_eq!(
        both["requests"].as_u64(),
        samples(&document, "random_io")[0]["requests"].as_u64().map(|count| 2 * count)
    );
    let near = |one: &Value, two: &Value| one.as_f64().unwrap() / two.as_f64().unwrap();
    assert!((near(&both["reads"]["summary"]["deviation_ns"], &reads["summary"]["deviation_ns"]) - 1.0).abs() < 0.01);
}

#[test]
fn json_of_which_some_lines_are_quoted_is_read() {
    let mail = format!("Somebody wrote:\n> {}\nThank you.\n", FIO_3_1.replace('\n', "\n> "));
    assert_eq!(samples(&told(&mail).unwrap(), "random_io"), samples(&told(FIO_3_1).unwrap(), "random_io"));
}

#[test]
fn a_capacity_in_blocks_and_bytes_says_how_large_a_block_is() {
    let identity = |blocks: u64| {
        let facts = serde_json::json!({
            "device": {"type": "sat", "protocol": "ATA"}, "model_name": "EXAMPLE DISK-8", "rotation_rate": 7200,
            "user_capacity": {"bytes": 8_589_934_592u64, "blocks": blocks},
        });
        smartctl::device(&facts, &ImportOptions::default())
    };
    assert_eq!(identity(16_777_216).unwrap().logical_block_bytes, 512);
    assert_eq!(identity(2_097_152).unwrap().logical_block_bytes, 4096);
    assert!(identity(16_777_217).unwrap_err().contains("no size of blocks"));
}

#[test]
fn a_damaged_text_of_smartctl_is_refused_for_the_damage() {
    let text = SMARTCTL_ATA.replace("smartmontools", "smar$montools").replace("1.000.204", "1.000.$04");
    let files = vec![input("hdparm", HDPARM_PASTE.as_bytes()), input("smartctl", text.as_bytes())];
    let (outputs, identity) = split(files).unwrap();
    assert!(why(document(Tool::Hdparm, &outputs, identity.as_ref(), &ImportOptions::default())).contains("damaged"));
}

#[test]
fn what_smartctl_said_instead_of_an_identity_is_told() {
    let head = "smartctl 7.2 2020-12-30 r5155 [x86_64-linux] (local build)\nwww.smartmontools.org\n\n";
    for said in
        ["Smartctl open device: /dev/sda failed: Permission denied", "/dev/sdb: Unknown USB bridge [0x0bc2:0x2322]"]
    {
        let identity = input("smartctl", format!("{head}{said}\n").as_bytes());
        let inputs = [input("hdparm", HDPARM_PASTE.as_bytes())];
        let words = why(document(Tool::Hdparm, &inputs, Some(&identity), &ImportOptions::default()));
        assert!(words.contains(said), "{words}");
    }
}

#[test]
fn arrays_by_any_name_are_no_drive() {
    for model in ["NVIDIA  STRIPE 298.09G", "MIRROR 931.51G", "ARRAY0", "HighPoint RocketRAID", "AMD 2+0 JBOD"] {
        let asked = ImportOptions {
            model: Some(model.to_owned()),
            capacity_bytes: Some(8_589_934_592),
            rotational: Some(true),
            ..ImportOptions::default()
        };
        let inputs = [input("hdparm", HDPARM_PASTE.as_bytes())];
        assert!(why(document(Tool::Hdparm, &inputs, None, &asked)).contains("not a drive"), "{model}");
    }
}

#[test]
fn the_device_of_an_output_without_one_may_be_told() {
    let bare = &HDPARM_PASTE[HDPARM_PASTE.find(" Timing").unwrap()..];
    let read = |name: &str| {
        let asked = ImportOptions {
            model: Some("EXAMPLE DISK-8".to_owned()),
            capacity_bytes: Some(8_589_934_592),
            rotational: Some(true),
            device: Some(name.to_owned()),
            ..ImportOptions::default()
        };
        document(Tool::Hdparm, &[input("hdparm", bare.as_bytes())], None, &asked)
    };
    let found = read("/dev/sdb").unwrap();
    assert_eq!(samples(&found, "positional"), samples(&told(HDPARM_PASTE).unwrap(), "positional"));
    assert!(remarks(&found).contains("the word of whoever imported it: the output does not say"));
    assert!(why(read("/dev/sdb1")).contains("partition"));
    assert!(why(told(bare)).contains("--device /dev/DISK"));
}

#[test]
fn text_and_json_of_smartctl_in_one_file_are_of_several_drives() {
    let json = r#"{"json_format_version": [1, 0], "smartctl": {"version": [7, 3]}, "model_name": "OTHER DISK-9"}"#;
    for both in [format!("{SMARTCTL_ATA}{json}\n"), format!("{json}\n{SMARTCTL_ATA}")] {
        let why = smartctl::facts(&input("identity", both.as_bytes())).unwrap_err().to_string();
        assert!(why.contains("several drives"), "{why}");
    }
    let beside = format!("{HDPARM_PASTE}{SMARTCTL_ATA}");
    let inputs = [input("hdparm", beside.as_bytes())];
    assert!(why(document(Tool::Hdparm, &inputs, None, &ImportOptions::default())).contains("--identity"));
    let twice = format!("{DISKINFO}{}", DISKINFO.replace("0.439125 sec =   233191", "0.469125 sec =   218278"));
    assert!(why(told(&twice)).contains("several outputs of diskinfo"));
}

#[test]
fn what_is_no_drives_is_refused_for_that_without_an_identity_too() {
    let read = |text: &str| {
        let inputs = [input("output", text.as_bytes())];
        document(Tool::of_all(&inputs)?, &inputs, None, &ImportOptions::default())
    };
    for (text, reason) in [
        (HDPARM_PASTE.replace("sdb", "sdb1"), "partition"),
        (DD.replace("/dev/sdb", "/dev/mapper/home"), "device mapper"),
        (IOPING.replace("/dev/sdb", "/home"), "ran on a file"),
        (ZCAV_1_03.replace("/dev/sdb", "/dev/md0"), "RAID"),
        (FIO_3_1.replace("\"filename\" : \"/dev/sdb\"", "\"directory\" : \"/mnt\""), "files of a file system"),
    ] {
        let words = why(read(&text));
        assert!(words.contains(reason) && !words.contains("--identity"), "{words}");
    }
    for text in [HDPARM_PASTE, DD, IOPING, FIO_3_1] {
        assert!(why(read(text)).contains("nothing says which drive it was: give --identity"));
    }
}

#[test]
fn places_say_how_large_zcavs_blocks_are_where_rate_and_time_leave_several_sizes() {
    let row = |at: u32| {
        let rate = 180.0 - 5.0 * f64::from(at);
        format!("{:.2} {rate:.2} {:.3}\n", 64.0 * f64::from(at), 65_536.0 / rate)
    };
    let rows: Vec<String> = (0..15).map(row).collect();
    let text = format!("#loops: 1, version: 2.00\n#block offset (GiB), MiB/s, time\n{}", rows.concat());
    let asked = ImportOptions {
        model: Some("EXAMPLE DISK-8".to_owned()),
        capacity_bytes: Some((15 * 64) << 30),
        rotational: Some(true),
        ..ImportOptions::default()
    };
    let read = |text: &str| document(Tool::Zcav, &[input("zcav", text.as_bytes())], None, &asked);
    assert_eq!(samples(&read(&text).unwrap(), "zoned")[0]["length_blocks"][14], 64u64 << 21);
    // One place alone fits every size.
    let alone = text.replace(&rows[1..].concat(), "");
    assert!(why(read(&alone)).contains("does not follow from its"));
}
