//! fio's text with its command: read as its JSON is, or refused; nothing else comes of it.

use proptest::prelude::*;

use super::*;

const NORMAL: &str = "$ sudo fio --name=reads --filename=/dev/sdb --direct=1 --rw=randread --bs=4k \\\n      --ioengine=libaio --iodepth=1 --runtime=60 --time_based
reads: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
fio-3.16
Starting 1 process
Jobs: 1 (f=1): [r(1)][100.0%][r=308KiB/s][r=77 IOPS][eta 00m:00s]
reads: (groupid=0, jobs=1): err= 0: pid=4711: Mon Nov 23 12:00:00 2026
  read: IOPS=77, BW=309KiB/s (316kB/s)(18.1MiB/60012msec)
    slat (usec): min=7, max=131, avg=21.12, stdev= 6.30
    clat (usec): min=172, max=37421, avg=12921.10, stdev=4112.20
     lat (usec): min=190, max=37444, avg=12942.40, stdev=4112.30
    clat percentiles (usec):
     |  1.00th=[ 4424],  5.00th=[ 6259], 10.00th=[ 7439], 50.00th=[12911],
     | 90.00th=[18220], 95.00th=[19530], 99.00th=[22414], 99.95th=[35914]
   bw (  KiB/s): min=  248, max=  368, per=100.00%, avg=308.95, stdev=22.10, samples=120
   iops        : min=   62, max=   92, avg=77.20, stdev= 5.50, samples=120
  lat (usec)   : 250=0.02%, 500=0.02%
  lat (msec)   : 4=0.71%, 10=25.22%, 20=69.77%, 50=4.26%
  cpu          : usr=0.11%, sys=0.31%, ctx=4642, majf=0, minf=11
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     issued rwts: total=4633,0,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=1

Run status group 0 (all jobs):
   READ: bw=309KiB/s (316kB/s), 309KiB/s-309KiB/s (316kB/s-316kB/s), io=18.1MiB (18.0MB), run=60012-60012msec

Disk stats (read/write):
  sdb: ios=4633/0, merge=0/0, ticks=59871/0, in_queue=59871, util=99.85%
";

const FIO_2: &str =
    "# fio --name=reads --filename=/dev/sdb --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=1
reads: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=1
fio-2.1.11
Starting 1 process

reads: (groupid=0, jobs=1): err= 0: pid=4711: Mon Nov 23 12:00:00 2026
  read : io=18532KB, bw=316219B/s, iops=77, runt= 60012msec
    clat (usec): min=172, max=37421, avg=12921.10, stdev=4112.20
    clat percentiles (usec):
     |  1.00th=[ 4424], 50.00th=[12864], 99.00th=[22400]
     issued    : total=r=4633/w=0/d=0, short=r=0/w=0/d=0
";

fn terse() -> String {
    let percentiles: Vec<String> = ["1", "5", "10", "20", "30", "40", "50", "60", "70", "80", "90", "95", "99"]
        .iter()
        .zip([4424, 6259, 7439, 9372, 10683, 11862, 12911, 14090, 15270, 16710, 18220, 19530, 22414])
        .map(|(percent, latency)| format!("{percent}.000000%={latency}"))
        .chain((0..7).map(|_| "0%=0".to_owned()))
        .collect();
    let reads = format!(
        "18532;308;77;60012;7;131;21.12;6.30;172;37421;12921.10;4112.20;{};190;37444;12942.4;4112.3;248;368;100%;308.9;22.1",
        percentiles.join(";")
    );
    let writes = format!("0;0;0;0;{}", ["0"; 8].join(";"));
    let writes = format!("{writes};{};{}", ["0%=0"; 20].join(";"), ["0"; 9].join(";"));
    let rest = ["0"; 34].join(";");
    format!(
        "$ fio --minimal --name=reads --filename=/dev/sdb --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=1\n3;fio-3.16;reads;0;0;{reads};{writes};{rest};sdb;4633;0;0;0;59871;0;59871;99.85%\n"
    )
}

/// The same as version 4, which adds trims, and 5, which adds the samples of rates to each side.
fn terse_of(version: usize) -> String {
    let text = terse();
    let (command, line) = text.split_once('\n').unwrap();
    let fields: Vec<&str> = line.trim_end().split(';').collect();
    let more: &[&str] = if version == 5 { &["120", "62", "92", "77.2", "5.5", "120"] } else { &[] };
    let idle: Vec<&str> = fields[46..87].to_vec();
    let sides = [&fields[5..46], &fields[46..87], &idle].map(|side| [side, more].concat().join(";")).join(";");
    format!("{command}\n{version};{};{sides};{}\n", fields[1..5].join(";"), fields[87..].join(";"))
}

