//! ACCESS: the numbers that HD Tune and HD Tach print, as the Maxtor document compares two disks by.
//!
//! Random reads of single blocks over the whole disk, sequential rates evenly over it and at the nine positions of the
//! document's Table 2, the rate at which the buffer answers, and how much of a sequential read the buffer keeps.
//! Requests are of 64 KiB, one after the other, as both tools make them.

mod measure;

use serde::Serialize;

use super::columns::{column, is, megabytes_per_second, milliseconds, series};
use super::estimate::{bytes_in, bytes_ns};
use super::{CacheRequirements, Cost, Declaration, Kind, Measurement};
use crate::device::Geometry;
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

#[derive(Serialize)]
struct Params {
    block_bytes: u32,
    transfer_blocks: u32,
    sample_ns: u64,
    largest_buffer_blocks: u64,
    buffer_tries: u32,
}

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

    fn caches(&self, _settings: &Settings) -> CacheRequirements {
        CacheRequirements { write: None, look_ahead: Some(true) }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        overview(entry)
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let plan = Plan::new(session.settings.suite);
        let mut series = Vec::with_capacity(5);
        let stop = measure_all(session, &plan, &mut series).err();
        series.retain(|one: &Series| !one.offset_blocks.is_empty());
        let block_bytes = session.geometry().block_bytes;
        let params = Params {
            block_bytes,
            transfer_blocks: (TRANSFER_BYTES / block_bytes).max(1),
            sample_ns: plan.sample_ns,
            largest_buffer_blocks: plan.largest_buffer_bytes / u64::from(block_bytes),
            buffer_tries: plan.buffer_tries,
        };
        let why = "nothing could be read before the run ended";
        Measurement::of(&params, series, stop, why)
    }
}

fn measure_all(session: &mut Session<'_>, plan: &Plan, out: &mut Vec<Series>) -> Result<(), Stop> {
    let each_ns = plan.sample_ns * 9 / 8 + SEEK_NS;
    let rates_ns = plan.samples() * each_ns;
    let mut take = |(series, stop): (Series, Option<Stop>)| {
        out.push(series);
        stop.map_or(Ok(()), Err)
    };
    session.progress("random access", rates_ns);
    take(session.piece("random", |session| {
        measure::part(session, "random", |session, out| measure::random(session, plan, out))
    }))?;
    session.progress("transfer rate", rates_ns);
    take(session.piece("spread", |session| {
        measure::part(session, "spread", |session, out| measure::spread(session, plan, out))
    }))?;
    session.progress("transfer rate at nine positions", each_ns * POSITIONS.len() as u64);
    take(session.piece("positions", |session| {
        measure::part(session, "positions", |session, out| measure::positions(session, plan, out))
    }))?;
    session.progress("burst rate", 0);
    let (burst, stop) = session
        .piece("burst", |session| measure::part(session, "burst", |session, out| measure::burst(session, plan, out)));
    let hit_ns = Some(measure::single_block_ns(&burst)).filter(|&hit_ns| hit_ns > 0).unwrap_or(TYPICAL_HIT_NS);
    take((burst, stop))?;
    take(session.piece("buffer", |session| {
        measure::part(session, "buffer", |session, out| measure::buffer(session, plan, hit_ns, out))
    }))
}

fn overview(entry: &Measured) -> Overview {
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

#[cfg(test)]
mod tests;
