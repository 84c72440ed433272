//! What a kind works with: the device, the settings, and where errors and progress go.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::{AccessError, Device, Geometry, Timing};
use crate::report::document::MediumError;

/// So many medium errors in a row, at different places, are not a bad spot: the device is lost.
const CONSECUTIVE_ERRORS_MEAN_GONE: u32 = 24;

/// How many medium errors a run writes down one by one: the schema's bound, far above any disk worth measuring.
const ERRORS_KEPT: usize = 1000;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ZonedMode {
    /// Positions over the whole disk, refined where neighbours differ.
    Sampled,
    /// Every block once, Figure 9 of the Skippy document.
    Streaming,
}

/// What the person asked for, as far as a kind has to know it.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How often each series is measured.
    pub repeats: u32,
    pub zoned: ZonedMode,
    /// Where random positions come from: the same seed asks for the same blocks.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { repeats: 3, zoned: ZonedMode::Sampled, seed: 1 }
    }
}

/// Asks a run to end. Set from a signal handler, looked at between samples.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(pub Arc<AtomicBool>);

impl Interrupt {
    #[must_use]
    pub fn raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Why a kind ended before it was through.
#[derive(Debug)]
pub enum Stop {
    /// The person pressed Ctrl-C, or the system asked the probe to end.
    Interrupted,
    /// The device no longer answers.
    Gone(io::Error),
}

/// Hears how far a kind is. Called between series only, never between samples.
pub trait Progress {
    /// `doing` names what comes next, `remaining_ns` is device time left in this kind.
    fn update(&mut self, doing: &str, remaining_ns: u64);
}

/// Progress that nobody watches.
pub struct Quiet;

impl Progress for Quiet {
    fn update(&mut self, _doing: &str, _remaining_ns: u64) {}
}

/// What several kinds need and only one has to find out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notes {
    /// Nanoseconds of one turn, where the device was seen to turn.
    pub rotation_ns: Option<u64>,
}

pub struct Session<'a> {
    device: &'a mut dyn Device,
    progress: &'a mut dyn Progress,
    interrupt: Interrupt,
    pub settings: Settings,
    pub notes: Notes,
    pub errors: Vec<MediumError>,
    errors_in_a_row: u32,
}

impl<'a> Session<'a> {
    pub fn new(
        device: &'a mut dyn Device,
        progress: &'a mut dyn Progress,
        interrupt: Interrupt,
        settings: Settings,
        notes: Notes,
    ) -> Self {
        Self { device, progress, interrupt, settings, notes, errors: Vec::new(), errors_in_a_row: 0 }
    }

    #[must_use]
    pub fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    #[must_use]
    pub fn writable(&self) -> bool {
        self.device.writable()
    }

    #[must_use]
    pub fn max_transfer_blocks(&self) -> u32 {
        self.device.max_transfer_blocks()
    }

    pub fn progress(&mut self, doing: &str, remaining_ns: u64) {
        self.progress.update(doing, remaining_ns);
    }

    pub fn idle(&mut self, duration_ns: u64) {
        self.device.idle(duration_ns);
    }

    /// Reads and times; `None` where the medium failed, which is then on record.
    ///
    /// # Errors
    /// [`Stop`] when the run has to end.
    pub fn read(&mut self, block: u64, count: u32) -> Result<Option<Timing>, Stop> {
        self.check_interrupt()?;
        let result = self.device.read_timed(block, count);
        self.settle(result, "read")
    }

    /// Writes what `keep` kept at `index`, and times it; `None` where the medium failed.
    ///
    /// # Errors
    /// [`Stop`] when the run has to end.
    pub fn write(&mut self, index: usize) -> Result<Option<Timing>, Stop> {
        self.check_interrupt()?;
        let result = self.device.write_timed(index);
        self.settle(result, "write")
    }

    /// Makes the blocks ready for `write`. Answers with the block that could not be read, if there was one: nothing
    /// may be written then.
    ///
    /// # Errors
    /// [`Stop`] when the run has to end.
    pub fn keep(&mut self, blocks: &[u64]) -> Result<Option<u64>, Stop> {
        self.check_interrupt()?;
        let bad = match self.device.keep(blocks) {
            Err(AccessError::Medium { block, source }) => {
                self.settle(Err::<(), _>(AccessError::Medium { block, source }), "read")?;
                Some(block)
            }
            other => {
                self.settle(other, "read")?;
                None
            }
        };
        Ok(bad)
    }

    fn check_interrupt(&self) -> Result<(), Stop> {
        if self.interrupt.raised() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn settle<T>(&mut self, result: Result<T, AccessError>, operation: &str) -> Result<Option<T>, Stop> {
        match result {
            Ok(value) => {
                self.errors_in_a_row = 0;
                Ok(Some(value))
            }
            Err(AccessError::Gone { source }) => Err(Stop::Gone(source)),
            Err(AccessError::Medium { block, source }) => self.record_error(block, source, operation).map(|()| None),
        }
    }

    fn record_error(&mut self, block: u64, source: io::Error, operation: &str) -> Result<(), Stop> {
        self.errors_in_a_row += 1;
        let offset_bytes = block.saturating_mul(u64::from(self.device.geometry().block_bytes));
        if self.errors.len() < ERRORS_KEPT {
            self.errors.push(MediumError {
                offset_bytes,
                operation: operation.to_owned(),
                message: source.to_string(),
            });
        }
        if self.errors_in_a_row >= CONSECUTIVE_ERRORS_MEAN_GONE { Err(Stop::Gone(source)) } else { Ok(()) }
    }
}
