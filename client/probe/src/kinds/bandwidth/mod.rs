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

use super::estimate::{byte_ns, bytes_ns};
use super::{CacheRequirements, Cost, Declaration, Kind, Measurement, columns, transfer};
use crate::device::{Cache, Geometry, LONGEST_WRITE_BYTES};
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

#[derive(Serialize)]
struct Params {
    block_bytes: u32,
    #[serde(flatten)]
    plan: Plan,
    repeats: u32,
    stretch_bytes: u64,
    dummy_reads: u64,
    /// As the device said when the kind began; none where nobody can tell.
    write_cache: Option<bool>,
}

/// One position, one direction, one pass; equally long columns.
#[derive(Debug, Deserialize, Serialize)]
struct Series {
    variant: String,
    repeat: u32,
    position: u64,
    offset_blocks: Vec<u64>,
    length_blocks: Vec<u64>,
    elapsed_ns: Vec<u64>,
    /// 1 where something disturbed the transfer, 0 where nothing did; left out where nothing disturbed any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    disturbed: Vec<u8>,
    /// From when to when each transfer went on.
    #[serde(skip)]
    stretches: Vec<(u64, u64)>,
}

impl Series {
    fn new(variant: &str, repeat: u32, position: u64, samples: usize) -> Self {
        let column = || Vec::with_capacity(samples);
        let (offset_blocks, length_blocks, elapsed_ns) = (column(), column(), column());
        Self {
            variant: variant.to_owned(),
            repeat,
            position,
            offset_blocks,
            length_blocks,
            elapsed_ns,
            disturbed: Vec::new(),
            stretches: Vec::new(),
        }
    }

    /// A transfer in which the medium failed is left out.
    fn push(&mut self, offset: u64, length: u64, transfer: Option<transfer::Transfer>) {
        if let Some(transfer) = transfer {
            self.offset_blocks.push(offset);
            self.length_blocks.push(length);
            self.elapsed_ns.push(transfer.elapsed_ns);
            self.stretches.push((transfer.start_ns, transfer.end_ns));
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

    fn caches(&self, settings: &Settings) -> CacheRequirements {
        // A write that the buffer takes shows nothing of the medium.
        CacheRequirements { write: settings.writes.then_some(false), look_ahead: None }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        let of = |name, variant| transfer::peak_rate(entry, variant).map(|rate| (name, format!("{rate:.1} MB/s")));
        let numbers = [of("fastest read", "read"), of("fastest write", "write")];
        Overview { numbers: numbers.into_iter().flatten().collect(), drawing: None }
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let write_cache = session.cache(Cache::Write);
        session.progress("rate", 0);
        let plan = match Plan::find(session) {
            Ok(plan) => plan,
            Err(stop) => return Measurement::nothing("the run ended before the first transfer", Some(stop)),
        };
        let mut series = Vec::new();
        let stop = measure(session, &plan, &mut series).err();
        series.retain(|one| !one.offset_blocks.is_empty());
        let why = "no transfer was finished: the run ended first, or none could be read";
        let params = Params {
            block_bytes: session.geometry().block_bytes,
            repeats: session.settings.repeats_or(1),
            stretch_bytes: LONGEST_WRITE_BYTES,
            dummy_reads: DUMMY_READS,
            write_cache,
            plan,
        };
        Measurement::of(&params, series, stop, why)
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
            let (series, stop) =
                session.piece(&format!("{repeat}/{position}"), |session| one_position(session, plan, position, repeat));
            out.extend(series);
            stop.map_or(Ok(()), Err)?;
        }
    }
    Ok(())
}

/// All sizes at one position, from the shortest to the longest: read, then written.
fn one_position(session: &mut Session<'_>, plan: &Plan, position: u64, repeat: u32) -> (Vec<Series>, Option<Stop>) {
    let sizes = plan.sizes_bytes.len();
    let mut read = Series::new("read", repeat, position, sizes);
    let mut write = Series::new("write", repeat, position, sizes);
    let stop = both_directions(session, plan, position, repeat, &mut read, &mut write).err();
    for series in [&mut read, &mut write] {
        series.disturbed = columns::disturbed_mask(session.disturbed_mask(&series.stretches));
    }
    (vec![read, write], stop)
}

fn both_directions(
    session: &mut Session<'_>,
    plan: &Plan,
    position: u64,
    repeat: u32,
    read: &mut Series,
    write: &mut Series,
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
        read.push(place, blocks, timing);
        if session.writable() {
            let timing = transfer::write(session, place, blocks, &mut go_away)?;
            write.push(place, blocks, timing);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
