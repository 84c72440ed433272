//! Bursts on a simulated drive: what its queue has room for waits in the drive, the rest in the host, first come first
//! served.

use super::drive::{HOST_THINK_NS, SimulatedDrive};
use super::engine::{Engine, Request};
use super::model::Model;
use super::queue::{CommandQueue, ServedCommand};
use crate::device::request;
use crate::device::request::{Action, Burst, BurstError, BurstOutcome, Completion};
use crate::device::{Device, Span};

/// A request that the drive has.
struct InFlight {
    id: u64,
    action: usize,
    lane: u32,
    start_ns: u64,
}

/// The burst between host and drive.
struct BurstState<'a> {
    requests: Vec<Request>,
    burst: &'a Burst<'a>,
    queue: CommandQueue,
    /// Lanes without a request, and when each has its next one ready.
    ready: Vec<(u64, u32)>,
    taken: Vec<InFlight>,
    issued: usize,
}

impl BurstState<'_> {
    /// Hands requests over for as long as the drive takes them.
    fn issue(&mut self) {
        while let Some(place) = (0..self.ready.len()).min_by_key(|&place| self.ready[place]) {
            let (arrive_ns, lane) = self.ready[place];
            if self.issued == self.requests.len() || self.burst.ends(arrive_ns) {
                return;
            }
            let request = self.requests[self.issued];
            let Some(id) = self.queue.submit(arrive_ns as f64, request) else { return };
            self.taken.push(InFlight { id, action: self.issued, lane, start_ns: arrive_ns });
            self.issued += 1;
            self.ready.swap_remove(place);
        }
    }

    fn settle(&mut self, completion: &ServedCommand, delay_ns: f64) -> Option<Completion> {
        let place = self.taken.iter().position(|taken| taken.id == completion.id)?;
        let InFlight { action, lane, start_ns, .. } = self.taken.swap_remove(place);
        let end_ns = (completion.end_ns + delay_ns).round() as u64;
        self.ready.push((end_ns + HOST_THINK_NS, lane));
        let action = u32::try_from(action).unwrap_or(u32::MAX);
        Some(Completion { action, lane, start_ns, latency_ns: end_ns - start_ns, error: None })
    }
}

fn request(model: &Model, action: Action, staged: &[Span]) -> Request {
    let ratio = model.blocks_per_sector();
    let (Span { block, count }, write) = match action {
        Action::Read(span) => (span, false),
        Action::Write(index) => (staged[index], true),
    };
    let (block, count) = (block * ratio, u64::from(count) * ratio);
    if write { Request::write(block, count) } else { Request::read(block, count) }
}

impl SimulatedDrive {
    pub(super) fn serve_burst(
        &mut self,
        burst: &Burst<'_>,
        done: &mut Vec<Completion>,
    ) -> Result<BurstOutcome, BurstError> {
        done.clear();
        let geometry = self.geometry();
        let fault = request::fault(burst, &self.staged, geometry.capacity_blocks(), geometry.block_bytes);
        if let Some(fault) = fault {
            return Err(BurstError::Refused(fault));
        }
        let model = self.engine.shared_model();
        let engine = std::mem::replace(&mut self.engine, Engine::new(model.clone()));
        let first_ns = self.now_ns + HOST_THINK_NS;
        let mut state = BurstState {
            requests: burst.actions.iter().map(|&action| request(&model, action, &self.staged)).collect(),
            burst,
            queue: CommandQueue::new(engine, model.queue.scheduler, model.queue.depth),
            ready: (0..burst.concurrency.lanes()).map(|lane| (first_ns, lane)).collect(),
            taken: Vec::with_capacity(model.queue.depth),
            issued: 0,
        };
        loop {
            state.issue();
            let Some(completion) = state.queue.complete_next() else { break };
            let one = state.settle(&completion, self.noise.delay_ns());
            self.now_ns = one.map_or(self.now_ns, |one| self.now_ns.max(one.end_ns()));
            done.extend(one);
        }
        done.sort_unstable_by_key(|one| one.action);
        let issued = state.issued;
        self.engine = state.queue.into_engine();
        Ok(burst.ending(issued))
    }
}

#[cfg(test)]
mod tests;
