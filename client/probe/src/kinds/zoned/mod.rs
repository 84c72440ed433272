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

use serde_json::json;

use super::columns::{block_bytes, column, rates, series};
use super::estimate::{bytes_in, bytes_ns};
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::Geometry;
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, ZonedMode};
use crate::stats::{count32, to_f64};
use crate::terminal::overview::{Drawing, Overview};
use region::{Plan, Series};

/// A stream is written down about this often.
const STREAM_PIECE_NS: u64 = 30_000_000_000;

pub struct Zoned;

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
        let Some(first) = series(entry).first() else { return Overview::default() };
        let share = |offset| 100.0 * to_f64(offset * block_bytes(entry)) / to_f64(capacity_bytes.max(1));
        let offsets = column(first, "offset_blocks").into_iter().map(share);
        let points: Vec<(f64, f64)> = offsets.zip(rates(entry, first)).collect();
        let (Some(outer), Some(inner)) = (points.first(), points.last()) else { return Overview::default() };
        let numbers = vec![
            ("first region", format!("{:.1} MB/s", outer.1)),
            ("last region", format!("{:.1} MB/s", inner.1)),
            ("regions", points.len().to_string()),
        ];
        let title = "Bandwidth over the disk".to_owned();
        Overview { numbers, drawing: Some(Drawing { title, x_label: "position (%)", y_label: "MB/s", points }) }
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let mut series = Vec::new();
        let mut transfer_blocks = session.max_transfer_blocks().min(region::transfer_blocks(&session.geometry()));
        let end = measure(session, &mut transfer_blocks, &mut series);
        series.retain(|one| !one.columns.is_empty());
        let params = json!({
            "block_bytes": session.geometry().block_bytes,
            "mode": session.settings.zoned,
            "transfer_blocks": transfer_blocks,
        });
        Measurement::of(params, series, end, "no region could be read before the run ended")
    }
}

/// Requests are of `transfer_blocks`, which becomes what they were in the end.
fn measure(session: &mut Session<'_>, transfer_blocks: &mut u32, out: &mut Vec<Series>) -> Result<(), Stop> {
    session.progress("length of a region", 0);
    let plan = session.whole_piece("length of a region", |session| Plan::find(session, *transfer_blocks))?;
    let Some(plan) = plan else { return Ok(()) };
    *transfer_blocks = count32(plan.transfer_blocks);
    match session.settings.zoned {
        ZonedMode::Sampled => sampled::measure(session, &plan, out),
        ZonedMode::Streaming => stream(session, &plan, out),
    }
}

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
        let (found, end) = session.piece(&format!("from region {}", first + 1), |session, found| {
            // The region before has just been read, unless a piece begins: the head is there then.
            let places = indices.clone().map(|index| (index * length, index == first));
            let place = |(offset, leads)| (offset, length.min(plan.capacity - offset), u64::from(leads));
            region::read_each(session, plan, places.map(place), found)
        });
        for (index, seen) in (first..).zip(found) {
            let offset = index * length;
            out[0].push(offset, length.min(plan.capacity - offset), seen);
        }
        end?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
