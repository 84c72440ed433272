//! What a person sees of SEEKER at once: typical access times. Seek times proper need the extraction.

use crate::kinds::columns::{column, is, milliseconds, series};
use crate::report::document::Measured;
use crate::stats::median;
use crate::terminal::overview::Overview;

const PATTERNS: [(&str, &str); 4] = [
    ("baseline", "typical access nearby"),
    ("outward", "typical access, from the start"),
    ("inward", "typical access, back to the start"),
    ("random", "typical access, random places"),
];

pub fn overview(entry: &Measured) -> Overview {
    let typical = |pattern: &str| {
        let of_pattern = series(entry).iter().filter(|series| is(series, "pattern", pattern));
        let latencies: Vec<u64> = of_pattern.flat_map(|series| column(series, "latency_ns")).collect();
        (!latencies.is_empty()).then(|| milliseconds(median(&latencies)))
    };
    let numbers = PATTERNS.iter().filter_map(|&(pattern, name)| Some((name, typical(pattern)?))).collect();
    Overview { numbers, drawing: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn typical_accesses_are_told_for_each_pattern_that_was_measured() {
        let series = json!([
            {"pattern": "random", "latency_ns": [9_000_000, 13_000_000, 14_000_000]},
            {"pattern": "baseline", "latency_ns": [5_000_000]},
            {"pattern": "inward", "latency_ns": []},
        ]);
        let numbers = overview(&entry(json!({}), &series)).numbers;
        let expected = [("typical access nearby", "5.00 ms"), ("typical access, random places", "13.00 ms")];
        assert_eq!(numbers, expected.map(|(name, value)| (name, value.to_owned())));
    }
}
