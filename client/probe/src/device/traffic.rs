//! What the probe asked of a device, for a thread that compares it with what the device did.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The kernel counts sectors of this size, whatever the device's blocks are.
const SECTOR_BYTES: u64 = 512;

/// Counts of one writer, the measuring thread. Counted before a request is handed over, so that a reader who looks at the
/// device's own counters first never sees more of ours there than here.
#[derive(Debug, Default)]
pub struct Traffic {
    requests: AtomicU64,
    sectors: AtomicU64,
    /// While requests are under way that are counted only when they are through.
    held: AtomicBool,
}

impl Traffic {
    pub fn add(&self, requests: u64, bytes: u64) {
        self.counts().add(requests, bytes);
    }

    /// The counts for the one writer, who counts nothing by other ways while it has them.
    pub fn counts(&self) -> Counts<'_> {
        Counts {
            requests: self.requests.load(Ordering::Relaxed),
            sectors: self.sectors.load(Ordering::Relaxed),
            traffic: self,
        }
    }

    /// Until `held` is taken back the counts say nothing.
    pub fn hold(&self, held: bool) {
        self.held.store(held, Ordering::Release);
    }

    /// Requests and sectors; `None` while they say nothing.
    pub fn counted(&self) -> Option<(u64, u64)> {
        let counts = (self.requests(), self.sectors.load(Ordering::Acquire));
        (!self.held.load(Ordering::Acquire)).then_some(counts)
    }

    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Acquire)
    }
}

/// Stores what it knows and reads nothing back: a store waits for no memory, and takes no locked instruction.
pub struct Counts<'a> {
    requests: u64,
    sectors: u64,
    traffic: &'a Traffic,
}

impl Counts<'_> {
    pub fn add(&mut self, requests: u64, bytes: u64) {
        self.requests += requests;
        self.sectors += bytes.div_ceil(SECTOR_BYTES);
        self.traffic.requests.store(self.requests, Ordering::Release);
        self.traffic.sectors.store(self.sectors, Ordering::Release);
    }
}
