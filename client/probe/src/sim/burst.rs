//! Bursts on a simulated drive: what its queue has room for waits in the drive, the rest in the host, first come first
//! served.

use super::drive::{HOST_THINK_NS, SimulatedDrive};
use super::engine::{Engine, Request};
use super::model::Model;
use super::queue::{CommandQueue, Completion};
use crate::device::request;
use crate::device::request::{Action, Burst, BurstError, Done, Ending};
use crate::device::{Device, Span};

/// A request that the drive has.
struct Taken {
    id: u64,
    action: usize,
    lane: u32,
    start_ns: u64,
}

/// The burst between host and drive.
struct Course<'a> {
    requests: Vec<Request>,
    burst: &'a Burst<'a>,
    queue: CommandQueue,
    /// Lanes without a request, and when each has its next one ready.
    ready: Vec<(u64, u32)>,
    taken: Vec<Taken>,
    issued: usize,
}

impl Course<'_> {
    /// Hands requests over for as long as the drive takes them.
    fn issue(&mut self) {
        while let Some(place) = (0..self.ready.len()).min_by_key(|&place| self.ready[place]) {
            let (arrive_ns, lane) = self.ready[place];
            if self.issued == self.requests.len() || self.burst.ends(arrive_ns) {
                return;
            }
            let request = self.requests[self.issued];
            let Some(id) = self.queue.submit(arrive_ns as f64, request) else { return };
            self.taken.push(Taken { id, action: self.issued, lane, start_ns: arrive_ns });
            self.issued += 1;
            self.ready.swap_remove(place);
        }
    }

    fn settle(&mut self, completion: &Completion, delay_ns: f64) -> Option<Done> {
        let place = self.taken.iter().position(|taken| taken.id == completion.id)?;
        let Taken { action, lane, start_ns, .. } = self.taken.swap_remove(place);
        let end_ns = (completion.end_ns + delay_ns).round() as u64;
        self.ready.push((end_ns + HOST_THINK_NS, lane));
        let action = u32::try_from(action).unwrap_or(u32::MAX);
        Some(Done { action, lane, start_ns, latency_ns: end_ns - start_ns, error: None })
    }
}

fn request(model: &Model, action: Action, kept: &[Span]) -> Request {
    let ratio = model.blocks_per_sector();
    let (Span { block, count }, write) = match action {
        Action::Read(span) => (span, false),
        Action::Write(index) => (kept[index], true),
    };
    let (block, count) = (block * ratio, u64::from(count) * ratio);
    if write { Request::write(block, count) } else { Request::read(block, count) }
}

impl SimulatedDrive {
    pub(super) fn serve_burst(&mut self, burst: &Burst<'_>, done: &mut Vec<Done>) -> Result<Ending, BurstError> {
        done.clear();
        let geometry = self.geometry();
        let fault = request::fault(burst, &self.kept, geometry.capacity_blocks(), geometry.block_bytes);
        if let Some(fault) = fault {
            return Err(BurstError::Refused(fault));
        }
        let model = self.engine.shared_model();
        let engine = std::mem::replace(&mut self.engine, Engine::new(model.clone()));
        let first_ns = self.now_ns + HOST_THINK_NS;
        let mut course = Course {
            requests: burst.actions.iter().map(|&action| request(&model, action, &self.kept)).collect(),
            burst,
            queue: CommandQueue::new(engine, model.queue.scheduler, model.queue.depth),
            ready: (0..burst.crowd.lanes()).map(|lane| (first_ns, lane)).collect(),
            taken: Vec::with_capacity(model.queue.depth),
            issued: 0,
        };
        loop {
            course.issue();
            let Some(completion) = course.queue.complete_next() else { break };
            let one = course.settle(&completion, self.noise.delay_ns());
            self.now_ns = one.map_or(self.now_ns, |one| self.now_ns.max(one.end_ns()));
            done.extend(one);
        }
        done.sort_unstable_by_key(|one| one.action);
        let issued = course.issued;
        self.engine = course.queue.into_engine();
        Ok(burst.ending(issued))
    }
}

#[cfg(test)]
mod tests;
