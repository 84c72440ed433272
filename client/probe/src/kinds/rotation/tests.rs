//! What the timing of disks that turn, and of devices that don't, says.

use crate::session::fake::Fake;
use super::{Verdict, detect};
use crate::kinds::track;
use crate::session::Settings;

fn verdict(fake: &mut Fake) -> Verdict {
    fake.session(Settings::default(), |session| detect(session, 1_000_000)).expect("a verdict")
}

#[test]
fn a_turn_is_found_within_a_thousandth_from_3600_to_15000_rpm() {
    for period in [4_000_000, 6_000_000, 8_333_333, 11_111_111, 16_666_667] {
        let mut fake = Fake { rotation_ns: Some(period), mtm_ns: 1_200_000, ..Fake::default() };
        let Verdict::Turns { period_ns } = verdict(&mut fake) else { panic!("{period} ns: no rotation seen") };
        assert!(period_ns.abs_diff(period) < period / 1000, "{period_ns} for {period}");
    }
}

#[test]
fn a_device_of_constant_latency_does_not_turn() {
    for latency in [60_000, 900_000, 8_000_000] {
        let mut fake = Fake { rotation_ns: None, mtm_ns: latency, ..Fake::default() };
        assert!(matches!(verdict(&mut fake), Verdict::Steady { .. }), "{latency} ns");
    }
}

#[test]
fn the_length_of_a_track_is_estimated_within_three_percent() {
    for blocks in [57, 184, 366, 2400] {
        let mut fake = Fake { zones: vec![(0, blocks)], ..Fake::default() };
        let found = fake.session(Settings::default(), |session| track::estimate_blocks(session, 1_000_000, 8_333_333));
        let found = found.expect("no stop").expect("a length");
        assert!(found.abs_diff(blocks) * 100 <= blocks * 3, "{found} for {blocks}");
    }
}
