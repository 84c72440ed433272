//! Devices for tests: a minimal disk that turns, one that does not, and what can go wrong with either.

use std::collections::HashSet;
use std::io;

use super::{Estimates, Interrupt, NullJournal, NullProgress, Session, Settings};
use crate::device::request::{Action, Burst, BurstError, BurstOutcome, Completion, QueueUnavailable};
use crate::device::{AccessError, Cache, CacheSwitchError, Device, Geometry, Span, Timing};

/// A disk without caches whose every number is known.
pub struct Fake {
    pub now_ns: u64,
    pub capacity_blocks: u64,
    /// `None`: every request takes `mtm_ns`, as on a device that does not turn.
    pub rotation_ns: Option<u64>,
    pub mtm_ns: u64,
    pub heads: u64,
    pub head_skew_ns: u64,
    pub cylinder_skew_ns: u64,
    /// First block and blocks per track of each zone, from block 0.
    pub zones: Vec<(u64, u64)>,
    /// Seek time over the whole stroke; shorter seeks take their share of it.
    pub stroke_ns: u64,
    pub bad_blocks: HashSet<u64>,
    pub vanish_after: Option<u64>,
    pub interrupt_after: Option<(u64, Interrupt)>,
    pub requests: u64,
    pub writable: bool,
    /// Writes are answered at once, as by a drive with its write cache on.
    pub delays_writes: bool,
    pub staged: Vec<Span>,
    pub written: Vec<u64>,
    pub head_block: u64,
    /// What the sensor says; it gets a degree colder with every sixth hour. `None`: there is no sensor.
    pub celsius: Option<i32>,
    /// Why one issuer can't have several requests under way.
    pub no_queue: Option<String>,
    pub flushes: u32,
    /// From this moment on another disk is there.
    pub replaced_ns: Option<u64>,
}

impl Default for Fake {
    fn default() -> Self {
        Self {
            now_ns: 0,
            capacity_blocks: 4_000_000,
            rotation_ns: Some(8_333_333),
            mtm_ns: 2_000_000,
            heads: 6,
            head_skew_ns: 800_000,
            cylinder_skew_ns: 2_100_000,
            zones: vec![(0, 184)],
            stroke_ns: 16_000_000,
            bad_blocks: HashSet::new(),
            vanish_after: None,
            interrupt_after: None,
            requests: 0,
            writable: false,
            delays_writes: false,
            staged: Vec::new(),
            written: Vec::new(),
            head_block: 0,
            celsius: None,
            no_queue: None,
            flushes: 0,
            replaced_ns: None,
        }
    }
}

impl Fake {
    fn zone(&self, block: u64) -> (u64, u64) {
        *self.zones.iter().rev().find(|zone| zone.0 <= block).unwrap()
    }

    /// When in a turn the block starts, and how long it takes to pass.
    fn angle_ns(&self, block: u64, rotation_ns: u64) -> (u64, u64) {
        let (first, track_blocks) = self.zone(block);
        let track = (block - first) / track_blocks;
        let cylinders = track / self.heads;
        let skew = (track - cylinders) * self.head_skew_ns + cylinders * self.cylinder_skew_ns;
        let within = (block - first) % track_blocks;
        ((within * rotation_ns / track_blocks + skew) % rotation_ns, rotation_ns / track_blocks)
    }

    fn access(&mut self, block: u64, count: u32) -> Result<Timing, AccessError> {
        self.requests += 1;
        if self.vanish_after.is_some_and(|limit| self.requests > limit) {
            return Err(AccessError::Gone { source: io::Error::from_raw_os_error(19) });
        }
        if let Some((_, interrupt)) = self.interrupt_after.as_ref().filter(|(limit, _)| self.requests >= *limit) {
            interrupt.raise();
        }
        let start_ns = self.now_ns;
        assert!(block + u64::from(count) <= self.capacity_blocks, "block {block} is past the end");
        self.now_ns += 8_000;
        let sequential = block == self.head_block;
        self.head_block = block + u64::from(count);
        if self.bad_blocks.contains(&block) {
            self.now_ns += 300_000_000;
            return Err(AccessError::Medium { block, source: io::Error::from_raw_os_error(5) });
        }
        let Some(rotation) = self.rotation_ns else {
            self.now_ns += self.mtm_ns;
            return Ok(Timing { start_ns, latency_ns: self.now_ns - start_ns });
        };
        if sequential {
            // As a drive with look-ahead: the medium's rate, skews included.
            let track = self.zone(block).1;
            self.now_ns += (rotation + self.head_skew_ns) * u64::from(count) / track;
            return Ok(Timing { start_ns, latency_ns: self.now_ns - start_ns });
        }
        let (angle, block_ns) = self.angle_ns(block, rotation);
        let ready = self.now_ns + self.mtm_ns;
        let wait = (angle + rotation - ready % rotation) % rotation;
        self.now_ns = ready + wait + block_ns * u64::from(count);
        Ok(Timing { start_ns, latency_ns: self.now_ns - start_ns })
    }

    pub fn session<T>(&mut self, settings: Settings, act: impl FnOnce(&mut Session<'_>) -> T) -> T {
        let estimates = Estimates { rotation_ns: self.rotation_ns };
        let interrupt = self.interrupt_after.as_ref().map_or_else(Interrupt::default, |(_, flag)| flag.clone());
        let (mut null_progress, mut null_journal) = (NullProgress, NullJournal);
        let mut session = Session::new(self, &mut null_progress, &mut null_journal, interrupt, settings, estimates);
        act(&mut session)
    }
}

impl Device for Fake {
    fn geometry(&self) -> Geometry {
        Geometry {
            capacity_bytes: self.capacity_blocks * 512,
            logical_block_bytes: 512,
            physical_block_bytes: 512,
            block_bytes: 512,
        }
    }

