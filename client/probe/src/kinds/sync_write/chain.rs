//! One size: writes that each begin where the one before ended.

use serde::{Deserialize, Serialize};

use crate::device::Span;
use crate::kinds::columns::unmarked;
use crate::session::guard_band::guard_blocks;
use crate::session::{Session, Stop};
use crate::stats::{count32, to_f64, to_u64};

/// What is kept at a time, and therefore written over: the longest write, or many short ones.
pub const AREA_BYTES: u64 = 128 << 20;

/// Where the area begins, or further on where that place is bad. The block before it is written too, and nothing is in
/// the first MiB.
const STARTS_BYTES: [u64; 4] = [2 << 20, 257 << 20, 513 << 20, 1025 << 20];

/// The rate is found with so much.
const PROBE_BYTES: u64 = 1 << 20;

/// What is written over is read before, and no more of it than so many times what time allows to write.
const KEPT_TIMES: f64 = 2.0;

/// When a size is through: at so many writes, bytes or nanoseconds, but not before the fewest writes.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub count: u32,
    pub bytes: u64,
    pub time_ns: u64,
    pub fewest: u64,
}

impl Bound {
    /// How many different places a size needs, where a byte takes so long at least.
    fn places(&self, bytes: u64, byte_ns: f64) -> u64 {
        let in_time = to_f64(self.time_ns) * KEPT_TIMES / (to_f64(bytes) * byte_ns).max(1.0);
        self.writes(bytes).min((AREA_BYTES / bytes).max(1)).min(to_u64(in_time).max(self.fewest))
    }

    /// How many writes of that size there are to be, if time allows.
    pub fn writes(&self, bytes: u64) -> u64 {
        (self.bytes / bytes).clamp(self.fewest.min(u64::from(self.count)), u64::from(self.count))
    }
}

/// How the disk stands when a size begins.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Whether every pass begins with the block before the area.
    pub led: bool,
    /// Nanoseconds of a byte at the start of the disk; 0 where that is not known.
    pub byte_ns: f64,
}

/// So many writes of so many blocks from the start of the area on.
#[derive(Clone, Copy, Debug)]
struct Pass {
    blocks: u64,
    writes: u64,
    led: bool,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Chain {
    start_block: u64,
    offset_blocks: Vec<u64>,
    pub latency_ns: Vec<u64>,
    /// 1 where something disturbed the write, 0 where nothing did.
    #[serde(default, skip_serializing_if = "unmarked")]
    disturbed: Vec<u8>,
    #[serde(skip)]
    under_way: Vec<(u64, u64)>,
}

impl Chain {
    /// Writes of `blocks` each, every pass with the block before it where it is to be led. Empty where no place could
    /// be kept: nothing has been written then.
    pub fn take(&mut self, session: &mut Session<'_>, blocks: u64, bound: Bound, state: State) -> Result<(), Stop> {
        let end = self.measure(session, blocks, bound, state);
        self.disturbed = session.disturbed_mask(&self.under_way);
        end
    }

    fn measure(&mut self, session: &mut Session<'_>, blocks: u64, bound: Bound, state: State) -> Result<(), Stop> {
        let geometry = session.geometry();
        let block_bytes = u64::from(geometry.block_bytes);
        let bytes = blocks * block_bytes;
        let wanted = bound.writes(bytes);
        let each_pass = bound.places(bytes, state.byte_ns);
        let end = geometry.capacity_blocks().saturating_sub(guard_blocks(&geometry));
        for start in STARTS_BYTES.map(|start| (start / block_bytes).max(1)) {
            let room = end.saturating_sub(start) / blocks;
            let each_pass = each_pass.min(room);
            if each_pass > 0 && keep(session, start, blocks, each_pass)? {
                let room = usize::try_from(wanted).unwrap_or(0);
                self.start_block = start;
                self.offset_blocks.reserve(room);
                self.latency_ns.reserve(room);
                self.under_way.reserve(room);
                let pass = Pass { blocks, writes: each_pass, led: state.led };
                return self.write(session, pass, wanted, bound);
            }
        }
        Ok(())
    }

    /// Pass after pass over the area. A failed write is left out, and so is the one after it: where the head stood then
    /// is unknown.
    fn write(&mut self, session: &mut Session<'_>, pass: Pass, wanted: u64, bound: Bound) -> Result<(), Stop> {
        let started_ns = session.now_ns();
        let mut done = 0;
        while done < wanted {
            let mut known = !pass.led || session.write(0)?.is_some();
            for index in 0..pass.writes.min(wanted - done) {
                let timing = session.write(usize::try_from(index + 1).unwrap_or(usize::MAX))?;
                if let Some(timing) = timing.filter(|_| known) {
                    self.offset_blocks.push(self.start_block + index * pass.blocks);
                    self.latency_ns.push(timing.latency_ns);
                    self.under_way.push((timing.start_ns, timing.end_ns()));
                }
                known = timing.is_some();
                done += 1;
                if done >= bound.fewest && session.now_ns().saturating_sub(started_ns) >= bound.time_ns {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Nanoseconds of a byte where the area begins; 0 where it can't be read.
pub fn byte_ns(session: &mut Session<'_>) -> Result<f64, Stop> {
    let geometry = session.geometry();
    let block_bytes = u64::from(geometry.block_bytes);
    let (start, count) = (STARTS_BYTES[0] / block_bytes, (PROBE_BYTES / block_bytes).max(1));
    if start + 2 * count > geometry.capacity_blocks() {
        return Ok(0.0);
    }
    // The first one brings the arm there.
    session.read(start, count32(count))?;
    let timing = session.read(start + count, count32(count))?;
    Ok(timing.map_or(0.0, |timing| to_f64(timing.latency_ns) / to_f64(count * block_bytes)))
}

/// Keeps the block before the area, then the area in pieces of `blocks`; `false` where one of them can't be read.
fn keep(session: &mut Session<'_>, start: u64, blocks: u64, each_pass: u64) -> Result<bool, Stop> {
    let count = count32(blocks);
    let spans = (0..each_pass).map(|index| Span { block: start + index * blocks, count });
    let spans: Vec<Span> = std::iter::once(Span::single(start - 1)).chain(spans).collect();
    Ok(session.stage_spans(&spans)?.is_none())
}
