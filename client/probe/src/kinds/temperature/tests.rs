//! A week of hours on the clock of a disk whose every number is known.

use serde_json::Value;

use super::Temperature;
use crate::kinds::columns::{measured as series, numbers as column};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Estimates, Interrupt, Journal, NullProgress, Piece, Session, Settings, Stop, Suite};

const HOUR_NS: u64 = 3_600_000_000_000;

fn measure(fake: &mut Fake) -> Measurement {
    let writes = fake.writable;
    fake.session(Settings { suite: Suite::Week, writes, ..Settings::default() }, |session| Temperature.run(session))
}

fn disk() -> Fake {
    Fake { capacity_blocks: 2_000_000_000, zones: vec![(0, 2400)], celsius: Some(35), ..Fake::default() }
}

#[test]
fn a_week_gives_168_samples_an_hour_apart_each_with_its_temperature() {
    let measurement = measure(&mut disk());
    let read = &series(&measurement)[0];
    let starts = column(read, "start_ns");
    assert_eq!(starts.len(), 168);
    assert!(starts.windows(2).all(|pair| (pair[1] - pair[0]).abs_diff(HOUR_NS) < 1_000_000_000));
    let celsius: Vec<i64> = read["temperature_celsius"].as_array().unwrap().iter().filter_map(Value::as_i64).collect();
    assert_eq!((celsius.len(), celsius[0], celsius[167]), (168, 35, 8));
}

#[test]
fn all_samples_stand_at_the_outer_rim_and_none_where_the_last_one_was() {
    let measurement = measure(&mut disk());
    let places = column(&series(&measurement)[0], "offset_blocks");
    assert!(places.iter().all(|&block| block < 2_000_000_000 / 50));
    assert!(places.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn a_disk_without_a_sensor_is_not_measured_for_a_week() {
    let mut fake = Fake { celsius: None, ..disk() };
    let measurement = measure(&mut fake);
    assert!(measurement.result.expect_err("nothing").contains("temperature"));
    assert_eq!(fake.requests, 0);
}

#[test]
fn it_is_measured_in_the_suite_of_a_week_only() {
    let suites = [Suite::Quick, Suite::Standard, Suite::Full, Suite::Day, Suite::Week];
    assert_eq!(suites.map(|suite| Temperature.part_of(suite)), [false, false, false, false, true]);
}

#[test]
fn writing_stays_out_of_the_first_mib() {
    let mut fake = Fake { writable: true, ..disk() };
    let measurement = measure(&mut fake);
    assert_eq!(series(&measurement).len(), 2);
    assert_eq!((fake.written.len(), fake.written.iter().min()), (168, Some(&2048)));
}

#[test]
fn an_interrupt_keeps_the_hours_before() {
    let mut fake = disk();
    fake.interrupt_after = Some((10, Interrupt::default()));
    let measurement = measure(&mut fake);
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    assert_eq!(column(&series(&measurement)[0], "elapsed_ns").len(), 10);
}

/// Pieces of an earlier invocation.
struct Remembers(Vec<(String, Piece)>);

impl Journal for Remembers {
    fn recall(&mut self, name: &str) -> Option<Piece> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, piece)| piece.clone())
    }

    fn record(&mut self, name: &str, piece: &Piece) {
        self.0.push((name.to_owned(), piece.clone()));
    }
}

#[test]
fn a_resumed_week_goes_on_at_once_after_a_long_gap_and_hourly_from_there() {
    let mut fake = disk();
    let interrupt = Interrupt::default();
    fake.interrupt_after = Some((10, interrupt.clone()));
    let mut journal = Remembers(Vec::new());
    let settings = Settings { suite: Suite::Week, ..Settings::default() };
    let run = |fake: &mut Fake, journal: &mut Remembers, interrupt: Interrupt| {
        let mut null_progress = NullProgress;
        let mut session = Session::new(fake, &mut null_progress, journal, interrupt, settings, Estimates::default());
        Temperature.run(&mut session)
    };
    run(&mut fake, &mut journal, interrupt);
    fake.interrupt_after = None;
    fake.now_ns += 50 * HOUR_NS;
    let measurement = run(&mut fake, &mut journal, Interrupt::default());
    let starts = column(&series(&measurement)[0], "start_ns");
    assert_eq!(starts.len(), 168);
    let late: Vec<usize> = (1..168).filter(|&k| starts[k] - starts[k - 1] > HOUR_NS + HOUR_NS / 100).collect();
    assert_eq!(late, [10]);
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] >= HOUR_NS - HOUR_NS / 100));
}
