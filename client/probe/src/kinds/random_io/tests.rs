//! `RANDOM_IO` on disks whose every number is known.

use std::collections::HashSet;

use serde_json::Value;

use super::RandomIo;
use crate::kinds::columns::measured as all;
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Interrupt, Settings, Stop, Suite};

fn measure(fake: &mut Fake, suite: Suite) -> Measurement {
    fake.session(Settings { suite, ..Settings::default() }, |session| RandomIo.run(session))
}

fn params(measurement: &Measurement) -> &Value {
    &measurement.result.as_ref().expect("samples").params
}

fn sum(column: &Value) -> u64 {
    column.as_array().expect("a column").iter().filter_map(Value::as_u64).sum()
}

#[test]
fn every_request_is_in_the_buckets_and_each_combination_has_its_own_series() {
    let mut fake = Fake { writable: true, ..Fake::default() };
    let measurement = measure(&mut fake, Suite::Quick);
    let requests = params(&measurement)["requests"].as_u64().expect("a number");
    let mut seen = HashSet::new();
    for series in all(&measurement) {
        assert!(seen.insert(format!("{} {} {}", series["variant"], series["pattern"], series["concurrency"])));
        assert_eq!(series["requests"], requests);
        let of = |name: &str| if series[name].is_null() { 0 } else { sum(&series[name]["requests"]) };
        let (reads, writes) = (of("reads"), of("writes"));
        let expected = match series["variant"].as_str() {
            Some("read") => (requests, 0),
            Some("write") => (0, requests),
            _ => (requests / 2, requests / 2),
        };
        assert_eq!((reads, writes), expected);
        let lanes = series["concurrency"].as_u64().expect("a number");
        assert!(series["steady_requests"].as_u64() >= Some(requests - lanes) && series["batches"] == 1);
        assert!(series["elapsed_ns"].as_u64() >= series["steady_ns"].as_u64());
    }
    assert_eq!(seen.len(), 9);
}

#[test]
fn without_writing_only_reads_are_measured() {
    let mut fake = Fake::default();
    let measurement = measure(&mut fake, Suite::Quick);
    assert!(all(&measurement).iter().all(|series| series["variant"] == "read") && fake.written.is_empty());
    assert_eq!(all(&measurement).len(), 3);
}

#[test]
fn what_is_written_was_kept_just_before_and_lies_away_from_both_ends() {
    let mut fake = Fake { writable: true, capacity_blocks: 200_000, ..Fake::default() };
    let measurement = measure(&mut fake, Suite::Standard);
    assert!(measurement.stop.is_none());
    let writing = all(&measurement).iter().filter(|series| series["variant"] != "read").count();
    assert_eq!(fake.flushes as usize, writing);
    assert!(fake.written.iter().all(|&block| (2048..200_000 - 2048).contains(&block)) && !fake.written.is_empty());
}

#[test]
fn where_there_is_no_queue_workers_stand_in_and_the_document_says_so() {
    let mut fake = Fake { no_queue: Some("it is forbidden here".to_owned()), ..Fake::default() };
    let measurement = measure(&mut fake, Suite::Quick);
    assert_eq!(params(&measurement)["queue_by"], "workers");
    assert_eq!(params(&measurement)["queue_reason"], "it is forbidden here");
    assert!(all(&measurement).iter().any(|series| series["pattern"] == "queue" && series["concurrency"] == 32));
    assert_eq!(params(&measure(&mut Fake::default(), Suite::Quick))["queue_by"], "queue");
}

#[test]
fn an_interrupt_keeps_what_was_measured() {
    let mut fake = Fake { interrupt_after: Some((300, Interrupt::default())), ..Fake::default() };
    let measurement = measure(&mut fake, Suite::Standard);
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    assert_eq!(all(&measurement).iter().filter_map(|series| series["requests"].as_u64()).sum::<u64>(), 300);
}

#[test]
fn a_device_that_vanishes_ends_the_run_with_what_it_answered() {
    let mut fake = Fake { vanish_after: Some(200), ..Fake::default() };
    let measurement = measure(&mut fake, Suite::Quick);
    assert!(matches!(measurement.stop, Some(Stop::Gone(_))));
    assert_eq!(all(&measurement)[0]["requests"], 200);
}

#[test]
fn a_place_that_cannot_be_read_is_left_out_and_nothing_is_written_there() {
    // A quarter of all places is drawn in each combination: every one of them comes up.
    let mut fake = Fake { writable: true, capacity_blocks: 4096 + 8 * 900, ..Fake::default() };
    let bad: HashSet<u64> = (0..3).map(|at| 2048 + 8 * (100 + 200 * at)).collect();
    fake.bad_blocks.clone_from(&bad);
    let measurement = measure(&mut fake, Suite::Quick);
    assert!(measurement.stop.is_none());
    assert!(!fake.written.is_empty() && fake.written.iter().all(|block| !bad.contains(block)));
}

#[test]
fn a_disk_that_is_slower_than_thought_ends_each_combination_at_its_limit() {
    let mut fake = Fake { rotation_ns: None, mtm_ns: 2_000_000_000, ..Fake::default() };
    let measurement = measure(&mut fake, Suite::Quick);
    let limit_ns = params(&measurement)["limit_ns"].as_u64().expect("a number");
    for series in all(&measurement) {
        assert!(series["requests"].as_u64() < params(&measurement)["requests"].as_u64());
        // Those under way at the limit are waited for: on this disk one after the other.
        assert!(series["elapsed_ns"].as_u64() <= Some(limit_ns + 33 * 2_000_008_000));
    }
}

#[test]
fn a_device_with_too_few_places_says_so() {
    let mut fake = Fake { capacity_blocks: 16, ..Fake::default() };
    let measurement = measure(&mut fake, Suite::Quick);
    let why = measurement.result.expect_err("nothing");
    assert!(why.contains("too few places"), "{why}");
}
