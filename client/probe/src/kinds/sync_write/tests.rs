//! `SYNC_WRITE` on simulated drives whose write cache is known, and on a disk that fails.

use std::collections::HashSet;

use serde_json::Value;

use super::SyncWrite;
use crate::device::{Cache, Device};
use crate::kinds::columns::{measured as all_series, numbers as column};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Estimates, Interrupt, NullJournal, NullProgress, Session, Settings, Stop, Suite};
use crate::sim::{self, SimulatedDrive};
use crate::stats::median;

const TURN_NS: u64 = 8_333_333;

fn settings(suite: Suite) -> Settings {
    Settings { suite, writes: true, switch_caches: true, ..Settings::default() }
}

fn run(drive: &mut SimulatedDrive, suite: Suite) -> Measurement {
    let (mut null_progress, mut null_journal) = (NullProgress, NullJournal);
    let interrupt = Interrupt::default();
    SyncWrite.run(&mut Session::new(
        drive,
        &mut null_progress,
        &mut null_journal,
        interrupt,
        settings(suite),
        Estimates::default(),
    ))
}

fn simulated(name: &str) -> SimulatedDrive {
    sim::open(&format!("{name},noise=off")).expect("a named drive")
}

fn latencies(measurement: &Measurement, write_cache: &Value, blocks: u64) -> Vec<u64> {
    let all = all_series(measurement);
    let wanted = |series: &&Value| series["write_cache"] == *write_cache && series["request_blocks"] == blocks;
    column(all.iter().find(wanted).expect("that size in that state"), "latency_ns")
}

#[test]
fn without_the_write_cache_each_small_write_takes_a_turn_and_its_own_time() {
    let measurement = run(&mut simulated("seagate-st2000nm0001"), Suite::Standard);
    for (blocks, share) in [(1, 0), (64, 64), (512, 512)] {
        let typical = median(&latencies(&measurement, &Value::Bool(false), blocks));
        // 2,931 sectors pass in a turn.
        let expected = TURN_NS + share * TURN_NS / 2931;
        assert!(typical.abs_diff(expected) < 50_000, "{typical} for {expected}, {blocks} blocks");
    }
}

#[test]
fn with_the_write_cache_small_writes_come_at_once() {
    let measurement = run(&mut simulated("seagate-st2000nm0001"), Suite::Standard);
    assert!(median(&latencies(&measurement, &Value::Bool(true), 8)) < 200_000);
}

#[test]
fn the_write_cache_is_left_as_it_stood() {
    for (name, on) in [("seagate-st2000nm0001", false), ("modern-20tb", true)] {
        let mut drive = simulated(name);
        let measurement = run(&mut drive, Suite::Quick);
        assert_eq!(all_series(&measurement).iter().filter(|series| series["write_cache"] == on).count(), {
            all_series(&measurement).iter().filter(|series| series["write_cache"] != on).count()
        });
        assert_eq!(drive.cache(Cache::Write), Some(on), "{name}");
    }
}

#[test]
fn a_cache_that_can_not_be_switched_is_measured_as_it_stands_and_the_reason_stated() {
    let measurement = run(&mut simulated("quantum-fireball"), Suite::Quick);
    assert!(all_series(&measurement).iter().all(|series| series["write_cache"] == true));
    let params = &measurement.result.as_ref().expect("samples").params;
    assert!(params["not_switched"].as_str().expect("a reason").contains("can't be switched off"));
}

#[test]
fn writes_begin_where_the_one_before_ended_and_stay_within_128_mib_of_the_start() {
    let measurement = run(&mut simulated("seagate-st2000nm0001"), Suite::Standard);
    for series in all_series(&measurement) {
        let (start, blocks) = (series["start_block"].as_u64().unwrap(), series["request_blocks"].as_u64().unwrap());
        let offsets = column(&series, "offset_blocks");
        assert_eq!(start, 4096);
        assert!(offsets.windows(2).all(|pair| pair[1] == pair[0] + blocks || pair[1] == start), "{blocks}");
        assert!(offsets.iter().all(|offset| (offset + blocks - start) * 512 <= 128 << 20), "{blocks}");
    }
}

