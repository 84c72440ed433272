//! POSITIONAL on a disk with known zones.

use std::collections::HashSet;

use super::Positional;
use crate::kinds::columns::{measured, numbers};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Interrupt, Settings, Stop, Suite};

/// Tracks of 184 blocks outside and of 120 inside; 5 GB.
fn disk() -> Fake {
    Fake { capacity_blocks: 10_000_000, zones: vec![(0, 184), (7_000_000, 120)], ..Fake::default() }
}

fn measure(fake: &mut Fake, suite: Suite) -> Measurement {
    fake.session(Settings { suite, ..Settings::default() }, |session| Positional.run(session))
}

/// Offsets, lengths and times of a position's samples.
fn columns(measurement: &Measurement, position: &str) -> [Vec<u64>; 3] {
    let all = measured(measurement);
    let Some(series) = all.iter().find(|series| series["position"] == position) else { return Default::default() };
    ["offset_blocks", "length_blocks", "elapsed_ns"].map(|name| numbers(series, name))
}

#[test]
fn a_full_run_takes_ten_samples_of_three_seconds_at_each_position() {
    let measurement = measure(&mut disk(), Suite::Full);
    for (position, offset) in [("outer", 0), ("middle", 5_000_000), ("inner", 10_000_000 - 10_000_000 / 128)] {
        let [offsets, _, times] = columns(&measurement, position);
        assert_eq!(offsets, vec![offset; 10], "{position}");
        assert!(times.iter().all(|time| (3_000_000_000..3_500_000_000).contains(time)), "{position}: {times:?}");
    }
}

#[test]
fn the_rate_is_that_of_the_position() {
    let measurement = measure(&mut disk(), Suite::Quick);
    for (position, track) in [("outer", 184), ("inner", 120)] {
        let [_, lengths, times] = columns(&measurement, position);
        assert_eq!(lengths.len(), 2);
        let expected = lengths[0] * (8_333_333 + 800_000) / track;
        assert!(times[0].abs_diff(expected) < expected / 50, "{} for {expected} at {position}", times[0]);
    }
}

#[test]
fn on_a_small_disk_the_inner_position_leaves_room_for_a_sample() {
    let mut fake = Fake { capacity_blocks: 300_000, ..Fake::default() };
    let [_, lengths, times] = columns(&measure(&mut fake, Suite::Quick), "inner");
    assert!(times.iter().all(|time| *time >= 2_900_000_000), "{lengths:?} in {times:?}");
}

#[test]
fn a_sample_ends_with_the_disk() {
    let mut fake = Fake { capacity_blocks: 20_000, ..Fake::default() };
    let measurement = measure(&mut fake, Suite::Quick);
    assert_eq!(columns(&measurement, "outer")[1], [20_000, 20_000]);
    assert_eq!(columns(&measurement, "middle")[1], [10_000, 10_000]);
}

#[test]
fn samples_that_meet_a_bad_block_are_left_out_and_recorded() {
    let mut fake = disk();
    fake.bad_blocks = HashSet::from([5_000_000]);
    let (measurement, errors) = fake.session(Settings::default(), |session| {
        let measurement = Positional.run(session);
        (measurement, session.errors.len())
    });
    assert_eq!(errors, 5);
    assert!(columns(&measurement, "middle")[0].is_empty());
    assert_eq!(columns(&measurement, "inner")[0].len(), 5);
}

#[test]
fn an_interrupt_keeps_the_samples_taken_so_far_and_drops_the_one_under_way() {
    let mut fake = disk();
    fake.interrupt_after = Some((25, Interrupt::default()));
    let measurement = measure(&mut fake, Suite::Full);
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    let [_, _, times] = columns(&measurement, "outer");
    assert!(!times.is_empty() && times.len() < 10);
    assert!(times.iter().all(|time| *time >= 3_000_000_000), "{times:?}");
}

#[test]
fn nothing_is_written() {
    let mut fake = Fake { writable: true, ..disk() };
    let _ = measure(&mut fake, Suite::Full);
    assert!(fake.written.is_empty());
}

mod overview {
    use serde_json::json;

    use super::super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn the_mean_of_each_position_that_was_measured_is_told() {
        let series = json!([
            {"position": "inner", "offset_blocks": [9, 9], "length_blocks": [100, 300], "elapsed_ns": [512_000, 512_000]},
            {"position": "outer", "offset_blocks": [], "length_blocks": [], "elapsed_ns": []},
        ]);
        let entry = entry(json!({"block_bytes": 512}), &series);
        assert_eq!(Positional.overview(&entry, 0).numbers, [("inner", "200.0 MB/s".to_owned())]);
    }
}
