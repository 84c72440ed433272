//! ZONED on a disk with known zones.

use std::collections::HashSet;

use super::Zoned;
use crate::kinds::columns::{measured, numbers};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Estimates, Interrupt, NullJournal, NullProgress, Session, Settings, Stop, Suite, ZonedMode};

/// Zones from 184 blocks per track down to 120; boundaries at odd places.
fn zoned_disk() -> Fake {
    let zones = vec![(0, 184), (5_001_003, 160), (11_207_000, 140), (16_000_411, 120)];
    Fake { capacity_blocks: 20_000_000, zones, ..Fake::default() }
}

fn measure(fake: &mut Fake, zoned: ZonedMode) -> Measurement {
    fake.session(Settings { zoned, ..Settings::default() }, |session| Zoned.run(session))
}

fn columns(measurement: &Measurement, series: usize) -> Vec<(u64, u64, u64)> {
    let all = measured(measurement);
    let column = |name: &str| numbers(&all[series], name);
    let (offsets, lengths, times) = (column("offset_blocks"), column("length_blocks"), column("elapsed_ns"));
    assert!(offsets.len() == lengths.len() && lengths.len() == times.len());
    offsets.into_iter().zip(lengths).zip(times).map(|((offset, length), time)| (offset, length, time)).collect()
}

#[test]
fn sampling_brackets_each_boundary_within_a_two_thousandth_of_the_disk() {
    let mut fake = zoned_disk();
    let measurement = measure(&mut fake, ZonedMode::Sampled);
    let regions = columns(&measurement, 0);
    for &(boundary, _) in &fake.zones[1..] {
        let after = regions.iter().position(|region| region.0 + region.1 > boundary).expect("a region behind");
        let width = regions[after].0 + regions[after].1 - regions[after - 1].0;
        let limit = 20_000_000 / 2048 + 3 * regions[0].1;
        assert!(width <= limit, "{boundary} is bracketed by {width} blocks, not by {limit}");
    }
}

#[test]
fn sampling_covers_the_start_and_the_end_of_the_disk_in_every_pass() {
    let measurement = measure(&mut zoned_disk(), ZonedMode::Sampled);
    for pass in 0..3 {
        let regions = columns(&measurement, pass);
        // The first two requests are read before, untimed.
        assert_eq!(regions[0].0, 2 * 2048);
        let last = regions[regions.len() - 1];
        assert_eq!(last.0 + last.1, 20_000_000);
    }
}

#[test]
fn a_disk_of_one_zone_needs_no_more_than_the_overview() {
    let mut fake = Fake { capacity_blocks: 20_000_000, ..Fake::default() };
    let regions = columns(&measure(&mut fake, ZonedMode::Sampled), 0);
    assert!((60..=65).contains(&regions.len()), "{} regions", regions.len());
}

#[test]
fn streaming_reads_every_block_once() {
    let mut fake = Fake { capacity_blocks: 300_001, ..Fake::default() };
    let regions = columns(&measure(&mut fake, ZonedMode::Streaming), 0);
    let mut next = 0;
    for (offset, length, _) in regions {
        assert_eq!(offset, next);
        next = offset + length;
    }
    assert_eq!(next, 300_001);
}

#[test]
fn the_rate_is_that_of_the_zone() {
    let measurement = measure(&mut zoned_disk(), ZonedMode::Sampled);
    let regions = columns(&measurement, 0);
    // The disk reads a track in a turn and a head switch.
    for (place, track) in [(0, 184), (regions.len() - 2, 120)] {
        let (_, length, time) = regions[place];
        let expected = length * (8_333_333 + 800_000) / track;
        assert!(time.abs_diff(expected) < expected / 50, "{time} for {expected} at {place}");
    }
}

#[test]
fn a_region_with_a_bad_block_is_left_out_and_the_rest_measured() {
    let mut fake = zoned_disk();
    fake.bad_blocks = HashSet::from([0]);
    let (regions, errors) = fake.session(Settings::default(), |session| {
        let measurement = Zoned.run(session);
        (columns(&measurement, 0), session.errors.len())
    });
    assert!(errors > 0);
    assert!(regions.len() > 60 && regions[0].0 > 2 * 2048);
}

#[test]
fn an_interrupt_keeps_the_regions_read_so_far() {
    let mut fake = zoned_disk();
    fake.interrupt_after = Some((300, Interrupt::default()));
    let measurement = measure(&mut fake, ZonedMode::Sampled);
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    assert!(!measured(&measurement).is_empty());
}

#[test]
fn a_disk_smaller_than_a_few_regions_is_measured_too() {
    let mut fake = Fake { capacity_blocks: 5_000, ..Fake::default() };
    let regions = columns(&measure(&mut fake, ZonedMode::Sampled), 0);
    assert!(!regions.is_empty());
}

#[test]
fn on_a_slow_disk_a_quick_run_makes_shorter_requests_and_says_so() {
    let mut drive = crate::sim::open("hp-97560,noise=off").expect("a named drive");
    let settings = Settings { suite: Suite::Quick, repeats: 1, ..Settings::default() };
    let (mut null_progress, mut null_journal) = (NullProgress, NullJournal);
    let estimates = Estimates { rotation_ns: Some(14_992_000) };
    let interrupt = Interrupt::default();
    let mut session = Session::new(&mut drive, &mut null_progress, &mut null_journal, interrupt, settings, estimates);
    let measurement = Zoned.run(&mut session);
    let transfer = measurement.result.as_ref().expect("samples").params["transfer_blocks"].as_u64().expect("a number");
    assert!((128..=256).contains(&transfer), "{transfer} blocks of 512 bytes");
    let length = columns(&measurement, 0)[0].1;
    assert!(length.is_multiple_of(transfer) && length >= 8 * transfer, "{length} of {transfer}");
}

mod overview {
    use serde_json::json;

    use super::super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn the_profile_is_in_per_cent_of_the_disk_and_megabytes_per_second() {
        let series =
            json!([{"offset_blocks": [0, 500], "length_blocks": [100, 100], "elapsed_ns": [512_000, 1_024_000]}]);
        let overview = Zoned.overview(&entry(json!({"block_bytes": 512}), &series), 512_000);
        let values: Vec<&str> = overview.numbers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["100.0 MB/s", "50.0 MB/s", "2"]);
        assert_eq!(overview.drawing.expect("a profile").points, [(0.0, 100.0), (50.0, 50.0)]);
    }
}
