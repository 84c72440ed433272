//! BUFFER: how fast the drive's buffer answers, by the size of the request (Eridano document, 3.4).
//!
//! The same blocks are read again and again, a given amount of data in all, for each request size from 512 bytes to
//! 64 MiB; look-ahead is on. What fits into the buffer comes at the rate of the interface, what does not comes from the
//! medium.
//!
//! How much has to be read before the result stays the same is found first, as the document did it, by doubling the
//! amount at one size.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::columns::{block_bytes, column, megabytes_per_second, series_with, unmarked};
use super::estimate::bytes_ns;
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::{CacheStates, Geometry};
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, Suite};
use crate::stats::{count32, quantile, to_f64};
use crate::terminal::overview::{Drawing, Overview};
use crate::terminal::text;

const SMALLEST_BYTES: u64 = 512;
const LARGEST_BYTES: u64 = 64 << 20;

/// The amount that the document settled on.
const DOCUMENT_BYTES: u64 = 1 << 30;

/// The threshold is looked for at this size, from this amount on.
const THRESHOLD_REQUEST_BYTES: u64 = 128 << 10;
const THRESHOLD_FIRST_BYTES: u64 = 4 << 20;

/// The result stays the same when twice the amount changes it by less.
const SAME: f64 = 0.01;

/// Where it reads: at the start of the disk, or this part of it further on where the start is bad.
const PLACES: [u64; 4] = [0, 8, 4, 2];

/// A place is tried with requests from here on.
const TRIED_BYTES: u64 = 1 << 20;

/// A size whose fewest requests take so many times the limit is the last: a larger one would take longer still.
const TIMES_MOST: u64 = 2;

pub struct Buffer;

/// Equally long columns, one entry per amount or per size.
#[derive(Default, Serialize)]
struct Series {
    pattern: &'static str,
    start_block: u64,
    request_blocks: Vec<u64>,
    requests: Vec<u64>,
    elapsed_ns: Vec<u64>,
    fastest_ns: Vec<u64>,
    median_ns: Vec<u64>,
    percentile_90_ns: Vec<u64>,
    slowest_ns: Vec<u64>,
    /// 1 where something disturbed the size, 0 where nothing did.
    #[serde(skip_serializing_if = "unmarked")]
    disturbed: Vec<u8>,
}

impl Series {
    fn new(pattern: &'static str, start_block: u64) -> Self {
        Self { pattern, start_block, ..Self::default() }
    }

    fn push(&mut self, request_blocks: u64, burst: &Burst) {
        self.request_blocks.push(request_blocks);
        self.requests.push(burst.requests);
        self.elapsed_ns.push(burst.elapsed_ns);
        self.fastest_ns.push(burst.fastest_ns);
        self.median_ns.push(burst.median_ns);
        self.percentile_90_ns.push(burst.percentile_90_ns);
        self.slowest_ns.push(burst.slowest_ns);
        self.disturbed.push(burst.disturbed);
    }
}

impl Kind for Buffer {
    fn declaration(&self) -> Declaration {
        Declaration::new("buffer", include_str!("../../../../../server/benchmarks/buffer/schema/v1.json"))
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost {
        let bound = bound(settings);
        let mut cost = Cost::default();
        for blocks in sizes(geometry) {
            // At twice the medium's rate and 0.1 ms for each request; from 16 MiB on from the medium. A guess.
            let bytes = blocks * u64::from(geometry.block_bytes);
            let medium_ns = bytes_ns(geometry, bytes);
            let each_ns = if bytes < 16 << 20 { 100_000 + medium_ns / 2 } else { rotation_ns + medium_ns };
            let requests = (bound.bytes / bytes).max(bound.fewest_requests);
            let elapsed_ns = (requests * each_ns).min(bound.time_ns.max(bound.fewest_requests * each_ns));
            cost.elapsed_ns += elapsed_ns;
            cost.read_bytes += elapsed_ns / each_ns * bytes;
            if elapsed_ns > TIMES_MOST * bound.time_ns {
                break;
            }
        }
        cost
    }

    fn caches(&self, _settings: &Settings) -> CacheStates {
        CacheStates { write: None, look_ahead: Some(true) }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        let Some(sizes) = series_with(entry, "pattern", "sizes").next() else { return Overview::default() };
        let [blocks, requests, times] = ["request_blocks", "requests", "elapsed_ns"].map(|name| column(sizes, name));
        let rate = |(&blocks, (&requests, &time)): (&u64, (&u64, &u64))| {
            let bytes = blocks * block_bytes(entry);
            (bytes, megabytes_per_second(bytes.saturating_mul(requests), time))
        };
        let rates: Vec<(u64, f64)> = blocks.iter().zip(requests.iter().zip(&times)).map(rate).collect();
        let Some(best) = rates.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Overview::default() };
        let points = rates.iter().map(|&(bytes, rate)| (to_f64(bytes).log2(), rate)).collect();
        let title = "Reading the same blocks again".to_owned();
        Overview {
            numbers: vec![("fastest", format!("{:.1} MB/s in requests of {}", best.1, text::bytes(best.0)))],
            drawing: Some(Drawing { title, x_label: "size (2^x bytes)", y_label: "MB/s", points }),
        }
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let bound = bound(&session.settings);
        let mut found = Found { threshold_bytes: None, series: Vec::with_capacity(2) };
        let end = measure(session, bound, &mut found);
        found.series.retain(|one| !one.request_blocks.is_empty());
        let params = json!({
            "block_bytes": session.geometry().block_bytes,
            "total_bytes": bound.bytes,
            "time_limit_ns": bound.time_ns,
            "threshold_bytes": found.threshold_bytes,
            "rotation_estimate_ns": session.estimates.rotation_ns,
        });
        let why = "no place of the disk could be read again and again before the run ended";
        Measurement::of(params, found.series, end, why)
    }
}

