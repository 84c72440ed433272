//! Where to look next: the middle of the widest pair of neighbours.

use super::region::{LEAD, Plan};
use crate::stats::to_f64;

/// A place that was read: its first block and how long it took, nanoseconds for a stretch that is the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub offset: u64,
    pub elapsed_ns: f64,
}

/// Places in order of position, and what may lie between them.
#[derive(Clone)]
pub struct Bisection {
    pub points: Vec<Point>,
    pub bad: Vec<u64>,
    /// Offsets of which something disturbed the reading.
    pub disturbed: Vec<u64>,
    /// Neighbours that start no further apart than this are not parted.
    pub narrowest: u64,
}

impl Bisection {
    pub fn new(narrowest: u64) -> Self {
        Self { points: Vec::with_capacity(512), bad: Vec::new(), disturbed: Vec::new(), narrowest }
    }

    pub fn insert(&mut self, point: Point) {
        let place = self.points.partition_point(|other| other.offset < point.offset);
        self.points.insert(place, point);
    }

    /// A place that was read, or that could not be.
    pub fn take(&mut self, offset: u64, elapsed_ns: Option<u64>) {
        match elapsed_ns {
            Some(elapsed) => self.insert(Point { offset, elapsed_ns: to_f64(elapsed) }),
            None => self.bad.push(offset),
        }
    }

    pub fn visited(&self) -> usize {
        self.points.len() + self.bad.len()
    }

    /// The middle of the widest pair of neighbours that differ by more than `noise`, a share of their time; `None` when
    /// all boundaries are located.
    pub fn widest_step(&self, plan: &Plan, noise: f64) -> Option<u64> {
        self.widest(plan, |left, right| (left - right).abs() > noise * left.min(right))
    }

    pub fn widest_gap(&self, plan: &Plan) -> Option<u64> {
        self.widest(plan, |_, _| true)
    }

    fn widest(&self, plan: &Plan, wanted: impl Fn(f64, f64) -> bool) -> Option<u64> {
        let pairs = self.points.windows(2).filter(|pair| {
            pair[1].offset - pair[0].offset > self.narrowest && wanted(pair[0].elapsed_ns, pair[1].elapsed_ns)
        });
        let middles = pairs.map(|pair| {
            let width = pair[1].offset - pair[0].offset;
            (width, (pair[0].offset + width / 2) / plan.transfer_blocks * plan.transfer_blocks)
        });
        // A place that can't be read is not tried again, and its pair stays as it is.
        middles.filter(|(_, middle)| !self.bad.contains(middle)).max().map(|(_, middle)| middle)
    }
}

/// `count` offsets at equal distances, for stretches of `length` blocks: the first behind the disk's very first
/// requests, so that no seek is in that one's time either, the last one ending with the disk.
pub fn evenly(plan: &Plan, length: u64, most: u64) -> Vec<u64> {
    let last = plan.capacity - length;
    let first = (LEAD * plan.transfer_blocks).min(last);
    let count = most.min((last - first) / length + 1).max(1);
    let place = |index: u64| {
        let share = u128::from(index) * u128::from(last - first) / u128::from(count.max(2) - 1);
        let offset = first + u64::try_from(share).unwrap_or(u64::MAX);
        // They start where requests would, but for the last one.
        if offset == last { last } else { offset / plan.transfer_blocks * plan.transfer_blocks }
    };
    (0..count).map(place).collect()
}
