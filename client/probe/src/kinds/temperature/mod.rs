//! Whether bandwidth depends on the disk's temperature (Eridano 3.3).
//!
//! Every hour for a week: the disk's temperature, then 128 MiB read, and written where that is allowed, at the outer
//! rim. The room has to get warmer and colder meanwhile; that is the person's part. Between the samples the probe waits.
//!
//! Samples take turns over a few places beside each other, so that no buffer answers from the hour before.

use serde::{Deserialize, Serialize};

use super::estimate::bytes_ns;
use super::transfer::{self, Sample};
use super::{CacheRequirements, Cost, Declaration, Kind, Measurement, columns};
use crate::device::{Cache, Geometry};
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, Suite};
use crate::terminal::overview::Overview;

/// Hours of a week.
const ROUNDS: u64 = 168;
const INTERVAL_NS: u64 = 3600 * 1_000_000_000;
const PLACES: u64 = 8;

pub struct Temperature;

#[derive(Serialize)]
struct Params {
    block_bytes: u32,
    rounds: u64,
    interval_ns: u64,
    transfer_bytes: u64,
    /// As the device said when the kind began; none where nobody can tell.
    write_cache: Option<bool>,
}

/// One direction; equally long columns, one entry per hour.
#[derive(Debug, Serialize)]
struct Series {
    variant: &'static str,
    offset_blocks: Vec<u64>,
    length_blocks: Vec<u64>,
    /// From the start of the kind.
    start_ns: Vec<u64>,
    elapsed_ns: Vec<u64>,
    /// Before the reading of that hour.
    temperature_celsius: Vec<i32>,
    /// 1 where something disturbed the transfer, 0 where nothing did; left out where nothing disturbed any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    disturbed: Vec<u8>,
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
        if session.temperature_celsius().is_none() {
            let why = "the disk's temperature can't be read here, and without it a week of samples says nothing of \
                       temperature: the disk has no sensor, or what stands between hides it";
            return Measurement::nothing(why, None);
        }
        let bytes = transfer_bytes(&geometry);
        let mut hours = Vec::new();
        let stop = measure(session, bytes, &mut hours).err();
        let series = series_of(&hours);
        let params = Params {
            block_bytes: geometry.block_bytes,
            rounds: ROUNDS,
            interval_ns: INTERVAL_NS,
            transfer_bytes: bytes,
            write_cache,
        };
        let why = "no hour gave a temperature and a transfer before the run ended";
        Measurement::of(&params, series, stop, why)
    }
}

fn measure(session: &mut Session<'_>, bytes: u64, out: &mut Vec<Hour>) -> Result<(), Stop> {
    let count = bytes / u64::from(session.geometry().block_bytes);
    for round in 0..ROUNDS {
        let next_ns = out.last().map(|hour| hour.began_ns + INTERVAL_NS);
        let seen = out.last().and_then(|hour| hour.celsius).map_or(String::new(), |celsius| format!(", {celsius} °C"));
        session.progress(&format!("hour {} of {ROUNDS}{seen}", round + 1), (ROUNDS - round) * INTERVAL_NS);
        let (hour, stop) = session.piece(&format!("hour/{round}"), |session| one_hour(session, round, next_ns, count));
        out.push(hour);
        stop.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// Waits until an hour after the last sample began; a run that was cut off for longer goes on at once.
fn one_hour(session: &mut Session<'_>, round: u64, next_ns: Option<u64>, count: u64) -> (Hour, Option<Stop>) {
    let mut hour = Hour::default();
    let wait_ns = next_ns.map_or(0, |next| next.saturating_sub(session.now_ns()));
    if let Err(stop) = session.pause(wait_ns) {
        return (hour, Some(stop));
    }
    hour.began_ns = session.now_ns();
    hour.celsius = session.temperature_celsius();
    if hour.celsius.is_none() {
        return (hour, None);
    }
    let block = transfer::first_block(session) + round % PLACES * count;
    let directions: &[bool] = if session.writable() { &[false, true] } else { &[false] };
    for &write in directions {
        match transfer::sample(session, write, block, count) {
            Ok(sample) => hour.samples.extend(sample),
            Err(stop) => return (hour, Some(stop)),
        }
    }
    transfer::set_disturbed(session, &mut hour.samples);
    (hour, None)
}

fn series_of(hours: &[Hour]) -> Vec<Series> {
    let origin_ns = hours.first().map_or(0, |hour| hour.began_ns);
    let mut all = Vec::new();
    for (write, variant) in [(false, "read"), (true, "write")] {
        let mine: Vec<(i32, &Sample)> = hours
            .iter()
            .filter_map(|hour| Some((hour.celsius?, hour.samples.iter().find(|one| one.write == write)?)))
            .collect();
        if !mine.is_empty() {
            all.push(Series {
                variant,
                offset_blocks: mine.iter().map(|(_, one)| one.block).collect(),
                length_blocks: mine.iter().map(|(_, one)| one.count).collect(),
                start_ns: mine.iter().map(|(_, one)| one.at_ns.saturating_sub(origin_ns)).collect(),
                elapsed_ns: mine.iter().map(|(_, one)| one.elapsed_ns).collect(),
                temperature_celsius: mine.iter().map(|(celsius, _)| *celsius).collect(),
                disturbed: columns::disturbed_mask(mine.iter().map(|(_, one)| one.disturbed).collect()),
            });
        }
    }
    all
}

#[cfg(test)]
mod tests;
