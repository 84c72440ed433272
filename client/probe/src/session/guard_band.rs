//! Where nothing is ever written: the first and the last MiB of a disk.
//!
//! Partition tables and their copies stand there, and a power cut in the middle of a write can tear a block. Kinds place
//! their writes by this; [`Session::stage_spans`](super::Session::keep_spans) refuses what stands there all the same.

use crate::device::{Geometry, Span};

const GUARD_BYTES: u64 = 1 << 20;

/// Blocks at either end of the disk that are left alone.
pub fn guard_blocks(geometry: &Geometry) -> u64 {
    GUARD_BYTES.div_ceil(u64::from(geometry.block_bytes))
}

/// Whether something of the span stands there.
pub fn touches_guard_band(geometry: &Geometry, span: Span) -> bool {
    let edge = guard_blocks(geometry);
    span.block < edge || span.block + u64::from(span.count) + edge > geometry.capacity_blocks()
}
