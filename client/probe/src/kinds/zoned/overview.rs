//! What a person sees of ZONED at once: the rates at both ends and the profile.

use crate::kinds::columns::{column, megabytes_per_second, series};
use crate::report::document::Measured;
use crate::stats::to_f64;
use crate::terminal::overview::Drawing;
use crate::terminal::overview::Overview;

pub fn overview(entry: &Measured, capacity_bytes: u64) -> Overview {
    let block_bytes = entry.params["block_bytes"].as_u64().unwrap_or(1);
    let Some(first) = series(entry).first() else { return Overview::default() };
    let columns = ["offset_blocks", "length_blocks", "elapsed_ns"].map(|name| column(first, name));
    let rates: Vec<(f64, f64)> = columns[0]
        .iter()
        .zip(&columns[1])
        .zip(&columns[2])
        .map(|((&offset, &length), &elapsed)| {
            let share = to_f64(offset * block_bytes) / to_f64(capacity_bytes.max(1));
            (100.0 * share, megabytes_per_second(length * block_bytes, elapsed))
        })
        .collect();
    let (Some(outer), Some(inner)) = (rates.first(), rates.last()) else { return Overview::default() };
    let numbers = vec![
        ("first region", format!("{:.1} MB/s", outer.1)),
        ("last region", format!("{:.1} MB/s", inner.1)),
        ("regions", rates.len().to_string()),
    ];
    let title = "Bandwidth over the disk".to_owned();
    Overview { numbers, drawing: Some(Drawing { title, x_label: "position (%)", y_label: "MB/s", points: rates }) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn the_profile_is_in_per_cent_of_the_disk_and_megabytes_per_second() {
        let series =
            json!([{"offset_blocks": [0, 500], "length_blocks": [100, 100], "elapsed_ns": [512_000, 1_024_000]}]);
        let overview = overview(&entry(json!({"block_bytes": 512}), &series), 512_000);
        let values: Vec<&str> = overview.numbers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["100.0 MB/s", "50.0 MB/s", "2"]);
        assert_eq!(overview.drawing.expect("a profile").points, [(0.0, 100.0), (50.0, 50.0)]);
    }
}
