//! Requests to a device, one by one or many at once, and what comes of them.
//!
//! Two ways of having several requests under way are told apart, because a machine does: several processes that each
//! wait for their own request, and one process that hands over the next as soon as one of its requests is through.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// When a request was handed to the device and how long it took.
///
/// Both come from the device's own clock: `CLOCK_MONOTONIC_RAW` of a real disk, virtual time of a simulated one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    pub start_ns: u64,
    pub latency_ns: u64,
}

impl Timing {
    pub fn end_ns(self) -> u64 {
        self.start_ns + self.latency_ns
    }
}

/// A request that did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The medium failed at one place. The run records it and goes on.
    #[error("I/O error at block {block}: {source}")]
    Medium { block: u64, source: io::Error },
    /// The device is gone (unplugged, powered off). The run ends and keeps what it has.
    #[error("the device vanished: {source}")]
    Gone { source: io::Error },
}

/// Consecutive blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub block: u64,
    pub count: u32,
}

impl Span {
    pub fn single(block: u64) -> Self {
        Self { block, count: 1 }
    }
}

/// The longest span of a burst: each request under way has its own buffer, made before the first one.
pub const LONGEST_BURST_SPAN_BYTES: u64 = 1 << 20;

/// The most requests under way at once.
pub const LANES_MOST: u32 = 64;

/// So many failures in a row, at different places, are not a bad spot: the device is lost.
pub const FAILURES_MEAN_GONE: u32 = 24;

/// One request of a burst.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Action {
    Read(Span),
    /// Writes the span that [`super::Device::keep`] was told at this index.
    Write(usize),
}

/// Who issues.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Concurrency {
    /// So many workers with one request under way each.
    Workers(u32),
    /// One issuer with so many requests under way.
    Queue(u32),
}

impl Concurrency {
    /// Requests under way at once.
    pub fn lanes(self) -> u32 {
        match self {
            Self::Workers(count) | Self::Queue(count) => count,
        }
    }
}

/// What is asked for. The next action goes to whoever is free first, so that all lanes are busy to the last action.
#[derive(Clone, Copy, Debug)]
pub struct Burst<'a> {
    /// Writes of one burst must not overlap each other.
    pub actions: &'a [Action],
    pub concurrency: Concurrency,
    /// No request is issued after this moment of the device's clock.
    pub deadline_ns: Option<u64>,
    /// Looked at before each request; no more are issued once it is set.
    pub interrupt: &'a AtomicBool,
}

impl Burst<'_> {
    /// Whether the burst has to end before the next request, asked at `now_ns`.
    pub fn ends(&self, now_ns: u64) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.deadline_ns.is_some_and(|deadline| now_ns >= deadline)
    }

    /// How a burst ended of which so many requests were issued.
    pub fn ending(&self, issued: usize) -> BurstOutcome {
        if issued >= self.actions.len() {
            BurstOutcome::Complete
        } else if self.interrupt.load(Ordering::Relaxed) {
            BurstOutcome::Interrupted
        } else {
            BurstOutcome::Deadline
        }
    }
}

/// What came of one request.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Completion {
    /// Index of the action.
    pub action: u32,
    /// Which worker, or which place in the queue.
    pub lane: u32,
    pub start_ns: u64,
    pub latency_ns: u64,
    /// The system's number of the error, where the medium failed.
    pub error: Option<i32>,
}

impl Completion {
    pub fn timing(&self) -> Timing {
        Timing { start_ns: self.start_ns, latency_ns: self.latency_ns }
    }

