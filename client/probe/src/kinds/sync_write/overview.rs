//! What a person sees of `SYNC_WRITE` at once: a small write and a long one, in each state of the write cache.

use crate::kinds::columns::{column, megabytes_per_second, milliseconds, series};
use crate::report::document::Measured;
use crate::report::json::Json;
use crate::stats::median;
use crate::terminal::overview::Overview;

const SMALL: [(Option<bool>, &str); 3] = [
    (Some(false), "smallest write, write cache off"),
    (Some(true), "smallest write, write cache on"),
    (None, "smallest write"),
];
const LONG: [(Option<bool>, &str); 3] = [
    (Some(false), "longest writes, write cache off"),
    (Some(true), "longest writes, write cache on"),
    (None, "longest writes"),
];

pub fn overview(entry: &Measured) -> Overview {
    let block_bytes = entry.params["block_bytes"].as_u64().unwrap_or(1);
    let blocks = |series: &Json| series["request_blocks"].as_u64().unwrap_or(0);
    let small = |state: Option<bool>| {
        let smallest = of_state(entry, state).min_by_key(|series| blocks(series))?;
        Some(milliseconds(median(&column(smallest, "latency_ns"))))
    };
    let long = |state: Option<bool>| {
        let longest = of_state(entry, state).max_by_key(|series| blocks(series))?;
        let typical = median(&column(longest, "latency_ns"));
        Some(format!("{:.1} MB/s", megabytes_per_second(blocks(longest) * block_bytes, typical)))
    };
    let numbers = SMALL.iter().filter_map(|(state, name)| Some((*name, small(*state)?)));
    let numbers = numbers.chain(LONG.iter().filter_map(|(state, name)| Some((*name, long(*state)?)))).collect();
    Overview { numbers, drawing: None }
}

fn of_state(entry: &Measured, state: Option<bool>) -> impl Iterator<Item = &Json> {
    series(entry).iter().filter(move |series| series["write_cache"] == Json::Scalar(state.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn a_small_and_a_long_write_are_told_for_each_state_that_was_measured() {
        let series = json!([
            {"write_cache": false, "request_blocks": 1, "latency_ns": [8_340_000, 8_330_000, 8_350_000]},
            {"write_cache": false, "request_blocks": 1000, "latency_ns": [5_120_000]},
        ]);
        let entry = entry(json!({"block_bytes": 512}), &series);
        let expected =
            [("smallest write, write cache off", "8.34 ms"), ("longest writes, write cache off", "100.0 MB/s")];
        assert_eq!(overview(&entry).numbers, expected.map(|(name, value)| (name, value.to_owned())));
    }
}
