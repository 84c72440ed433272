//! What a person sees of `SYNC_WRITE` at once: a small write and a long one, in each state of the write cache.

use serde_json::Value;

use crate::benchmarks::Overview;
use crate::benchmarks::columns::{column, megabytes_per_second, milliseconds, series};
use crate::benchmarks::stats::median;
use crate::report::document::Measured;

const SMALL: [(Value, &str); 3] = [
    (Value::Bool(false), "smallest write, write cache off"),
    (Value::Bool(true), "smallest write, write cache on"),
    (Value::Null, "smallest write"),
];
const LONG: [(Value, &str); 3] = [
    (Value::Bool(false), "longest writes, write cache off"),
    (Value::Bool(true), "longest writes, write cache on"),
    (Value::Null, "longest writes"),
];

pub fn overview(entry: &Measured) -> Overview {
    let block_bytes = entry.params["block_bytes"].as_u64().unwrap_or(1);
    let blocks = |series: &Value| series["request_blocks"].as_u64().unwrap_or(0);
    let small = |state: &Value| {
        let smallest = of_state(entry, state).min_by_key(|series| blocks(series))?;
        Some(milliseconds(median(&column(smallest, "latency_ns"))))
    };
    let long = |state: &Value| {
        let longest = of_state(entry, state).max_by_key(|series| blocks(series))?;
        let typical = median(&column(longest, "latency_ns"));
        Some(format!("{:.1} MB/s", megabytes_per_second(blocks(longest) * block_bytes, typical)))
    };
    let numbers = SMALL.iter().filter_map(|(state, name)| Some((*name, small(state)?)));
    let numbers = numbers.chain(LONG.iter().filter_map(|(state, name)| Some((*name, long(state)?)))).collect();
    Overview { numbers, drawing: None }
}

fn of_state<'a>(entry: &'a Measured, state: &'a Value) -> impl Iterator<Item = &'a Value> {
    series(entry).iter().filter(move |series| series["write_cache"] == *state)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::document::Interference;

    #[test]
    fn a_small_and_a_long_write_are_told_for_each_state_that_was_measured() {
        let series = json!([
            {"write_cache": false, "request_blocks": 1, "latency_ns": [8_340_000, 8_330_000, 8_350_000]},
            {"write_cache": false, "request_blocks": 1000, "latency_ns": [5_120_000]},
        ]);
        let entry = Measured {
            kind: "sync_write".to_owned(),
            version: 1,
            params: json!({"block_bytes": 512}),
            samples: json!({"series": series}),
            elapsed_ns: 1,
            caches: None,
            interference: Interference::default(),
            errors: Vec::new(),
        };
        let expected =
            [("smallest write, write cache off", "8.34 ms"), ("longest writes, write cache off", "100.0 MB/s")];
        assert_eq!(overview(&entry).numbers, expected.map(|(name, value)| (name, value.to_owned())));
    }
}
