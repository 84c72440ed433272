//! ACCESS: the numbers that HD Tune and HD Tach print, as the Maxtor document compares two disks by.
//!
//! Random reads of single blocks over the whole disk, sequential rates evenly over it and at the nine positions of the
//! document's Table 2, the rate at which the buffer answers, and how much of a sequential read the buffer keeps.
//! Requests are of 64 KiB, one after the other, as both tools make them.

mod measure;

use serde_json::json;

use super::columns::{column, milliseconds, rates, series_with};
use super::estimate::{bytes_in, bytes_ns};
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::{CacheStates, Geometry};
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop};
use crate::terminal::overview::Overview;
use measure::{BURST_BYTES, POSITIONS, Plan, Series, TRANSFER_BYTES};

/// What the buffer's first block takes where it could not be measured: less than any turn.
const TYPICAL_HIT_NS: u64 = 200_000;

/// A buffer holds about what the medium gives in this time.
const KEPT_NS: u64 = 60_000_000;

/// What a rate sample costs beyond its length: the seek to it and the request before it.
const SEEK_NS: u64 = 20_000_000;

pub struct Access;

impl Kind for Access {
    fn declaration(&self) -> Declaration {
        Declaration::new("access", include_str!("../../../../../server/benchmarks/access/schema/v1.json"))
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost {
        let plan = Plan::new(settings.suite);
        let random_ns = u64::from(plan.random_reads) * rotation_ns * 3 / 2;
        let rates_ns = plan.samples() * (plan.sample_ns * 9 / 8 + SEEK_NS);
        let burst = u64::from(plan.burst_reads) * BURST_BYTES.len() as u64;
        // A buffer that keeps 8 MiB of a stream, or as much less as the disk is slower: found between it and twice as
        // much, looked for up to four times.
        let kept = (1 << 20).max(bytes_in(geometry, KEPT_NS)).min(8 << 20);
        let buffer_bytes = u64::from(plan.buffer_tries) * plan.largest_buffer_bytes.min(14 * kept);
        Cost {
            elapsed_ns: random_ns + rates_ns + burst * 300_000 + bytes_ns(geometry, buffer_bytes),
            read_bytes: bytes_in(geometry, rates_ns) + buffer_bytes + burst * u64::from(TRANSFER_BYTES),
            written_bytes: 0,
        }
    }

    fn caches(&self, _settings: &Settings) -> CacheStates {
        CacheStates { write: None, look_ahead: Some(true) }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        let elapsed = |one| Some(column(one, "elapsed_ns")).filter(|elapsed| !elapsed.is_empty());
        let random = series_with(entry, "pattern", "random")
            .filter_map(elapsed)
            .map(|elapsed| ("random access", milliseconds(elapsed.iter().sum::<u64>() / elapsed.len() as u64)));
        let spread = series_with(entry, "pattern", "spread").map(|one| {
            let all = rates(entry, one);
            let (slowest, fastest) =
                all.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &rate| (low.min(rate), high.max(rate)));
            ("slowest and fastest", format!("{slowest:.1} and {fastest:.1} MB/s"))
        });
        random.chain(spread).collect()
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let plan = Plan::new(session.settings.suite);
        let mut series = Vec::with_capacity(5);
        let end = measure_all(session, &plan, &mut series);
        series.retain(|one: &Series| !one.columns.is_empty());
        let block_bytes = session.geometry().block_bytes;
        let params = json!({
            "block_bytes": block_bytes,
            "transfer_blocks": (TRANSFER_BYTES / block_bytes).max(1),
            "sample_ns": plan.sample_ns,
            "largest_buffer_blocks": plan.largest_buffer_bytes / u64::from(block_bytes),
            "buffer_tries": plan.buffer_tries,
        });
        Measurement::of(params, series, end, "nothing could be read before the run ended")
    }
}

fn measure_all(session: &mut Session<'_>, plan: &Plan, out: &mut Vec<Series>) -> Result<(), Stop> {
    let each_ns = plan.sample_ns * 9 / 8 + SEEK_NS;
    let rates_ns = plan.samples() * each_ns;
    session.progress("random access", rates_ns);
    measure::part(session, "random", out, |session, out| measure::random(session, plan, out))?;
    session.progress("transfer rate", rates_ns);
    measure::part(session, "spread", out, |session, out| measure::spread(session, plan, out))?;
    session.progress("transfer rate at nine positions", each_ns * POSITIONS.len() as u64);
    measure::part(session, "positions", out, |session, out| measure::positions(session, plan, out))?;
    session.progress("burst rate", 0);
    measure::part(session, "burst", out, |session, out| measure::burst(session, plan, out))?;
    let hit_ns = out.last().map(measure::single_block_ns).filter(|&hit_ns| hit_ns > 0).unwrap_or(TYPICAL_HIT_NS);
    measure::part(session, "buffer", out, |session, out| measure::buffer(session, plan, hit_ns, out))
}

#[cfg(test)]
mod tests;