    fn max_transfer_blocks(&self) -> u32 {
        2048
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn idle(&mut self, duration_ns: u64) {
        self.now_ns += duration_ns;
    }

    fn read_timed(&mut self, block: u64, count: u32) -> Result<Timing, AccessError> {
        self.access(block, count)
    }

    fn stage(&mut self, spans: &[Span]) -> Result<(), AccessError> {
        self.staged.clear();
        for span in spans {
            self.access(span.block, span.count)?;
        }
        self.staged = spans.to_vec();
        Ok(())
    }

    fn write_timed(&mut self, index: usize) -> Result<Timing, AccessError> {
        assert!(self.writable, "written although not writable");
        let Span { block, count } = self.staged[index];
        self.written.push(block);
        if self.delays_writes {
            self.now_ns += 50_000;
            return Ok(Timing { start_ns: self.now_ns - 50_000, latency_ns: 50_000 });
        }
        self.access(block, count)
    }

    /// One after the other, each handed over when the lane's request before it was answered.
    fn burst(&mut self, burst: &Burst<'_>, done: &mut Vec<Completion>) -> Result<BurstOutcome, BurstError> {
        done.clear();
        let lanes = burst.concurrency.lanes();
        let mut free_ns = vec![self.now_ns; lanes as usize];
        for (&action, index) in burst.actions.iter().zip(0..) {
            let lane = index % lanes;
            if burst.ends(free_ns[lane as usize]) {
                return Ok(burst.ending(done.len()));
            }
            let result = match action {
                Action::Read(span) => self.access(span.block, span.count),
                Action::Write(staged) => self.write_timed(staged),
            };
            let error = match result {
                Ok(_) => None,
                Err(AccessError::Medium { source, .. }) => source.raw_os_error(),
                Err(AccessError::Gone { source }) => return Err(BurstError::Gone(source)),
            };
            let start_ns = std::mem::replace(&mut free_ns[lane as usize], self.now_ns);
            done.push(Completion { action: index, lane, start_ns, latency_ns: self.now_ns - start_ns, error });
        }
        Ok(BurstOutcome::Complete)
    }

    fn flush(&mut self) {
        self.flushes += 1;
    }

    fn check_identity(&mut self, _thorough: bool) -> io::Result<()> {
        let replaced = self.replaced_ns.is_some_and(|at| self.now_ns >= at);
        if replaced { Err(io::Error::other("another disk is there")) } else { Ok(()) }
    }

    fn queue(&mut self, _depth: u32) -> Result<(), QueueUnavailable> {
        self.no_queue.clone().map_or(Ok(()), |why| Err(QueueUnavailable(why)))
    }

    fn cache(&mut self, which: Cache) -> Option<bool> {
        (which == Cache::Write).then_some(self.delays_writes)
    }

    fn set_cache(&mut self, which: Cache, on: bool) -> Result<(), CacheSwitchError> {
        if which == Cache::LookAhead {
            return Err(CacheSwitchError("this disk has no look-ahead".to_owned()));
        }
        self.delays_writes = on;
        Ok(())
    }

    fn temperature_celsius(&mut self) -> Option<i32> {
        let hours = i32::try_from(self.now_ns / 3_600_000_000_000).unwrap_or(i32::MAX);
        self.celsius.map(|celsius| celsius - hours / 6)
    }

    fn writable(&self) -> bool {
        self.writable
    }
}

/// A disk that remembers what it was told to make ready for writing.
pub struct Recording {
    pub disk: Box<dyn Device>,
    pub staged: Vec<Span>,
}

impl Device for Recording {
    fn geometry(&self) -> Geometry {
        self.disk.geometry()
    }

    fn max_transfer_blocks(&self) -> u32 {
        self.disk.max_transfer_blocks()
    }

    fn now_ns(&self) -> u64 {
        self.disk.now_ns()
    }

    fn idle(&mut self, duration_ns: u64) {
        self.disk.idle(duration_ns);
    }

    fn read_timed(&mut self, block: u64, count: u32) -> Result<Timing, AccessError> {
        self.disk.read_timed(block, count)
    }

    fn stage(&mut self, spans: &[Span]) -> Result<(), AccessError> {
        self.staged.extend_from_slice(spans);
        self.disk.stage(spans)
    }

    fn write_timed(&mut self, index: usize) -> Result<Timing, AccessError> {
        self.disk.write_timed(index)
    }

    fn burst(&mut self, burst: &Burst<'_>, done: &mut Vec<Completion>) -> Result<BurstOutcome, BurstError> {
        self.disk.burst(burst, done)
    }

    fn flush(&mut self) {
        self.disk.flush();
    }

    fn queue(&mut self, depth: u32) -> Result<(), QueueUnavailable> {
        self.disk.queue(depth)
    }

    fn cache(&mut self, which: Cache) -> Option<bool> {
        self.disk.cache(which)
    }

    fn set_cache(&mut self, which: Cache, on: bool) -> Result<(), CacheSwitchError> {
        self.disk.set_cache(which, on)
    }

    fn temperature_celsius(&mut self) -> Option<i32> {
        self.disk.temperature_celsius()
    }

    fn writable(&self) -> bool {
        self.disk.writable()
    }
}
