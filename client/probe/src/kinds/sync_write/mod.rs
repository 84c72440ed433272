//! `SYNC_WRITE`: direct writes one after the other, by size (OLP notes, write tests).
//!
//! The notes write a file's range from its start to its end with `dd oflag=direct`, 2,500 writes of each size: every
//! write begins where the one before ended. Without a write cache that place has just gone by under the head, so each
//! write waits nearly a whole turn. Both states of the write cache are measured where it can be switched.
//!
//! What is written lies near the start of the disk, and never takes more than 128 MiB: longer series go over it again.
//! With the write cache off, each pass begins with one untimed write of the block before, so that its first write, too,
//! begins where another ended.

mod chain;

use serde::Serialize;
use serde_json::json;

use super::columns::{block_bytes, column, megabytes_per_second, milliseconds, series};
use super::estimate::bytes_ns;
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::{Cache, Geometry};
use crate::report::document::Measured;
use crate::report::json::Json;
use crate::session::{Session, Settings, Stop, Suite};
use crate::stats::median;
use crate::terminal::overview::Overview;
use crate::terminal::text::{self, on_off};
use chain::{Bound, Chain, State};

const SMALLEST_BYTES: u64 = 512;
const LARGEST_BYTES: u64 = 128 << 20;

/// A size takes no more than this share of the disk, or it would not be the outer rim.
const AREA_SHARE: u64 = 64;

/// A size whose fewest writes take so many times the limit is the last: a larger one would take longer still.
const TIMES_MOST: u64 = 2;

/// A write cache gets so long to empty itself before a series begins.
const SETTLE_NS: u64 = 500_000_000;

const NEEDS_WRITING: &str =
    "it writes, and this run may not; run it with --writes preserve (same bytes) or --writes destroy";

pub struct SyncWrite;

#[derive(Serialize)]
struct Series {
    variant: &'static str,
    /// `None` where nobody can tell.
    write_cache: Option<bool>,
    request_blocks: u64,
    #[serde(flatten)]
    chain: Chain,
}

