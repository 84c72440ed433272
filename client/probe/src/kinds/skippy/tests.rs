//! SKIPPY on a small disk whose every number is known.

use std::collections::HashSet;

use serde_json::Value;

use super::Skippy;
use crate::kinds::columns::{measured as series, numbers as column};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Interrupt, Settings, Stop, Suite};

fn measure(fake: &mut Fake) -> Measurement {
    fake.session(Settings::default(), |session| Skippy.run(session))
}

fn pick<'a>(all: &'a [Value], variant: &str, region: &str, pattern: &str) -> Vec<&'a Value> {
    all.iter().filter(|one| one["variant"] == variant && one["region"] == region && one["pattern"] == pattern).collect()
}

#[test]
fn reads_without_writing_give_three_repeats_of_both_directions_in_all_three_parts() {
    let mut fake = Fake::default();
    let all = series(&measure(&mut fake));
    for region in ["outer", "middle", "inner"] {
        for variant in ["read", "backward"] {
            assert_eq!(pick(&all, variant, region, "increasing").len(), 3, "{variant} {region}");
            assert_eq!(pick(&all, variant, region, "constant").len(), 1, "{variant} {region}");
        }
        assert!(pick(&all, "write", region, "increasing").is_empty());
    }
    assert!(fake.written.is_empty());
}

#[test]
fn zones_between_the_parts_are_measured_once_each_as_many_as_the_suite_has_time_for() {
    for (suite, apart) in [(Suite::Quick, 1000_usize), (Suite::Standard, 100), (Suite::Full, 50)] {
        let settings = Settings { suite, ..Settings::default() };
        let zones = vec![(0, 184), (1_000_000, 150), (2_500_000, 120)];
        let mut fake = Fake { zones, writable: true, ..Fake::default() };
        let all = series(&fake.session(settings, |session| Skippy.run(session)));
        let between: Vec<&Value> = all.iter().filter(|one| one["region"] == "between").collect();
        let wanted: Vec<u64> = (apart..1000).step_by(apart).filter(|&at| at != 500).map(|at| at as u64).collect();
        let found: Vec<u64> = between
            .iter()
            .filter(|one| one["pattern"] == "increasing")
            .map(|one| one["position_permille"].as_u64().unwrap())
            .collect();
        assert_eq!(found, wanted, "{suite:?}");
        assert_eq!(between.len(), 2 * wanted.len(), "one growing and one constant series each");
        for one in between {
            assert_eq!(one["variant"], "write");
            let begin = one["position_permille"].as_u64().unwrap() * 4_000;
            let end = column(one, "offset_blocks").into_iter().max().unwrap();
            assert!((begin..begin + 100_000).contains(&one["start_block"].as_u64().unwrap()));
            assert!(end <= begin + 100_000);
        }
        let mut elsewhere = all.iter().filter(|one| one["region"] != "between");
        assert!(elsewhere.all(|one| one.get("position_permille").is_none()));
    }
}

#[test]
fn growing_steps_pass_the_first_edge_and_a_full_track_beyond_it() {
    let all = series(&measure(&mut Fake::default()));
    for one in pick(&all, "read", "outer", "increasing") {
        let steps = column(one, "step_blocks");
        let latencies = column(one, "latency_ns");
        assert_eq!(steps, (0..steps.len() as u64).collect::<Vec<_>>());
        // MTM 2 ms of an 8.33 ms turn of 184 blocks: the edge stands at step 44, the next one a track further.
        let drops: Vec<usize> = (1..latencies.len())
            .filter(|&at| latencies[at - 1] > latencies[at] + 6_000_000 && latencies[at] < 3_200_000)
            .collect();
        assert!(drops.iter().any(|&at| (38..=48).contains(&at)), "edges at {drops:?}");
        assert!(steps.len() > 184 + 44, "only {} steps", steps.len());
        assert!(steps.len() < 2 * 184 + 100, "{} steps are more than needed", steps.len());
    }
}

#[test]
fn each_offset_stands_a_step_and_one_block_after_the_one_before() {
    let all = series(&measure(&mut Fake { writable: true, ..Fake::default() }));
    for one in &all {
        let down = one["variant"] == "backward";
        let mut previous = one["start_block"].as_u64().unwrap();
        for (step, offset) in column(one, "step_blocks").into_iter().zip(column(one, "offset_blocks")) {
            let expected = if down { previous - step - 1 } else { previous + step + 1 };
            assert_eq!(offset, expected);
            previous = offset;
        }
    }
}

