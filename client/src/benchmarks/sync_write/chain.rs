//! One size: writes that each begin where the one before ended.

use serde::{Deserialize, Serialize};

use crate::benchmarks::{Session, Stop};
use crate::device::Span;

/// What is kept at a time, and therefore written over: the longest write, or many short ones.
pub const AREA_BYTES: u64 = 128 << 20;

/// Where the area begins: behind what a partition table takes, or further on where that place is bad.
const STARTS_BYTES: [u64; 4] = [1 << 20, 257 << 20, 513 << 20, 1025 << 20];

/// When a size is through: at so many writes, bytes or nanoseconds, but not before the fewest writes.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub count: u32,
    pub bytes: u64,
    pub time_ns: u64,
    pub fewest: u64,
}

impl Bound {
    /// How many writes of that size there are to be, if time allows.
    pub fn writes(&self, bytes: u64) -> u64 {
        (self.bytes / bytes).clamp(self.fewest.min(u64::from(self.count)), u64::from(self.count))
    }
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
    pub start_block: u64,
    pub offset_blocks: Vec<u64>,
    pub latency_ns: Vec<u64>,
}

impl Chain {
    /// Writes of `blocks` each, every pass with the block before it where it is to be `led`. Empty where no place could
    /// be kept: nothing has been written then.
    pub fn take(session: &mut Session<'_>, blocks: u64, bound: Bound, led: bool) -> (Self, Option<Stop>) {
        let mut chain = Self::default();
        let stop = chain.measure(session, blocks, bound, led).err();
        (chain, stop)
    }

    fn measure(&mut self, session: &mut Session<'_>, blocks: u64, bound: Bound, led: bool) -> Result<(), Stop> {
        let geometry = session.geometry();
        let block_bytes = u64::from(geometry.block_bytes);
        let bytes = blocks * block_bytes;
        let wanted = bound.writes(bytes);
        let each_pass = wanted.min((AREA_BYTES / bytes).max(1));
        for start in STARTS_BYTES.map(|start| (start / block_bytes).max(1)) {
            let room = geometry.capacity_blocks().saturating_sub(start) / blocks;
            let each_pass = each_pass.min(room);
            if each_pass > 0 && keep(session, start, blocks, each_pass)? {
                let column = || Vec::with_capacity(usize::try_from(wanted).unwrap_or(0));
                *self = Self { start_block: start, offset_blocks: column(), latency_ns: column() };
                let pass = Pass { blocks, writes: each_pass, led };
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

/// Keeps the block before the area, then the area in pieces of `blocks`; `false` where one of them can't be read.
fn keep(session: &mut Session<'_>, start: u64, blocks: u64, each_pass: u64) -> Result<bool, Stop> {
    let count = u32::try_from(blocks).unwrap_or(u32::MAX);
    let spans = (0..each_pass).map(|index| Span { block: start + index * blocks, count });
    let spans: Vec<Span> = std::iter::once(Span::single(start - 1)).chain(spans).collect();
    Ok(session.keep_spans(&spans)?.is_none())
}
