//! Chains of requests on a raw disk.
//!
//! While a disk turns, other programs use the processor, and its caches and its list of pages forget this one. What lies
//! between the end of a request and the start of the next is therefore kept to a few lines of code that wait for no
//! memory but the next action: counts are stored and not read back, and the interrupt is looked at now and then.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;

use super::{RawDisk, clock_ns};
use crate::device::Writing;
use crate::device::request::Action;
use crate::device::{AccessError, Timing, one_by_one};

/// How often a chain looks whether it has to end.
const LOOK_NS: u64 = 50_000_000;

impl RawDisk {
    pub(super) fn serve_chain(
        &mut self,
        actions: &[Action],
        interrupt: &AtomicBool,
        timings: &mut Vec<Timing>,
    ) -> Result<(), AccessError> {
        if !actions.iter().all(|&action| self.is_short(action)) {
            return one_by_one(self, actions, interrupt, timings);
        }
        let before = timings.len();
        timings.resize(before + actions.len(), Timing { start_ns: 0, latency_ns: 0 });
        let (served, failed) = self.serve_short(actions, interrupt, &mut timings[before..]);
        timings.truncate(before + served);
        failed.map_or(Ok(()), |(block, error)| Err(self.fail(block, error)))
    }

    /// Whether it is one request to the disk, and may be made.
    fn is_short(&self, action: Action) -> bool {
        let span = match action {
            Action::Read(span) => Some(span),
            Action::Write(_) if self.writing == Writing::Nothing => None,
            Action::Write(index) => self.staged_spans.get(index).map(|staged| staged.0),
        };
        span.is_some_and(|span| span.count <= self.max_transfer_blocks)
    }

    /// Serves until the end, an interrupt or a failure: how many were served, and the block and error of what failed.
    fn serve_short(
        &mut self,
        actions: &[Action],
        interrupt: &AtomicBool,
        timings: &mut [Timing],
    ) -> (usize, Option<(u64, Errno)>) {
        let size = self.geometry.block_bytes as usize;
        let (file, buffer, staged) = (&self.file, self.buffer.bytes_mut(), self.staged.bytes());
        let mut counts = self.traffic.counts();
        let (mut served, mut look_ns) = (0, 0);
        if interrupt.load(Ordering::Relaxed) {
            return (served, None);
        }
        for (&action, timing) in actions.iter().zip(timings) {
            let (span, at) = match action {
                Action::Read(span) => (span, None),
                Action::Write(index) => (self.staged_spans[index].0, Some(self.staged_spans[index].1)),
            };
            let (length, offset) = (span.count as usize * size, span.block * size as u64);
            counts.add(1, length as u64);
            let start_ns = clock_ns();
            let moved = match at {
                None => rustix::io::pread(file, &mut buffer[..length], offset),
                Some(at) => rustix::io::pwrite(file, &staged[at..at + length], offset),
            };
            let end_ns = clock_ns();
            *timing = Timing { start_ns, latency_ns: end_ns - start_ns };
            match moved {
                Ok(moved) if moved == length => served += 1,
                Ok(moved) => return (served, Some((span.block + (moved / size) as u64, Errno::IO))),
                Err(error) => return (served, Some((span.block, error))),
            }
            if end_ns >= look_ns {
                if interrupt.load(Ordering::Relaxed) {
                    break;
                }
                look_ns = end_ns + LOOK_NS;
            }
        }
        (served, None)
    }
}
