//! Bursts, as a kind asks for them.

use std::io;

use super::{Session, Stop};
use crate::device::Timing;
use crate::device::request::{Action, Burst, BurstError, BurstOutcome, Completion, Concurrency, QueueUnavailable};
use crate::identify::processors::Processors;

#[derive(Debug)]
pub struct BurstResult {
    /// In the order of the actions, on the run's clock; those at which the medium failed included.
    pub done: Vec<Completion>,
    /// Why not all was served, unless the time was up.
    pub end: Option<BurstStop>,
}

#[derive(Debug)]
pub enum BurstStop {
    Run(Stop),
    /// This machine or device can't serve such a burst, as a sentence. The run goes on without it.
    Refused(String),
}

impl Session<'_> {
    /// Serves a burst and times every request of it; those at which the medium failed are on record. No request is
    /// issued later than `limit_ns` from now.
    pub fn burst(&mut self, actions: &[Action], concurrency: Concurrency, limit_ns: Option<u64>) -> BurstResult {
        let mut done = Vec::new();
        if let Err(stop) = self.check_interrupt() {
            return BurstResult { done, end: Some(BurstStop::Run(stop)) };
        }
        let deadline_ns = limit_ns.map(|limit_ns| self.device.now_ns().saturating_add(limit_ns));
        let interrupt = self.interrupt.clone();
        let burst = Burst { actions, concurrency, deadline_ns, interrupt: &interrupt.0 };
        let result = self.device.burst(&burst, &mut done);
        let mut end = match result {
            Ok(BurstOutcome::Interrupted) => Some(BurstStop::Run(Stop::Interrupted)),
            Ok(BurstOutcome::Complete | BurstOutcome::Deadline) => None,
            Err(BurstError::Gone(source)) => Some(BurstStop::Run(Stop::Gone(source))),
            Err(BurstError::Refused(why)) => Some(BurstStop::Refused(why)),
        };
        for one in &mut done {
            self.note_request(one.timing());
            let noted = self.note_burst(actions, one);
            end = end.or(noted.err().map(BurstStop::Run));
            one.start_ns = one.start_ns.wrapping_add_signed(self.clock_offset_ns);
        }
        BurstResult { done, end }
    }

    fn note_burst(&mut self, actions: &[Action], one: &Completion) -> Result<(), Stop> {
        let Some(errno) = one.error else {
            self.errors_in_a_row = 0;
            return Ok(());
        };
        let (block, operation) = match actions[one.action as usize] {
            Action::Read(span) => (span.block, "read"),
            Action::Write(index) => (self.staged.get(index).map_or(0, |span| span.block), "write"),
        };
        self.record_error(block, io::Error::from_raw_os_error(errno), operation)
    }

    pub fn queue(&mut self, depth: u32) -> Result<(), QueueUnavailable> {
        self.device.queue(depth)
    }

    /// Waits until what was written is on the medium, so that it is not in the way of what comes next.
    pub fn flush(&mut self) {
        self.device.flush();
    }

    /// What the machine's processors did so far; `None` for a simulated drive.
    pub fn processors(&self) -> Option<Processors> {
        self.device.processors()
    }
}

/// An empty vector with room for so many, whose pages are there: the kernel hands out a page when it is first written to,
/// which would otherwise be between two requests.
pub fn preallocate<T: Clone>(count: usize, filler: T) -> Vec<T> {
    let mut room = Vec::with_capacity(count);
    room.resize(count, filler);
    room.clear();
    room
}

impl Session<'_> {
    /// Makes the requests in order, each as soon as the one before is through, and appends what they took to `out`:
    /// `None` where the medium failed, which is then on record. Fewer than were asked for when the run has to end.
    pub fn chain(&mut self, actions: &[Action], out: &mut Vec<Option<Timing>>) -> Result<(), Stop> {
        let mut timings = preallocate(actions.len(), Timing { start_ns: 0, latency_ns: 0 });
        let mut left = actions;
        while !left.is_empty() {
            self.check_interrupt()?;
            timings.clear();
            let result = self.device.chain(left, &self.interrupt.0, &mut timings);
            left = &left[timings.len()..];
            for &timing in &timings {
                out.push(self.settle_timing(Ok(timing), "")?);
            }
            if let (Err(error), Some((failed, behind))) = (result, left.split_first()) {
                out.push(self.settle_timing(Err(error), operation_name(*failed))?);
                left = behind;
            }
        }
        Ok(())
    }
}

fn operation_name(action: Action) -> &'static str {
    match action {
        Action::Read(_) => "read",
        Action::Write(_) => "write",
    }
}
