//! The `Device` trait: what a benchmark can ask of a disk, real or simulated.

mod arena;
pub mod identity;
pub mod open;
pub mod passthrough;
pub mod raw;
pub mod request;
mod syscalls;
pub mod traffic;
mod uring;
mod workers;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::identify::processors::Processors;
use request::{Action, Burst, BurstError, BurstOutcome, Completion, QueueUnavailable};

pub use crate::identify::pages::{Cache, CacheStates};
pub use request::{AccessError, Span, Timing};

/// Sizes in which a device is addressed. A block is what the benchmarks step by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    pub capacity_bytes: u64,
    pub logical_block_bytes: u32,
    pub physical_block_bytes: u32,
    /// The block the benchmarks use: the physical block where the device tells it, else the logical one.
    pub block_bytes: u32,
}

/// Physical blocks above this are a stripe or a page of flash, not a sector of a disk.
const LARGEST_BLOCK_BYTES: u32 = 65_536;

impl Geometry {
    /// Chooses the block: the physical one, where what the device says of it can be true.
    pub fn new(capacity_bytes: u64, logical: u32, physical: u32) -> Self {
        let usable = physical.is_power_of_two() && (logical..=LARGEST_BLOCK_BYTES).contains(&physical);
        Self {
            capacity_bytes,
            logical_block_bytes: logical,
            physical_block_bytes: physical.max(logical),
            block_bytes: if usable { physical } else { logical },
        }
    }

    pub fn capacity_blocks(&self) -> u64 {
        self.capacity_bytes / u64::from(self.block_bytes)
    }
}

/// What may be written; the words of each are those of `--help`.
#[derive(Clone, Copy, Debug, serde::Deserialize, Eq, PartialEq, serde::Serialize, clap::ValueEnum, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Writing {
    /// Nothing: the disk is opened read-only
    #[value(name = "none")]
    #[strum(serialize = "none")]
    Nothing,
    /// The bytes that stand there: its content stays as it is
    Preserve,
    /// The probe's own pattern: content is lost
    Destroy,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CacheSwitchError(pub String);

/// The longest span that may be handed to `read_timed`, and that may be kept: a single call, which the kernel passes on in pieces.
pub const LONGEST_READ_BYTES: u64 = 1 << 30;
pub const LONGEST_WRITE_BYTES: u64 = 128 << 20;

/// A disk under measurement. All positions and counts are in blocks of `geometry().block_bytes`.
///
/// Implementations allocate every buffer up front: between two timed requests nothing allocates, locks or prints.
pub trait Device {
    fn geometry(&self) -> Geometry;

    /// Blocks that the kernel passes to the device in one piece. `read_timed` takes more, up to
    /// [`LONGEST_READ_BYTES`]; the device then sees several requests, under way at once.
    fn max_transfer_blocks(&self) -> u32;

    fn now_ns(&self) -> u64;

    /// Lets time pass without a request (a host that thinks, a pause between samples).
    fn idle(&mut self, duration_ns: u64);

    /// Reads `count` blocks into an internal buffer and times it.
    /// Errors: [`AccessError`] when the medium or the device fails.
    fn read_timed(&mut self, block: u64, count: u32) -> Result<Timing, AccessError>;

    /// Makes the spans ready for `write_timed`, in this order: in `preserve` mode it reads what stands there and keeps
    /// the bytes inside the device handle. Replaces what an earlier call kept. Untimed. No span is longer than
    /// [`LONGEST_WRITE_BYTES`], and memory is taken for all of them together.
    /// Errors: [`AccessError`] when a block can't be read: nothing may then be written there.
    fn stage(&mut self, spans: &[Span]) -> Result<(), AccessError>;

    /// Writes the span that `keep` was told at `index` in one call, and times it. In `preserve` mode the
    /// bytes are those that `keep` read, in `destroy` mode the device's own pattern.
    /// Errors: [`AccessError`] when the medium or the device fails, or when the device was not opened for writing.
    fn write_timed(&mut self, index: usize) -> Result<Timing, AccessError>;

    /// Serves the requests one right after the other and appends to `timings` what each took; room is there for all of
    /// them. Ends within a tenth of a second when `interrupt` is set. Spans read are no longer than [`LONGEST_READ_BYTES`].
    ///
    /// Between the end of a request and the start of the next nothing happens that does not have to.
    /// Errors: [`AccessError`] of the request that failed, the one behind those of `timings`. Later ones were not made.
    fn chain(
        &mut self,
        actions: &[Action],
        interrupt: &AtomicBool,
        timings: &mut Vec<Timing>,
    ) -> Result<(), AccessError> {
        one_by_one(self, actions, interrupt, timings)
    }

    /// Serves many requests with several under way at once, each timed by itself. `done` is cleared and then holds what
    /// was served, in the order of the actions, whatever the answer. Requests that are under way when it has to end are
    /// waited for: nothing reads from or writes to the device once this has returned.
    ///
    /// In `preserve` mode a write that failed is tried once more at the end, untimed: what stood there is still known.
    /// Errors: [`BurstError`] when the burst asks for what the device can't do, or when the device is gone.
    fn burst(&mut self, burst: &Burst<'_>, done: &mut Vec<Completion>) -> Result<BurstOutcome, BurstError>;

    fn queue(&mut self, depth: u32) -> Result<(), QueueUnavailable>;

    /// What the machine's processors did so far; `None` for a simulated drive, whose time is not theirs.
    fn processors(&self) -> Option<Processors> {
        None
    }

    /// Waits until what the device was given to write is on the medium, untimed. A device without a write cache, or one
    /// that does not obey, is through at once.
    fn flush(&mut self) {}

    /// Whether it is still the disk that it was when it was opened, with the same medium. `thorough` asks the disk itself
    /// as well who it is, which takes a command or two.
    /// Errors: what is there instead, as a sentence; no byte is to be written to that.
    fn check_identity(&mut self, _thorough: bool) -> std::io::Result<()> {
        Ok(())
    }

    fn writable(&self) -> bool;

    /// Whether the cache is on now; `None` where nobody can tell.
    fn cache(&mut self, which: Cache) -> Option<bool>;

    /// Switches the cache, for as long as the device has power.
    fn set_cache(&mut self, which: Cache, on: bool) -> Result<(), CacheSwitchError>;

    /// Takes the caches as they stand now for what they are put back to when the device is closed.
    fn accept_caches(&mut self) {}

    /// What the device's sensor says now; `None` where it has none or it can't be asked.
    fn temperature_celsius(&mut self) -> Option<i32>;

    /// What was asked of the device, where others may ask it too.
    fn traffic(&self) -> Option<std::sync::Arc<traffic::Traffic>> {
        None
    }

    /// Requests made so far, where others' requests can be told from ours by counting; `None` where there are no others.
    fn requests(&self) -> Option<u64> {
        None
    }
}

/// A chain for devices that have no better way.
fn one_by_one(
    device: &mut (impl Device + ?Sized),
    actions: &[Action],
    interrupt: &AtomicBool,
    timings: &mut Vec<Timing>,
) -> Result<(), AccessError> {
    for &action in actions {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        timings.push(match action {
            Action::Read(span) => device.read_timed(span.block, span.count)?,
            Action::Write(index) => device.write_timed(index)?,
        });
    }
    Ok(())
}
