//! Several requests at once: which one the head takes next.

use super::engine::{Engine, Request};
use super::model::Scheduler;

/// A request that was served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServedCommand {
    pub id: u64,
    pub arrive_ns: f64,
    pub end_ns: f64,
}

/// A command queue of bounded depth in front of an engine.
#[derive(Debug)]
pub struct CommandQueue {
    engine: Engine,
    scheduler: Scheduler,
    depth: usize,
    waiting: Vec<(u64, f64, Request)>,
    next_id: u64,
    /// When the drive can take up the next command.
    now_ns: f64,
}

impl CommandQueue {
    pub fn new(engine: Engine, scheduler: Scheduler, depth: usize) -> Self {
        Self { engine, scheduler, depth, waiting: Vec::with_capacity(depth), next_id: 0, now_ns: 0.0 }
    }

    /// The engine, as the last request left it.
    pub fn into_engine(self) -> Engine {
        self.engine
    }

    /// Hands a request over at `arrive_ns` and returns its number; `None` where the queue is full: complete one first.
    pub fn submit(&mut self, arrive_ns: f64, request: Request) -> Option<u64> {
        if self.waiting.len() >= self.depth {
            return None;
        }
        let id = self.next_id;
        self.next_id += 1;
        self.waiting.push((id, arrive_ns, request));
        Some(id)
    }

    /// Serves the request whose turn it is; `None` when none waits.
    pub fn complete_next(&mut self) -> Option<ServedCommand> {
        let first_arrival = self.waiting.iter().map(|waiting| waiting.1).min_by(f64::total_cmp)?;
        self.now_ns = self.now_ns.max(first_arrival);
        let (now, engine) = (self.now_ns, &self.engine);
        let here = self.waiting.iter().enumerate().filter(|(_, waiting)| waiting.1 <= now);
        let (index, _) = match self.scheduler {
            Scheduler::Fifo => here.min_by(|(_, a), (_, b)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))),
            Scheduler::Sptf => {
                here.min_by(|(_, a), (_, b)| engine.reach_ns(now, a.2).total_cmp(&engine.reach_ns(now, b.2)))
            }
        }?;
        let (id, arrive_ns, request) = self.waiting.remove(index);
        let end_ns = self.engine.serve(now, request);
        self.now_ns = end_ns;
        Some(ServedCommand { id, arrive_ns, end_ns })
    }
}

#[cfg(test)]
mod tests;
