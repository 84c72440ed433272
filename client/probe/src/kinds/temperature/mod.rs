//! Whether bandwidth depends on the disk's temperature (Eridano 3.3).
//!
//! Every hour for a week: the disk's temperature, then 128 MiB read, and written where that is allowed, at the outer
//! rim. The room has to get warmer and colder meanwhile; that is the person's part. Between the samples the probe waits.
//!
//! Samples take turns over a few places beside each other, so that no buffer answers from the hour before.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::estimate::bytes_ns;
use super::transfer::{self, RoundColumns, Sample};
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::{Cache, CacheStates, Geometry};
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, Suite};
use crate::terminal::overview::Overview;

const ROUNDS: u64 = 168;
const INTERVAL_NS: u64 = 3600 * 1_000_000_000;
const PLACES: u64 = 8;

pub struct Temperature;

/// One direction, one entry per hour.
#[derive(Debug, Serialize)]
struct Series {
    #[serde(flatten)]
    rounds: RoundColumns,
    /// Before the reading of that hour.
    temperature_celsius: Vec<i32>,
}

/// What an hour gave. Without a temperature its samples say nothing and are not taken.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Hour {
    began_ns: u64,
    celsius: Option<i32>,
    samples: Vec<Sample>,
}

/// The places together take an eighth of the disk at most: all of them are at its outer rim.
fn transfer_bytes(geometry: &Geometry) -> u64 {
    transfer::sample_bytes(geometry, geometry.capacity_bytes / 8 / (PLACES + 1))
}

impl Kind for Temperature {
    fn declaration(&self) -> Declaration {
        Declaration {
            suites: &[Suite::Week],
            ..Declaration::new(
                "temperature",
                include_str!("../../../../../server/benchmarks/temperature/schema/v1.json"),
            )
        }
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, _rotation_ns: u64) -> Cost {
        let bytes = ROUNDS * transfer_bytes(geometry);
        let writes = u64::from(settings.writes);
        Cost {
            elapsed_ns: (ROUNDS - 1) * INTERVAL_NS + (1 + 2 * writes) * bytes_ns(geometry, bytes / ROUNDS),
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
        if session.temperature_celsius().is_none() {
            let why = "the disk's temperature can't be read here, and without it a week of samples says nothing of \
                       temperature: the disk has no sensor, or what stands between hides it";
            return Measurement::nothing(why, None);
        }
        let bytes = transfer_bytes(&geometry);
        let mut hours = Vec::new();
        let end = measure(session, bytes, &mut hours);
        let params = json!({
            "block_bytes": geometry.block_bytes,
            "rounds": ROUNDS,
            "interval_ns": INTERVAL_NS,
            "transfer_bytes": bytes,
            "write_cache": write_cache,
        });
        let why = "no hour gave a temperature and a transfer before the run ended";
        Measurement::of(params, series_of(&hours), end, why)
    }
}

fn measure(session: &mut Session<'_>, bytes: u64, out: &mut Vec<Hour>) -> Result<(), Stop> {
    let count = bytes / u64::from(session.geometry().block_bytes);
    for round in 0..ROUNDS {
        let next_ns = out.last().map(|hour| hour.began_ns + INTERVAL_NS);
        let seen = out.last().and_then(|hour| hour.celsius).map_or(String::new(), |celsius| format!(", {celsius} °C"));
        session.progress(&format!("hour {} of {ROUNDS}{seen}", round + 1), (ROUNDS - round) * INTERVAL_NS);
        let (hour, end) =
            session.piece(&format!("hour/{round}"), |session, hour| one_hour(session, round, next_ns, count, hour));
        out.push(hour);
        end?;
    }
    Ok(())
}

/// Waits until an hour after the last sample began; a run that was cut off for longer goes on at once.
fn one_hour(
    session: &mut Session<'_>,
    round: u64,
    next_ns: Option<u64>,
    count: u64,
    hour: &mut Hour,
) -> Result<(), Stop> {
    session.pause(next_ns.map_or(0, |next| next.saturating_sub(session.now_ns())))?;
    hour.began_ns = session.now_ns();
    hour.celsius = session.temperature_celsius();
    if hour.celsius.is_none() {
        return Ok(());
    }
    let block = transfer::first_block(session) + round % PLACES * count;
    for &write in transfer::directions(session) {
        hour.samples.extend(transfer::sample(session, write, block, count)?);
    }
    transfer::set_disturbed(session, &mut hour.samples);
    Ok(())
}

fn series_of(hours: &[Hour]) -> Vec<Series> {
    let origin_ns = hours.first().map_or(0, |hour| hour.began_ns);
    let samples = hours.iter().flat_map(|hour| hour.samples.iter().filter_map(|one| Some((hour.celsius?, one))));
    let directions = RoundColumns::of_directions(origin_ns, samples);
    directions.map(|(rounds, temperature_celsius)| Series { rounds, temperature_celsius }).collect()
}

#[cfg(test)]
mod tests;
