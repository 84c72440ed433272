//! `RANDOM_IO`: random reads, writes and both by halves, with 1 to 8 processes and with queues of 1 to 32 requests.
//!
//! Platinum (`IOTest`) measures with 1 to 8 processes, 512 B to 64 KiB, and 10,000 iterations; OLP asks what a drive makes
//! of several commands at once. Places are drawn evenly over the disk, at multiples of the request's size. Of each
//! combination the document has the latencies in buckets, the rate in slices of time, and the first requests one by one.

mod measure;
mod plan;
mod series;

use serde_json::json;

use super::columns::series_with;
use super::estimate::TYPICAL_ROTATION_NS;
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::Geometry;
use crate::device::request::Concurrency;
use crate::report::document::Measured;
use crate::report::json::Json;
use crate::session::{Session, Settings, Stop};
use crate::stats::to_f64;
use crate::terminal::overview::Overview;
use plan::{Case, Plan};
use series::Series;

pub struct RandomIo;

impl Kind for RandomIo {
    fn declaration(&self) -> Declaration {
        Declaration::new("random_io", include_str!("../../../../../server/benchmarks/random_io/schema/v1.json"))
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost {
        Plan::new(geometry, settings.suite, settings.writes, rotation_ns).cost_from(0)
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        let mut numbers = Vec::new();
        for (variant, alone, together) in [
            ("read", "random reads, alone", "random reads, most at once"),
            ("mixed", "reads and writes, alone", "reads and writes, most at once"),
            ("write", "random writes, alone", "random writes, most at once"),
        ] {
            let of = || series_with(entry, "variant", variant);
            let lanes = |one: &&Json| one["concurrency"].as_u64();
            for (name, found) in [(alone, of().min_by_key(lanes)), (together, of().max_by_key(lanes))] {
                numbers.extend(found.and_then(rate).map(|rate| (name, format!("{rate:.0} /s"))));
            }
        }
        numbers.into_iter().collect()
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let turn_ns = session.estimates.rotation_ns.unwrap_or(TYPICAL_ROTATION_NS);
        let plan = Plan::new(&session.geometry(), session.settings.suite, session.writable(), turn_ns);
        let deepest = plan.cases.iter().map(|case| case.concurrency.lanes()).max().unwrap_or(1);
        let queue_reason = session.queue(deepest).err().map(|why| why.0);
        let mut series = Vec::with_capacity(plan.cases.len());
        let mut left_out = Vec::new();
        let end = measure_all(session, &plan, queue_reason.is_some(), &mut series, &mut left_out);
        let why = left_out.first().cloned().unwrap_or("no request was answered before the run ended".to_owned());
        let params = json!({
            "block_bytes": session.geometry().block_bytes,
            "requests": plan.requests,
            "limit_ns": plan.limit_ns,
            "batch_bytes": measure::BATCH_BYTES,
            "sub_bucket_bits": series::SUB_BUCKET_BITS,
            // What a document can carry as a number.
            "seed": session.settings.seed & ((1 << 53) - 1),
            "queue_by": if queue_reason.is_some() { "workers" } else { "queue" },
            "queue_reason": queue_reason,
            "left_out": left_out,
        });
        Measurement::of(params, series, end, &why)
    }
}

fn measure_all(
    session: &mut Session<'_>,
    plan: &Plan,
    no_queue: bool,
    out: &mut Vec<Series>,
    left_out: &mut Vec<String>,
) -> Result<(), Stop> {
    for (index, case) in plan.cases.iter().enumerate() {
        session.progress(&doing(session, case), plan.cost_from(index).elapsed_ns);
        // The same places for the same seed, other ones for each combination.
        let seed = session.settings.seed.wrapping_mul(1_000_003).wrapping_add(index as u64);
        let served = Case { concurrency: stand_in(case.concurrency, no_queue), ..*case };
        let mut refused = None;
        let (mut series, end) = session.piece(&case.name(), |session, series| {
            refused = None;
            measure::measure(session, plan, &served, seed, series, &mut refused)
        });
        case.pattern().clone_into(&mut series.pattern);
        if let Some(why) = refused {
            left_out.push(format!("{}: {why}", doing(session, case)));
        }
        if series.requests > 0 {
            out.push(series);
        }
        end?;
    }
    Ok(())
}

/// Where there is no queue, as many workers have as many requests under way.
fn stand_in(concurrency: Concurrency, no_queue: bool) -> Concurrency {
    match concurrency {
        Concurrency::Queue(depth) if no_queue => Concurrency::Workers(depth),
        other => other,
    }
}

fn doing(session: &Session<'_>, case: &Case) -> String {
    let bytes = u64::from(case.request_blocks) * u64::from(session.geometry().block_bytes);
    let size = if bytes < 1024 { format!("{bytes} B") } else { format!("{} KiB", bytes / 1024) };
    let (mode, lanes) = (case.mode, case.concurrency.lanes());
    match case.concurrency {
        Concurrency::Workers(1) => format!("{mode}, {size}, 1 process"),
        Concurrency::Workers(_) => format!("{mode}, {size}, {lanes} processes"),
        Concurrency::Queue(_) => format!("{mode}, {size}, queue depth {lanes}"),
    }
}

fn rate(series: &Json) -> Option<f64> {
    let (requests, elapsed_ns) = (series["requests"].as_u64()?, series["elapsed_ns"].as_u64()?);
    (elapsed_ns > 0).then(|| to_f64(requests) * 1e9 / to_f64(elapsed_ns))
}

#[cfg(test)]
mod tests;
