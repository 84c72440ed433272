//! What a person sees of POSITIONAL at once: the mean of each position.

use crate::kinds::columns::{column, is, megabytes_per_second, series};
use crate::report::document::Measured;
use crate::stats::to_f64;
use crate::terminal::overview::Overview;

const POSITIONS: [&str; 3] = ["outer", "middle", "inner"];

pub fn overview(entry: &Measured) -> Overview {
    let block_bytes = entry.params["block_bytes"].as_u64().unwrap_or(1);
    let mean = |position: &str| {
        let found = series(entry).iter().find(|series| is(series, "position", position))?;
        let (lengths, times) = (column(found, "length_blocks"), column(found, "elapsed_ns"));
        let rates = lengths.iter().zip(&times).map(|(&length, &time)| megabytes_per_second(length * block_bytes, time));
        let mean = rates.sum::<f64>() / to_f64(lengths.len().max(1) as u64);
        (!lengths.is_empty()).then(|| format!("{mean:.1} MB/s"))
    };
    Overview {
        numbers: POSITIONS.iter().filter_map(|&position| Some((position, mean(position)?))).collect(),
        drawing: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn the_mean_of_each_position_that_was_measured_is_told() {
        let series = json!([
            {"position": "inner", "offset_blocks": [9, 9], "length_blocks": [100, 300], "elapsed_ns": [512_000, 512_000]},
            {"position": "outer", "offset_blocks": [], "length_blocks": [], "elapsed_ns": []},
        ]);
        let entry = entry(json!({"block_bytes": 512}), &series);
        assert_eq!(overview(&entry).numbers, [("inner", "200.0 MB/s".to_owned())]);
    }
}