#[test]
fn every_write_of_a_pass_waits_alike_the_first_one_too() {
    let measurement = run(&mut simulated("seagate-st2000nm0001"), Suite::Standard);
    // 4 MiB: 32 to a pass; a track is 1.5 MB, so that no write is spared a boundary.
    let series = latencies(&measurement, &Value::Bool(false), 8192);
    let typical = median(&series);
    for index in (0..series.len()).step_by(32) {
        assert!(series[index].abs_diff(typical) < typical / 8, "{} at {index}, else {typical}", series[index]);
    }
}

#[test]
fn no_untimed_write_gives_a_full_cache_time_to_empty_itself() {
    let measurement = run(&mut simulated("seagate-st2000nm0001"), Suite::Standard);
    let long = latencies(&measurement, &Value::Bool(true), (128 << 20) / 512);
    let rate = (128 << 20) * 1000 / long[long.len() - 1];
    assert!((145..=152).contains(&rate), "{rate} MB/s");
}

#[test]
fn a_run_that_may_not_write_does_not_and_says_why() {
    let mut fake = Fake { capacity_blocks: 100_000_000, ..Fake::default() };
    let measurement = fake.session(Settings::default(), |session| SyncWrite.run(session));
    let why = measurement.result.expect_err("no samples");
    assert!(why.contains("--writes preserve"), "{why}");
    assert!(fake.written.is_empty() && fake.requests == 0);
}

#[test]
fn only_what_was_kept_is_written() {
    let mut fake = Fake { capacity_blocks: 100_000_000, writable: true, ..Fake::default() };
    let _ = fake.session(settings(Suite::Quick), |session| SyncWrite.run(session));
    let (low, high) = (fake.written.iter().min().unwrap(), fake.written.iter().max().unwrap());
    assert!((*low, *high) >= (4095, 4096) && *high < 4096 + (128 << 20) / 512, "{low} to {high}");
}

#[test]
fn an_area_with_a_bad_block_is_not_written() {
    let mut fake = Fake { capacity_blocks: 100_000_000, writable: true, ..Fake::default() };
    fake.bad_blocks = HashSet::from([4095]);
    let measurement = fake.session(settings(Suite::Quick), |session| SyncWrite.run(session));
    assert!(all_series(&measurement).iter().all(|series| series["start_block"] == (257 << 20) / 512));
    assert!(fake.written.iter().all(|block| *block > 4096));
}

#[test]
fn sizes_that_would_leave_the_outer_rim_of_a_small_disk_are_left_out() {
    let mut fake = Fake { capacity_blocks: 2_000_000, writable: true, ..Fake::default() };
    let measurement = fake.session(settings(Suite::Quick), |session| SyncWrite.run(session));
    assert!(all_series(&measurement).iter().all(|series| series["request_blocks"].as_u64() <= Some(2_000_000 / 64)));
}

#[test]
fn an_interrupt_keeps_the_writes_made_so_far_and_restores_the_cache() {
    let interrupt_after = Some((1000, Interrupt::default()));
    let mut fake =
        Fake { capacity_blocks: 100_000_000, writable: true, delays_writes: true, interrupt_after, ..Fake::default() };
    let measurement = fake.session(settings(Suite::Standard), |session| SyncWrite.run(session));
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    assert!(!all_series(&measurement).is_empty());
    assert!(fake.delays_writes);
}

mod overview {
    use serde_json::json;

    use super::super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn a_small_and_a_long_write_are_told_for_each_state_that_was_measured() {
        let series = json!([
            {"write_cache": false, "request_blocks": 1, "latency_ns": [8_340_000, 8_330_000, 8_350_000]},
            {"write_cache": false, "request_blocks": 1000, "latency_ns": [5_120_000]},
        ]);
        let entry = entry(json!({"block_bytes": 512}), &series);
        let expected =
            [("smallest write, write cache off", "8.34 ms"), ("longest writes, write cache off", "100.0 MB/s")];
        assert_eq!(SyncWrite.overview(&entry, 0).numbers, expected.map(|(name, value)| (name, value.to_owned())));
    }
}
