//! What a person sees of SKIPPY at once: the turn, the shortest accesses and the sawtooth.

use crate::kinds::columns::{column, is, milliseconds, series};
use crate::report::document::Measured;
use crate::stats::to_f64;
use crate::terminal::overview::Drawing;
use crate::terminal::overview::Overview;

/// The clearest variant first.
const VARIANTS: [(&str, &str); 3] =
    [("write", "shortest write"), ("backward", "shortest backward read"), ("read", "shortest forward read")];

pub fn overview(entry: &Measured) -> Overview {
    let mut numbers = Vec::new();
    if let Some(rotation_ns) = entry.params["rotation_estimate_ns"].as_u64().filter(|&rotation| rotation > 0) {
        let rpm = 60e9 / to_f64(rotation_ns);
        numbers.push(("rotation, a first estimate", format!("{} ({rpm:.0} rpm)", milliseconds(rotation_ns))));
    }
    for (variant, name) in VARIANTS {
        let of_variant = series(entry).iter().filter(|series| is(series, "variant", variant));
        if let Some(shortest) = of_variant.flat_map(|series| column(series, "latency_ns")).min() {
            numbers.push((name, milliseconds(shortest)));
        }
    }
    Overview { numbers, drawing: sawtooth(entry) }
}

fn sawtooth(entry: &Measured) -> Option<Drawing> {
    let increasing = |variant: &str| {
        let mut all = series(entry).iter();
        all.find(|series| is(series, "variant", variant) && is(series, "pattern", "increasing"))
    };
    let (variant, series) = VARIANTS.iter().find_map(|(variant, _)| Some((variant, increasing(variant)?)))?;
    let (steps, latencies) = (column(series, "step_blocks"), column(series, "latency_ns"));
    let points = steps.iter().zip(&latencies).map(|(&step, &latency)| (to_f64(step), to_f64(latency) / 1e6)).collect();
    let region = series["region"].as_str().unwrap_or("outer");
    let title = format!("Sawtooth of the {variant} variant at the {region} start");
    Some(Drawing { title, x_label: "step (blocks)", y_label: "latency (ms)", points })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::columns::entry;

    #[test]
    fn the_turn_and_the_shortest_access_of_each_variant_are_told() {
        let series = json!([
            {"variant": "read", "pattern": "increasing", "region": "outer", "step_blocks": [0, 1], "latency_ns": [500_000, 700_000]},
            {"variant": "backward", "pattern": "increasing", "region": "outer", "step_blocks": [0, 1, 2], "latency_ns": [9_000_000, 8_000_000, 2_500_000]},
            {"variant": "read", "pattern": "constant", "region": "inner", "step_blocks": [9], "latency_ns": [400_000]},
        ]);
        let overview = overview(&entry(json!({"rotation_estimate_ns": 8_333_333}), &series));
        let values: Vec<&str> = overview.numbers.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["8.33 ms (7200 rpm)", "2.50 ms", "0.40 ms"]);
        let drawing = overview.drawing.expect("a sawtooth");
        assert_eq!(drawing.points, [(0.0, 9.0), (1.0, 8.0), (2.0, 2.5)], "{}", drawing.title);
    }
}
