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
    /// What the head has begun with, and when it is on the medium.
    finishing: VecDeque<(f64, Pending)>,
    /// The block after the last that the head has begun with.
    next_on_medium: Option<u64>,
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

    pub fn next(&self) -> Option<Pending> {
        self.waiting.front().copied()
    }

    /// The head has taken the next one and will have written it at `end_ns`.
    pub fn begin_next(&mut self, end_ns: f64) {
        let write = self.waiting.pop_front();
        self.next_on_medium = write.map(|write| write.end);
        self.finishing.extend(write.map(|write| (end_ns, write)));
    }

    /// Whether the write begins on the disk where the last one that the head took ended.
    pub fn goes_on(&self, write: &Pending) -> bool {
        self.next_on_medium == Some(write.first)
    }

    /// Slots in use at `now_ns`; what is on the medium by then has left its slot.
    pub fn occupied(&mut self, now_ns: f64) -> usize {
        while self.finishing.front().is_some_and(|(end, _)| *end <= now_ns) {
            self.finishing.pop_front();
        }
        self.waiting.len() + self.finishing.len()
    }

    /// Logical blocks that are held at `now_ns`.
    pub fn held_blocks(&mut self, now_ns: f64) -> u64 {
        self.occupied(now_ns);
        let begun = self.finishing.iter().map(|(_, write)| write);
        begun.chain(&self.waiting).map(|write| write.end - write.first).sum()
    }

    /// When the next slot becomes free of those that the head has begun with.
    pub fn next_free_ns(&self) -> Option<f64> {
        self.finishing.front().map(|(end, _)| *end)
    }

    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The latest write counts; one that is on the medium by `now_ns` is no longer here.
    pub fn overlap(&self, first: u64, end: u64, now_ns: f64) -> Overlap {
        let begun = self.finishing.iter().filter(|(end, _)| *end > now_ns).map(|(_, write)| write);
        let touched = |write: &&Pending| write.first < end && first < write.end;
        match begun.chain(&self.waiting).rev().find(touched) {
            None => Overlap::None,
            Some(write) if write.first <= first && end <= write.end => Overlap::Covered,
            Some(_) => Overlap::Partial,
        }
    }
}
