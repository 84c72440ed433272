//! Outputs as the tools print them (`tests/data/import`), and damaged ones.

mod files;
mod fio_text;
mod margins;
mod mutations;
mod texts;
mod variants;

use proptest::prelude::*;

use super::*;
use crate::kinds::KINDS;
use crate::report::check::Checker;
use crate::report::document::{Provenance, RunDocument};

const IDENTITY: &[u8] = include_bytes!("../../../tests/data/import/identity.json");
const HDPARM: &[u8] = include_bytes!("../../../tests/data/import/hdparm-direct.txt");
const BUFFERED: &[u8] = include_bytes!("../../../tests/data/import/hdparm-buffered.txt");
const ZCAV: &[u8] = include_bytes!("../../../tests/data/import/zcav.txt");
const TWO_PASSES: &[u8] = include_bytes!("../../../tests/data/import/zcav-two-passes.txt");
const HDTUNE: &[u8] = include_bytes!("../../../tests/data/import/hdtune.txt");
const FIO: &[u8] = include_bytes!("../../../tests/data/import/fio-json-plus.json");
const FIO_LOG: &[u8] = include_bytes!("../../../tests/data/import/reads_lat.1.log");
const FIO_WRITES: &[u8] = include_bytes!("../../../tests/data/import/fio-json-write.json");
const FIO_WRITES_LOG: &[u8] = include_bytes!("../../../tests/data/import/w4k_lat.1.log");

fn input(name: &str, bytes: &[u8]) -> Input {
    Input { name: name.to_owned(), bytes: bytes.to_vec() }
}

fn import(inputs: &[Input]) -> Result<RunDocument, ImportError> {
    document(Tool::of_all(inputs)?, inputs, Some(&input("identity.json", IDENTITY)), &ImportOptions::default())
}

fn import_one(bytes: &[u8]) -> Result<RunDocument, ImportError> {
    import(&[input("output", bytes)])
}

fn changed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1).into_bytes()
}

/// The samples of a kind as plain JSON.
fn samples(document: &RunDocument, kind: &str) -> Value {
    let value = serde_json::to_value(document).unwrap();
    let found = value["benchmarks"].as_array().unwrap().iter().find(|one| one["kind"] == kind).cloned();
    found.expect("the kind")["samples"]["series"].clone()
}

fn remarks(document: &RunDocument) -> String {
    document.imported.as_ref().unwrap().remarks.join(" ")
}

fn why(result: Result<RunDocument, ImportError>) -> String {
    result.expect_err("no document").to_string()
}

#[test]
fn every_output_makes_a_document_that_keeps_to_the_schemas() {
    let checker = Checker::new(KINDS.iter().map(|kind| (kind.slug(), kind.declaration().schema))).unwrap();
    let fio = [input("fio.json", FIO), input("reads_lat.1.log", FIO_LOG)];
    let writes = [input("fio.json", FIO_WRITES), input("w4k_lat.1.log", FIO_WRITES_LOG)];
    let documents =
        [HDPARM, BUFFERED, ZCAV, TWO_PASSES, HDTUNE].map(import_one).into_iter().chain([import(&fio), import(&writes)]);
    for document in documents.map(Result::unwrap) {
        assert_eq!(checker.check(&Json::of(&document).unwrap()), []);
        assert_eq!(document.provenance, Provenance::Imported);
        let text = serde_json::to_string(&document).unwrap();
        assert!(!text.contains("SAMPLE0001") && !text.contains("reads_lat"), "names and serial numbers stay here");
    }
}

#[test]
fn a_document_names_each_file_by_its_digest() {
    let document = import_one(ZCAV).unwrap();
    let imported = document.imported.unwrap();
    let formats: Vec<&str> = imported.files.iter().map(|file| file.format.as_str()).collect();
    assert_eq!(formats, ["zcav-text", "smartctl-json"]);
    assert_eq!(imported.files[0].sha256, hex(&Sha256::digest(ZCAV)));
}

