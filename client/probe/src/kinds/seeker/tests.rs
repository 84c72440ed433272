//! SEEKER on a small disk whose every number is known.

use std::collections::HashSet;

use super::Seeker;
use crate::kinds::columns::{measured, numbers};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Interrupt, Settings, Stop};

fn measure(fake: &mut Fake) -> Measurement {
    fake.session(Settings::default(), |session| Seeker.run(session))
}

/// Group, from, to and latency of each access of a pattern.
fn accesses(measurement: &Measurement, pattern: &str) -> Vec<(u64, u64, u64, u64)> {
    let all = measured(measurement);
    let series = all.iter().find(|one| one["pattern"] == pattern);
    let Some(series) = series else { return Vec::new() };
    let column = |name: &str| numbers(series, name);
    let (groups, from, to, latency) =
        (column("group"), column("from_blocks"), column("to_blocks"), column("latency_ns"));
    (0..groups.len()).map(|at| (groups[at], from[at], to[at], latency[at])).collect()
}

fn groups(accesses: &[(u64, u64, u64, u64)]) -> Vec<Vec<(u64, u64, u64, u64)>> {
    let numbers: HashSet<u64> = accesses.iter().map(|access| access.0).collect();
    numbers.iter().map(|number| accesses.iter().filter(|access| access.0 == *number).copied().collect()).collect()
}

#[test]
fn offsets_of_each_distance_run_over_two_turns_and_meet_the_head_once() {
    for writable in [false, true] {
        let measurement = measure(&mut Fake { writable, ..Fake::default() });
        for group in groups(&accesses(&measurement, "outward")) {
            let apart = |access: &(u64, u64, u64, u64)| access.2 - access.1;
            let spread = group.iter().map(apart).max().unwrap() - group.iter().map(apart).min().unwrap();
            assert!(spread >= 2 * 184 - 20, "offsets run over {spread} blocks only");
            // The fake disk seeks in no time: 2 ms to the media, and less than a head switch until an offset meets the head.
            let shortest = group.iter().map(|access| access.3).min().unwrap();
            assert!((2_000_000..2_800_000).contains(&shortest), "{shortest} ns");
        }
    }
}

/// Blocks between the access that met the head soonest and its neighbour that came by too early, of each group.
fn open_blocks(measurement: &Measurement, pattern: &str) -> Vec<u64> {
    let inward = pattern == "inward";
    let open_of = |group: Vec<(u64, u64, u64, u64)>| {
        let end = |access: &(u64, u64, u64, u64)| if inward { access.1 } else { access.2 };
        let hit = end(group.iter().min_by_key(|access| access.3).unwrap());
        let ends = group.iter().map(end);
        let beside = if inward { ends.filter(|&at| at > hit).min() } else { ends.filter(|&at| at < hit).max() };
        beside.map(|missed| missed.abs_diff(hit))
    };
    groups(&accesses(measurement, pattern)).into_iter().filter_map(open_of).collect()
}

#[test]
fn writes_halve_what_the_offsets_leave_open_and_reads_leave_it() {
    // The tracks have 184 blocks: offsets of writes and reads grow by five.
    let written = measure(&mut Fake { writable: true, ..Fake::default() });
    let read = measure(&mut Fake::default());
    for pattern in ["outward", "inward", "baseline"] {
        let open = open_blocks(&written, pattern);
        assert!(!open.is_empty() && open.iter().all(|&blocks| blocks == 1), "{pattern}: {open:?}");
    }
    assert!(open_blocks(&read, "outward").iter().all(|&blocks| blocks > 1));
}

#[test]
fn reads_never_touch_a_block_twice() {
    let measurement = measure(&mut Fake::default());
    let mut seen = HashSet::new();
    for pattern in ["outward", "baseline"] {
        for (_, from, to, _) in accesses(&measurement, pattern) {
            assert!(seen.insert(from), "{pattern}: {from} was read before");
            assert!(seen.insert(to), "{pattern}: {to} was read before");
        }
    }
}

