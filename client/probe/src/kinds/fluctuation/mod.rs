//! How bandwidth changes over a quarter of an hour or a day (Eridano 3.2).
//!
//! At 15 positions, evenly over the disk, 128 MiB are read, and written where that is allowed, 24 times. The pause falls
//! between rounds over all positions: 24 rounds with an hour in between are the document's day, and with a second its
//! quarter of an hour; a pause after every sample would make fifteen days.
//!
//! Between two samples of a position all the others pass through the disk's buffer, so that it never answers.

use serde::Serialize;

use super::estimate::bytes_ns;
use super::transfer::{self, Sample};
use super::{CacheRequirements, Cost, Declaration, Kind, Measurement, columns};
use crate::device::{Cache, Geometry};
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, Suite};
use crate::terminal::overview::Overview;

const POSITIONS: u64 = 15;
const ROUNDS: u64 = 24;
const SECOND_NS: u64 = 1_000_000_000;

pub struct Fluctuation;

#[derive(Serialize)]
struct Params {
    block_bytes: u32,
    positions: u64,
    rounds: u64,
    transfer_bytes: u64,
    pause_ns: u64,
    /// As the device said when the kind began; none where nobody can tell.
    write_cache: Option<bool>,
}

/// One position, one direction; equally long columns, one entry per round.
#[derive(Debug, Serialize)]
struct Series {
    variant: &'static str,
    position: u64,
    offset_blocks: Vec<u64>,
    length_blocks: Vec<u64>,
    /// From the start of the kind.
    start_ns: Vec<u64>,
    elapsed_ns: Vec<u64>,
    /// 1 where something disturbed the transfer, 0 where nothing did; left out where nothing disturbed any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    disturbed: Vec<u8>,
}

fn pause_ns(suite: Suite) -> u64 {
    if suite >= Suite::Day { 3600 * SECOND_NS } else { SECOND_NS }
}

/// Half of the way from one position to the next at most, so that they don't touch.
fn transfer_bytes(geometry: &Geometry) -> u64 {
    transfer::sample_bytes(geometry, geometry.capacity_bytes / POSITIONS / 2)
}

impl Kind for Fluctuation {
    fn declaration(&self) -> Declaration {
        Declaration {
            // A quarter of an hour is too long for what lasts twenty minutes as a whole.
            suites: &[Suite::Full, Suite::Day],
            ..Declaration::new(
                "fluctuation",
                include_str!("../../../../../server/benchmarks/fluctuation/schema/v1.json"),
            )
        }
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, _rotation_ns: u64) -> Cost {
        let bytes = POSITIONS * ROUNDS * transfer_bytes(geometry);
        let writes = u64::from(settings.writes);
        Cost {
            elapsed_ns: (1 + 2 * writes) * bytes_ns(geometry, bytes) + (ROUNDS - 1) * pause_ns(settings.suite),
            read_bytes: (1 + writes) * bytes,
            written_bytes: writes * bytes,
        }
    }

    fn caches(&self, settings: &Settings) -> CacheRequirements {
        // A quarter of such a write would be in the buffer when it is answered.
        CacheRequirements { write: settings.writes.then_some(false), look_ahead: None }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        transfer::median_rates(entry)
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let geometry = session.geometry();
        let write_cache = session.cache(Cache::Write);
        let pause_ns = pause_ns(session.settings.suite);
        let bytes = transfer_bytes(&geometry);
        let (origin_ns, _) = session.piece("start", |session| (session.now_ns(), None));
        let mut rounds = Vec::new();
        let stop = measure(session, bytes, pause_ns, &mut rounds).err();
        let series = series_of(&geometry, &rounds, origin_ns);
        let params = Params {
            block_bytes: geometry.block_bytes,
            positions: POSITIONS,
            rounds: ROUNDS,
            transfer_bytes: bytes,
            pause_ns,
            write_cache,
        };
        let why = "no transfer was finished: the run ended first, or none could be read";
        Measurement::of(&params, series, stop, why)
    }
}

/// The first block of a position, where something may be written behind the first MiB.
fn place(session: &Session<'_>, position: u64) -> u64 {
    (session.geometry().capacity_blocks() / POSITIONS * position).max(transfer::first_block(session))
}

fn measure(session: &mut Session<'_>, bytes: u64, pause_ns: u64, out: &mut Vec<(u64, Sample)>) -> Result<(), Stop> {
    let count = bytes / u64::from(session.geometry().block_bytes);
    let directions = if session.writable() { 3 } else { 1 };
    let round_ns = POSITIONS * bytes_ns(&session.geometry(), bytes) * directions;
    for round in 0..ROUNDS {
        session.progress(&format!("round {} of {ROUNDS}", round + 1), (ROUNDS - round) * (round_ns + pause_ns));
        let (samples, stop) = session.piece(&format!("round/{round}"), |session| {
            let mut samples = Vec::new();
            let stop = one_round(session, count, if round > 0 { pause_ns } else { 0 }, &mut samples).err();
            transfer::set_disturbed(session, samples.iter_mut().map(|(_, sample)| sample));
            (samples, stop)
        });
        out.extend(samples);
        stop.map_or(Ok(()), Err)?;
    }
    Ok(())
}

fn one_round(session: &mut Session<'_>, count: u64, pause_ns: u64, out: &mut Vec<(u64, Sample)>) -> Result<(), Stop> {
    session.pause(pause_ns)?;
    // What a write cache still holds of the round before goes to the medium ahead of this read.
    session.read(session.geometry().capacity_blocks() / 2, 1)?;
    // All reads, then all writes: a read behind a write would wait for what the cache holds of that.
    let directions: &[bool] = if session.writable() { &[false, true] } else { &[false] };
    for &write in directions {
        for position in 0..POSITIONS {
            let sample = transfer::sample(session, write, place(session, position), count)?;
            out.extend(sample.map(|sample| (position, sample)));
        }
    }
    Ok(())
}

fn series_of(geometry: &Geometry, rounds: &[(u64, Sample)], origin_ns: u64) -> Vec<Series> {
    let mut all = Vec::new();
    for position in 0..geometry.capacity_blocks().min(POSITIONS) {
        for (write, variant) in [(false, "read"), (true, "write")] {
            let mine = || rounds.iter().filter(|(at, one)| *at == position && one.write == write).map(|(_, one)| one);
            if mine().next().is_some() {
                all.push(Series {
                    variant,
                    position,
                    offset_blocks: mine().map(|one| one.block).collect(),
                    length_blocks: mine().map(|one| one.count).collect(),
                    start_ns: mine().map(|one| one.at_ns.saturating_sub(origin_ns)).collect(),
                    elapsed_ns: mine().map(|one| one.elapsed_ns).collect(),
                    disturbed: columns::disturbed_mask(mine().map(|one| one.disturbed).collect()),
                });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests;
