//! One region: how long it is and how it is read.

use serde::{Deserialize, Serialize};

use crate::device::Geometry;
use crate::kinds::columns::TransferColumns;
use crate::kinds::estimate::bytes_ns;
use crate::session::{Session, Stop, Suite};
use crate::stats::{count32, to_f64, to_u64};

/// Bytes of one request, where the device takes so many.
const TRANSFER_BYTES: u32 = 1 << 20;

/// Where time is short requests are as much shorter as a slow disk needs for regions of the same number of turns.
const SHORTEST_TRANSFER_BYTES: u32 = 64 << 10;

/// A turn where none is known: the device may not turn at all, and regions then only have to be long enough to time.
const TURN_WITHOUT_ROTATION_NS: u64 = 8_000_000;

/// So many turns of reading make a region.
const TURNS_PER_REGION: u64 = 36;

/// Drives answer in bursts of what they have read ahead. The clock starts when that has settled, after two requests, and
/// regions have a multiple of four, so that bursts of one, two and four requests make none longer than the other.
pub const LEAD: u64 = 2;
pub const BURST: u64 = 4;

/// A streaming run reports in at most so many regions: what a chart can show and an envelope can carry.
const STREAMING_REGIONS_MOST: u64 = 4000;

/// Regions at equal distances, the first and the last one included.
pub const COARSE: u64 = 65;

/// A boundary between zones is located to this share of the disk.
pub const RESOLUTION: u64 = 2048;

/// Neighbours that differ by less are taken to be alike even where the noise is smaller: zones differ by more.
pub const ALIKE: f64 = 0.006;

#[derive(Debug, Default, Serialize)]
pub struct Series {
    pub repeat: u32,
    #[serde(flatten)]
    pub columns: TransferColumns,
    /// Number of the cell that the region belongs to, where regions were read in cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Vec<u64>>,
}

/// How long a region took, `None` where the medium failed, and 1 where something disturbed it.
pub type RegionTime = (Option<u64>, u8);

impl Series {
    pub fn new(repeat: u32) -> Self {
        Self { repeat, ..Self::default() }
    }

    pub fn push(&mut self, offset: u64, length: u64, (elapsed_ns, mark): RegionTime) {
        if let Some(elapsed_ns) = elapsed_ns {
            self.columns.push_marked(offset, length, elapsed_ns, mark);
        }
    }

    pub fn push_in(&mut self, group: u64, offset: u64, length: u64, seen: RegionTime) {
        self.group.get_or_insert_default().push(group);
        self.push(offset, length, seen);
    }
}

/// What a region takes with the seek to it and the requests before it, for an estimate.
pub fn cost_ns(geometry: &Geometry, suite: Suite, rotation_ns: u64) -> u64 {
    let turns_ns = (TURNS_PER_REGION + 4) * rotation_ns;
    let whole_requests_ns = bytes_ns(geometry, (BURST + LEAD) * u64::from(TRANSFER_BYTES));
    let reading_ns = if suite == Suite::Quick { turns_ns } else { turns_ns.max(whole_requests_ns) };
    // The inner part is slower than the start, where the length is chosen.
    reading_ns * 5 / 4 + 20_000_000
}

#[derive(Clone, Deserialize, Serialize)]
pub struct Plan {
    pub capacity: u64,
    pub transfer_blocks: u64,
    /// Blocks of a region: a whole number of requests.
    pub length: u64,
    /// Nanoseconds per block at the start of the disk.
    pub block_ns: f64,
}

/// Blocks of one request as far as the kind cares.
pub fn transfer_blocks(geometry: &Geometry) -> u32 {
    (TRANSFER_BYTES / geometry.block_bytes).max(1)
}

