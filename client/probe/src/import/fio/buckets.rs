//! Latencies in buckets. fio's own have 64 steps in each power of two (`FIO_IO_U_PLAT_BITS`, stat.h), which are buckets of the
//! document's form with 6 bits; `json+` names each by its middle.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::job::Times;

pub const BITS: u32 = 6;
const LONGEST_NS: u64 = 2_592_000_000_000_000;

/// The lower bound of the bucket that a time lies in.
fn low_of(ns: u64) -> u64 {
    let width_bits = ns.checked_ilog2().unwrap_or(0).saturating_sub(BITS);
    ns >> width_bits << width_bits
}

/// Buckets of single times; null where there are none.
pub fn of_times(times: impl Iterator<Item = u64>) -> Value {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut total, mut minimum, mut maximum) = (0u64, u64::MAX, 0);
    for ns in times {
        *counts.entry(low_of(ns)).or_default() += 1;
        total = total.saturating_add(ns);
        (minimum, maximum) = (minimum.min(ns), maximum.max(ns));
    }
    if counts.is_empty() { Value::Null } else { value(&counts, total, minimum, maximum) }
}

/// fio's buckets; `None` where it printed none, or not of all requests.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just before")]
pub fn of_bins(times: &Times, requests: u64) -> Option<Value> {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for (middle, count) in &times.bins {
        let sum = counts.entry(low_of(*middle)).or_default();
        *sum = sum.checked_add(*count)?;
    }
    let counted = counts.values().try_fold(0u64, |sum, count| sum.checked_add(*count))?;
    let possible =
        times.maximum_ns <= LONGEST_NS && times.minimum_ns <= times.maximum_ns && (0.0..9e15).contains(&times.total_ns);
    (requests > 0 && counted == requests && times.count == requests && possible)
        .then(|| value(&counts, times.total_ns.round() as u64, times.minimum_ns, times.maximum_ns))
}

fn value(counts: &BTreeMap<u64, u64>, total_ns: u64, minimum_ns: u64, maximum_ns: u64) -> Value {
    json!({
        "low_ns": counts.keys().collect::<Vec<_>>(),
        "requests": counts.values().collect::<Vec<_>>(),
        "total_ns": total_ns,
        "minimum_ns": minimum_ns,
        "maximum_ns": maximum_ns,
    })
}