    pub fn end_ns(&self) -> u64 {
        self.start_ns + self.latency_ns
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BurstOutcome {
    Complete,
    Interrupted,
    Deadline,
}

/// Why a burst did not take place, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum BurstError {
    /// A mistake of the caller; nothing was done.
    #[error("a burst can't be served: {0}")]
    Refused(String),
    #[error("the device vanished: {0}")]
    Gone(io::Error),
}

/// Why one issuer can't have several requests under way, as a sentence.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct QueueUnavailable(pub String);

/// What is wrong with a burst of those kept spans on a device of so many blocks; `None` where it can be served.
pub fn fault(burst: &Burst<'_>, staged: &[Span], capacity_blocks: u64, block_bytes: u32) -> Option<String> {
    let lanes = burst.concurrency.lanes();
    if !(1..=LANES_MOST).contains(&lanes) {
        return Some(format!("{lanes} requests at once are not 1 to {LANES_MOST}"));
    }
    let mut writes = Vec::new();
    for &action in burst.actions {
        let span = match action {
            Action::Read(span) => span,
            Action::Write(index) => match staged.get(index) {
                Some(&span) => {
                    writes.push((span.block, span.block + u64::from(span.count)));
                    span
                }
                None => return Some(format!("write {index} was not kept")),
            },
        };
        let bytes = u64::from(span.count) * u64::from(block_bytes);
        if bytes == 0 || bytes > LONGEST_BURST_SPAN_BYTES {
            return Some(format!("a request of {bytes} bytes is not 1 to {LONGEST_BURST_SPAN_BYTES}"));
        }
        if span.block.saturating_add(u64::from(span.count)) > capacity_blocks {
            return Some(format!("block {} is past the end", span.block));
        }
    }
    // Two requests that are under way at once may be carried out in any order, and in pieces.
    writes.sort_unstable();
    let overlap = writes.windows(2).find(|pair| pair[0].1 > pair[1].0);
    overlap.map(|pair| format!("two writes overlap at block {}", pair[1].0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: [Span; 3] = [Span { block: 8, count: 8 }, Span { block: 15, count: 8 }, Span { block: 16, count: 8 }];

    fn fault_of(actions: &[Action], lanes: u32) -> Option<String> {
        let interrupt = AtomicBool::new(false);
        let burst =
            Burst { actions, concurrency: Concurrency::Workers(lanes), deadline_ns: None, interrupt: &interrupt };
        fault(&burst, &KEPT, 1000, 512)
    }

    #[test]
    fn writes_that_overlap_are_refused_and_neighbours_are_not() {
        let said = fault_of(&[Action::Write(1), Action::Write(0)], 2).expect("a refusal");
        assert!(said.contains("overlap at block 15"), "{said}");
        assert_eq!(fault_of(&[Action::Write(2), Action::Write(0)], 2), None);
    }

    #[test]
    fn what_was_not_kept_is_too_long_or_lies_beyond_the_device_is_refused() {
        for (action, words) in [
            (Action::Write(3), "not kept"),
            (Action::Read(Span { block: 999, count: 2 }), "past the end"),
            (Action::Read(Span { block: u64::MAX, count: 2 }), "past the end"),
            (Action::Read(Span { block: 0, count: 0 }), "0 bytes"),
            (Action::Read(Span { block: 0, count: 4096 }), "2097152 bytes"),
        ] {
            let said = fault_of(&[Action::Read(Span::single(1)), action], 2).expect("a refusal");
            assert!(said.contains(words), "{said}");
        }
        assert!(fault_of(&[], 0).is_some() && fault_of(&[], LANES_MOST + 1).is_some());
    }

    #[test]
    fn a_burst_ends_at_the_interrupt_or_at_its_deadline() {
        let interrupt = AtomicBool::new(false);
        let actions = [Action::Read(Span::single(1)); 2];
        let burst = Burst {
            actions: &actions,
            concurrency: Concurrency::Queue(1),
            deadline_ns: Some(50),
            interrupt: &interrupt,
        };
        assert!(!burst.ends(49) && burst.ends(50));
        assert_eq!([burst.ending(2), burst.ending(1)], [BurstOutcome::Complete, BurstOutcome::Deadline]);
        interrupt.store(true, Ordering::Relaxed);
        assert!(burst.ends(0));
        assert_eq!(burst.ending(1), BurstOutcome::Interrupted);
    }
}
