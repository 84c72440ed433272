//! What a kind works with: the device, the settings, and where errors and progress go.

#[cfg(test)]
pub mod fake;
pub mod guard_band;

mod burst;
mod pieces;
mod watch;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use self::guard_band::touches_guard_band;
use crate::device::{AccessError, Cache, CacheSwitchError, Device, Geometry, Span, Timing};
use crate::report::document::{Disturbance, MediumError};

pub use burst::{BurstResult, BurstStop, preallocate};
pub use pieces::{Journal, NullJournal, Piece};
use watch::LONG_PAUSE_NS;
pub use watch::{DisturbanceWatch, Disturbances};

/// So many medium errors in a row, at different places, are not a bad spot: the device is lost.
const CONSECUTIVE_ERRORS_MEAN_GONE: u32 = 24;

/// How many medium errors a run writes down one by one: the schema's bound, far above any disk worth measuring.
const ERRORS_KEPT: usize = 1000;

const LOOK_UP_NS: u64 = 500_000_000;

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ZonedMode {
    // Positions over the whole disk, refined where neighbours differ.
    Sampled,
    // Every block once, Figure 9 of the Skippy document.
    Streaming,
}

/// How much is measured; the words of each are those of `--help`.
#[derive(
    Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize, ValueEnum, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Suite {
    /// Under three minutes: what kind of disk it is
    Quick,
    /// Under twenty minutes, also on a disk of 20 TB
    Standard,
    /// Everything as the published methods did it, but what takes a day or a week
    Full,
    /// Fluctuations over a day
    Day,
    /// Temperature over a week
    Week,
}

impl Suite {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What the person asked for, as far as a kind has to know it.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Settings {
    /// How far a kind goes. A kind that was asked for by name goes as far as in `Full`.
    pub suite: Suite,
    pub repeats: u32,
    /// Whether the person said so, or `repeats` is what suits most kinds: see [`Settings::repeats_or`].
    pub repeats_asked: bool,
    pub zoned: ZonedMode,
    /// Whether the device will be open for writing.
    pub writes: bool,
    /// Whether the device's caches are put where a kind wants them.
    pub switch_caches: bool,
    /// Where random positions come from: the same seed asks for the same blocks.
    pub seed: u64,
    /// The seed again where an archive's challenge gave it: what else can be drawn is drawn from it then.
    #[serde(default)]
    pub challenge_seed: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            suite: Suite::Standard,
            repeats: 3,
            repeats_asked: false,
            zoned: ZonedMode::Sampled,
            writes: false,
            switch_caches: false,
            seed: 1,
            challenge_seed: None,
        }
    }
}

impl Settings {
    /// What was asked for, or a kind's own default where nobody said.
    pub fn repeats_or(&self, default: u32) -> u32 {
        if self.repeats_asked { self.repeats } else { default }
    }
}

/// Asks a run to end. Set from a signal handler, looked at between samples.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(pub Arc<AtomicBool>);

impl Interrupt {
    pub fn raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[derive(Debug)]
pub enum Stop {
    /// The person pressed Ctrl-C, or the system asked the probe to end.
    Interrupted,
    Gone(io::Error),
}

/// Hears how far a kind is. Called between series only, never between samples.
pub trait Progress {
    /// `doing` names what comes next, `remaining_ns` is device time left in this kind.
    fn update(&mut self, doing: &str, remaining_ns: u64);
}

pub struct NullProgress;

impl Progress for NullProgress {
    fn update(&mut self, _doing: &str, _remaining_ns: u64) {}
}

/// What several kinds need and only one has to find out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimates {
    /// Nanoseconds of one turn, where the device was seen to turn.
    pub rotation_ns: Option<u64>,
}

pub struct Session<'a> {
    device: &'a mut dyn Device,
    progress: &'a mut dyn Progress,
    journal: &'a mut dyn Journal,
    interrupt: Interrupt,
    pub settings: Settings,
    pub estimates: Estimates,
    pub errors: Vec<MediumError>,
    /// The caches that the kind switched itself, each time it did.
    pub switched: Vec<Cache>,
    errors_in_a_row: u32,
    /// What the device's clock lacks to the run's, which goes on over a reboot.
    clock_offset_ns: i64,
    /// When the last piece ended, or the session began.
    piece_from_ns: u64,
    /// What the device was told to keep, for the place of an error.
    staged: Vec<Span>,
    /// How often something was to be written where nothing ever is; stays 0 where the kinds place their writes rightly.
    pub refused_spans: u32,
    /// `None` where nobody else can reach the device.
    watch: Option<&'a mut dyn DisturbanceWatch>,
    /// Start and end of each request of the piece, on the device's clock; room is there from the start.
    spans: Vec<(u64, u64)>,
    pub disturbances: Vec<Disturbance>,
    began_ns: u64,
    /// Device time that went into attempts that were not the first.
    again_ns: u64,
}

