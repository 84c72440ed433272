//! One long transfer as a sample: read in one call, written in stretches that were kept before. What the kinds of
//! Eridano 3.1 to 3.3 are made of.

use serde::{Deserialize, Serialize};

use super::columns;
use crate::device::{Geometry, LONGEST_WRITE_BYTES, Span};
use crate::report::document::Measured;
use crate::session::guard_band::guard_blocks;
use crate::session::{Session, Stop};
use crate::stats::count32;
use crate::terminal::overview::Overview;

/// When a transfer began on the device's clock, and how long its calls took together.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[allow(clippy::struct_field_names, reason = "names have their units in them")]
pub struct Transfer {
    pub start_ns: u64,
    pub elapsed_ns: u64,
    /// When its last call was answered.
    pub end_ns: u64,
}

/// The first block that may be measured: the disk's first, or one behind its first MiB where something is written.
pub fn first_block(session: &Session<'_>) -> u64 {
    if session.writable() { guard_blocks(&session.geometry()) } else { 0 }
}

/// Blocks of one stretch: the most that is written in one call.
pub fn stretch_blocks(geometry: &Geometry) -> u64 {
    LONGEST_WRITE_BYTES / u64::from(geometry.block_bytes)
}

/// Reads `count` blocks in one call; `None` where the medium failed.
pub fn read(session: &mut Session<'_>, block: u64, count: u64) -> Result<Option<Transfer>, Stop> {
    let timing = session.read(block, count32(count))?;
    Ok(timing.map(|timing| Transfer {
        start_ns: timing.start_ns,
        elapsed_ns: timing.latency_ns,
        end_ns: timing.end_ns(),
    }))
}

/// Writes `count` blocks, stretch after stretch; `None` where the medium failed.
///
/// Each stretch is kept first and `before` is called between keeping and writing, so that every write begins as the
/// first does; neither counts as the transfer's time.
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
        if session.stage_spans(&[Span { block: at, count: count32(length) }])?.is_some() {
            return Ok(None);
        }
        before(session)?;
        let Some(timing) = session.write(0)? else { return Ok(None) };
        let so_far = written.get_or_insert(Transfer { start_ns: timing.start_ns, elapsed_ns: 0, end_ns: 0 });
        so_far.elapsed_ns += timing.latency_ns;
        so_far.end_ns = timing.end_ns();
        at += length;
    }
    Ok(written)
}

/// One transfer with its direction, as the kinds that watch the rate over time write it down.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Sample {
    pub write: bool,
    pub block: u64,
    pub count: u64,
    /// On the session's clock.
    pub at_ns: u64,
    pub elapsed_ns: u64,
    /// 1 where something disturbed it.
    #[serde(default)]
    pub disturbed: u8,
}

/// Reads of a round, then writes: a read behind a write would wait for what the cache holds of that.
pub fn directions(session: &Session<'_>) -> &'static [bool] {
    if session.writable() { &[false, true] } else { &[false] }
}

/// Marks what something disturbed, at the end of a piece.
pub fn set_disturbed<'a>(session: &mut Session<'_>, samples: impl IntoIterator<Item = &'a mut Sample>) {
    for sample in samples {
        sample.disturbed = session.disturbed_mask(&[(sample.at_ns, sample.at_ns + sample.elapsed_ns)])[0];
    }
}

/// Reads as a sample, or writes; nothing where the medium failed.
pub fn sample(session: &mut Session<'_>, is_write: bool, block: u64, count: u64) -> Result<Option<Sample>, Stop> {
    let before_ns = session.now_ns();
    let done = if is_write { write(session, block, count, &mut |_| Ok(()))? } else { read(session, block, count)? };
    Ok(done.map(|Transfer { elapsed_ns, .. }| {
        // Keeping what stands there comes first and is not part of the transfer.
        let at_ns = session.now_ns().saturating_sub(elapsed_ns).max(before_ns);
        Sample { write: is_write, block, count, at_ns, elapsed_ns, disturbed: 0 }
    }))
}

/// Bytes of a transfer of Eridano 3.2 and 3.3, or less where `room` is less: the power of two below it.
pub fn sample_bytes(geometry: &Geometry, room_bytes: u64) -> u64 {
    let most = room_bytes.min(LONGEST_WRITE_BYTES);
    let fitting = if most.is_power_of_two() { most } else { most.next_power_of_two() / 2 };
    fitting.max(u64::from(geometry.block_bytes))
}

/// One rate of each direction, in words, as `pick` chooses it from all of them in ascending order.
pub fn rates(entry: &Measured, names: [&'static str; 2], pick: fn(&[f64]) -> Option<&f64>) -> Overview {
    let of = |(name, variant)| {
        let series = columns::series_with(entry, "variant", variant);
        let mut rates: Vec<f64> = series.flat_map(|one| columns::rates(entry, one)).collect();
        rates.sort_by(f64::total_cmp);
        pick(&rates).map(|rate| (name, format!("{rate:.1} MB/s")))
    };
    names.into_iter().zip(["read", "write"]).filter_map(of).collect()
}

pub fn median_rates(entry: &Measured) -> Overview {
    rates(entry, ["median read", "median write"], |rates| rates.get(rates.len() / 2))
}

/// All samples of one direction, one entry per round; nothing where there are none.
#[derive(Debug, Serialize)]
pub struct RoundColumns {
    variant: &'static str,
    /// From the start of the kind.
    start_ns: Vec<u64>,
    #[serde(flatten)]
    columns: columns::TransferColumns,
}

impl RoundColumns {
    /// Of reads and of writes, each with what `samples` says beside them.
    pub fn of_directions<'a, T>(
        origin_ns: u64,
        samples: impl Iterator<Item = (T, &'a Sample)> + Clone,
    ) -> impl Iterator<Item = (Self, Vec<T>)> {
        [(false, "read"), (true, "write")].into_iter().filter_map(move |(write, variant)| {
            let mut series = Self { variant, start_ns: Vec::new(), columns: columns::TransferColumns::default() };
            let mut beside = Vec::new();
            for (said, one) in samples.clone().filter(|(_, one)| one.write == write) {
                series.start_ns.push(one.at_ns.saturating_sub(origin_ns));
                series.columns.push_marked(one.block, one.count, one.elapsed_ns, one.disturbed);
                beside.push(said);
            }
            (!beside.is_empty()).then_some((series, beside))
        })
    }
}