#[test]
fn a_drive_with_22_surfaces_and_short_tracks_still_shows_two_cylinder_switches() {
    let mut fake = Fake { heads: 22, zones: vec![(0, 72)], mtm_ns: 1_500_000, ..Fake::default() };
    let all = series(&measure(&mut fake));
    let offsets = column(pick(&all, "read", "outer", "constant")[0], "offset_blocks");
    let cylinders = (offsets[offsets.len() - 1] - offsets[0]) / (22 * 72);
    assert!(cylinders >= 3, "the constant series covers {cylinders} cylinders");
    let last = pick(&all, "read", "outer", "increasing")[2].clone();
    let offsets = column(&last, "offset_blocks");
    assert!((offsets[offsets.len() - 1] - offsets[0]) / (22 * 72) >= 2);
}

#[test]
fn read_repeats_stand_on_blocks_that_no_earlier_series_touched() {
    let all = series(&measure(&mut Fake::default()));
    let mut seen = HashSet::new();
    let total: usize = all
        .iter()
        .filter(|one| one["region"] == "outer" && one["variant"] == "read" && one["pattern"] == "increasing")
        .map(|one| {
            let offsets = column(one, "offset_blocks");
            seen.extend(offsets.iter().copied());
            offsets.len()
        })
        .sum();
    assert_eq!(seen.len(), total);
}

#[test]
fn writes_stay_away_from_the_first_and_last_mebibyte() {
    let mut fake = Fake { writable: true, ..Fake::default() };
    measure(&mut fake);
    assert!(!fake.written.is_empty());
    assert!(fake.written.iter().all(|&block| (2048..fake.capacity_blocks - 2048).contains(&block)));
}

#[test]
fn a_bad_block_is_recorded_and_left_out_together_with_the_step_after_it() {
    let clean = series(&measure(&mut Fake::default()));
    let victim = column(pick(&clean, "read", "outer", "increasing")[0], "offset_blocks")[30];
    let mut fake = Fake { bad_blocks: HashSet::from([victim]), ..Fake::default() };
    let (all, errors) = fake.session(Settings::default(), |session| {
        let all = series(&Skippy.run(session));
        (all, session.errors.clone())
    });
    let steps = column(pick(&all, "read", "outer", "increasing")[0], "step_blocks");
    assert!(!steps.contains(&30) && !steps.contains(&31) && steps.contains(&29) && steps.contains(&32));
    assert!(errors.iter().any(|error| error.offset_bytes == victim * 512 && error.operation == "read"));
}

#[test]
fn a_block_that_cannot_be_read_is_not_written() {
    let clean = series(&measure(&mut Fake { writable: true, ..Fake::default() }));
    let victim = column(pick(&clean, "write", "outer", "increasing")[0], "offset_blocks")[30];
    let mut fake = Fake { writable: true, bad_blocks: HashSet::from([victim]), ..Fake::default() };
    measure(&mut fake);
    assert!(!fake.written.contains(&victim));
}

#[test]
fn an_interrupt_keeps_what_was_measured() {
    let interrupt = Interrupt::default();
    let mut fake = Fake { interrupt_after: Some((1_000, interrupt)), ..Fake::default() };
    let measurement = measure(&mut fake);
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    assert!(!series(&measurement).is_empty());
    assert!(fake.requests < 1_010);
}

#[test]
fn a_device_that_vanishes_leaves_what_was_measured() {
    let mut fake = Fake { vanish_after: Some(1_000), ..Fake::default() };
    let measurement = measure(&mut fake);
    assert!(matches!(measurement.stop, Some(Stop::Gone(_))));
    assert!(!series(&measurement).is_empty());
}

#[test]
fn without_a_rotation_period_nothing_is_measured_and_the_reason_is_given() {
    let mut fake = Fake { rotation_ns: None, ..Fake::default() };
    let measurement = measure(&mut fake);
    assert!(measurement.result.err().unwrap().contains("no rotation period"));
}

mod overview {
    use serde_json::json;

    use super::super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn the_turn_and_the_shortest_access_of_each_variant_are_told() {
        let series = json!([
            {"variant": "read", "pattern": "increasing", "region": "outer", "step_blocks": [0, 1], "latency_ns": [500_000, 700_000]},
            {"variant": "backward", "pattern": "increasing", "region": "outer", "step_blocks": [0, 1, 2], "latency_ns": [9_000_000, 8_000_000, 2_500_000]},
            {"variant": "read", "pattern": "constant", "region": "inner", "step_blocks": [9], "latency_ns": [400_000]},
        ]);
        let overview = Skippy.overview(&entry(json!({"rotation_estimate_ns": 8_333_333}), &series), 0);
        let values: Vec<&str> = overview.numbers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["8.33 ms (7200 rpm)", "2.50 ms", "0.40 ms"]);
        let drawing = overview.drawing.expect("a sawtooth");
        assert_eq!(drawing.points, [(0.0, 9.0), (1.0, 8.0), (2.0, 2.5)], "{}", drawing.title);
    }
}