impl<'a> Session<'a> {
    pub fn new(
        device: &'a mut dyn Device,
        progress: &'a mut dyn Progress,
        journal: &'a mut dyn Journal,
        interrupt: Interrupt,
        settings: Settings,
        estimates: Estimates,
    ) -> Self {
        let piece_from_ns = device.now_ns();
        Self {
            device,
            progress,
            journal,
            interrupt,
            settings,
            estimates,
            errors: Vec::new(),
            switched: Vec::new(),
            errors_in_a_row: 0,
            clock_offset_ns: 0,
            piece_from_ns,
            staged: Vec::new(),
            refused_spans: 0,
            watch: None,
            spans: Vec::new(),
            disturbances: Vec::new(),
            began_ns: piece_from_ns,
            again_ns: 0,
        }
    }

    /// The same session on the clock of a run that began before the device's own clock did.
    #[must_use]
    pub fn on_clock(mut self, offset_ns: i64) -> Self {
        self.clock_offset_ns = offset_ns;
        self.piece_from_ns = self.now_ns();
        self
    }

    pub fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    pub fn writable(&self) -> bool {
        self.device.writable()
    }

    pub fn max_transfer_blocks(&self) -> u32 {
        self.device.max_transfer_blocks()
    }

    pub fn progress(&mut self, doing: &str, remaining_ns: u64) {
        self.progress.update(doing, remaining_ns);
    }

    pub fn idle(&mut self, duration_ns: u64) {
        self.device.idle(duration_ns);
    }

    /// Lets a long time pass, and looks up in between whether the run has to end.
    pub fn pause(&mut self, duration_ns: u64) -> Result<(), Stop> {
        self.pause_watch(duration_ns, true);
        let result = self.sleep(duration_ns);
        self.pause_watch(duration_ns, false);
        result?;
        // Somebody may have changed the disk meanwhile. A short pause is none to ask the disk itself after.
        self.device.check_identity(duration_ns >= LONG_PAUSE_NS).map_err(Stop::Gone)
    }

    fn sleep(&mut self, duration_ns: u64) -> Result<(), Stop> {
        let end_ns = self.device.now_ns().saturating_add(duration_ns);
        loop {
            self.check_interrupt()?;
            let left_ns = end_ns.saturating_sub(self.device.now_ns());
            if left_ns == 0 {
                return Ok(());
            }
            self.device.idle(left_ns.min(LOOK_UP_NS));
        }
    }

    /// Nanoseconds on the run's clock: the device's, which a resumed run sets on by the time that it was cut off. A kind that
    /// compares moments of different pieces keeps them in the pieces' values.
    pub fn now_ns(&self) -> u64 {
        self.device.now_ns().wrapping_add_signed(self.clock_offset_ns)
    }

    pub fn cache(&mut self, which: Cache) -> Option<bool> {
        self.device.cache(which)
    }

    /// Switches the cache while the kind runs, for a kind that needs both states. The kind puts back what it found;
    /// where it can't, the device does when it is closed.
    pub fn set_cache(&mut self, which: Cache, on: bool) -> Result<(), CacheSwitchError> {
        if !self.settings.switch_caches {
            return Err(CacheSwitchError("this run was not to switch caches".to_owned()));
        }
        self.device.set_cache(which, on)?;
        self.switched.push(which);
        Ok(())
    }

    pub fn temperature_celsius(&mut self) -> Option<i32> {
        self.device.temperature_celsius()
    }

    /// Reads and times; `None` where the medium failed, which is then on record.
    pub fn read(&mut self, block: u64, count: u32) -> Result<Option<Timing>, Stop> {
        self.check_interrupt()?;
        let result = self.device.read_timed(block, count);
        self.settle_timing(result, "read")
    }

    /// Writes what `keep` kept at `index`, and times it; `None` where the medium failed.
    pub fn write(&mut self, index: usize) -> Result<Option<Timing>, Stop> {
        self.check_interrupt()?;
        let result = self.device.write_timed(index);
        self.settle_timing(result, "write")
    }

    /// Makes the blocks ready for `write`. Answers with the block that could not be read, or that stands where nothing is
    /// ever written, if there was one: nothing may be written then.
    pub fn stage(&mut self, blocks: &[u64]) -> Result<Option<u64>, Stop> {
        let spans: Vec<Span> = blocks.iter().map(|&block| Span::single(block)).collect();
        self.stage_spans(&spans)
    }

    /// As [`Session::keep`], for longer stretches, each up to [`crate::device::LONGEST_WRITE_BYTES`].
    pub fn stage_spans(&mut self, spans: &[Span]) -> Result<Option<u64>, Stop> {
        self.check_interrupt()?;
        let geometry = self.geometry();
        if let Some(span) = spans.iter().find(|&&span| touches_guard_band(&geometry, span)) {
            self.refused_spans += 1;
            return Ok(Some(span.block));
        }
        self.staged = spans.to_vec();
        let bad = match self.device.stage(spans) {
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

    /// As [`Session::settle`], with the start on the run's clock.
    fn settle_timing(&mut self, result: Result<Timing, AccessError>, operation: &str) -> Result<Option<Timing>, Stop> {
        let offset_ns = self.clock_offset_ns;
        if let Ok(timing) = &result {
            self.note_request(*timing);
        }
        let on_clock = |timing: Timing| Timing { start_ns: timing.start_ns.wrapping_add_signed(offset_ns), ..timing };
        self.settle(result.map(on_clock), operation)
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