struct Found {
    threshold_bytes: Option<u64>,
    series: Vec<Series>,
}

/// The document's amount, which a drive of its time or later reads in less than the limit; less where time is short.
fn bound(settings: &Settings) -> Bound {
    match settings.suite {
        Suite::Quick => Bound { bytes: 64 << 20, time_ns: 400_000_000, fewest_requests: 4 },
        Suite::Standard => Bound { bytes: 256 << 20, time_ns: 1_500_000_000, fewest_requests: 4 },
        Suite::Full | Suite::Day | Suite::Week => {
            Bound { bytes: DOCUMENT_BYTES, time_ns: 240_000_000_000, fewest_requests: 4 }
        }
    }
}

/// Blocks of each request size: those of the document that are whole blocks and fit on the disk.
fn sizes(geometry: &Geometry) -> impl Iterator<Item = u64> + use<> {
    let (block, capacity) = (u64::from(geometry.block_bytes), geometry.capacity_bytes);
    let all = std::iter::successors(Some(SMALLEST_BYTES), |bytes| Some(bytes * 2));
    let within = all.take_while(move |bytes| *bytes <= LARGEST_BYTES.min(capacity));
    within.filter(move |bytes| bytes % block == 0).map(move |bytes| bytes / block)
}

fn measure(session: &mut Session<'_>, bound: Bound, found: &mut Found) -> Result<(), Stop> {
    let geometry = session.geometry();
    let sizes: Vec<u64> = sizes(&geometry).collect();
    let Some(start) = readable_place(session, &sizes, bound)? else { return Ok(()) };
    find_threshold(session, start, bound, found)?;
    found.series.push(Series::new("sizes", start));
    let place = found.series.len() - 1;
    for (index, &blocks) in sizes.iter().enumerate() {
        let bytes = blocks * u64::from(geometry.block_bytes);
        let left = (sizes.len() - index) as u64;
        session.progress(&format!("requests of {}", text::bytes(bytes)), left * bound.time_ns.min(20_000_000_000));
        if let Some(burst) = take(session, &format!("size/{bytes}"), start, blocks, bound)? {
            found.series[place].push(blocks, &burst);
            if burst.elapsed_ns > TIMES_MOST * bound.time_ns {
                break;
            }
        }
    }
    Ok(())
}

/// A place where the longest request succeeds that time allows: the start of the disk, unless that is bad.
fn readable_place(session: &mut Session<'_>, sizes: &[u64], bound: Bound) -> Result<Option<u64>, Stop> {
    session.progress("looking for a place that can be read", 0);
    let capacity = session.geometry().capacity_blocks();
    for part in PLACES {
        let start = capacity.checked_div(part).unwrap_or(0);
        let fits = start + sizes.last().copied().unwrap_or(1) <= capacity;
        if fits && reads_all(session, start, sizes, bound)? {
            return Ok(Some(start));
        }
    }
    Ok(None)
}

/// Whether requests from `start` on succeed, each twice as long as the one before, until one takes so long that no
/// size above it is going to be measured.
fn reads_all(session: &mut Session<'_>, start: u64, sizes: &[u64], bound: Bound) -> Result<bool, Stop> {
    let block_bytes = u64::from(session.geometry().block_bytes);
    let last = sizes.len().saturating_sub(1);
    for (_, &blocks) in
        sizes.iter().enumerate().filter(|&(index, blocks)| index == last || blocks * block_bytes >= TRIED_BYTES)
    {
        let Some(timing) = session.read(start, count32(blocks))? else { return Ok(false) };
        if timing.latency_ns * bound.fewest_requests > TIMES_MOST * bound.time_ns {
            break;
        }
    }
    Ok(true)
}