#[test]
fn the_identity_is_what_smartctl_says_and_its_serial_number_a_digest() {
    let device = import_one(ZCAV).unwrap().device;
    assert_eq!((device.model.as_str(), device.rotation_rate_rpm), ("EXAMPLE DISK-8", Some(7200)));
    assert_eq!(
        (device.link_speed_bits_per_s, device.link_speed_supported_bits_per_s),
        (Some(6_000_000_000), Some(6_000_000_000))
    );
    assert_eq!(device.unit_digest, crate::report::digest::unit_digest("EXAMPLE DISK-8", "SAMPLE0001"));
    assert_eq!((device.interface.as_str(), device.write_cache.current), ("ata", Some(false)));
}

#[test]
fn hdparms_megabytes_are_of_two_to_the_twentieth() {
    let document = import_one(HDPARM).unwrap();
    let outer = &samples(&document, "positional")[0];
    assert_eq!(outer["position"], "outer");
    assert_eq!(outer["length_blocks"], json_of(&[762 * 2048, 1154 * 2048, 1634 * 2048]));
    // 762 MB at 249.34 MB/sec, which 3.06 seconds only bound.
    let elapsed_ns = outer["elapsed_ns"][0].as_u64().unwrap();
    assert!(elapsed_ns.abs_diff(3_056_068_000) < 200_000, "{elapsed_ns}");
    assert_eq!(samples(&document, "positional")[1]["offset_blocks"][0], 4 * 1024 * 2048);
    assert!(remarks(&document).contains("A result at 7 GiB (88 % of the disk) was left out"));
    assert!(remarks(&document).contains("without a result was left out"));
}

fn json_of(numbers: &[u64]) -> Value {
    Value::from(numbers.to_vec())
}

#[test]
fn a_rate_that_contradicts_its_time_is_refused() {
    let words = why(import_one(&changed(HDPARM, "249.34", "294.34")));
    assert!(words.contains("762 MB in 3.06 seconds are not 294.34 MB/sec"), "{words}");
}

#[test]
fn commas_of_other_locales_are_read() {
    let document = import_one(&changed(HDPARM, "3.06 seconds = 249.34", "3,06 seconds = 249,34")).unwrap();
    assert_eq!(samples(&document, "positional"), samples(&import_one(HDPARM).unwrap(), "positional"));
}

#[test]
fn direct_and_buffered_reads_are_not_one_measurement() {
    let words = why(import(&[input("a", HDPARM), input("b", BUFFERED)]));
    assert!(words.contains("page cache, which are not one measurement"), "{words}");
}

#[test]
fn zcavs_blocks_follow_from_its_rates_and_times() {
    let zones = &samples(&import_one(ZCAV).unwrap(), "zoned")[0];
    assert_eq!(zones["length_blocks"][15], 512 * 2048);
    assert_eq!(zones["offset_blocks"][15], 15 * 512 * 2048);
    assert!(zones["elapsed_ns"][1].as_u64().unwrap().abs_diff(4_666_850_000) < 300_000);
}

#[test]
fn a_profile_that_ends_early_is_refused() {
    let text = String::from_utf8(ZCAV.to_vec()).unwrap();
    let half: Vec<&str> = text.lines().take(9).collect();
    let words = why(import_one(half.join("\n").as_bytes()));
    assert!(words.contains("44 % of it") && words.contains("measure the whole device"), "{words}");
    assert!(why(import_one(&changed(ZCAV, "0.50 109.71", "0.50 209.71"))).contains("does not follow from its"));
}

#[test]
fn hd_tunes_numbers_are_carried_digit_by_digit() {
    let stated = &samples(&import_one(HDTUNE).unwrap(), "access")[0];
    assert_eq!(stated["stated"]["transfer_minimum_mb_per_s"], "66.0");
    assert_eq!(stated["stated"]["cpu_usage_percent"], "26.4");
    assert!(stated["elapsed_ns"].as_array().unwrap().is_empty());
}

