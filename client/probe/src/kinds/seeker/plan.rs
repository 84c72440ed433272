//! Which blocks SEEKER visits, and which of the accesses count for what.

use serde::Serialize;

use crate::device::Geometry;
use crate::session::guard_band::guard_blocks;
use crate::stats::{Random, to_f64, to_u64};

/// Turns over which the offsets of a distance run: with one, a track boundary leaves angles out.
pub const TURNS: u64 = 2;

/// Accesses in two turns: an angle is met within a fortieth of a turn.
const PER_TWO_TURNS: u64 = 80;

/// Accesses per distance and direction: a little over two turns, as track boundaries take some of the angles away.
const PER_GROUP: u64 = 88;

/// Distances at equal ratios, from a track to the full stroke, and at equal distances, for the long ones.
const GEOMETRIC: u64 = 26;
const LINEAR: u64 = 12;

const BASELINES: u64 = 3;

const RANDOM_PAIRS: u64 = 400;

/// Halvings: from the space between two offsets to a sixteenth of it.
pub const HALVINGS: u64 = 4;

/// Accesses that narrow a distance down, of both directions.
const NARROWING_ACCESSES: u64 = 2 * 3 * HALVINGS;

/// Writes that show whether the drive delays them.
const TRIAL_WRITES: u64 = 24;

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    Baseline,
    Outward,
    Inward,
    Random,
}

pub struct Chain {
    pub label: String,
    pub blocks: Vec<u64>,
    /// What each access counts for; `None` for those that only bring the head somewhere.
    pub sorts: Vec<Option<(Pattern, u64)>>,
}

pub struct Plan {
    /// The lowest and one past the highest block that are visited.
    first: u64,
    end: u64,
    track_blocks: u64,
    /// Blocks by which the offset grows from access to access.
    spacing: u64,
    writing: bool,
}

/// Accesses of a whole run, for an estimate.
pub const fn accesses_guess(writing: bool) -> u64 {
    let narrowing = if writing { NARROWING_ACCESSES } else { 0 };
    (2 * PER_GROUP + narrowing) * (GEOMETRIC + LINEAR + BASELINES) + RANDOM_PAIRS
}

impl Plan {
    /// `None` where the disk is too small to seek on.
    pub fn new(geometry: &Geometry, track_blocks: u64, writing: bool) -> Option<Self> {
        let capacity = geometry.capacity_blocks();
        let edge = if writing { guard_blocks(geometry) } else { 0 };
        let spacing = (TURNS * track_blocks).div_ceil(PER_TWO_TURNS).max(1);
        let plan = Self { first: edge, end: capacity.checked_sub(edge)?, track_blocks, spacing, writing };
        let needed = plan.home_room() + plan.baseline_room() + 8 * plan.group_room();
        (plan.end > plan.first + needed).then_some(plan)
    }

    /// All chains in the order in which they are walked.
    ///
    /// The baseline stands lowest, the homes above it, and targets above those. Reads go through the distances in
    /// ascending order: homes then move down and targets up, and no block is met twice. Writes mix the order, so
    /// that a drift of temperature or load does not look like a longer seek.
    pub fn chains(&self, random: &mut Random) -> Vec<Chain> {
        let mut order: Vec<(u64, u64)> = (0..).zip(self.distances()).collect();
        if self.writing {
            for last in (1..order.len()).rev() {
                order.swap(last, usize::try_from(random.between(0, last as u64 + 1)).unwrap_or(0));
            }
        }
        let mut chains: Vec<Chain> = (0..BASELINES).map(|group| self.baseline(group)).collect();
        let mut home = self.first + self.baseline_room() + self.home_room();
        let count = order.len();
        for (done, (group, distance)) in order.into_iter().enumerate() {
            let label = format!("distance {} of {count}", done + 1);
            chains.push(self.back_and_forth(label, group, distance, &mut home));
        }
        chains.push(self.random_pairs(random));
        chains
    }

    /// Blocks between the lowest and the highest home: reads use a fresh one each time.
    fn home_room(&self) -> u64 {
        if self.writing { 0 } else { (PER_GROUP + 1) * (GEOMETRIC + LINEAR) }
    }

