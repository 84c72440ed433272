//! Read and write bandwidth by size and position (Eridano 3.1).
//!
//! At 16 positions, evenly over the disk, the first at its start, 22 sizes from 512 B to 1 GiB are read, and written where
//! that is allowed, each in one call. The document says 15 positions, but its 352 samples are 16 times 22.
//!
//! No sample is answered by a buffer: each has blocks of its own, and between two samples dummy reads half the disk
//! away end the reading ahead and take the buffer's segments. So every sample begins with the same long seek, which is
//! the fixed time that the document speaks of.

mod plan;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::columns::TransferColumns;
use super::estimate::{byte_ns, bytes_ns};
use super::transfer::{self, Transfer};
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::{Cache, CacheStates, Geometry, LONGEST_WRITE_BYTES};
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop};
use crate::stats::Random;
use crate::terminal::overview::Overview;
use plan::{DUMMY_READS, Extent, Plan};

/// Of a dummy: a hundredth of the disk, for an estimate.
const SEEK_NS: u64 = 2_000_000;

/// Of 3600 turns a minute: no slower disk is left.
const LONGEST_TURN_NS: u64 = 16_666_667;

pub struct Bandwidth;

/// One position, one direction, one pass.
#[derive(Debug, Deserialize, Serialize)]
struct Series {
    variant: String,
    repeat: u32,
    position: u64,
    #[serde(flatten)]
    columns: TransferColumns,
}

impl Series {
    fn new(variant: &str, repeat: u32, position: u64) -> Self {
        Self { variant: variant.to_owned(), repeat, position, columns: TransferColumns::default() }
    }

    /// A transfer in which the medium failed is left out.
    fn push(&mut self, offset: u64, length: u64, transfer: Option<Transfer>) {
        if let Some(Transfer { start_ns, elapsed_ns, end_ns }) = transfer {
            self.columns.push(offset, length, elapsed_ns, (start_ns, end_ns));
        }
    }
}

impl Kind for Bandwidth {
    fn declaration(&self) -> Declaration {
        Declaration::new("bandwidth", include_str!("../../../../../server/benchmarks/bandwidth/schema/v1.json"))
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost {
        let extent = Extent::of(settings.suite);
        let (sizes, _) = extent.sizes(geometry, byte_ns(geometry));
        let passes = extent.positions * u64::from(settings.repeats_or(1));
        let bytes = passes * sizes.iter().sum::<u64>();
        let writes = u64::from(settings.writes);
        // A dummy is a short seek and about half a turn; a long write is kept and prepared for stretch by stretch.
        let stretches: u64 = sizes.iter().map(|bytes| bytes.div_ceil(LONGEST_WRITE_BYTES)).sum();
        let gaps = passes * (sizes.len() as u64 + writes * stretches);
        let dummies = DUMMY_READS * extent.dummy_bytes(byte_ns(geometry));
        Cost {
            elapsed_ns: (1 + 2 * writes) * bytes_ns(geometry, bytes)
                + gaps * ((DUMMY_READS + 4) * (rotation_ns * 3 / 4 + SEEK_NS) + bytes_ns(geometry, dummies)),
            read_bytes: (1 + writes) * bytes + gaps * dummies,
            written_bytes: writes * bytes,
        }
    }

    fn caches(&self, settings: &Settings) -> CacheStates {
        // A write that the buffer takes shows nothing of the medium.
        CacheStates { write: settings.writes.then_some(false), look_ahead: None }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        transfer::rates(entry, ["fastest read", "fastest write"], <[f64]>::last)
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let write_cache = session.cache(Cache::Write);
        session.progress("rate", 0);
        let plan = match Plan::find(session) {
            Ok(plan) => plan,
            Err(stop) => return Measurement::nothing("the run ended before the first transfer", Some(stop)),
        };
        let mut series = Vec::new();
        let end = measure(session, &plan, &mut series);
        series.retain(|one| !one.columns.is_empty());
        let params = json!({
            "block_bytes": session.geometry().block_bytes,
            "positions": plan.positions,
            "sizes_bytes": plan.sizes_bytes,
            "left_out_bytes": plan.left_out_bytes,
            "repeats": session.settings.repeats_or(1),
            "stretch_bytes": LONGEST_WRITE_BYTES,
            "dummy_reads": DUMMY_READS,
            "write_cache": write_cache,
        });
        let why = "no transfer was finished: the run ended first, or none could be read";
        Measurement::of(params, series, end, why)
    }
}

fn measure(session: &mut Session<'_>, plan: &Plan, out: &mut Vec<Series>) -> Result<(), Stop> {
    let repeats = session.settings.repeats_or(1);
    let pieces = u64::from(repeats) * plan.positions;
    let started_ns = session.now_ns();
    for repeat in 0..repeats {
        for position in 0..plan.positions {
            let done = u64::from(repeat) * plan.positions + position;
            let left_ns = (session.now_ns() - started_ns).checked_div(done).unwrap_or(0) * (pieces - done);
            session.progress(&format!("position {} of {}", position + 1, plan.positions), left_ns);
            let (series, end) = session.piece(&format!("{repeat}/{position}"), |session, out: &mut Vec<Series>| {
                out.extend(["read", "write"].map(|variant| Series::new(variant, repeat, position)));
                let end = one_position(session, plan, position, repeat, out);
                for series in out {
                    series.columns.mark(session);
                }
                end
            });
            out.extend(series);
            end?;
        }
    }
    Ok(())
}

/// All sizes at one position, from the shortest to the longest: read, then written.
fn one_position(
    session: &mut Session<'_>,
    plan: &Plan,
    position: u64,
    repeat: u32,
    out: &mut [Series],
) -> Result<(), Stop> {
    let mut sample = 0;
    let mut random = Random(session.settings.seed ^ (position << 32) ^ u64::from(repeat));
    let mut go_away = |session: &mut Session<'_>| {
        sample += 1;
        plan.dummies(position, sample).try_for_each(|(block, count)| session.read(block, count).map(|_| ()))?;
        // Any phase of the turn is as likely as any other, whatever lies between here and the sample.
        session.idle(random.between(0, LONGEST_TURN_NS));
        Ok(())
    };
    for (size, &bytes) in plan.sizes_bytes.iter().enumerate() {
        let (place, blocks) = (plan.place(position, size, repeat), plan.blocks(bytes));
        go_away(session)?;
        let timing = transfer::read(session, place, blocks)?;
        out[0].push(place, blocks, timing);
        if session.writable() {
            let timing = transfer::write(session, place, blocks, &mut go_away)?;
            out[1].push(place, blocks, timing);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
