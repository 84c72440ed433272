//! Reads columns back out of a document's entry: for what a person sees at the end of a run.

use serde_json::Value;

use super::stats::to_f64;
use crate::report::document::Measured;

/// The series of an entry; none where it holds something else.
#[must_use]
pub fn series(entry: &Measured) -> &[Value] {
    entry.samples["series"].as_array().map_or(&[], Vec::as_slice)
}

/// A column of whole numbers; empty where there is no such column.
#[must_use]
pub fn column(series: &Value, name: &str) -> Vec<u64> {
    series[name].as_array().map(|values| values.iter().filter_map(Value::as_u64).collect()).unwrap_or_default()
}

/// Whether a member is this word.
#[must_use]
pub fn is(series: &Value, name: &str, word: &str) -> bool {
    series[name] == word
}

/// `8.33 ms`.
#[must_use]
pub fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.2} ms", to_f64(nanoseconds) / 1e6)
}

/// MB/s, of 10^6 bytes; 0 for no time.
#[must_use]
pub fn megabytes_per_second(bytes: u64, elapsed_ns: u64) -> f64 {
    if elapsed_ns == 0 { 0.0 } else { to_f64(bytes) * 1e3 / to_f64(elapsed_ns) }
}