#[test]
fn hd_tunes_text_of_another_drive_is_refused_and_what_it_wrote_left_out() {
    assert!(
        why(import_one(&changed(HDTUNE, "EXAMPLE DISK-8", "OTHER DISK-9"))).contains("give the identity of the drive")
    );
    let writes = import_one(&changed(HDTUNE, "Burst Rate", "Write transfer\nBurst Rate")).unwrap();
    assert!(samples(&writes, "access")[0]["stated"].get("burst_rate_mb_per_s").is_none());
    assert!(
        why(import_one(&changed(HDTUNE, "Transfer Rate Minimum", "Write transfer rate\nMinimum")))
            .contains("read benchmark")
    );
}

#[test]
fn fios_jobs_become_combinations_with_latencies_of_its_log_or_its_buckets() {
    let document = import(&[input("fio.json", FIO), input("logs/reads_lat.1.log", FIO_LOG)]).unwrap();
    let series = samples(&document, "random_io");
    let told: Vec<_> =
        (0..3).map(|k| (series[k]["pattern"].as_str().unwrap(), series[k]["concurrency"].as_u64().unwrap())).collect();
    assert_eq!(told, [("processes", 1), ("queue", 8), ("processes", 4)]);
    let total: u64 = String::from_utf8_lossy(FIO_LOG)
        .lines()
        .map(|line| line.split(", ").nth(1).unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(series[0]["reads"]["total_ns"], total);
    assert_eq!((series[0]["requests"].as_u64(), series[0]["elapsed_ns"].as_u64()), (Some(1500), Some(201_000_000)));
    let counted: u64 =
        series[1]["reads"]["requests"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(counted, 2000);
    assert!(remarks(&document).contains("The latencies of the job \"queue\" are fio's completion latencies"));
    assert_eq!(document.conditions.writes, "none");
}

#[test]
fn the_middle_of_a_bucket_leads_to_its_lower_bound() {
    let document = import(&[input("fio.json", FIO)]).unwrap();
    // fio prints 9664, the middle of 9600 to 9727.
    assert_eq!(samples(&document, "random_io")[0]["reads"]["low_ns"][0], 9600);
}

#[test]
fn a_job_whose_options_change_what_is_measured_is_left_out_with_the_reason() {
    for (from, to, reason) in [
        ("\"direct\" : \"1\"", "\"direct\" : \"0\"", "page cache"),
        ("\"direct\" : \"1\"", "\"direct\" : \"1\", \"thinktime\" : \"5\"", "\"thinktime=5\" may change"),
        ("\"direct\" : \"1\"", "\"direct\" : \"1\", \"size\" : \"1g\"", "stayed in a part of the device"),
        ("/dev/sdz", "bench/file", "ran on a file"),
    ] {
        let words = why(import_one(&changed(FIO, from, to)));
        assert!(words.contains(reason), "{words}");
    }
}

#[test]
fn jobs_that_ran_at_the_same_time_are_refused() {
    assert!(why(import_one(&changed(FIO, "\"groupid\" : 1", "\"groupid\" : 0"))).contains("at the same time"));
}

#[test]
fn successive_writes_need_their_log_and_keep_each_place() {
    let document = import(&[input("fio.json", FIO_WRITES), input("w4k_lat.1.log", FIO_WRITES_LOG)]).unwrap();
    let writes = &samples(&document, "sync_write")[0];
    assert_eq!((writes["offset_blocks"][2].as_u64(), writes["latency_ns"][1].as_u64()), (Some(16), Some(65_487)));
    assert_eq!((writes["write_cache"].clone(), document.conditions.writes.as_str()), (Value::Null, "destroy"));
    assert!(why(import_one(FIO_WRITES)).contains("--write_lat_log=NAME --log_offset=1"));
}

#[test]
fn a_log_of_another_run_is_refused() {
    let short: Vec<u8> = FIO_LOG.iter().copied().take(5_000).collect();
    let end = short.iter().rposition(|byte| *byte == b'\n').unwrap();
    let document = import(&[input("fio.json", FIO), input("reads_lat.1.log", &short[..end])]).unwrap();
    assert!(remarks(&document).contains("of this very run"), "{}", remarks(&document));
    assert_eq!(samples(&document, "random_io").as_array().unwrap().len(), 2);
}

#[test]
fn counts_of_requests_that_have_no_room_are_refused_with_and_without_a_log() {
    let text = String::from_utf8(FIO.to_vec()).unwrap().replace("\"total_ios\" : 0", "\"total_ios\" : 1");
    // It would contradict the count before anything is added up.
    let text = text.replace("\"iops\"", "\"rate\"");
    let most = format!("\"total_ios\" : {}", u64::MAX);
    let many = changed(text.as_bytes(), "\"total_ios\" : 1500", &most);
    let alone = import_one(&many).map_or_else(|error| error.to_string(), |document| remarks(&document));
    assert!(alone.contains("18446744073709551615 requests"), "{alone}");
    let both = import(&[input("fio.json", &many), input("reads_lat.1.log", FIO_LOG)]);
    let both = both.map_or_else(|error| error.to_string(), |document| remarks(&document));
    assert!(both.contains("its JSON 18446744073709551615"), "{both}");
}

#[test]
fn what_is_no_tools_output_says_what_to_give() {
    assert!(why(import_one(b"hello")).contains("name the tool with --from"));
    assert!(why(import_one(&FIO[..3000])).contains("give fio's whole output"));
    let identity = input("identity.json", b"{}");
    let result = document(Tool::Zcav, &[input("zcav", ZCAV)], Some(&identity), &ImportOptions::default());
    assert!(why(result).contains("smartctl --json -x"));
}

#[test]
fn a_drive_that_may_turn_or_not_has_to_be_told() {
    let identity = input("identity.json", &changed(IDENTITY, "\"rotation_rate\": 7200,", ""));
    let inputs = [input("zcav", ZCAV)];
    assert!(
        why(document(Tool::Zcav, &inputs, Some(&identity), &ImportOptions::default())).contains("--rotational yes")
    );
    let asked = ImportOptions { rotational: Some(true), ..ImportOptions::default() };
    assert_eq!(document(Tool::Zcav, &inputs, Some(&identity), &asked).unwrap().device.rotational.source, "user");
}

/// Bytes that a damaged file may hold: an output with a stretch of it replaced.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let outputs = prop::sample::select(vec![HDPARM, BUFFERED, ZCAV, HDTUNE, FIO_WRITES, FIO_WRITES_LOG, IDENTITY]);
    (outputs, any::<prop::sample::Index>(), 0usize..40, prop::collection::vec(any::<u8>(), 0..12)).prop_map(
        |(bytes, at, length, put)| {
            let at = at.index(bytes.len());
            [&bytes[..at], &put, &bytes[(at + length).min(bytes.len())..]].concat()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn no_damaged_file_makes_a_parser_panic(bytes in damaged(), also in damaged()) {
        let identity = input("identity.json", &changed(IDENTITY, "\"serial_number\": \"SAMPLE0001\",", ""));
        let inputs = [input("output_lat.1.log", &bytes), input("w4k_lat.1.log", &also)];
        for tool in [Tool::Fio, Tool::Hdparm, Tool::HdTune, Tool::Zcav, Tool::Diskinfo, Tool::Dd, Tool::Ioping] {
            let _ = document(tool, &inputs[..1], Some(&identity), &ImportOptions::default());
            let _ = document(tool, &inputs, Some(&identity), &ImportOptions::default());
            let _ = smartctl::facts(&inputs[0]).map(|facts| smartctl::device(&facts, &ImportOptions::default()));
        }
    }

    #[test]
    fn a_figure_is_digits_with_one_point_or_comma(text in "[0-9.,+e -]{0,12}") {
        if let Some(figure) = figures::Figure::parse(&text) {
            prop_assert!(figure.value.is_finite() && figure.value >= 0.0 && figure.half > 0.0);
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b','));
        }
    }
}
