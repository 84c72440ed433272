//! The parts of ACCESS, each a series.

use serde::{Deserialize, Serialize};

use crate::identify::processors::Processors;
use crate::kinds::columns::TransferColumns;
use crate::session::{Session, Stop, Suite};
use crate::stats::{Random, count32, median};

/// What takes less than this many times the answer of a single block from the buffer came from the buffer.
const BUFFERED: u64 = 3;

/// The untimed part of a sample is this share of it.
const LEAD_SHARE: u64 = 8;

/// Halvings between the longest stretch that was still there and the shortest that was not.
const HALVINGS: u32 = 4;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Series {
    pub pattern: String,
    /// What the processors did meanwhile; `None` where nobody can tell.
    pub processors: Option<Processors>,
    /// Of `buffer`: how much had been read from there on before the block was read again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stream_blocks: Vec<u64>,
    #[serde(flatten)]
    pub columns: TransferColumns,
}

impl Series {
    fn push(&mut self, offset: u64, length: u64, elapsed_ns: u64, end_ns: u64) {
        self.columns.push(offset, length, elapsed_ns, (end_ns.saturating_sub(elapsed_ns), end_ns));
    }
}

/// Measures a part, with what the processors did meanwhile, and appends it.
pub fn part(
    session: &mut Session<'_>,
    pattern: &str,
    out: &mut Vec<Series>,
    mut measure: impl FnMut(&mut Session<'_>, &mut Series) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let (series, end) = session.piece(pattern, |session, series: &mut Series| {
        pattern.clone_into(&mut series.pattern);
        let before = session.processors();
        let end = measure(session, series);
        series.columns.mark(session);
        series.processors = session.processors().zip(before).map(|(after, before)| after.since(before));
        end
    });
    out.push(series);
    end
}

pub fn random(session: &mut Session<'_>, plan: &Plan, out: &mut Series) -> Result<(), Stop> {
    let capacity = session.geometry().capacity_blocks();
    let mut random = Random(session.settings.seed);
    // The first one only brings the head to a random place.
    session.read(random.between(0, capacity), 1)?;
    for _ in 0..plan.random_reads {
        let block = random.between(0, capacity);
        if let Some(timing) = session.read(block, 1)? {
            out.push(block, 1, timing.latency_ns, timing.end_ns());
        }
    }
    Ok(())
}

pub fn spread(session: &mut Session<'_>, plan: &Plan, out: &mut Series) -> Result<(), Stop> {
    let capacity = session.geometry().capacity_blocks();
    let last = u64::from(plan.spread - 1);
    for index in 0..=last {
        rate_at(session, plan, capacity / last * index, out)?;
    }
    Ok(())
}

/// Rates where the document's Table 2 has them.
pub fn positions(session: &mut Session<'_>, plan: &Plan, out: &mut Series) -> Result<(), Stop> {
    let capacity = session.geometry().capacity_blocks();
    for position in POSITIONS {
        let block = u128::from(capacity) * u128::from(position) / 10_000;
        rate_at(session, plan, u64::try_from(block).unwrap_or(capacity), out)?;
    }
    Ok(())
}

/// Reads on from `block` for as long as a sample lasts; near the end of the disk it starts so much earlier that it
/// ends with the disk, or a few requests before. An eighth of a sample is read before, untimed: no seek is in the time, and the drive already
/// reads ahead as it will at the end.
fn rate_at(session: &mut Session<'_>, plan: &Plan, block: u64, out: &mut Series) -> Result<(), Stop> {
    let geometry = session.geometry();
    let transfer = u64::from((TRANSFER_BYTES / geometry.block_bytes).max(1));
    let longest = out.columns.length_blocks.iter().copied().max().unwrap_or(transfer);
    let latest = geometry.capacity_blocks().saturating_sub(longest + longest / LEAD_SHARE + 2 * transfer);
    let start = block.min(latest) / transfer * transfer;
    let Some((first, before_ns)) = read_for(session, start, plan.sample_ns / LEAD_SHARE)? else { return Ok(()) };
    let Some((end, ended_ns)) = read_for(session, first, plan.sample_ns)? else { return Ok(()) };
    if end > first {
        out.push(first, end - first, ended_ns - before_ns, ended_ns);
    }
    Ok(())
}

/// Reads on for a time or to the end of the disk, one request at least where there is one. Answers with where and
/// when it ended; `None` where the medium failed.
fn read_for(session: &mut Session<'_>, start: u64, time_ns: u64) -> Result<Option<(u64, u64)>, Stop> {
    let geometry = session.geometry();
    let transfer = u64::from((TRANSFER_BYTES / geometry.block_bytes).max(1));
    let (mut at, mut began_ns, mut ended_ns) = (start, None, 0);
    while at < geometry.capacity_blocks() && ended_ns - began_ns.unwrap_or(0) < time_ns.max(1) {
        let count = transfer.min(geometry.capacity_blocks() - at);
        let Some(timing) = session.read(at, count32(count))? else { return Ok(None) };
        began_ns.get_or_insert(timing.start_ns);
        ended_ns = timing.end_ns();
        at += count;
    }
    Ok(began_ns.map(|_| (at, ended_ns)))
}

