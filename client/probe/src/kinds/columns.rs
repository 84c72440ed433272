//! Reads columns back out of a document's entry: for what a person sees at the end of a run.

use crate::report::document::Measured;
use crate::report::json::{Column, Json};
use crate::stats::to_f64;

/// The series of an entry; none where it holds something else.
pub fn series(entry: &Measured) -> &[Json] {
    entry.samples["series"].items()
}

/// A column of whole numbers; empty where there is no such column.
pub fn column(series: &Json, name: &str) -> Vec<u64> {
    series[name].as_column().map(Column::to_vec).unwrap_or_default()
}

/// Whether a member is this word.
pub fn is(series: &Json, name: &str, word: &str) -> bool {
    series[name].as_str() == Some(word)
}

/// The column of marks, or none where nothing is marked.
pub fn disturbed_mask(marks: Vec<u8>) -> Vec<u8> {
    if marks.contains(&1) { marks } else { Vec::new() }
}

/// `8.33 ms`.
pub fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.2} ms", to_f64(nanoseconds) / 1e6)
}

/// MB/s, of 10^6 bytes; 0 for no time.
pub fn megabytes_per_second(bytes: u64, elapsed_ns: u64) -> f64 {
    if elapsed_ns == 0 { 0.0 } else { to_f64(bytes) * 1e3 / to_f64(elapsed_ns) }
}

/// An entry that holds these series, for the tests of what a person sees of one.
#[cfg(test)]
pub fn entry(params: serde_json::Value, series: &serde_json::Value) -> Measured {
    Measured {
        kind: "any".to_owned(),
        version: 1,
        params,
        samples: serde_json::json!({ "series": series }).into(),
        elapsed_ns: 1,
        caches: None,
        interference: crate::report::document::Interference::default(),
        errors: Vec::new(),
    }
}

/// The series that a kind measured, unpacked, for the tests of the kinds.
///
/// # Panics
/// When it measured nothing.
#[cfg(test)]
pub fn measured(measurement: &super::Measurement) -> Vec<serde_json::Value> {
    let samples = &measurement.result.as_ref().expect("samples").samples;
    let unpack = |one| serde_json::to_value(one).expect("JSON");
    samples["series"].items().iter().map(unpack).collect()
}

/// A column of an unpacked series.
///
/// # Panics
/// When it has no such column.
#[cfg(test)]
pub fn numbers(series: &serde_json::Value, name: &str) -> Vec<u64> {
    serde_json::from_value(series[name].clone()).expect("a column")
}
