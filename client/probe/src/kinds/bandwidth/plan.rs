//! Where the samples of a run stand, how long they are and what is read between them.

use crate::device::{Geometry, LONGEST_READ_BYTES};
use crate::kinds::transfer;
use crate::session::{Session, Stop, Suite};
use crate::stats::to_f64;

/// Eridano 3.1: 22 powers of two from here to 1 GiB.
const SMALLEST_BYTES: u64 = 512;
const SIZES: u32 = 22;

/// Reads between two samples. A drive divides its buffer into a few dozen segments and gives each new stream the one
/// that was used longest ago, so that so many streams leave nothing of an earlier sample.
pub const DUMMY_READS: u64 = 64;
const DUMMY_BYTES: u64 = 64 << 10;
/// A slow disk has a small buffer: so little a dummy still fills one of half a MiB.
const SHORTEST_DUMMY_BYTES: u64 = 8 << 10;
/// From one dummy to the next: farther than drives read ahead.
const DUMMY_STRIDE_BYTES: u64 = 8 << 20;

/// What the disk's rate is found with, after as much that brings the arm there: little where that takes long enough to
/// tell.
const PROBE_BYTES: [u64; 2] = [512 << 10, 8 << 20];
const PROBE_NS: u64 = 50_000_000;

#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub positions: u64,
    /// From one size to the next, as a power of two.
    pub step: u32,
    /// No transfer is longer, where the disk's rate is as at its start.
    pub longest_ns: u64,
    /// No dummy is longer, as far as half a MiB of them together allows.
    pub dummy_ns: f64,
}

impl Extent {
    pub fn of(suite: Suite) -> Self {
        match suite {
            Suite::Quick => Self { positions: 4, step: 3, longest_ns: 150_000_000, dummy_ns: 2e6 },
            Suite::Standard => Self { positions: 16, step: 2, longest_ns: 1_000_000_000, dummy_ns: f64::INFINITY },
            Suite::Full | Suite::Day | Suite::Week => {
                Self { positions: 16, step: 1, longest_ns: u64::MAX, dummy_ns: f64::INFINITY }
            }
        }
    }

    /// The sizes in bytes, ascending, and those of them that this disk can't be asked for: shorter than a block, or so
    /// long that two positions would touch.
    pub fn sizes(&self, geometry: &Geometry, byte_ns: f64) -> (Vec<u64>, Vec<u64>) {
        let longest = (geometry.capacity_bytes / self.positions / 4).min(LONGEST_READ_BYTES);
        let fits = |bytes: &u64| *bytes >= u64::from(geometry.block_bytes) && *bytes <= longest;
        let all = (0..SIZES).step_by(self.step as usize).map(|power| SMALLEST_BYTES << power);
        let (fitting, left_out): (Vec<u64>, Vec<u64>) = all.partition(fits);
        let in_time = |bytes: &u64| to_f64(*bytes) * byte_ns <= to_f64(self.longest_ns);
        (fitting.into_iter().filter(in_time).collect(), left_out)
    }

    pub fn dummy_bytes(&self, byte_ns: f64) -> u64 {
        let halves = std::iter::successors(Some(DUMMY_BYTES), |bytes| Some(bytes / 2));
        let mut usable = halves.take_while(|&bytes| bytes >= SHORTEST_DUMMY_BYTES);
        usable.find(|&bytes| to_f64(bytes) * byte_ns <= self.dummy_ns).unwrap_or(SHORTEST_DUMMY_BYTES)
    }
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub positions: u64,
    /// Ascending.
    pub sizes_bytes: Vec<u64>,
    pub left_out_bytes: Vec<u64>,
    geometry: Geometry,
    first: u64,
    dummy_bytes: u64,
}

impl Plan {
    /// Looks how fast the disk is; what suites leave out for time depends on it.
    pub fn find(session: &mut Session<'_>) -> Result<Self, Stop> {
        let geometry = session.geometry();
        let extent = Extent::of(session.settings.suite);
        let rate = session.whole_piece("rate", probe)?;
        let (sizes_bytes, left_out_bytes) = extent.sizes(&geometry, rate);
        let first = transfer::first_block(session);
        Ok(Self {
            positions: extent.positions,
            sizes_bytes,
            left_out_bytes,
            geometry,
            first,
            dummy_bytes: extent.dummy_bytes(rate),
        })
    }

    fn spacing(&self) -> u64 {
        self.geometry.capacity_blocks() / self.positions
    }

    pub fn blocks(&self, bytes: u64) -> u64 {
        bytes / u64::from(self.geometry.block_bytes)
    }

    /// First block of a sample: each has blocks of its own, so that no buffer holds them from a sample before. The
    /// longest stands at the position itself, the others behind it, so that ascending sizes walk down and away from
    /// what a drive reads ahead. Repeats stand behind each other as far as there is room.
    pub fn place(&self, position: u64, size: usize, repeat: u32) -> u64 {
        let lane: u64 = self.sizes_bytes.iter().map(|&bytes| self.blocks(bytes)).sum();
        let lanes = (self.spacing() / 2 / lane.max(1)).max(1);
        let longer: u64 = self.sizes_bytes[size + 1..].iter().map(|&bytes| self.blocks(bytes)).sum();
        (position * self.spacing()).max(self.first) + u64::from(repeat) % lanes * lane + longer
    }

    /// Reads far away, no two samples' at the same places: what look-ahead was doing ends, the read buffer fills with
    /// what no sample asks for, and every sample begins with the arm about half the disk away.
    pub fn dummies(&self, position: u64, sample: u64) -> impl Iterator<Item = (u64, u32)> + use<> {
        let capacity = self.geometry.capacity_blocks();
        let spacing = self.spacing();
        // The half of the way to the next position in which no sample stands.
        let (window, far) = (spacing / 2, (position + self.positions / 2) % self.positions * spacing + spacing / 2);
        let count = self.blocks(self.dummy_bytes).max(1).min(window);
        let stride = self.blocks(DUMMY_STRIDE_BYTES).clamp(1, (window / (DUMMY_READS + 1)).max(1));
        let shift = sample * (stride * DUMMY_READS + count) % window;
        (0..DUMMY_READS).rev().map(move |dummy| {
            let block = far + (shift + dummy * stride) % window;
            (block.min(capacity - count), u32::try_from(count).unwrap_or(u32::MAX))
        })
    }
}

/// Nanoseconds per byte, wherever a few MiB can be read; 0 where nothing can.
fn probe(session: &mut Session<'_>) -> Result<f64, Stop> {
    let geometry = session.geometry();
    let block_bytes = u64::from(geometry.block_bytes);
    let mut byte_ns = 0.0;
    for bytes in PROBE_BYTES {
        let count = (bytes / block_bytes).min(geometry.capacity_blocks() / 32).max(1);
        let Some(elapsed_ns) = probe_with(session, count)? else { break };
        byte_ns = to_f64(elapsed_ns) / to_f64(count * block_bytes);
        if elapsed_ns >= PROBE_NS {
            break;
        }
    }
    Ok(byte_ns)
}

/// What so many blocks take behind as many others.
fn probe_with(session: &mut Session<'_>, count: u64) -> Result<Option<u64>, Stop> {
    let capacity = session.geometry().capacity_blocks();
    for start in [capacity / 32, capacity / 8, capacity / 4] {
        transfer::read(session, start, count)?;
        if let Some(read) = transfer::read(session, start + count, count)? {
            return Ok(Some(read.elapsed_ns));
        }
    }
    Ok(None)
}