impl Kind for SyncWrite {
    fn declaration(&self) -> Declaration {
        Declaration::new("sync_write", include_str!("../../../../../server/benchmarks/sync_write/schema/v1.json"))
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost {
        let mut cost = Cost::default();
        if !settings.writes {
            return cost;
        }
        let bound = bound(settings);
        for blocks in sizes(geometry, settings) {
            let bytes = blocks * u64::from(geometry.block_bytes);
            // A turn and the medium's time; no turn with the write cache on.
            let medium_ns = bytes_ns(geometry, bytes);
            let each_ns = rotation_ns + medium_ns;
            let writes = bound.writes(bytes).min((bound.time_ns / each_ns).max(bound.fewest));
            let kept = (writes * bytes).min(chain::AREA_BYTES);
            cost.elapsed_ns += 2 * (SETTLE_NS + bytes_ns(geometry, kept)) + writes * (each_ns + medium_ns);
            cost.written_bytes += 2 * writes * bytes;
            cost.read_bytes += 2 * kept;
            if bound.fewest * each_ns > TIMES_MOST * bound.time_ns {
                break;
            }
        }
        cost
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        let blocks = |series: &&Json| series["request_blocks"].as_u64().unwrap_or(0);
        let of_state = |state: Option<bool>| {
            series(entry).iter().filter(move |one| one["write_cache"] == Json::Scalar(state.into()))
        };
        let typical = |series: &Json| median(&column(series, "latency_ns"));
        let small = |(state, name)| Some((name, milliseconds(typical(of_state(state).min_by_key(blocks)?))));
        let long = |(state, name)| {
            let longest = of_state(state).max_by_key(blocks)?;
            let rate = megabytes_per_second(blocks(&longest) * block_bytes(entry), typical(longest));
            Some((name, format!("{rate:.1} MB/s")))
        };
        SMALL.into_iter().filter_map(small).chain(LONG.into_iter().filter_map(long)).collect()
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        if !session.writable() {
            return Measurement::nothing(NEEDS_WRITING, None);
        }
        let bound = bound(&session.settings);
        let before = session.cache(Cache::Write);
        let mut found = Found { not_switched: None, series: Vec::with_capacity(40) };
        let end = measure(session, bound, &mut found);
        if let Some(before) = before {
            // Where this fails, the device puts it back when it is closed.
            let _ = session.set_cache(Cache::Write, before);
        }
        found.series.retain(|one| !one.chain.latency_ns.is_empty());
        let params = json!({
            "block_bytes": session.geometry().block_bytes,
            "writes_per_size": bound.count,
            "total_bytes": bound.bytes,
            "time_limit_ns": bound.time_ns,
            "rotation_estimate_ns": session.estimates.rotation_ns,
            "not_switched": found.not_switched,
        });
        let why = "no place near the start of the disk could be written before the run ended";
        Measurement::of(params, found.series, end, why)
    }
}

struct Found {
    not_switched: Option<String>,
    series: Vec<Series>,
}

/// 2,500 writes as in the notes, but no more than 2 GiB or a minute of each size; less where time is short.
fn bound(settings: &Settings) -> Bound {
    let (count, bytes, time_ns, fewest) = match settings.suite {
        Suite::Quick => (60, 256 << 20, 600_000_000, 2),
        Suite::Standard => (360, 1 << 30, 3_000_000_000, 4),
        Suite::Full | Suite::Day | Suite::Week => (2500, 2 << 30, 60_000_000_000, 8),
    };
    Bound { count: settings.repeats_or(count), bytes, time_ns, fewest }
}

/// Blocks of each write: powers of two that are whole blocks; in a quick run every second of them, as in the notes.
fn sizes(geometry: &Geometry, settings: &Settings) -> impl Iterator<Item = u64> + use<> {
    let factor = if settings.suite == Suite::Quick { 4 } else { 2 };
    let (block, most) = (u64::from(geometry.block_bytes), LARGEST_BYTES.min(geometry.capacity_bytes / AREA_SHARE));
    let all = std::iter::successors(Some(SMALLEST_BYTES.max(block)), move |bytes| Some(bytes * factor));
    let whole = move |bytes: &u64| bytes.is_multiple_of(block);
    all.take_while(move |bytes| *bytes <= most).filter(whole).map(move |bytes| bytes / block)
}

fn measure(session: &mut Session<'_>, bound: Bound, found: &mut Found) -> Result<(), Stop> {
    let mut measured = false;
    for on in [false, true] {
        match switch(session, on) {
            Ok(()) => {
                measured = true;
                measure_sizes(session, Some(on), bound, found)?;
            }
            Err(why) => found.not_switched = Some(why),
        }
    }
    if measured { Ok(()) } else { measure_sizes(session, None, bound, found) }
}

/// Puts the write cache into that state and looks whether it is; answers why not.
fn switch(session: &mut Session<'_>, on: bool) -> Result<(), String> {
    if session.cache(Cache::Write) == Some(on) {
        return Ok(());
    }
    session.set_cache(Cache::Write, on).map_err(|why| why.to_string())?;
    match session.cache(Cache::Write) {
        Some(now) if now != on => {
            let word = on_off(on);
            Err(format!("the write cache was switched {word} without an error and stayed as it was"))
        }
        _ => Ok(()),
    }
}

fn measure_sizes(
    session: &mut Session<'_>,
    write_cache: Option<bool>,
    bound: Bound,
    found: &mut Found,
) -> Result<(), Stop> {
    let geometry = session.geometry();
    let sizes: Vec<u64> = sizes(&geometry, &session.settings).collect();
    let state = write_cache.map_or("unknown", on_off);
    let byte_ns = session.whole_piece(&format!("{state}/rate"), chain::byte_ns)?;
    for (index, &blocks) in sizes.iter().enumerate() {
        let bytes = blocks * u64::from(geometry.block_bytes);
        let left = (sizes.len() - index) as u64;
        let doing = format!("writes of {}, write cache {state}", text::bytes(bytes));
        session.progress(&doing, left * bound.time_ns.min(25_000_000_000));
        let piece = format!("{state}/{bytes}");
        let (chain, end) = session.piece(&piece, |session, chain: &mut Chain| {
            session.idle(SETTLE_NS);
            // A cache would use the time of a write that nobody times to empty itself.
            chain.take(session, blocks, bound, State { led: write_cache == Some(false), byte_ns })
        });
        let elapsed_ns: u64 = chain.latency_ns.iter().sum();
        found.series.push(Series { variant: "write", write_cache, request_blocks: blocks, chain });
        end?;
        if elapsed_ns > TIMES_MOST * bound.time_ns {
            break;
        }
    }
    Ok(())
}

const SMALL: [(Option<bool>, &str); 3] = [
    (Some(false), "smallest write, write cache off"),
    (Some(true), "smallest write, write cache on"),
    (None, "smallest write"),
];
const LONG: [(Option<bool>, &str); 3] = [
    (Some(false), "longest writes, write cache off"),
    (Some(true), "longest writes, write cache on"),
    (None, "longest writes"),
];

#[cfg(test)]
mod tests;