#[test]
fn reads_of_a_group_walk_down_where_no_look_ahead_has_read() {
    let measurement = measure(&mut Fake::default());
    for group in groups(&accesses(&measurement, "outward")) {
        assert!(group.windows(2).all(|pair| pair[1].1 < pair[0].1 && pair[1].2 < pair[0].2));
    }
    let baseline = accesses(&measurement, "baseline");
    assert!(baseline.iter().all(|access| access.2 < access.1));
    for group in groups(&baseline) {
        assert!(group.windows(2).all(|pair| pair[1].1 < pair[0].2));
    }
}

#[test]
fn distances_reach_from_a_track_to_the_whole_disk_in_both_directions() {
    let fake = &mut Fake { writable: true, ..Fake::default() };
    let measurement = measure(fake);
    for pattern in ["outward", "inward"] {
        let all = accesses(&measurement, pattern);
        let distances: Vec<u64> = all.iter().map(|access| access.1.abs_diff(access.2)).collect();
        assert!(*distances.iter().min().unwrap() < 5 * 184);
        assert!(*distances.iter().max().unwrap() > fake.capacity_blocks * 95 / 100);
        assert!(groups(&all).len() >= 25, "{} distances", groups(&all).len());
        assert!(all.iter().all(|access| (access.1 < access.2) == (pattern == "outward")));
    }
}

#[test]
fn random_pairs_stand_everywhere_and_are_the_same_for_the_same_seed() {
    let first = accesses(&measure(&mut Fake::default()), "random");
    let again = accesses(&measure(&mut Fake::default()), "random");
    assert_eq!(first, again);
    assert!(first.len() >= 400);
    assert!(first.iter().any(|access| access.2 > 3_600_000) && first.iter().any(|access| access.2 < 400_000));
}

#[test]
fn writes_stay_away_from_the_first_and_last_mebibyte() {
    let mut fake = Fake { writable: true, ..Fake::default() };
    measure(&mut fake);
    assert!(fake.written.iter().all(|&block| (2048..fake.capacity_blocks - 2048).contains(&block)));
}

#[test]
fn an_access_after_a_failed_one_is_not_counted_as_its_start_is_unknown() {
    let clean = accesses(&measure(&mut Fake::default()), "outward");
    let victim = clean[200].2;
    let mut fake = Fake { bad_blocks: HashSet::from([victim]), ..Fake::default() };
    let measurement = measure(&mut fake);
    assert!(accesses(&measurement, "outward").iter().all(|access| access.2 != victim));
    assert!(accesses(&measurement, "inward").iter().all(|access| access.1 != victim));
}

#[test]
fn an_interrupt_and_a_vanished_device_keep_what_was_measured() {
    let mut interrupted = Fake { interrupt_after: Some((900, Interrupt::default())), ..Fake::default() };
    let measurement = measure(&mut interrupted);
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)) && measurement.result.is_ok());
    let measurement = measure(&mut Fake { vanish_after: Some(900), ..Fake::default() });
    assert!(matches!(measurement.stop, Some(Stop::Gone(_))) && measurement.result.is_ok());
}

#[test]
fn a_disk_too_small_to_seek_on_is_not_measured_and_the_reason_is_given() {
    let measurement = measure(&mut Fake { capacity_blocks: 60_000, ..Fake::default() });
    assert!(measurement.result.err().is_some_and(|nothing| !nothing.is_empty()));
}

#[test]
fn a_drive_that_delays_writes_is_measured_by_reading() {
    for (delays_writes, variant) in [(false, "write"), (true, "read")] {
        let measurement = measure(&mut Fake { writable: true, delays_writes, ..Fake::default() });
        assert!(measured(&measurement).iter().all(|one| one["variant"] == variant));
    }
}

mod overview {
    use serde_json::json;

    use super::super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn typical_accesses_are_told_for_each_pattern_that_was_measured() {
        let series = json!([
            {"pattern": "random", "latency_ns": [9_000_000, 13_000_000, 14_000_000]},
            {"pattern": "baseline", "latency_ns": [5_000_000]},
            {"pattern": "inward", "latency_ns": []},
        ]);
        let numbers = Seeker.overview(&entry(json!({}), &series), 0).numbers;
        let expected = [("typical access nearby", "5.00 ms"), ("typical access, random places", "13.00 ms")];
        assert_eq!(numbers, expected.map(|(name, value)| (name, value.to_owned())));
    }
}
