//! Bursts on a raw disk.

use super::{ALIGNMENT, Arena, RawDisk, clock_ns, is_gone};
use crate::device::Span;
use crate::device::Writing;
use crate::device::request;
use crate::device::request::{
    Action, Burst, BurstError, BurstOutcome, Completion, Concurrency, LANES_MOST, QueueUnavailable,
};
use crate::device::uring::{self, Ring};
use crate::device::workers::{self, BurstProgress, Work};

impl RawDisk {
    pub(super) fn open_queue(&mut self, depth: u32) -> Result<(), QueueUnavailable> {
        if !(1..=LANES_MOST).contains(&depth) {
            return Err(QueueUnavailable(format!("a queue of {depth} requests is not 1 to {LANES_MOST}")));
        }
        match self.ring.get_or_insert_with(Ring::open) {
            Ok(_) => Ok(()),
            Err(why) => Err(why.clone()),
        }
    }

    pub(super) fn serve_burst(
        &mut self,
        burst: &Burst<'_>,
        done: &mut Vec<Completion>,
    ) -> Result<BurstOutcome, BurstError> {
        done.clear();
        let size = self.geometry.block_bytes;
        if let Some(fault) = self.burst_fault(burst) {
            return Err(BurstError::Refused(fault));
        }
        if burst.actions.is_empty() {
            return Ok(BurstOutcome::Complete);
        }
        if let Concurrency::Queue(depth) = burst.concurrency {
            self.open_queue(depth).map_err(|why| BurstError::Refused(why.0))?;
        }
        let longest = longest_blocks(burst) as usize * size as usize;
        // Each lane's buffer starts on the boundary that direct requests ask for.
        let stride = longest.next_multiple_of(ALIGNMENT).max(ALIGNMENT);
        self.lanes.ensure(stride * burst.concurrency.lanes() as usize);
        done.reserve(burst.actions.len());
        let progress = BurstProgress::default();
        let work = Work {
            file: &self.file,
            burst,
            staged: self.staged.bytes(),
            staged_spans: &self.staged_spans,
            block_bytes: size as usize,
            clock_ns,
            is_gone,
        };
        let buffers = buffers(&mut self.lanes, stride, burst.concurrency.lanes() as usize);
        self.traffic.hold(true);
        match burst.concurrency {
            Concurrency::Workers(_) => {
                if let Err(error) = workers::serve(&work, &progress, buffers, done) {
                    self.traffic.hold(false);
                    return Err(BurstError::Refused(format!("not so many threads can be made here: {error}")));
                }
            }
            Concurrency::Queue(_) => {
                // `open_queue` has put it there.
                if let Some(Ok(ring)) = self.ring.take() {
                    self.ring = uring::serve(ring, &work, &progress, buffers, done).map(Ok);
                }
            }
        }
        if self.writing == Writing::Preserve {
            write_again(&work, done);
        }
        for one in done.iter() {
            self.count(self.span_of(burst.actions[one.action as usize]).count);
        }
        self.traffic.hold(false);
        match progress.gone() {
            Some(error) => Err(BurstError::Gone(error)),
            None => Ok(burst.ending(done.len())),
        }
    }

    fn burst_fault(&self, burst: &Burst<'_>) -> Option<String> {
        let writes = burst.actions.iter().any(|action| matches!(action, Action::Write(_)));
        if writes && self.writing == Writing::Nothing {
            return Some("the device was not opened for writing".to_owned());
        }
        let staged: Vec<Span> = self.staged_spans.iter().map(|staged| staged.0).collect();
        request::fault(burst, &staged, self.geometry.capacity_blocks(), self.geometry.block_bytes)
    }

    fn span_of(&self, action: Action) -> Span {
        match action {
            Action::Read(span) => span,
            Action::Write(index) => self.staged_spans[index].0,
        }
    }
}

/// A write that failed may have left neither the old bytes nor anything that can be read. The bytes are still known, and
/// a drive often puts the block elsewhere at the second try.
fn write_again(work: &Work<'_>, done: &[Completion]) {
    for one in done.iter().filter(|one| one.error.is_some()) {
        let request = work.request(one.action as usize);
        if request.staged_at.is_some() {
            let _ = work.serve(request, &mut []);
        }
    }
}

fn longest_blocks(burst: &Burst<'_>) -> u32 {
    let blocks = |action: &Action| match action {
        Action::Read(span) => span.count,
        Action::Write(_) => 0,
    };
    burst.actions.iter().map(blocks).max().unwrap_or(0)
}

/// The arena in parts of `stride` bytes, one for each lane.
fn buffers(arena: &mut Arena, stride: usize, lanes: usize) -> Vec<&mut [u8]> {
    arena.bytes_mut().chunks_mut(stride).take(lanes).collect()
}
