//! How many blocks pass under the head in one turn, roughly: chooses steps and lengths, is never a result.

use super::rotation::common_rest;
use crate::session::{Session, Stop};
use crate::stats::{to_f64, to_u64};

const READS_PER_STRIDE: u64 = 18;

/// No track is longer than this: 10 million blocks are the schema's bound.
const LONGEST_TRACK_BLOCKS: u64 = 10_000_000;

/// Blocks that the probe reads before `near_block` at most when it estimates with strides up to `stride`.
const fn reach(stride: u64) -> u64 {
    stride * (READS_PER_STRIDE + 1)
}

/// Blocks of a track around `near_block`, from how much sooner a block comes by that lies further back: reading `m`
/// blocks back takes a turn less the time of `m` blocks. `None` where that shows nowhere.
pub fn estimate_blocks(session: &mut Session<'_>, near_block: u64, rotation_ns: u64) -> Result<Option<u64>, Stop> {
    let rotation = to_f64(rotation_ns);
    let mut from = near_block;
    let mut stride = 1;
    while stride < LONGEST_TRACK_BLOCKS && reach(stride) < from {
        let rest = interval_back(session, from, stride, rotation_ns)?;
        from -= reach(stride);
        // Between a fifth and half a turn earlier: large against the noise, short of the next block's turn.
        let earlier = rest.map_or(0.0, |rest| (rotation - to_f64(rest)) / rotation);
        if (0.17..0.6).contains(&earlier) {
            return Ok(Some(to_u64(to_f64(stride) / earlier).max(2)));
        }
        stride = if earlier < 0.08 { stride * 2 } else { stride + stride / 2 + 1 };
    }
    Ok(None)
}

/// By what part of a turn a block that far back comes by; `None` where too many reads failed.
fn interval_back(session: &mut Session<'_>, from: u64, stride: u64, rotation_ns: u64) -> Result<Option<u64>, Stop> {
    let mut intervals = Vec::with_capacity(20);
    let mut previous_end = None;
    for step in 1..=READS_PER_STRIDE {
        let timing = session.read(from - step * stride, 1)?;
        if let (Some(end), Some(timing)) = (previous_end, timing) {
            intervals.push(timing.end_ns().saturating_sub(end));
        }
        previous_end = timing.map(crate::device::Timing::end_ns);
    }
    Ok(common_rest(&intervals, rotation_ns))
}