    /// Blocks over which the targets of a group spread.
    fn group_room(&self) -> u64 {
        (PER_GROUP + 1) * (self.spacing + 1)
    }

    /// Blocks below a baseline's access that its timed one may be, and the next access of reads lies below.
    fn baseline_stride(&self) -> u64 {
        PER_GROUP * self.spacing + 2
    }

    fn baseline_room(&self) -> u64 {
        let strides = if self.writing { 2 } else { PER_GROUP + 1 };
        BASELINES * strides * self.baseline_stride()
    }

    /// Distances in blocks, ascending, each once.
    fn distances(&self) -> Vec<u64> {
        let home = self.first + self.baseline_room() + self.home_room();
        let longest = self.end - home - self.group_room() - 1;
        let ratio = (to_f64(longest) / to_f64(self.track_blocks)).powf(1.0 / to_f64(GEOMETRIC - 1));
        let mut distance = to_f64(self.track_blocks);
        let mut distances = Vec::with_capacity(40);
        for _ in 1..GEOMETRIC {
            distances.push(to_u64(distance));
            distance *= ratio;
        }
        distances.extend((1..=LINEAR).map(|step| longest / LINEAR * step));
        distances.push(longest);
        distances.sort_unstable();
        // Distances closer than the offsets spread are one distance.
        distances.dedup_by(|next, kept| *next - *kept < self.group_room());
        distances
    }

    /// Home, target, home, target: one group of `outward` and one of `inward`.
    fn back_and_forth(&self, label: String, group: u64, distance: u64, home: &mut u64) -> Chain {
        let step_down = u64::from(!self.writing);
        let mut blocks = Vec::new();
        let mut sorts = Vec::new();
        let base = *home + distance + self.group_room();
        for index in 0..PER_GROUP {
            blocks.push(*home);
            sorts.push((index > 0).then_some((Pattern::Inward, group)));
            blocks.push(base - index * (self.spacing + step_down));
            sorts.push(Some((Pattern::Outward, group)));
            *home -= step_down;
        }
        blocks.push(*home);
        sorts.push(Some((Pattern::Inward, group)));
        *home -= step_down;
        Chain { label, blocks, sorts }
    }

    /// Each second access is timed, at an offset that grows over two turns. Reads go downwards through fresh blocks;
    /// writes go from one home to the offset and back, as Figure 11 with a base of nothing.
    ///
    /// Homes of writes lie a third of a track apart, so that a track's end cuts short one of them at the most, and
    /// the offsets of a group lie between those of the others.
    fn baseline(&self, group: u64) -> Chain {
        let mut at = self.first + (group + 1) * self.baseline_room() / BASELINES - 1;
        if self.writing {
            at -= self.baseline_stride();
            at -= (at % self.track_blocks + group * self.track_blocks / BASELINES) % self.track_blocks;
        }
        let mut blocks = Vec::new();
        let mut sorts = Vec::new();
        for index in 0..PER_GROUP {
            let offset = 1 + index * self.spacing + group * self.spacing / BASELINES;
            blocks.push(at);
            sorts.push(None);
            blocks.push(if self.writing { at + offset } else { at - offset });
            sorts.push(Some((Pattern::Baseline, group)));
            if !self.writing {
                at -= self.baseline_stride();
            }
        }
        Chain { label: format!("no seek, {} of {BASELINES}", group + 1), blocks, sorts }
    }

    /// A few places anywhere, to try whether a write waits for the head.
    pub fn trial(&self, random: &mut Random) -> Vec<u64> {
        (0..TRIAL_WRITES).map(|_| random.between(self.first, self.end)).collect()
    }

    fn random_pairs(&self, random: &mut Random) -> Chain {
        let blocks: Vec<u64> = (0..=RANDOM_PAIRS).map(|_| random.between(self.first, self.end)).collect();
        let sorts = (0..=RANDOM_PAIRS).map(|pair| pair.checked_sub(1).map(|pair| (Pattern::Random, pair))).collect();
        Chain { label: "random pairs".to_owned(), blocks, sorts }
    }
}
