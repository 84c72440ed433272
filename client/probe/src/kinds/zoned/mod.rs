//! ZONED: bandwidth over the disk (Skippy document, 4.2 and Figure 9).
//!
//! A region is a few dozen tracks long, so that head and cylinder switches average out, and is read in large requests,
//! one right after the other; the request before it is not timed, so that no seek is in the time.
//!
//! `streaming` reads everything. `sampled` reads regions all over the disk, then more of them where two neighbours differ by more than
//! the noise, halving the distance until the boundary between the zones is located.

mod bands;
mod bisection;
mod region;
mod sampled;

use serde::Serialize;

use super::columns::{column, megabytes_per_second, series};
use super::estimate::{bytes_in, bytes_ns};
use super::{Cost, Declaration, Kind, Measurement, columns};
use crate::device::Geometry;
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, ZonedMode};
use crate::stats::{count32, to_f64};
use crate::terminal::overview::{Drawing, Overview};
use region::{Plan, Series, as_piece};

/// A stream is written down about this often.
const STREAM_PIECE_NS: u64 = 30_000_000_000;

pub struct Zoned;

#[derive(Serialize)]
struct Params {
    block_bytes: u32,
    mode: &'static str,
    transfer_blocks: u32,
}

impl Kind for Zoned {
    fn declaration(&self) -> Declaration {
        Declaration::new("zoned", include_str!("../../../../../server/benchmarks/zoned/schema/v1.json"))
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost {
        match settings.zoned {
            ZonedMode::Sampled => {
                let regions = sampled::regions_guess(settings);
                let elapsed_ns = regions * region::cost_ns(geometry, settings.suite, rotation_ns);
                Cost { elapsed_ns, read_bytes: bytes_in(geometry, elapsed_ns), written_bytes: 0 }
            }
            ZonedMode::Streaming => Cost {
                elapsed_ns: bytes_ns(geometry, geometry.capacity_bytes),
                read_bytes: geometry.capacity_bytes,
                written_bytes: 0,
            },
        }
    }

    fn overview(&self, entry: &Measured, capacity_bytes: u64) -> Overview {
        overview(entry, capacity_bytes)
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let mut series = Vec::new();
        let mut transfer_blocks = session.max_transfer_blocks().min(region::transfer_blocks(&session.geometry()));
        let stop = measure(session, &mut transfer_blocks, &mut series).err();
        series.retain(|one| !one.offset_blocks.is_empty());
        for one in &mut series {
            one.disturbed = columns::disturbed_mask(std::mem::take(&mut one.disturbed));
        }
        let mode = match session.settings.zoned {
            ZonedMode::Sampled => "sampled",
            ZonedMode::Streaming => "streaming",
        };
        let params = Params { block_bytes: session.geometry().block_bytes, mode, transfer_blocks };
        let why = "no region could be read before the run ended";
        Measurement::of(&params, series, stop, why)
    }
}

/// Requests are of `transfer_blocks`, which becomes what they were in the end.
fn measure(session: &mut Session<'_>, transfer_blocks: &mut u32, out: &mut Vec<Series>) -> Result<(), Stop> {
    session.progress("length of a region", 0);
    let (plan, stop) = session.piece("length of a region", |session| as_piece(Plan::find(session, *transfer_blocks)));
    stop.map_or(Ok(()), Err)?;
    let Some(plan) = plan else { return Ok(()) };
    *transfer_blocks = count32(plan.transfer_blocks);
    match session.settings.zoned {
        ZonedMode::Sampled => sampled::measure(session, &plan, out),
        ZonedMode::Streaming => stream(session, &plan, out),
    }
}

/// The whole disk once, region after region.
fn stream(session: &mut Session<'_>, plan: &Plan, out: &mut Vec<Series>) -> Result<(), Stop> {
    let length = plan.streaming_length();
    let count = plan.capacity.div_ceil(length);
    out.push(Series::new(0));
    let regions_ns = plan.nanoseconds(length).max(1);
    let per_piece = (STREAM_PIECE_NS / regions_ns).max(1);
    for first in (0..count).step_by(usize::try_from(per_piece).unwrap_or(usize::MAX)) {
        let left_ns = plan.nanoseconds(plan.capacity - first * length);
        session.progress(&format!("region {} of {count}", first + 1), left_ns);
        let indices = first..(first + per_piece).min(count);
        let (found, stop) = session.piece(&format!("from region {}", first + 1), |session| {
            // The region before has just been read, unless a piece begins: the head is there then.
            let places = indices.clone().map(|index| (index * length, index == first));
            let place = |(offset, leads)| (offset, length.min(plan.capacity - offset), u64::from(leads));
            region::read_each(session, plan, places.map(place))
        });
        for (index, seen) in (first..).zip(found) {
            let offset = index * length;
            out[0].push(offset, length.min(plan.capacity - offset), seen);
        }
        stop.map_or(Ok(()), Err)?;
    }
    Ok(())
}

fn overview(entry: &Measured, capacity_bytes: u64) -> Overview {
    let block_bytes = entry.params["block_bytes"].as_u64().unwrap_or(1);
    let Some(first) = series(entry).first() else { return Overview::default() };
    let columns = ["offset_blocks", "length_blocks", "elapsed_ns"].map(|name| column(first, name));
    let rates: Vec<(f64, f64)> = columns[0]
        .iter()
        .zip(&columns[1])
        .zip(&columns[2])
        .map(|((&offset, &length), &elapsed)| {
            let share = to_f64(offset * block_bytes) / to_f64(capacity_bytes.max(1));
            (100.0 * share, megabytes_per_second(length * block_bytes, elapsed))
        })
        .collect();
    let (Some(outer), Some(inner)) = (rates.first(), rates.last()) else { return Overview::default() };
    let numbers = vec![
        ("first region", format!("{:.1} MB/s", outer.1)),
        ("last region", format!("{:.1} MB/s", inner.1)),
        ("regions", rates.len().to_string()),
    ];
    let title = "Bandwidth over the disk".to_owned();
    Overview { numbers, drawing: Some(Drawing { title, x_label: "position (%)", y_label: "MB/s", points: rates }) }
}

#[cfg(test)]
mod tests;
