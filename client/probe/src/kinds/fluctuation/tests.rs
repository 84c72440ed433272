//! Rounds over the disk on the clock of a disk whose every number is known.

use super::Fluctuation;
use crate::kinds::columns::{measured as series, numbers as column};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Interrupt, Settings, Stop, Suite};

const HOUR_NS: u64 = 3_600_000_000_000;

fn measure(fake: &mut Fake, suite: Suite) -> Measurement {
    let writes = fake.writable;
    fake.session(Settings { suite, writes, ..Settings::default() }, |session| Fluctuation.run(session))
}

fn fast_disk() -> Fake {
    // 128 MiB in about a second: 12000 blocks in a turn.
    Fake { capacity_blocks: 2_000_000_000, zones: vec![(0, 2400)], ..Fake::default() }
}

#[test]
fn a_quarter_of_an_hour_gives_24_reads_of_128_mib_at_15_positions() {
    let mut fake = fast_disk();
    let measurement = measure(&mut fake, Suite::Full);
    assert_eq!(series(&measurement).len(), 15);
    for one in &series(&measurement) {
        assert_eq!(column(one, "length_blocks"), [262_144; 24]);
    }
    let minutes = fake.now_ns / 60_000_000_000;
    assert!((4..=20).contains(&minutes), "{minutes} minutes");
}

#[test]
fn the_day_has_an_hour_between_the_rounds_and_lasts_a_day() {
    let mut fake = fast_disk();
    let measurement = measure(&mut fake, Suite::Day);
    let starts = column(&series(&measurement)[7], "start_ns");
    assert!(starts.windows(2).all(|pair| (HOUR_NS..HOUR_NS + HOUR_NS / 10).contains(&(pair[1] - pair[0]))));
    assert!((23 * HOUR_NS..25 * HOUR_NS).contains(&fake.now_ns), "{} h", fake.now_ns / HOUR_NS);
}

#[test]
fn neither_quick_nor_standard_runs_have_time_for_it() {
    let asks =
        [Suite::Quick, Suite::Standard, Suite::Full, Suite::Day, Suite::Week].map(|suite| Fluctuation.part_of(suite));
    assert_eq!(asks, [false, false, true, true, false]);
}

#[test]
fn where_writing_is_allowed_each_read_has_its_write_outside_the_first_mib() {
    let mut fake = Fake { writable: true, ..fast_disk() };
    let measurement = measure(&mut fake, Suite::Full);
    assert_eq!(fake.written.len(), 15 * 24);
    assert_eq!(fake.written.iter().min(), Some(&2048));
    let of = |variant: &str| -> usize {
        series(&measurement)
            .iter()
            .filter(|one| one["variant"] == variant)
            .map(|one| column(one, "elapsed_ns").len())
            .sum()
    };
    assert_eq!((of("read"), of("write")), (360, 360));
}

#[test]
fn an_interrupt_in_a_pause_keeps_the_rounds_before() {
    let mut fake = fast_disk();
    fake.interrupt_after = Some((32, Interrupt::default()));
    let measurement = measure(&mut fake, Suite::Day);
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    let counts: Vec<usize> = series(&measurement).iter().map(|one| column(one, "elapsed_ns").len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 30);
}

#[test]
fn a_small_disk_is_measured_with_transfers_that_do_not_touch() {
    let mut fake = Fake { capacity_blocks: 20_000, ..Fake::default() };
    let measurement = measure(&mut fake, Suite::Full);
    let ends: Vec<u64> = series(&measurement)
        .iter()
        .map(|one| column(one, "offset_blocks")[0] + column(one, "length_blocks")[0])
        .collect();
    let starts: Vec<u64> = series(&measurement).iter().map(|one| column(one, "offset_blocks")[0]).collect();
    assert!(ends.iter().zip(&starts[1..]).all(|(end, next)| end <= next));
}
