//! Serves requests on the model, one after the other: overhead, buffer, arm, medium, bus.

use std::sync::Arc;

use super::cache::ReadBuffer;
use super::mechanics::{Arm, Pass};
use super::model::Model;
use super::write_buffer::{Overlap, Pending, WriteBuffer};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    Write,
}

/// `count` logical blocks from `block` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub operation: Operation,
    pub block: u64,
    pub count: u64,
}

impl Request {
    pub fn read(block: u64, count: u64) -> Self {
        Self { operation: Operation::Read, block, count }
    }

    pub fn write(block: u64, count: u64) -> Self {
        Self { operation: Operation::Write, block, count }
    }

    fn end(self) -> u64 {
        self.block + self.count
    }
}

/// A drive in motion. Requests come in the order of their time; between them the drive reads ahead and empties its
/// write buffer by itself.
#[derive(Clone, Debug)]
pub struct Engine {
    model: Arc<Model>,
    arm: Arm,
    /// When the head has finished what it is doing.
    free_ns: f64,
    reads: ReadBuffer,
    writes: WriteBuffer,
    write_cache: bool,
    look_ahead: bool,
}

impl Engine {
    pub fn new(model: Arc<Model>) -> Self {
        let (write_cache, look_ahead) = (model.write_cache.enabled, model.read_cache.look_ahead_sectors > 0);
        let (arm, reads, writes) = (Arm::default(), ReadBuffer::default(), WriteBuffer::default());
        Self { model, arm, free_ns: 0.0, reads, writes, write_cache, look_ahead }
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn shared_model(&self) -> Arc<Model> {
        Arc::clone(&self.model)
    }

    pub fn write_cache(&self) -> bool {
        self.write_cache
    }

    pub fn look_ahead(&self) -> bool {
        self.look_ahead
    }

    /// Switches delayed writes; what is collected goes to the medium before anything else does.
    pub fn set_write_cache(&mut self, on: bool) {
        self.drain(f64::INFINITY);
        self.write_cache = on;
    }

    pub fn set_look_ahead(&mut self, on: bool) {
        self.look_ahead = on;
        self.reads = ReadBuffer::default();
    }

    /// Serves a request that arrives at `arrive_ns` and returns when the host has its answer.
    ///
    /// # Panics
    /// Beyond the end of the drive or without a block: the caller knows the capacity.
    pub fn serve(&mut self, arrive_ns: f64, request: Request) -> f64 {
        assert!(request.count > 0 && request.end() <= self.model.capacity_blocks(), "{request:?} is not on the drive");
        match request.operation {
            Operation::Read => self.read(arrive_ns, request),
            Operation::Write if self.write_cache => self.write_delayed(arrive_ns, request),
            Operation::Write => self.write_through(arrive_ns, request),
        }
    }

    /// When everything that was collected is on the medium, asked at `arrive_ns`.
    pub fn flush(&mut self, arrive_ns: f64) -> f64 {
        self.drain(f64::INFINITY);
        self.free_ns.max(arrive_ns)
    }

    /// How long until the first sector of the request could be under the head: what a scheduler compares.
    pub fn reach_ns(&self, at_ns: f64, request: Request) -> f64 {
        let writes = request.operation == Operation::Write;
        let command = &self.model.command;
        let before_ns = if writes { command.write_before_ns } else { command.read_before_ns };
        let at_ns = (at_ns + before_ns).max(self.free_ns);
        self.model.reach_ns(self.arm, request.block / self.model.blocks_per_sector(), at_ns, writes) - at_ns
    }

    /// The physical sectors that a request touches.
    fn sectors(&self, request: Request) -> (u64, u64) {
        let ratio = self.model.blocks_per_sector();
        (request.block / ratio, request.end().div_ceil(ratio))
    }

    fn read(&mut self, arrive_ns: f64, request: Request) -> f64 {
        let model = Arc::clone(&self.model);
        let decoded = arrive_ns + model.command.hit_before_ns;
        self.drain(decoded);
        self.reads.advance(&model, &mut self.arm, decoded);
        let answered = decoded + model.bus_ns(request.count) + model.command.hit_after_ns;
        match self.writes.overlap(request.block, request.end(), decoded) {
            Overlap::Covered => return answered,
            Overlap::Partial => self.drain(f64::INFINITY),
            Overlap::None => {}
        }
        let (first, end) = self.sectors(request);
        match self.reads.find(first) {
            Some((segment, held)) => {
                let from = decoded.max(if end <= held { decoded } else { self.free_ns });
                let ready =
                    if end <= held { from } else { self.reads.read_on(&model, &mut self.arm, segment, end, from) };
                let last_block = if end <= held { 0.0 } else { model.bus_ns(model.blocks_per_sector()) };
                self.free_ns = self.free_ns.max(if end <= held { 0.0 } else { ready });
                self.look_ahead_from(segment, end, ready);
                answered.max(ready + last_block + model.command.hit_after_ns)
            }
            None => self.read_medium(arrive_ns, request),
        }
    }

    fn look_ahead_limit(&self, end: u64) -> u64 {
        let ahead = if self.look_ahead { self.model.read_cache.look_ahead_sectors } else { 0 };
        (end + ahead).min(self.model.capacity_sectors)
    }

    fn look_ahead_from(&mut self, segment: usize, end: u64, at_ns: f64) {
        if self.look_ahead && self.writes.is_idle() {
            self.reads.resume(segment, self.look_ahead_limit(end), at_ns.max(self.free_ns));
        }
    }

    fn read_medium(&mut self, arrive_ns: f64, request: Request) -> f64 {
        let model = Arc::clone(&self.model);
        let (first, end) = self.sectors(request);
        let start = self.take_head(arrive_ns + model.command.read_before_ns);
        let pass = slowed(&model, model.pass(&mut self.arm, first, end - first, start, false), false);
        self.free_ns = pass.end_ns;
        if model.read_cache.segments > 0 {
            let limit = if self.writes.is_idle() { self.look_ahead_limit(end) } else { end };
            self.reads.fill(&model, first, end, limit, pass.end_ns);
        }
        let last_over = pass.end_ns + model.bus_ns(model.blocks_per_sector().min(request.count));
        last_over.max(pass.first_end_ns + model.bus_ns(request.count)) + model.command.read_after_ns
    }

    /// Ends looking ahead at `at_ns` and returns when the head can set out.
    fn take_head(&mut self, at_ns: f64) -> f64 {
        self.reads.advance(&Arc::clone(&self.model), &mut self.arm, at_ns);
        self.reads.stop();
        at_ns.max(self.free_ns)
    }

    fn write_through(&mut self, arrive_ns: f64, request: Request) -> f64 {
        let model = Arc::clone(&self.model);
        self.drain(f64::INFINITY);
        let (first, end) = self.sectors(request);
        let decoded = arrive_ns + model.command.write_before_ns;
        // Writing to the medium must not overtake the bus.
        let slots = f64::from(model.layout.track(first).slots);
        let written_ns = (end - first) as f64 / slots * model.rotation_ns;
        let bus_lead = model.bus_ns(request.count - 1) - written_ns;
        let start = self.take_head(decoded + bus_lead.max(0.0));
        self.write_medium(request, start) + model.command.write_after_ns
    }

    /// Writes to the medium, reading first what a part of a physical sector leaves standing.
    fn write_medium(&mut self, request: Request, start_ns: f64) -> f64 {
        let model = Arc::clone(&self.model);
        let ratio = model.blocks_per_sector();
        let (first, end) = self.sectors(request);
        let mut now = start_ns;
        let cut_front = !request.block.is_multiple_of(ratio);
        let cut_back = !request.end().is_multiple_of(ratio) && (end - first > 1 || !cut_front);
        for edge in [(cut_front, first), (cut_back, end - 1)] {
            if edge.0 && !self.reads.holds(edge.1, edge.1 + 1) {
                now = model.pass(&mut self.arm, edge.1, 1, now, false).end_ns;
            }
        }
        self.reads.forget(first, end);
        self.free_ns = slowed(&model, model.pass(&mut self.arm, first, end - first, now, true), true).end_ns;
        self.free_ns
    }

    fn write_delayed(&mut self, arrive_ns: f64, request: Request) -> f64 {
        let model = Arc::clone(&self.model);
        let received = arrive_ns + model.command.hit_before_ns + model.bus_ns(request.count);
        self.drain(received);
        self.reads.advance(&model, &mut self.arm, received);
        self.reads.stop();
        if request.count > model.write_cache.buffer_blocks {
            return self.write_beyond_buffer(arrive_ns, received, request);
        }
        let (first, end) = self.sectors(request);
        let accepted_ns = self.wait_for_room(received, request.count);
        self.reads.forget(first, end);
        self.writes.collect(Pending { first: request.block, end: request.end(), accepted_ns });
        accepted_ns + model.command.hit_after_ns
    }

    /// More than the buffer holds: answered when what is left fits in.
    fn write_beyond_buffer(&mut self, arrive_ns: f64, received_ns: f64, request: Request) -> f64 {
        let model = Arc::clone(&self.model);
        self.drain(f64::INFINITY);
        let on_medium = Request { count: request.count - model.write_cache.buffer_blocks, ..request };
        let rest = Request { block: on_medium.end(), count: model.write_cache.buffer_blocks, ..request };
        let start = self.take_head(arrive_ns + model.command.write_before_ns);
        let fits_ns = self.write_medium(on_medium, start);
        let end_ns = self.write_medium(rest, fits_ns);
        self.writes.collect(Pending { first: rest.block, end: rest.end(), accepted_ns: fits_ns });
        self.writes.begin_next(end_ns);
        fits_ns.max(received_ns) + model.command.hit_after_ns
    }

    fn wait_for_room(&mut self, received_ns: f64, blocks: u64) -> f64 {
        let (slots, room) = (self.model.write_cache.slots, self.model.write_cache.buffer_blocks - blocks);
        let mut now = received_ns;
        while self.writes.occupied(now) >= slots || self.writes.held_blocks(now) > room {
            if self.writes.next_free_ns().is_none() {
                self.destage_next();
            }
            now = self.writes.next_free_ns().map_or(now, |free| free.max(now));
            self.drain(now);
        }
        now
    }

    /// Lets the head begin with every collected write whose turn comes by `until_ns`.
    fn drain(&mut self, until_ns: f64) {
        while let Some(next) = self.writes.next() {
            if self.begin_ns(&next) > until_ns {
                break;
            }
            self.destage_next();
        }
    }

    /// When the head can begin with a collected write: without a pause where it goes on from the one before.
    fn begin_ns(&self, next: &Pending) -> f64 {
        let cache = &self.model.write_cache;
        let goes_on = cache.in_one_pass && self.writes.goes_on(next) && next.accepted_ns <= self.free_ns;
        if goes_on { self.free_ns } else { next.accepted_ns.max(self.free_ns + cache.destage_ns) }
    }

    fn destage_next(&mut self) {
        let Some(next) = self.writes.next() else { return };
        let start = self.begin_ns(&next);
        self.reads.stop();
        let end_ns = self.write_medium(Request::write(next.first, next.end - next.first), start);
        self.writes.begin_next(end_ns);
    }
}

/// What a drive does at its own pace, as slow as it is at that moment; the first sector comes when it comes.
fn slowed(model: &Model, pass: Pass, writes: bool) -> Pass {
    let rest_ns = (pass.end_ns - pass.first_end_ns) * model.slowness(pass.first_end_ns, writes);
    Pass { end_ns: pass.first_end_ns + rest_ns, ..pass }
}

#[cfg(test)]
mod tests;