/// Doubles the amount until the rate stays the same, at most to what each size is going to read.
fn find_threshold(session: &mut Session<'_>, start: u64, bound: Bound, found: &mut Found) -> Result<(), Stop> {
    let geometry = session.geometry();
    let bytes = THRESHOLD_REQUEST_BYTES.max(u64::from(geometry.block_bytes));
    let blocks = bytes / u64::from(geometry.block_bytes);
    if start + blocks > geometry.capacity_blocks() {
        return Ok(());
    }
    found.series.push(Series::new("threshold", start));
    let place = found.series.len() - 1;
    let mut before: Option<f64> = None;
    let mut amount = THRESHOLD_FIRST_BYTES;
    while amount <= bound.bytes {
        session.progress(&format!("how much has to be read: {}", text::bytes(amount)), 0);
        let bound = Bound { bytes: amount, ..bound };
        let Some(burst) = take(session, &format!("threshold/{amount}"), start, blocks, bound)? else { return Ok(()) };
        found.series[place].push(blocks, &burst);
        let rate = to_f64(burst.requests) / to_f64(burst.elapsed_ns.max(1));
        if before.is_some_and(|before| (rate / before - 1.0).abs() < SAME) {
            found.threshold_bytes = Some(amount / 2);
            return Ok(());
        }
        before = Some(rate);
        amount *= 2;
    }
    Ok(())
}

/// Reads `blocks` blocks from `start` again and again, once before the clock starts. `None` where the medium failed.
fn take(session: &mut Session<'_>, name: &str, start: u64, blocks: u64, bound: Bound) -> Result<Option<Burst>, Stop> {
    session.whole_piece(name, |session| {
        let burst = read(session, start, count32(blocks), bound)?;
        let disturbed = u8::from(session.piece_is_disturbed());
        Ok(burst.map(|burst| Burst { disturbed, ..burst }))
    })
}

/// So many latencies are kept of a burst, at equal distances: enough for its quantiles.
const LATENCIES_KEPT: u64 = 4096;

/// When a burst ends: at so many bytes or after so long, but not before so many requests.
#[derive(Clone, Copy, Debug)]
struct Bound {
    bytes: u64,
    time_ns: u64,
    fewest_requests: u64,
}

#[derive(Debug, Deserialize, Serialize)]
struct Burst {
    requests: u64,
    /// From when the first request was handed over to when the last was answered.
    elapsed_ns: u64,
    fastest_ns: u64,
    median_ns: u64,
    percentile_90_ns: u64,
    slowest_ns: u64,
    /// 1 where something disturbed too many of its requests.
    #[serde(default)]
    disturbed: u8,
}

fn read(session: &mut Session<'_>, start: u64, count: u32, bound: Bound) -> Result<Option<Burst>, Stop> {
    let bytes = u64::from(count) * u64::from(session.geometry().block_bytes);
    let wanted = (bound.bytes / bytes).max(bound.fewest_requests);
    let stride = wanted.div_ceil(LATENCIES_KEPT);
    let mut kept: Vec<u64> = Vec::with_capacity(usize::try_from(wanted.min(LATENCIES_KEPT)).unwrap_or(0));
    let (mut fastest_ns, mut slowest_ns) = (u64::MAX, 0);
    let Some(first) = session.read(start, count)? else { return Ok(None) };
    let (mut started_ns, mut ended_ns, mut requests) = (None, first.end_ns(), 0);
    while requests < wanted {
        let Some(timing) = session.read(start, count)? else { return Ok(None) };
        let started = *started_ns.get_or_insert(timing.start_ns);
        ended_ns = timing.end_ns();
        fastest_ns = fastest_ns.min(timing.latency_ns);
        slowest_ns = slowest_ns.max(timing.latency_ns);
        if requests % stride == 0 {
            kept.push(timing.latency_ns);
        }
        requests += 1;
        if requests >= bound.fewest_requests && ended_ns.saturating_sub(started) >= bound.time_ns {
            break;
        }
    }
    Ok(started_ns.map(|started| Burst {
        requests,
        elapsed_ns: ended_ns.saturating_sub(started),
        fastest_ns,
        median_ns: quantile(&kept, 0.5),
        percentile_90_ns: quantile(&kept, 0.9),
        slowest_ns,
        disturbed: 0,
    }))
}

#[cfg(test)]
mod tests;
