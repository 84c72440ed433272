//! What a person sees of `RANDOM_IO` at once: how many requests a second, alone and with most at once.

use crate::kinds::columns::{is, series};
use crate::report::document::Measured;
use crate::report::json::Json;
use crate::stats::to_f64;
use crate::terminal::overview::Overview;

pub fn overview(entry: &Measured) -> Overview {
    let all = series(entry);
    let mut numbers = Vec::new();
    for (variant, alone, together) in [
        ("read", "random reads, alone", "random reads, most at once"),
        ("mixed", "reads and writes, alone", "reads and writes, most at once"),
        ("write", "random writes, alone", "random writes, most at once"),
    ] {
        let of = || all.iter().filter(move |one| is(one, "variant", variant));
        let lanes = |one: &&Json| one["concurrency"].as_u64();
        for (name, found) in [(alone, of().min_by_key(lanes)), (together, of().max_by_key(lanes))] {
            numbers.extend(found.and_then(rate).map(|rate| (name, format!("{rate:.0} /s"))));
        }
    }
    Overview { numbers, drawing: None }
}

fn rate(series: &Json) -> Option<f64> {
    let (requests, elapsed_ns) = (series["requests"].as_u64()?, series["elapsed_ns"].as_u64()?);
    (elapsed_ns > 0).then(|| to_f64(requests) * 1e9 / to_f64(elapsed_ns))
}