/// The same place again and again, in several sizes: what the buffer gives.
pub fn burst(session: &mut Session<'_>, plan: &Plan, out: &mut Series) -> Result<(), Stop> {
    let geometry = session.geometry();
    let place = geometry.capacity_blocks() / 3;
    for bytes in BURST_BYTES {
        let count = (bytes / geometry.block_bytes).max(1);
        if bytes > 0 && (!bytes.is_multiple_of(geometry.block_bytes) || count == 1) {
            continue;
        }
        // The first brings it from the medium.
        session.read(place, count)?;
        for _ in 0..plan.burst_reads {
            if let Some(timing) = session.read(place, count)? {
                out.push(place, u64::from(count), timing.latency_ns, timing.end_ns());
            }
        }
    }
    Ok(())
}

/// Reads a stretch once and then its first block again: how long may the stretch be for the buffer still to have it?
///
/// Lengths double until two of them are gone, then the distance is halved. Each row is a stretch and what the first
/// block took the second time.
pub fn buffer(session: &mut Session<'_>, plan: &Plan, hit_ns: u64, out: &mut Series) -> Result<(), Stop> {
    let geometry = session.geometry();
    let block_bytes = u64::from(geometry.block_bytes);
    let most = (plan.largest_buffer_bytes / block_bytes).min(geometry.capacity_blocks() / 4);
    let mut trial = Trial { random: Random(session.settings.seed ^ 0xB0F), hit_ns, tries: plan.buffer_tries };
    let mut length = (SMALLEST_BUFFER_BYTES / block_bytes).max(2);
    let (mut held, mut gone) = (0, None);
    while length <= most {
        if trial.holds(session, length, out)? {
            (held, gone) = (length, None);
        } else if gone.is_none() {
            gone = Some(length);
        } else {
            break;
        }
        length *= 2;
    }
    let Some(mut gone) = gone.filter(|_| held > 0) else { return Ok(()) };
    for _ in 0..HALVINGS {
        let between = u64::midpoint(held, gone);
        if trial.holds(session, between, out)? { held = between } else { gone = between }
    }
    Ok(())
}

struct Trial {
    random: Random,
    hit_ns: u64,
    tries: u32,
}

impl Trial {
    /// Whether the first block of such a stretch is still in the buffer when its last has been read, more often than not.
    fn holds(&mut self, session: &mut Session<'_>, length: u64, out: &mut Series) -> Result<bool, Stop> {
        let geometry = session.geometry();
        let transfer = u64::from((TRANSFER_BYTES / geometry.block_bytes).max(1));
        session.progress(&format!("buffer, {} KiB", length * u64::from(geometry.block_bytes) / 1024), 0);
        let mut hits = 0;
        for _ in 0..self.tries {
            let start = self.random.between(0, geometry.capacity_blocks() - length);
            let mut at = start;
            let mut whole = true;
            while at < start + length {
                let count = transfer.min(start + length - at);
                whole &= session.read(at, count32(count))?.is_some();
                at += count;
            }
            if let Some(timing) = session.read(start, 1)?.filter(|_| whole) {
                out.push(start, 1, timing.latency_ns, timing.end_ns());
                out.stream_blocks.push(length);
                hits += u32::from(timing.latency_ns < self.hit_ns * BUFFERED);
            }
        }
        Ok(hits * 2 > self.tries)
    }
}

pub fn single_block_ns(burst: &Series) -> u64 {
    let all = burst.columns.length_blocks.iter().zip(&burst.columns.elapsed_ns);
    median(&all.filter(|(length, _)| **length == 1).map(|(_, elapsed)| *elapsed).collect::<Vec<u64>>())
}

/// What HD Tune and HD Tach read at a time.
pub const TRANSFER_BYTES: u32 = 65_536;

/// The Maxtor document's Table 2, in hundredths of a per cent of the disk.
pub const POSITIONS: [u64; 9] = [275, 1525, 2775, 4025, 5275, 6525, 7775, 9025, 10_000];

/// Sizes of the requests that the buffer is to answer; the first is a single block.
pub const BURST_BYTES: [u32; 5] = [0, 8192, 16_384, 32_768, 65_536];

/// The shortest stretch that is looked for in the buffer, in requests of one block.
pub const SMALLEST_BUFFER_BYTES: u64 = 16_384;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Plan {
    pub random_reads: u32,
    /// Rates evenly over the disk, both ends included.
    pub spread: u32,
    /// How long each rate is measured; the request under way at that moment is its last.
    pub sample_ns: u64,
    pub burst_reads: u32,
    pub largest_buffer_bytes: u64,
    /// How often each length is looked for in the buffer.
    pub buffer_tries: u32,
}

impl Plan {
    pub fn new(suite: Suite) -> Self {
        match suite {
            Suite::Quick => Self {
                random_reads: 100,
                spread: 17,
                sample_ns: 80_000_000,
                burst_reads: 50,
                largest_buffer_bytes: 16 << 20,
                buffer_tries: 3,
            },
            Suite::Standard => Self {
                random_reads: 500,
                spread: 33,
                sample_ns: 300_000_000,
                burst_reads: 200,
                largest_buffer_bytes: 128 << 20,
                buffer_tries: 3,
            },
            Suite::Full | Suite::Day | Suite::Week => Self {
                random_reads: 2000,
                spread: 129,
                sample_ns: 1_000_000_000,
                burst_reads: 1000,
                largest_buffer_bytes: 1 << 30,
                buffer_tries: 5,
            },
        }
    }

    pub fn samples(&self) -> u64 {
        u64::from(self.spread) + POSITIONS.len() as u64
    }
}
