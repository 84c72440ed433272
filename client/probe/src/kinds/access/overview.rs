//! What a person sees of ACCESS at once.

use crate::kinds::columns::{column, is, megabytes_per_second, milliseconds, series};
use crate::report::document::Measured;
use crate::terminal::overview::Overview;

pub fn overview(entry: &Measured) -> Overview {
    let block_bytes = entry.params["block_bytes"].as_u64().unwrap_or(1);
    let mut numbers = Vec::new();
    for one in series(entry) {
        let (lengths, elapsed) = (column(one, "length_blocks"), column(one, "elapsed_ns"));
        if is(one, "pattern", "random") && !elapsed.is_empty() {
            numbers.push(("random access", milliseconds(elapsed.iter().sum::<u64>() / elapsed.len() as u64)));
        }
        if is(one, "pattern", "spread") {
            let rates =
                lengths.iter().zip(&elapsed).map(|(&blocks, &ns)| megabytes_per_second(blocks * block_bytes, ns));
            let (slowest, fastest) =
                rates.fold((f64::INFINITY, 0.0_f64), |(low, high), rate| (low.min(rate), high.max(rate)));
            numbers.push(("slowest and fastest", format!("{slowest:.1} and {fastest:.1} MB/s")));
        }
    }
    Overview { numbers, drawing: None }
}