impl Plan {
    /// Reads a little at the start of the disk and chooses the length of a region; `None` where that can't be read.
    pub fn find(session: &mut Session<'_>, transfer_blocks: u32) -> Result<Option<Self>, Stop> {
        let capacity = session.geometry().capacity_blocks();
        let transfer = u64::from(transfer_blocks).min(capacity);
        let turn_ns = session.estimates.rotation_ns.unwrap_or(TURN_WITHOUT_ROTATION_NS);
        let quick = session.settings.suite == Suite::Quick;
        let tried = transfer * if quick { 2 } else { 8 };
        let mut plan = Self { capacity, transfer_blocks: transfer, length: tried, block_ns: 0.0 };
        // Anywhere that can be read will do: the first place may have a bad spot.
        for start in [0, capacity / 8, capacity / 4, capacity / 2] {
            let blocks = plan.length.min(capacity - start);
            if let Some(elapsed) = read(session, &plan, start, blocks, 1)? {
                plan.block_ns = to_f64(elapsed.max(1)) / to_f64(blocks);
                if quick {
                    plan.shorten(u64::from((SHORTEST_TRANSFER_BYTES / session.geometry().block_bytes).max(1)), turn_ns);
                }
                let transfer = plan.transfer_blocks;
                let wanted = to_f64(TURNS_PER_REGION * turn_ns) / plan.block_ns / to_f64(transfer);
                plan.length = (to_u64(wanted.ceil()).max(1).next_multiple_of(BURST) * transfer).min(capacity);
                return Ok(Some(plan));
            }
        }
        Ok(None)
    }

    /// Halves the requests until a quarter of a region is the fewest of them that a region may grow by.
    fn shorten(&mut self, shortest: u64, turn_ns: u64) {
        let longest = to_f64(TURNS_PER_REGION * turn_ns / (4 * BURST));
        while to_f64(self.transfer_blocks) * self.block_ns > longest && self.transfer_blocks / 2 >= shortest {
            self.transfer_blocks /= 2;
        }
    }

    /// What reading so many blocks takes at the start of the disk.
    pub fn nanoseconds(&self, blocks: u64) -> u64 {
        to_u64(self.block_ns * to_f64(blocks))
    }

    /// Blocks of a region when everything is read.
    pub fn streaming_length(&self) -> u64 {
        let shortest = self.capacity.div_ceil(STREAMING_REGIONS_MOST);
        shortest.max(self.length).div_ceil(self.transfer_blocks) * self.transfer_blocks
    }
}

/// Reads a region and times it from the end of the request before it to the end of its own last one; `None` where the
/// medium failed. `lead` requests just before the region are read first, untimed; at the start of the disk
/// there is none, and the region's first request takes its place.
pub fn read(session: &mut Session<'_>, plan: &Plan, offset: u64, blocks: u64, lead: u64) -> Result<Option<u64>, Stop> {
    let mut started_ns = None;
    for before in (1..=lead).rev().filter(|before| offset >= before * plan.transfer_blocks) {
        let count = count32(plan.transfer_blocks);
        let Some(timing) = session.read(offset - before * plan.transfer_blocks, count)? else { return Ok(None) };
        started_ns = Some(timing.end_ns());
    }
    let mut ended_ns = 0;
    let mut at = offset;
    while at < offset + blocks {
        let count = plan.transfer_blocks.min(offset + blocks - at);
        let Some(timing) = session.read(at, count32(count))? else { return Ok(None) };
        started_ns.get_or_insert(timing.start_ns);
        ended_ns = timing.end_ns();
        at += count;
    }
    Ok(started_ns.map(|start| ended_ns.saturating_sub(start)))
}

/// Reads regions, each from its first block, so many blocks and requests before it, until the run has to end.
pub fn read_each(
    session: &mut Session<'_>,
    plan: &Plan,
    places: impl IntoIterator<Item = (u64, u64, u64)>,
    out: &mut Vec<RegionTime>,
) -> Result<(), Stop> {
    let (mut times, mut under_way) = (Vec::new(), Vec::new());
    let end = places.into_iter().try_for_each(|(offset, blocks, lead)| {
        let began_ns = session.now_ns();
        times.push(read(session, plan, offset, blocks, lead)?);
        under_way.push((began_ns, session.now_ns()));
        Ok(())
    });
    out.extend(times.into_iter().zip(session.disturbed_mask(&under_way)));
    end
}

/// Time of a region with the seek to it, and a slower inner part.
pub fn region_ns(plan: &Plan) -> u64 {
    plan.nanoseconds(plan.length) * 13 / 10 + 20_000_000
}
