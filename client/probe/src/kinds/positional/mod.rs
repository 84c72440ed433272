//! POSITIONAL: timed sequential reads at three positions, as the OLP notes took them with `hdparm -t --direct --offset`.
//!
//! A sample is three seconds of direct reads of 2 MiB, one right after the other, always from the same place; ten
//! samples are taken at the start of the disk, then ten at its middle, then ten near its end. The first read of a
//! sample brings the head to the place and is timed with the rest, as it was then: 20 ms of 3 s at the most.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::columns::{TransferColumns, rates, series_with};
use super::estimate::bytes_in;
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::{CacheStates, Geometry};
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, Suite};
use crate::stats::{count32, to_f64};
use crate::terminal::overview::Overview;

/// What hdparm reads at a time, and for how long.
const TRANSFER_BYTES: u32 = 2 << 20;
const SAMPLE_NS: u64 = 3_000_000_000;

/// The inner position leaves this share of the disk behind it: the notes' offset of 1850 GiB leaves 1/142 of that
/// drive.
const INNER_SHARE: u64 = 128;

pub struct Positional;

#[derive(Serialize)]
struct Series {
    position: &'static str,
    #[serde(flatten)]
    columns: TransferColumns,
}

impl Kind for Positional {
    fn declaration(&self) -> Declaration {
        Declaration::new("positional", include_str!("../../../../../server/benchmarks/positional/schema/v1.json"))
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, _rotation_ns: u64) -> Cost {
        let elapsed_ns = 3 * u64::from(samples(settings)) * SAMPLE_NS;
        let sample_bytes = bytes_in(geometry, SAMPLE_NS);
        Cost { elapsed_ns, read_bytes: 3 * u64::from(samples(settings)) * sample_bytes, written_bytes: 0 }
    }

    fn caches(&self, _settings: &Settings) -> CacheStates {
        CacheStates { write: None, look_ahead: Some(true) }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        let mean = |position: &'static str| {
            let all = rates(entry, series_with(entry, "position", position).next()?);
            let mean = all.iter().sum::<f64>() / to_f64(all.len().max(1) as u64);
            (!all.is_empty()).then(|| (position, format!("{mean:.1} MB/s")))
        };
        ["outer", "middle", "inner"].into_iter().filter_map(mean).collect()
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let geometry = session.geometry();
        let transfer = (TRANSFER_BYTES / geometry.block_bytes).max(1);
        let mut series = Vec::with_capacity(3);
        let end = measure(session, transfer, &mut series);
        series.retain(|one| !one.columns.is_empty());
        let params = json!({
            "block_bytes": geometry.block_bytes,
            "transfer_blocks": transfer,
            "sample_ns": SAMPLE_NS,
            "samples_per_position": samples(&session.settings),
        });
        Measurement::of(params, series, end, "no sample could be read before the run ended")
    }
}

/// Ten at each position, as in the notes; fewer where time is short.
fn samples(settings: &Settings) -> u32 {
    settings.repeats_or(match settings.suite {
        Suite::Quick => 2,
        Suite::Standard => 5,
        Suite::Full | Suite::Day | Suite::Week => 10,
    })
}

fn measure(session: &mut Session<'_>, transfer: u32, out: &mut Vec<Series>) -> Result<(), Stop> {
    let capacity = session.geometry().capacity_blocks();
    take_all(session, "outer", 0, transfer, out)?;
    take_all(session, "middle", capacity / 2, transfer, out)?;
    // Far enough from the end for a sample at the rate of the start: on a small disk the share alone is not.
    let longest = out[0].columns.length_blocks.iter().copied().max().unwrap_or(0);
    let inner = capacity.saturating_sub((capacity / INNER_SHARE).max(longest));
    take_all(session, "inner", inner, transfer, out)
}

/// Takes the samples of one position; those that the medium spoilt are left out.
fn take_all(
    session: &mut Session<'_>,
    position: &'static str,
    start: u64,
    transfer: u32,
    out: &mut Vec<Series>,
) -> Result<(), Stop> {
    let count = samples(&session.settings);
    out.push(Series { position, columns: TransferColumns::default() });
    let place = out.len() - 1;
    for index in 0..count {
        let left = u64::from(3 * count) - (place as u64 * u64::from(count) + u64::from(index));
        session.progress(&format!("{position}, sample {} of {count}", index + 1), left * SAMPLE_NS);
        let sample = session.whole_piece(&format!("{position}/{index}"), |session| {
            let sample = read(session, start, transfer, SAMPLE_NS)?;
            let disturbed = u8::from(session.piece_is_disturbed());
            Ok(sample.map(|sample| Sample { disturbed, ..sample }))
        })?;
        if let Some(Sample { length_blocks, elapsed_ns, disturbed }) = sample {
            out[place].columns.push_marked(start, length_blocks, elapsed_ns, disturbed);
        }
    }
    Ok(())
}

#[derive(Debug, Deserialize, Serialize)]
struct Sample {
    length_blocks: u64,
    /// From when the first request was handed over to when the last was answered.
    elapsed_ns: u64,
    /// 1 where something disturbed too many of its requests.
    #[serde(default)]
    disturbed: u8,
}

/// Reads from `start` on for `duration_ns`, or to the end of the disk. `None` where the medium failed.
fn read(session: &mut Session<'_>, start: u64, transfer: u32, duration_ns: u64) -> Result<Option<Sample>, Stop> {
    let capacity = session.geometry().capacity_blocks();
    let (mut at, mut started_ns, mut ended_ns) = (start, None, 0);
    while at < capacity {
        let count = u64::from(transfer).min(capacity - at);
        let Some(timing) = session.read(at, count32(count))? else { return Ok(None) };
        let started = *started_ns.get_or_insert(timing.start_ns);
        ended_ns = timing.end_ns();
        at += count;
        if ended_ns.saturating_sub(started) >= duration_ns {
            break;
        }
    }
    Ok(started_ns.map(|started| Sample {
        length_blocks: at - start,
        elapsed_ns: ended_ns.saturating_sub(started),
        disturbed: 0,
    }))
}

#[cfg(test)]
mod tests;
