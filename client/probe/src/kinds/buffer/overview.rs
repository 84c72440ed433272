//! What a person sees of BUFFER at once: the fastest size and the curve.

use crate::kinds::columns::{column, is, megabytes_per_second, series};
use crate::report::document::Measured;
use crate::stats::to_f64;
use crate::terminal::overview::Drawing;
use crate::terminal::overview::Overview;

pub fn overview(entry: &Measured) -> Overview {
    let block_bytes = entry.params["block_bytes"].as_u64().unwrap_or(1);
    let Some(sizes) = series(entry).iter().find(|series| is(series, "pattern", "sizes")) else {
        return Overview::default();
    };
    let [blocks, requests, times] = ["request_blocks", "requests", "elapsed_ns"].map(|name| column(sizes, name));
    let rates: Vec<(u64, f64)> = blocks
        .iter()
        .zip(requests.iter().zip(&times))
        .map(|(&blocks, (&requests, &time))| {
            let bytes = blocks * block_bytes;
            (bytes, megabytes_per_second(bytes.saturating_mul(requests), time))
        })
        .collect();
    let Some(best) = rates.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Overview::default() };
    let points = rates.iter().map(|&(bytes, rate)| (to_f64(bytes).log2(), rate)).collect();
    let title = "Reading the same blocks again".to_owned();
    Overview {
        numbers: vec![(
            "fastest",
            format!("{:.1} MB/s in requests of {}", best.1, crate::terminal::text::bytes(best.0)),
        )],
        drawing: Some(Drawing { title, x_label: "size (2^x bytes)", y_label: "MB/s", points }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn the_fastest_size_is_told_and_the_curve_drawn_over_powers_of_two() {
        let series = json!([
            {"pattern": "threshold", "request_blocks": [8], "requests": [9], "elapsed_ns": [1]},
            {"pattern": "sizes", "request_blocks": [1, 2], "requests": [10, 10], "elapsed_ns": [51_200, 51_200]},
        ]);
        let entry = entry(json!({"block_bytes": 512}), &series);
        let overview = overview(&entry);
        assert_eq!(overview.numbers, [("fastest", "200.0 MB/s in requests of 1.02 kB".to_owned())]);
        assert_eq!(overview.drawing.expect("a curve").points, [(9.0, 100.0), (10.0, 200.0)]);
    }
}
