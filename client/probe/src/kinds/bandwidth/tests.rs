//! Transfers by size and position on a disk whose every number is known.

use std::collections::HashSet;

use super::Bandwidth;
use super::plan::Extent;
use crate::device::Geometry;
use crate::kinds::columns::{measured, numbers};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Interrupt, Settings, Stop, Suite};

const BLOCKS: u64 = 20_000_000;

fn measure(fake: &mut Fake, suite: Suite) -> Measurement {
    let writes = fake.writable;
    fake.session(Settings { suite, writes, ..Settings::default() }, |session| Bandwidth.run(session))
}

/// Variant, position, offset, length and time of every sample.
fn samples(measurement: &Measurement) -> Vec<(String, u64, u64, u64, u64)> {
    let series = measured(measurement);
    let one = |series: &serde_json::Value| {
        let column = |name: &str| numbers(series, name);
        let (variant, position) = (series["variant"].as_str().expect("a word").to_owned(), &series["position"]);
        let position = position.as_u64().expect("an integer");
        let rows = column("offset_blocks").into_iter().zip(column("length_blocks")).zip(column("elapsed_ns"));
        rows.map(move |((offset, length), time)| (variant.clone(), position, offset, length, time)).collect::<Vec<_>>()
    };
    series.iter().flat_map(one).collect()
}

fn disk() -> Fake {
    Fake { capacity_blocks: BLOCKS, ..Fake::default() }
}

#[test]
fn a_whole_run_reads_22_sizes_at_16_positions_of_a_large_disk() {
    // 62.5 GB from one position to the next, as in the document.
    let geometry = Geometry {
        capacity_bytes: 1_000_204_886_016,
        logical_block_bytes: 512,
        physical_block_bytes: 512,
        block_bytes: 512,
    };
    let (sizes, left_out) = Extent::of(Suite::Full).sizes(&geometry, 7.0);
    assert_eq!((sizes.len(), sizes[0], sizes[21], left_out.len()), (22, 512, 1 << 30, 0));
    assert_eq!(Extent::of(Suite::Full).positions, 16);
}

#[test]
fn sizes_below_the_block_or_too_long_for_the_disk_are_left_out_and_named() {
    let block =
        Geometry { capacity_bytes: 16 << 30, logical_block_bytes: 512, physical_block_bytes: 4096, block_bytes: 4096 };
    let (sizes, left_out) = Extent::of(Suite::Full).sizes(&block, 7.0);
    assert_eq!((sizes[0], *sizes.last().expect("sizes")), (4096, 256 << 20));
    assert_eq!(left_out, [512, 1024, 2048, 512 << 20, 1 << 30]);
}

#[test]
fn no_transfer_of_the_quick_suite_takes_longer_than_its_share() {
    let geometry = disk().session(Settings::default(), |session| session.geometry());
    let (sizes, left_out) = Extent::of(Suite::Quick).sizes(&geometry, 100.0);
    assert_eq!(*sizes.last().expect("sizes"), 256 << 10);
    assert!(!left_out.contains(&(2 << 20)), "left out for time, not because the disk can't: {left_out:?}");
}

fn overlaps(measurement: &Measurement) -> usize {
    let mut spans: Vec<(u64, u64)> = samples(measurement).iter().map(|one| (one.2, one.2 + one.3)).collect();
    spans.sort_unstable();
    assert!(spans.len() > 300);
    spans.windows(2).filter(|pair| pair[0].1 > pair[1].0).count()
}

#[test]
fn no_two_samples_share_a_block() {
    let settings = Settings { suite: Suite::Full, ..Settings::default() };
    let measurement = disk().session(settings, |session| Bandwidth.run(session));
    assert_eq!(overlaps(&measurement), 0);
}

#[test]
fn repeats_have_blocks_of_their_own_where_there_is_room() {
    let settings = Settings { suite: Suite::Full, repeats: 2, repeats_asked: true, ..Settings::default() };
    let mut large = Fake { capacity_blocks: 400_000_000, ..Fake::default() };
    let measurement = large.session(settings, |session| Bandwidth.run(session));
    assert_eq!(overlaps(&measurement), 0);
}

#[test]
fn every_sample_begins_with_the_arm_elsewhere() {
    let mut fake = disk();
    // Without the seek and the wait, a transfer would take the time of its blocks and the overhead.
    let measurement = measure(&mut fake, Suite::Quick);
    for (_, position, _, length, time) in samples(&measurement).iter().filter(|one| one.3 == 1) {
        assert!(*time > fake.mtm_ns, "a block of {length} at {position} took {time}");
    }
}

#[test]
fn one_pass_is_made_where_nobody_asks_for_more() {
    let all = samples(&measure(&mut disk(), Suite::Quick));
    let places: HashSet<(u64, u64)> = all.iter().map(|one| (one.1, one.3)).collect();
    assert_eq!(places.len(), all.len());
}

#[test]
fn nothing_is_written_where_nothing_may_be() {
    let mut fake = disk();
    let all = samples(&measure(&mut fake, Suite::Quick));
    assert!(fake.written.is_empty());
    assert!(all.iter().all(|one| one.0 == "read"));
    assert_eq!(all.iter().map(|one| one.2).min(), Some(0), "reading begins at the first block");
}

#[test]
fn writing_stays_out_of_the_first_mib_and_writes_what_it_read() {
    let mut fake = Fake { writable: true, ..disk() };
    let all = samples(&measure(&mut fake, Suite::Quick));
    assert!(all.iter().any(|one| one.0 == "write"));
    assert!(fake.written.iter().all(|&block| block >= 2048), "{:?}", fake.written.iter().min());
    let reads = all.iter().filter(|one| one.0 == "read").count();
    assert_eq!(reads * 2, all.len());
}

#[test]
fn a_transfer_over_a_bad_block_is_left_out_and_recorded() {
    let mut fake = disk();
    fake.bad_blocks = HashSet::from([0]);
    let (count, errors) = fake.session(Settings { suite: Suite::Quick, ..Settings::default() }, |session| {
        (samples(&Bandwidth.run(session)).len(), session.errors.len())
    });
    assert_eq!(errors, 1);
    assert_eq!(count + 1, samples(&measure(&mut disk(), Suite::Quick)).len());
}

#[test]
fn an_interrupt_keeps_the_transfers_made_so_far() {
    let mut fake = disk();
    fake.interrupt_after = Some((900, Interrupt::default()));
    let measurement = measure(&mut fake, Suite::Full);
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    assert!(!samples(&measurement).is_empty());
}

#[test]
fn a_disk_of_a_few_mib_is_measured_too() {
    let mut fake = Fake { capacity_blocks: 8_192, ..Fake::default() };
    assert!(!samples(&measure(&mut fake, Suite::Standard)).is_empty());
}
