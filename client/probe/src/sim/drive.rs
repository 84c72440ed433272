//! A simulated drive behind the `Device` trait: every request moves the virtual clock on.

use std::io;
use std::sync::Arc;

use super::engine::{Engine, Request};
use super::model::{Identity, Model, WriteCacheState};
use super::noise::{Noise, NoiseLevel};
use crate::device::request::{Action, Burst, BurstError, BurstOutcome, Completion, QueueUnavailable};
use crate::device::{AccessError, Cache, CacheSwitchError, Device, Geometry, Span, Timing};

/// What the host does between two requests (Skippy 4.1.1: 7 to 8 microseconds).
pub(super) const HOST_THINK_NS: u64 = 8_000;
const NOT_WRITABLE: &str = "the drive was not opened for writing";
const MAX_TRANSFER_BYTES: u32 = 4 << 20;

/// A drive that exists as a model. Nothing is stored: reads and writes take their time and carry no bytes.
#[derive(Debug)]
pub struct SimulatedDrive {
    pub(super) engine: Engine,
    pub(super) noise: Noise,
    identity: Identity,
    pub(super) now_ns: u64,
    pub(super) staged: Vec<Span>,
    writable: bool,
    /// Called before each timed request: fault injection.
    pub before_request: fn(),
}

impl SimulatedDrive {
    pub fn new(model: Arc<Model>, level: NoiseLevel, seed: u64) -> Self {
        let mut identity = model.identity.clone();
        identity.serial = format!("SIM-{}-{seed}", model.name);
        let (engine, noise) = (Engine::new(model), Noise::new(level, seed));
        Self { engine, noise, identity, now_ns: 0, staged: Vec::new(), writable: true, before_request: || {} }
    }

    /// The same drive, opened read-only as a real one may be.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { writable: false, ..self }
    }

    pub fn model(&self) -> &Model {
        self.engine.model()
    }

    /// What the drive says of itself, with the write cache as it stands now.
    pub fn identity(&self) -> Identity {
        let write_cache = WriteCacheState { current: self.engine.write_cache(), ..self.identity.write_cache };
        Identity { write_cache, ..self.identity.clone() }
    }

    /// The completion noise that was asked for, at its start.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// Turns delayed writes on or off; says whether the drive obeyed (some cannot change it).
    pub fn set_write_cache(&mut self, on: bool) -> bool {
        if self.identity.write_cache.changeable {
            self.engine.set_write_cache(on);
        }
        self.engine.write_cache() == on
    }

    pub fn look_ahead(&self) -> bool {
        self.engine.look_ahead()
    }

    /// Turns reading ahead on or off. A drive without a read buffer stays off.
    pub fn set_look_ahead(&mut self, on: bool) -> bool {
        self.engine.set_look_ahead(on && self.model().read_cache.segments > 0);
        self.engine.look_ahead() == on
    }

    /// What the drive's sensor says now; `None` where the model has none.
    pub fn temperature_celsius(&self) -> Option<i32> {
        self.model().temperature.map(|temperature| temperature.celsius_at(self.now_ns))
    }

    fn serve(&mut self, block: u64, count: u32, write: bool) -> Result<Timing, AccessError> {
        let model = self.engine.model();
        if block + u64::from(count) > model.capacity_sectors || count == 0 {
            let message = format!("{count} blocks from {block} are not on a drive of {}", model.capacity_sectors);
            let source = io::Error::new(io::ErrorKind::InvalidInput, message);
            return Err(AccessError::Medium { block, source });
        }
        let ratio = model.blocks_per_sector();
        let (first, blocks) = (block * ratio, u64::from(count) * ratio);
        let request = if write { Request::write(first, blocks) } else { Request::read(first, blocks) };
        let start_ns = self.now_ns + HOST_THINK_NS;
        let end = self.engine.serve(start_ns as f64, request) + self.noise.delay_ns();
        self.now_ns = end.round() as u64;
        Ok(Timing { start_ns, latency_ns: self.now_ns - start_ns })
    }
}

impl Device for SimulatedDrive {
    fn geometry(&self) -> Geometry {
        let model = self.model();
        Geometry {
            capacity_bytes: model.capacity_bytes(),
            logical_block_bytes: model.logical_block_bytes,
            physical_block_bytes: model.physical_block_bytes,
            block_bytes: model.physical_block_bytes,
        }
    }

    fn max_transfer_blocks(&self) -> u32 {
        MAX_TRANSFER_BYTES / self.model().physical_block_bytes
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn idle(&mut self, duration_ns: u64) {
        self.now_ns += duration_ns;
    }

    fn read_timed(&mut self, block: u64, count: u32) -> Result<Timing, AccessError> {
        (self.before_request)();
        self.serve(block, count, false)
    }

    fn stage(&mut self, spans: &[Span]) -> Result<(), AccessError> {
        for span in spans {
            self.serve(span.block, span.count, false)?;
        }
        self.staged.clear();
        self.staged.extend_from_slice(spans);
        Ok(())
    }

    fn write_timed(&mut self, index: usize) -> Result<Timing, AccessError> {
        if !self.writable {
            let source = io::Error::new(io::ErrorKind::PermissionDenied, NOT_WRITABLE);
            return Err(AccessError::Gone { source });
        }
        (self.before_request)();
        let Span { block, count } = self.staged[index];
        self.serve(block, count, true)
    }

    fn burst(&mut self, burst: &Burst<'_>, done: &mut Vec<Completion>) -> Result<BurstOutcome, BurstError> {
        let writes = burst.actions.iter().any(|action| matches!(action, Action::Write(_)));
        if writes && !self.writable {
            return Err(BurstError::Refused(NOT_WRITABLE.to_owned()));
        }
        self.serve_burst(burst, done)
    }

    fn flush(&mut self) {
        self.now_ns = self.now_ns.max(self.engine.flush(self.now_ns as f64).round() as u64);
    }

    fn queue(&mut self, _depth: u32) -> Result<(), QueueUnavailable> {
        Ok(())
    }

    fn cache(&mut self, which: Cache) -> Option<bool> {
        Some(match which {
            Cache::Write => self.engine.write_cache(),
            Cache::LookAhead => self.engine.look_ahead(),
        })
    }

    fn set_cache(&mut self, which: Cache, on: bool) -> Result<(), CacheSwitchError> {
        let obeyed = match which {
            Cache::Write => self.set_write_cache(on),
            Cache::LookAhead => self.set_look_ahead(on),
        };
        let word = if on { "on" } else { "off" };
        if obeyed {
            Ok(())
        } else {
            Err(CacheSwitchError(format!("the drive's {} can't be switched {word}", which.label())))
        }
    }

    fn temperature_celsius(&mut self) -> Option<i32> {
        Self::temperature_celsius(self)
    }

    fn writable(&self) -> bool {
        self.writable
    }
}

#[cfg(test)]
mod tests;
