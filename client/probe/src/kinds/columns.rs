//! Columns of a document's entry: those that most kinds fill, and what a person sees of them at the end of a run.

use serde::{Deserialize, Serialize};

use crate::report::document::Measured;
use crate::report::json::{Column, Json};
use crate::session::Session;
use crate::stats::to_f64;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct TransferColumns {
    pub offset_blocks: Vec<u64>,
    pub length_blocks: Vec<u64>,
    pub elapsed_ns: Vec<u64>,
    /// 1 where something disturbed the transfer, 0 where nothing did.
    #[serde(default, skip_serializing_if = "unmarked")]
    pub disturbed: Vec<u8>,
    /// From when to when each transfer went on that is not marked yet.
    #[serde(skip)]
    under_way: Vec<(u64, u64)>,
}

impl TransferColumns {
    /// A transfer that went on from and to these moments of the run's clock, for [`TransferColumns::mark`].
    pub fn push(&mut self, offset: u64, length: u64, elapsed_ns: u64, under_way: (u64, u64)) {
        self.push_marked(offset, length, elapsed_ns, 0);
        self.under_way.push(under_way);
    }

    pub fn push_marked(&mut self, offset: u64, length: u64, elapsed_ns: u64, mark: u8) {
        self.offset_blocks.push(offset);
        self.length_blocks.push(length);
        self.elapsed_ns.push(elapsed_ns);
        self.disturbed.push(mark);
    }

    pub fn mark(&mut self, session: &mut Session<'_>) {
        self.disturbed = session.disturbed_mask(&self.under_way);
    }

    pub fn is_empty(&self) -> bool {
        self.offset_blocks.is_empty()
    }
}

/// A column in which nothing is marked is left out of the document.
pub fn unmarked(marks: &[u8]) -> bool {
    !marks.contains(&1)
}

/// The series of an entry; none where it holds something else.
pub fn series(entry: &Measured) -> &[Json] {
    entry.samples["series"].items()
}

/// The series in which a member is this word.
pub fn series_with<'a>(entry: &'a Measured, name: &'a str, word: &'a str) -> impl Iterator<Item = &'a Json> {
    series(entry).iter().filter(move |series| series[name].as_str() == Some(word))
}

/// A column of whole numbers; empty where there is no such column.
pub fn column(series: &Json, name: &str) -> Vec<u64> {
    series[name].as_column().map(Column::to_vec).unwrap_or_default()
}

/// Bytes of a block; 1 where the entry does not say.
pub fn block_bytes(entry: &Measured) -> u64 {
    entry.params["block_bytes"].as_u64().unwrap_or(1)
}

pub fn rates(entry: &Measured, series: &Json) -> Vec<f64> {
    let transfers = column(series, "length_blocks").into_iter().zip(column(series, "elapsed_ns"));
    transfers.map(|(blocks, ns)| megabytes_per_second(blocks * block_bytes(entry), ns)).collect()
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
