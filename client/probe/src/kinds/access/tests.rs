//! ACCESS on disks whose every number is known.

use std::collections::BTreeMap;

use super::Access;
use super::{POSITIONS, Plan};
use crate::device::Device;
use crate::kinds::columns::{measured, numbers};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Interrupt, Settings, Stop, Suite};
use crate::sim;

const SETTINGS: fn(Suite) -> Settings = |suite| Settings { suite, ..Settings::default() };

fn measure(fake: &mut Fake) -> Measurement {
    fake.session(SETTINGS(Suite::Quick), |session| Access.run(session))
}

fn column(measurement: &Measurement, pattern: &str, name: &str) -> Vec<u64> {
    let all = measured(measurement);
    numbers(all.iter().find(|series| series["pattern"] == pattern).expect("that pattern"), name)
}

#[test]
fn rates_are_measured_over_the_whole_disk_and_at_the_nine_positions_of_the_document() {
    let mut fake = Fake { capacity_blocks: 20_000_000, ..Fake::default() };
    let measurement = measure(&mut fake);
    let spread = column(&measurement, "spread", "offset_blocks");
    let lengths = column(&measurement, "spread", "length_blocks");
    assert_eq!(spread.len(), Plan::new(Suite::Quick).spread as usize);
    // An eighth of the sample's 80 ms is read before it: three requests on this disk.
    assert!(spread[0] > 0 && spread[0] <= 512, "{}", spread[0]);
    let end = spread[spread.len() - 1] + lengths[lengths.len() - 1];
    assert!((20_000_000 - 4 * 128..=20_000_000).contains(&end), "{end}");
    let positions = column(&measurement, "positions", "offset_blocks");
    for (offset, position) in positions.iter().zip(POSITIONS) {
        let asked = 20_000_000 * position / 10_000;
        assert!(asked.abs_diff(*offset) < 20_000_000 / 500, "{offset} is not {asked}");
    }
    assert_eq!(positions.len(), 9);
}

#[test]
fn the_seek_to_a_sample_is_not_in_its_time() {
    let mut fake = Fake { capacity_blocks: 20_000_000, ..Fake::default() };
    let measurement = measure(&mut fake);
    let lengths = column(&measurement, "spread", "length_blocks");
    for (length, elapsed) in lengths.iter().zip(column(&measurement, "spread", "elapsed_ns")) {
        // As the disk reads on: a track of 184 blocks in a turn and a head switch, and 8 us for each request of 128.
        let expected = length * (8_333_333 + 800_000) / 184 + length / 128 * 8000;
        assert!(elapsed.abs_diff(expected) < expected / 50, "{elapsed} is not {expected}");
    }
}

#[test]
fn an_interrupt_and_a_vanished_device_leave_what_was_measured() {
    let mut fake = Fake { interrupt_after: Some((60, Interrupt::default())), ..Fake::default() };
    let measurement = measure(&mut fake);
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    assert_eq!(column(&measurement, "random", "elapsed_ns").len(), 59);
    let measurement = measure(&mut Fake { vanish_after: Some(10), ..Fake::default() });
    assert!(matches!(measurement.stop, Some(Stop::Gone(_))));
    assert_eq!(column(&measurement, "random", "elapsed_ns").len(), 9);
}

#[test]
fn the_longest_stretch_that_the_buffer_keeps_is_found_between_two_lengths_near_each_other() {
    // What was read ahead takes its part of the segment.
    for (name, segment_kib, ahead_kib) in [("modern-20tb", 4096, 2048), ("seagate-st2000nm0001", 2048, 1024)] {
        let mut drive = sim::open(&format!("{name},noise=off,seed=1")).expect("a drive");
        let block_bytes = u64::from(drive.geometry().block_bytes);
        let measurement = on_device(&mut drive);
        let lengths = column(&measurement, "buffer", "stream_blocks");
        let mut hits: BTreeMap<u64, i32> = BTreeMap::new();
        for (length, again) in lengths.iter().zip(column(&measurement, "buffer", "elapsed_ns")) {
            *hits.entry(*length).or_default() += if again < 1_000_000 { 1 } else { -1 };
        }
        let longest = *hits.iter().rev().find(|(_, hits)| **hits > 0).expect("some are held").0;
        let beyond = *hits.iter().find(|(length, hits)| **length > longest && **hits < 0).expect("some are gone").0;
        let longest_kib = longest * block_bytes / 1024;
        assert!((segment_kib - ahead_kib..=segment_kib).contains(&longest_kib), "{name}: {longest_kib} KiB");
        // A sixteenth of a doubling, or two of them where the look-ahead decides: kept once and gone once counts for neither.
        assert!((beyond - longest) * 8 <= longest, "{name}: {longest} and {beyond}");
    }
}

fn on_device(device: &mut dyn Device) -> Measurement {
    use crate::session::{Estimates, NullJournal, NullProgress, Session};
    let (mut null_progress, mut null_journal) = (NullProgress, NullJournal);
    let interrupt = Interrupt::default();
    let estimates = Estimates::default();
    let mut session =
        Session::new(device, &mut null_progress, &mut null_journal, interrupt, SETTINGS(Suite::Quick), estimates);
    Access.run(&mut session)
}
