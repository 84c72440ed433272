//! POSITIONAL: timed sequential reads at three positions, as the OLP notes took them with `hdparm -t --direct --offset`.
//!
//! A sample is three seconds of direct reads of 2 MiB, one right after the other, always from the same place; ten
//! samples are taken at the start of the disk, then ten at its middle, then ten near its end. The first read of a
//! sample brings the head to the place and is timed with the rest, as it was then: 20 ms of 3 s at the most.

mod overview;
mod sample;

use serde::Serialize;

use super::estimate::bytes_in;
use super::{CacheRequirements, Cost, Declaration, Kind, Measurement, columns};
use crate::device::Geometry;
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, Suite};
use crate::terminal::overview::Overview;
use sample::Sample;

/// What hdparm reads at a time, and for how long.
const TRANSFER_BYTES: u32 = 2 << 20;
const SAMPLE_NS: u64 = 3_000_000_000;

/// The inner position leaves this share of the disk behind it: the notes' offset of 1850 GiB leaves 1/142 of that
/// drive.
const INNER_SHARE: u64 = 128;

pub struct Positional;

#[derive(Serialize)]
struct Params {
    block_bytes: u32,
    transfer_blocks: u32,
    /// How long a sample goes on; the request under way at that moment is its last.
    sample_ns: u64,
    samples_per_position: u32,
}

/// All samples of one position, equally long columns.
#[derive(Serialize)]
struct Series {
    position: &'static str,
    offset_blocks: Vec<u64>,
    length_blocks: Vec<u64>,
    elapsed_ns: Vec<u64>,
    /// 1 where something disturbed the sample, 0 where nothing did; left out where nothing disturbed any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    disturbed: Vec<u8>,
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

    fn caches(&self, _settings: &Settings) -> CacheRequirements {
        CacheRequirements { write: None, look_ahead: Some(true) }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        overview::overview(entry)
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let geometry = session.geometry();
        let transfer = (TRANSFER_BYTES / geometry.block_bytes).max(1);
        let samples_per_position = samples(&session.settings);
        let mut series = Vec::with_capacity(3);
        let stop = measure(session, transfer, &mut series).err();
        series.retain(|one| !one.offset_blocks.is_empty());
        for one in &mut series {
            one.disturbed = columns::disturbed_mask(std::mem::take(&mut one.disturbed));
        }
        let block_bytes = geometry.block_bytes;
        let params = Params { block_bytes, transfer_blocks: transfer, sample_ns: SAMPLE_NS, samples_per_position };
        let why = "no sample could be read before the run ended";
        Measurement::of(&params, series, stop, why)
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
    let longest = out[0].length_blocks.iter().copied().max().unwrap_or(0);
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
    let (offset_blocks, length_blocks, elapsed_ns, disturbed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    out.push(Series { position, offset_blocks, length_blocks, elapsed_ns, disturbed });
    let place = out.len() - 1;
    for index in 0..count {
        let left = u64::from(3 * count) - (place as u64 * u64::from(count) + u64::from(index));
        session.progress(&format!("{position}, sample {} of {count}", index + 1), left * SAMPLE_NS);
        let name = format!("{position}/{index}");
        let (sample, stop) = session.piece(&name, |session| Sample::take(session, start, transfer, SAMPLE_NS));
        if let Some(stop) = stop {
            return Err(stop);
        }
        if let Some(sample) = sample {
            let series = &mut out[place];
            series.offset_blocks.push(start);
            series.length_blocks.push(sample.length_blocks);
            series.elapsed_ns.push(sample.elapsed_ns);
            series.disturbed.push(sample.disturbed);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
