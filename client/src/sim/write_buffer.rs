//! Writes that were answered and are not on the medium yet.

use std::collections::VecDeque;

/// One collected write, in logical blocks.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    pub first: u64,
    pub end: u64,
    pub accepted_ns: f64,
}

#[derive(Clone, Debug, Default)]
pub struct WriteBuffer {
    waiting: VecDeque<Pending>,
    /// When the writes that the head has begun with are on the medium.
    finishing_ns: VecDeque<f64>,
}

/// How a read relates to what is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    None,
    Covered,
    Partial,
}

impl WriteBuffer {
    pub fn collect(&mut self, write: Pending) {
        self.waiting.push_back(write);
    }

    #[must_use]
    pub fn next(&self) -> Option<Pending> {
        self.waiting.front().copied()
    }

    /// The head has taken the next one and will have written it at `end_ns`.
    pub fn begin_next(&mut self, end_ns: f64) {
        self.waiting.pop_front();
        self.finishing_ns.push_back(end_ns);
    }

    /// Slots in use at `now_ns`; what is on the medium by then has left its slot.
    pub fn occupied(&mut self, now_ns: f64) -> usize {
        while self.finishing_ns.front().is_some_and(|end| *end <= now_ns) {
            self.finishing_ns.pop_front();
        }
        self.waiting.len() + self.finishing_ns.len()
    }

    /// When the next slot becomes free of those that the head has begun with.
    #[must_use]
    pub fn next_free_ns(&self) -> Option<f64> {
        self.finishing_ns.front().copied()
    }

    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    #[must_use]
    pub fn overlap(&self, first: u64, end: u64) -> Overlap {
        let touched = |write: &&Pending| write.first < end && first < write.end;
        match self.waiting.iter().rev().find(touched) {
            None => Overlap::None,
            Some(write) if write.first <= first && end <= write.end => Overlap::Covered,
            Some(_) => Overlap::Partial,
        }
    }
}
