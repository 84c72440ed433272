//! BUFFER on a simulated drive whose buffer is known, and on a disk that has none.

use std::collections::HashSet;

use serde_json::Value;

use super::{Buffer, sizes};
use crate::device::Geometry;
use crate::kinds::columns::{measured, numbers as column};
use crate::kinds::{Kind, Measurement};
use crate::session::fake::Fake;
use crate::session::{Estimates, Interrupt, NullJournal, NullProgress, Session, Settings, Stop, Suite};
use crate::sim;

fn settings(suite: Suite) -> Settings {
    Settings { suite, ..Settings::default() }
}

fn on_simulated(name: &str, suite: Suite) -> Measurement {
    let mut drive = sim::open(&format!("{name},noise=off")).expect("a named drive");
    let (mut null_progress, mut null_journal) = (NullProgress, NullJournal);
    let interrupt = Interrupt::default();
    Buffer.run(&mut Session::new(
        &mut drive,
        &mut null_progress,
        &mut null_journal,
        interrupt,
        settings(suite),
        Estimates::default(),
    ))
}

fn series(measurement: &Measurement, pattern: &str) -> Value {
    measured(measurement).iter().find(|series| series["pattern"] == pattern).expect("that pattern").clone()
}

/// MB/s by request size in KiB (0 for 512 bytes).
fn rates(series: &Value, block_bytes: u64) -> Vec<(u64, u64)> {
    let columns = ["request_blocks", "requests", "elapsed_ns"].map(|name| column(series, name));
    let one = |index: usize| {
        let bytes = columns[0][index] * block_bytes;
        (bytes / 1024, columns[1][index] * bytes * 1000 / columns[2][index])
    };
    (0..columns[0].len()).map(one).collect()
}

#[test]
fn what_fits_into_the_buffer_comes_at_the_rate_of_the_interface_and_what_does_not_at_the_mediums() {
    let rates = rates(&series(&on_simulated("samsung-hd103sj", Suite::Quick), "sizes"), 512);
    let at = |kib: u64| rates.iter().find(|rate| rate.0 == kib).expect("that size").1;
    assert!((268..=275).contains(&at(8192)), "{rates:?}");
    assert!((110..=143).contains(&at(16384)), "{rates:?}");
    assert!(at(0) < 10, "{rates:?}");
}

#[test]
fn sizes_run_from_a_block_to_64_mib_by_powers_of_two_and_fit_on_the_disk() {
    let geometry = |block_bytes: u32, capacity_bytes: u64| Geometry {
        capacity_bytes,
        logical_block_bytes: 512,
        physical_block_bytes: block_bytes,
        block_bytes,
    };
    let bytes = |geometry: &Geometry| -> Vec<u64> {
        sizes(geometry).map(|blocks| blocks * u64::from(geometry.block_bytes)).collect()
    };
    let all = bytes(&geometry(512, 1 << 40));
    assert_eq!((all.len(), all[0], all[17]), (18, 512, 64 << 20));
    assert!(all.windows(2).all(|pair| pair[1] == 2 * pair[0]));
    assert_eq!(bytes(&geometry(4096, 1 << 40))[0], 4096);
    assert_eq!(bytes(&geometry(512, 3 << 20)).last(), Some(&(2 << 20)));
}

#[test]
fn the_amount_of_data_is_doubled_until_the_rate_stays_the_same() {
    let measurement = on_simulated("samsung-hd103sj", Suite::Standard);
    let threshold = series(&measurement, "threshold");
    let requests = column(&threshold, "requests");
    assert!(requests.windows(2).all(|pair| pair[1] == 2 * pair[0]), "{requests:?}");
    let params = &measurement.result.as_ref().expect("samples").params;
    let found = params["threshold_bytes"].as_u64().expect("a quiet drive repeats itself");
    assert_eq!(found, requests[requests.len() - 2] * (128 << 10));
}

#[test]
fn a_short_run_reads_less_and_says_so() {
    let measurement = on_simulated("samsung-hd103sj", Suite::Quick);
    let sizes = series(&measurement, "sizes");
    let limit = measurement.result.as_ref().expect("samples").params["time_limit_ns"].as_u64().expect("a limit");
    for (requests, elapsed) in column(&sizes, "requests").into_iter().zip(column(&sizes, "elapsed_ns")) {
        assert!(elapsed < limit * 5 / 4 || requests == 4, "{requests} requests in {elapsed} ns");
    }
    let rates = rates(&sizes, 512);
    let largest = column(&sizes, "requests").into_iter().zip(&rates).map(|(requests, rate)| (requests * rate.0) >> 10);
    assert!(largest.max().expect("sizes") <= 256, "four requests of 64 MiB at the most");
}

#[test]
fn the_quantiles_of_a_size_are_in_order() {
    let sizes = series(&on_simulated("modern-20tb", Suite::Quick), "sizes");
    let [fastest, median, high, slowest] =
        ["fastest_ns", "median_ns", "percentile_90_ns", "slowest_ns"].map(|name| column(&sizes, name));
    for index in 0..fastest.len() {
        let row = [fastest[index], median[index], high[index], slowest[index]];
        assert!(row.is_sorted() && row[0] > 0, "{row:?}");
    }
}

#[test]
fn a_bad_start_of_the_disk_is_left_alone() {
    let mut fake = Fake { capacity_blocks: 10_000_000, bad_blocks: HashSet::from([0]), ..Fake::default() };
    let measurement = fake.session(settings(Suite::Quick), |session| Buffer.run(session));
    assert_eq!(series(&measurement, "sizes")["start_block"], 1_250_000);
}

#[test]
fn an_interrupt_keeps_the_sizes_measured_so_far() {
    let interrupt_after = Some((200, Interrupt::default()));
    let mut fake = Fake { capacity_blocks: 10_000_000, interrupt_after, ..Fake::default() };
    let measurement = fake.session(settings(Suite::Quick), |session| Buffer.run(session));
    assert!(matches!(measurement.stop, Some(Stop::Interrupted)));
    assert!(!column(&series(&measurement, "sizes"), "requests").is_empty());
}

mod overview {
    use serde_json::json;

    use super::super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn the_fastest_size_is_told_and_the_curve_drawn_over_powers_of_two() {
        let series = json!([
            {"pattern": "threshold", "request_blocks": [8], "requests": [9], "elapsed_ns": [1]},
            {"pattern": "sizes", "request_blocks": [1, 2], "requests": [10, 10], "elapsed_ns": [51_200, 51_200]},
        ]);
        let entry = entry(json!({"block_bytes": 512}), &series);
        let overview = Buffer.overview(&entry, 0);
        assert_eq!(overview.numbers, [("fastest", "200.0 MB/s in requests of 1.02 kB".to_owned())]);
        assert_eq!(overview.drawing.expect("a curve").points, [(9.0, 100.0), (10.0, 200.0)]);
    }
}
