//! One long transfer as a sample: read in one call, written in stretches that were kept before.

use super::{Session, Stop};
use crate::device::{Geometry, LONGEST_WRITE_BYTES, Span};

/// Nothing is written nearer to either end of a disk: partition tables stand there.
const MARGIN_BYTES: u64 = 1 << 20;

/// When a transfer began on the device's clock, and how long its calls took together.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Transfer {
    pub start_ns: u64,
    pub elapsed_ns: u64,
}

/// The first block that may be measured: the disk's first, or one behind its first MiB where something is written.
#[must_use]
pub fn first_block(session: &Session<'_>) -> u64 {
    if session.writable() { MARGIN_BYTES.div_ceil(u64::from(session.geometry().block_bytes)) } else { 0 }
}

/// Blocks of one stretch: the most that is written in one call.
#[must_use]
pub fn stretch_blocks(geometry: &Geometry) -> u64 {
    LONGEST_WRITE_BYTES / u64::from(geometry.block_bytes)
}

/// Reads `count` blocks in one call; `None` where the medium failed.
///
/// # Errors
/// [`Stop`] when the run has to end.
pub fn read(session: &mut Session<'_>, block: u64, count: u64) -> Result<Option<Transfer>, Stop> {
    let timing = session.read(block, count32(count))?;
    Ok(timing.map(|timing| Transfer { start_ns: timing.start_ns, elapsed_ns: timing.latency_ns }))
}

/// Writes `count` blocks, stretch after stretch; `None` where the medium failed.
///
/// Each stretch is kept first and `before` is called between keeping and writing, so that every write begins as the
/// first does; neither counts as the transfer's time.
///
/// # Errors
/// [`Stop`] when the run has to end.
pub fn write(
    session: &mut Session<'_>,
    block: u64,
    count: u64,
    before: &mut dyn FnMut(&mut Session<'_>) -> Result<(), Stop>,
) -> Result<Option<Transfer>, Stop> {
    let stretch = stretch_blocks(&session.geometry());
    let mut written: Option<Transfer> = None;
    let mut at = block;
    while at < block + count {
        let length = stretch.min(block + count - at);
        if session.keep_spans(&[Span { block: at, count: count32(length) }])?.is_some() {
            return Ok(None);
        }
        before(session)?;
        let Some(timing) = session.write(0)? else { return Ok(None) };
        let so_far = written.get_or_insert(Transfer { start_ns: timing.start_ns, elapsed_ns: 0 });
        so_far.elapsed_ns += timing.latency_ns;
        at += length;
    }
    Ok(written)
}

fn count32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
