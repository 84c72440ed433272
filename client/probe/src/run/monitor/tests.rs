//! What readings of a machine's counters say about the time between them.

use std::collections::VecDeque;

use super::*;
use crate::run::monitor::detector::{Reading, Window};

/// A reading every 20 ms: requests and sectors that the device completed, and those that the probe asked for.
fn reading(step: u64, completed: u64, ours: u64) -> Reading {
    let at_ns = step * 20_000_000;
    let sectors = |requests: u64| (requests, requests * 8);
    Reading {
        before_ns: at_ns - 1000,
        at_ns,
        completed: Some(sectors(completed)),
        ours: Some(sectors(ours)),
        ..Reading::default()
    }
}

fn judged(readings: impl IntoIterator<Item = Reading>) -> DisturbanceDetector {
    let mut detector = DisturbanceDetector::default();
    readings.into_iter().for_each(|reading| detector.take(reading));
    detector
}

fn windows(detector: &DisturbanceDetector) -> Vec<(u64, u64)> {
    detector.windows_since(0).iter().map(|window| (window.from_ns / 1_000_000, window.to_ns / 1_000_000)).collect()
}

#[test]
fn a_device_that_does_only_what_the_probe_asks_is_undisturbed() {
    // Ours run ahead of the device's by what is under way.
    let detector = judged([reading(1, 100, 100), reading(2, 107, 109), reading(3, 121, 122), reading(4, 130, 130)]);
    assert_eq!((windows(&detector), detector.sum.foreign_requests), (vec![], 0));
}

#[test]
fn requests_of_others_are_counted_and_mark_the_time_in_which_they_came() {
    let readings = [(1, 100, 100), (2, 110, 110), (3, 127, 120), (4, 137, 130), (5, 147, 140), (6, 159, 150)];
    let detector = judged(readings.map(|(step, completed, ours)| reading(step, completed, ours)));
    assert_eq!((windows(&detector), detector.sum.foreign_requests), (vec![(39, 60), (99, 120)], 9));
}

#[test]
fn a_request_of_others_that_ours_hide_is_found_when_ours_are_through() {
    let detector = judged([reading(1, 100, 100), reading(2, 110, 112), reading(3, 121, 120)]);
    assert_eq!(detector.sum.foreign_requests, 1);
}

#[test]
fn a_request_that_the_kernel_splits_is_not_taken_for_others() {
    let mut split = reading(2, 0, 0);
    // One request of ours, of 2048 sectors, was done as two.
    split.completed = Some((102, 800 + 2048));
    split.ours = Some((101, 800 + 2048));
    let detector = judged([reading(1, 100, 100), split]);
    assert_eq!((windows(&detector), detector.sum.foreign_requests), (vec![], 0));
}

#[test]
fn nothing_is_said_while_our_own_requests_are_not_counted_and_it_is_made_up_for() {
    let held = Reading { ours: None, ..reading(2, 150, 0) };
    let clean = judged([reading(1, 100, 100), held, reading(3, 200, 200)]);
    assert_eq!(windows(&clean), vec![]);
    let disturbed = judged([reading(1, 100, 100), held, reading(3, 203, 200)]);
    assert_eq!((windows(&disturbed), disturbed.sum.foreign_requests), (vec![(19, 60)], 3));
}

#[test]
fn swapping_and_heat_mark_the_time_since_they_were_last_looked_at() {
    let slow = |step, swapped, throttled| Reading {
        slow: true,
        swapped_pages: Some(swapped),
        throttle_events: Some(throttled),
        ..reading(step, 100, 100)
    };
    let detector = judged([slow(1, 0, 0), slow(11, 10, 0), slow(21, 500, 0), slow(31, 500, 1)]);
    assert_eq!(windows(&detector), vec![(219, 620)]);
    assert_eq!((detector.sum.swapped_pages, detector.sum.throttle_events), (500, 1));
}

#[test]
fn what_happens_in_a_long_pause_disturbs_nothing() {
    let mut detector = judged([reading(1, 100, 100), reading(2, 110, 110)]);
    detector.skip();
    detector.take(reading(1000, 9000, 110));
    detector.take(reading(1001, 9010, 120));
    detector.take(reading(1002, 9022, 130));
    assert_eq!((windows(&detector), detector.sum.foreign_requests), (vec![(20_019, 20_040)], 2));
}

#[test]
fn the_longest_run_needs_no_more_room_than_was_there() {
    let mut detector = DisturbanceDetector::default();
    for step in 1..200_000 {
        // Others come at every second reading, so that no two stretches meet.
        detector.take(reading(step, step + step / 2, step));
    }
    let windows = detector.windows_since(0);
    assert!(windows.len() <= 16_384, "{}", windows.len());
    assert!(windows.windows(2).all(|pair: &[Window]| pair[0].to_ns < pair[1].from_ns));
}

/// Gives the readings one after the other, and the last again and again.
struct Script(VecDeque<Reading>);

impl CounterSource for Script {
    fn read(&mut self, _slow: bool) -> Reading {
        if self.0.len() > 1 { self.0.pop_front().expect("a reading") } else { self.0[0] }
    }
}

#[test]
fn a_monitor_tells_what_came_since_a_moment() {
    let script = [reading(1, 100, 100), reading(2, 115, 110), reading(3, 125, 120)];
    let mut monitor = Monitor::of(Box::new(Script(script.into())));
    assert_eq!(monitor.look(), Disturbances::default());
    assert_eq!(monitor.look(), Disturbances { foreign_requests: 5, ..Disturbances::default() });
    let mut windows = Vec::new();
    monitor.disturbed_since(0, &mut windows);
    assert_eq!(windows, [(19_999_000, 40_000_000)]);
    monitor.disturbed_since(40_000_000, &mut windows);
    assert!(windows.is_empty());
}