fn read(text: &str) -> Result<RunDocument, ImportError> {
    let asked = ImportOptions {
        model: Some("EXAMPLE DISK-8".to_owned()),
        capacity_bytes: Some(8_589_934_592),
        rotational: Some(true),
        ..ImportOptions::default()
    };
    let inputs = [input("fio.txt", text.as_bytes())];
    document(Tool::of_all(&inputs)?, &inputs, None, &asked)
}

#[test]
fn text_with_its_command_says_what_the_json_does() {
    for text in [NORMAL.to_owned(), FIO_2.to_owned(), terse(), terse_of(4), terse_of(5)] {
        let document = read(&text).unwrap();
        let series = &samples(&document, "random_io")[0];
        assert_eq!((series["variant"].as_str(), series["concurrency"].as_u64()), (Some("read"), Some(1)));
        assert_eq!((series["requests"].as_u64(), series["elapsed_ns"].as_u64()), (Some(4633), Some(60_012_000_000)));
        assert_eq!(series["reads"]["minimum_ns"], 172_000);
        assert_eq!(series["reads"]["maximum_ns"], 37_421_000);
        assert_eq!(series["reads"]["summary"]["deviation_ns"], 4_112_200);
        assert_eq!(document.imported.unwrap().files[0].format, "fio-text");
    }
    let series = &samples(&read(NORMAL).unwrap(), "random_io")[0];
    assert_eq!(series["reads"]["summary"]["per_million"][3], 500_000);
    assert_eq!(series["reads"]["summary"]["percentile_ns"][3], 12_911_000);
}

#[test]
fn text_without_its_command_or_of_another_one_is_refused() {
    let output = &NORMAL[NORMAL.find("reads: (g").unwrap()..];
    assert!(why(read(output)).contains("the one command that does is not above it"));
    for (from, to, reason) in [
        ("--direct=1 ", "", "without direct=1"),
        ("/dev/sdb", "/dev/sdb1", "disk statistics are of another device"),
        ("--rw=randread", "--rw=randwrite", "--rw"),
        ("--iodepth=1", "--iodepth=32", "--iodepth"),
        ("--bs=4k", "--bs=8k", "other requests"),
        ("--name=reads", "--name=other", "--name"),
        ("--runtime=60", "job.fio", "--"),
        ("short=0", "short=3", "short"),
        ("     issued rwts", "     xxxx", "lacks"),
        ("  sdb: ios", "  sdc: ios", "another device"),
        ("--bs=4k", "--bs=4k --rate_iops=50", "may change what was measured"),
    ] {
        let words = why(read(&NORMAL.replacen(from, to, 1)));
        let reason = reason.trim_start_matches("--");
        assert!(words.contains(reason), "{from} {to}: {words}");
    }
    let twice = format!("{NORMAL}{}", output.replace("total=4633", "total=5633"));
    assert!(why(read(&twice)).contains("several jobs"));
}

#[test]
fn latencies_in_milliseconds_are_too_coarse_and_left_out() {
    let coarse = NORMAL.replace(
        "clat (usec): min=172, max=37421, avg=12921.10, stdev=4112.20",
        "clat (msec): min=2, max=137, avg=12.92, stdev= 4.11",
    );
    let document = read(&coarse).unwrap();
    assert_eq!(samples(&document, "random_io")[0]["reads"], Value::Null);
    assert_eq!(samples(&document, "random_io")[0]["requests"], 4633);
}

#[test]
fn text_that_is_cut_anywhere_is_read_as_it_was_or_refused() {
    for text in [NORMAL.to_owned(), FIO_2.to_owned(), terse()] {
        let whole = samples(&read(&text).unwrap(), "random_io");
        for end in 0..text.len() {
            if let Ok(found) = read(&text[..end]) {
                assert_eq!(samples(&found, "random_io"), whole, "{:?}", &text[end.saturating_sub(60)..end]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn text_of_which_a_stretch_was_replaced_makes_no_parser_panic(which in 0usize..3, at in any::<prop::sample::Index>(), length in 0usize..40, put in "[ -~\n]{0,12}") {
        let text = [NORMAL.to_owned(), FIO_2.to_owned(), terse()][which].clone();
        let at = at.index(text.len());
        let changed = format!("{}{put}{}", &text[..at], &text[(at + length).min(text.len())..]);
        let _ = read(&changed);
    }

    #[test]
    fn colours_and_quotation_change_nothing(which in 0usize..3, how in 0usize..3) {
        let text = [NORMAL.to_owned(), FIO_2.to_owned(), terse()][which].clone();
        let changed: Vec<String> = text.lines().map(|line| match how {
            0 => format!("\u{1b}[1m{line}\u{1b}[0m"),
            1 => format!("> {line}"),
            _ => format!("{line}\r"),
        }).collect();
        prop_assert_eq!(samples(&read(&changed.join("\n")).unwrap(), "random_io"), samples(&read(&text).unwrap(), "random_io"));
    }
}
