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
    /// One writer: a load and a store, and no locked instruction between two samples.
    pub fn add(&self, requests: u64, bytes: u64) {
        let count =
            |counter: &AtomicU64, more| counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Release);
        count(&self.requests, requests);
        count(&self.sectors, bytes.div_ceil(SECTOR_BYTES));
    }

    /// Until `held` is taken back the counts say nothing.
    pub fn hold(&self, held: bool) {
        self.held.store(held, Ordering::Release);
    }

    /// Requests and sectors; `None` while they say nothing.
    #[must_use]
    pub fn counted(&self) -> Option<(u64, u64)> {
        let counts = (self.requests(), self.sectors.load(Ordering::Acquire));
        (!self.held.load(Ordering::Acquire)).then_some(counts)
    }

    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Acquire)
    }
}
