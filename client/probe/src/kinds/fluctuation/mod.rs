//! How bandwidth changes over a quarter of an hour or a day (Eridano 3.2).
//!
//! At 15 positions, evenly over the disk, 128 MiB are read, and written where that is allowed, 24 times. The pause falls
//! between rounds over all positions: 24 rounds with an hour in between are the document's day, and with a second its
//! quarter of an hour; a pause after every sample would make fifteen days.
//!
//! Between two samples of a position all the others pass through the disk's buffer, so that it never answers.

use serde::Serialize;
use serde_json::json;

use super::estimate::bytes_ns;
use super::transfer::{self, RoundColumns, Sample};
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::{Cache, CacheStates, Geometry};
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, Suite};
use crate::terminal::overview::Overview;

const POSITIONS: u64 = 15;
const ROUNDS: u64 = 24;
const SECOND_NS: u64 = 1_000_000_000;

pub struct Fluctuation;

/// One position, one direction, one entry per round.
#[derive(Debug, Serialize)]
struct Series {
    position: u64,
    #[serde(flatten)]
    rounds: RoundColumns,
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

    fn caches(&self, settings: &Settings) -> CacheStates {
        // A quarter of such a write would be in the buffer when it is answered.
        CacheStates { write: settings.writes.then_some(false), look_ahead: None }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        transfer::median_rates(entry)
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let geometry = session.geometry();
        let write_cache = session.cache(Cache::Write);
        let pause_ns = pause_ns(session.settings.suite);
        let bytes = transfer_bytes(&geometry);
        let (origin_ns, _) = session.piece("start", |session, now_ns| {
            *now_ns = session.now_ns();
            Ok(())
        });
        let mut rounds = Vec::new();
        let end = measure(session, bytes, pause_ns, &mut rounds);
        let params = json!({
            "block_bytes": geometry.block_bytes,
            "positions": POSITIONS,
            "rounds": ROUNDS,
            "transfer_bytes": bytes,
            "pause_ns": pause_ns,
            "write_cache": write_cache,
        });
        let why = "no transfer was finished: the run ended first, or none could be read";
        Measurement::of(params, series_of(&rounds, origin_ns), end, why)
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
        let (samples, end) = session.piece(&format!("round/{round}"), |session, samples: &mut Vec<(u64, Sample)>| {
            let end = one_round(session, count, if round > 0 { pause_ns } else { 0 }, samples);
            transfer::set_disturbed(session, samples.iter_mut().map(|(_, sample)| sample));
            end
        });
        out.extend(samples);
        end?;
    }
    Ok(())
}

fn one_round(session: &mut Session<'_>, count: u64, pause_ns: u64, out: &mut Vec<(u64, Sample)>) -> Result<(), Stop> {
    session.pause(pause_ns)?;
    // What a write cache still holds of the round before goes to the medium ahead of this read.
    session.read(session.geometry().capacity_blocks() / 2, 1)?;
    for &write in transfer::directions(session) {
        for position in 0..POSITIONS {
            let sample = transfer::sample(session, write, place(session, position), count)?;
            out.extend(sample.map(|sample| (position, sample)));
        }
    }
    Ok(())
}

fn series_of(rounds: &[(u64, Sample)], origin_ns: u64) -> Vec<Series> {
    let of = |position| {
        let mine = rounds.iter().filter(move |(at, _)| *at == position).map(|(_, one)| ((), one));
        RoundColumns::of_directions(origin_ns, mine).map(move |(rounds, _)| Series { position, rounds })
    };
    (0..POSITIONS).flat_map(of).collect()
}

#[cfg(test)]
mod tests;
