//! Where the head is, how long it takes to get elsewhere and when a sector comes by.

use super::layout::Track;
use super::model::Model;

/// The head that is active and the cylinder it stands on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arm {
    pub cylinder: u32,
    pub head: u16,
}

/// When the first sector of a transfer had passed and when the last.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub first_end_ns: f64,
    pub end_ns: f64,
}

/// Rounding must not cost a turn: a sector that begins within this is not missed.
const CATCH_NS: f64 = 0.5;

impl Model {
    /// From where the arm stands to the track: seek or head switch, and settling where it writes.
    pub fn travel_ns(&self, arm: Arm, track: &Track, writes: bool) -> f64 {
        let settle = if writes { self.seek.write_settle_ns } else { 0.0 };
        let distance = arm.cylinder.abs_diff(track.cylinder);
        let switch = if arm.head == track.head { 0.0 } else { self.seek.head_switch_ns };
        if distance == 0 && arm.head == track.head { 0.0 } else { self.seek.seek_ns(distance).max(switch) + settle }
    }

    /// How long after `at_ns` the given angle (in turns) comes under the head.
    pub fn wait_ns(&self, angle: f64, at_ns: f64) -> f64 {
        let part = (angle - self.turned(at_ns).fract()).rem_euclid(1.0);
        if part * self.rotation_ns > self.rotation_ns - CATCH_NS {
            return 0.0;
        }
        self.turning_ns(part, at_ns)
    }

    /// Turns since the beginning.
    fn turned(&self, at_ns: f64) -> f64 {
        self.turns_between(0.0, at_ns)
    }

    /// How far the platter turns from one moment to the next.
    fn turns_between(&self, from_ns: f64, to_ns: f64) -> f64 {
        let behind_ns = self.spindle.map_or(0.0, |spindle| spindle.behind_ns(to_ns) - spindle.behind_ns(from_ns));
        (to_ns - from_ns - behind_ns) / self.rotation_ns
    }

    /// How long the platter takes for so many turns from `at_ns` on.
    fn turning_ns(&self, turns: f64, at_ns: f64) -> f64 {
        let even_ns = turns * self.rotation_ns;
        if self.spindle.is_none() {
            return even_ns;
        }
        // A turn is longer or shorter than the mean one by a hundredth at the most, and so is what each step leaves.
        (0..4).fold(even_ns, |taken_ns, _| {
            taken_ns + (turns - self.turns_between(at_ns, at_ns + taken_ns)) * self.rotation_ns
        })
    }

    /// How long `count` sectors of the track take to pass. To be right within [`CATCH_NS`]: the next one follows at
    /// once, and whoever is late by more waits for it a whole turn.
    pub fn passing_ns(&self, track: &Track, count: u64, at_ns: f64) -> f64 {
        self.turning_ns(count as f64 / f64::from(track.slots), at_ns)
    }

    /// How many sectors of the track have passed between two moments, the one that is passing counted as its part.
    pub fn passed(&self, track: &Track, from_ns: f64, to_ns: f64) -> f64 {
        self.turns_between(from_ns, to_ns) * f64::from(track.slots)
    }

    /// When the head could begin with `sector` if it set out at `at_ns`.
    pub fn reach_ns(&self, arm: Arm, sector: u64, at_ns: f64, writes: bool) -> f64 {
        let track = self.layout.track(sector);
        let arrived = at_ns + self.travel_ns(arm, &track, writes);
        arrived + self.wait_ns(track.angle(sector), arrived)
    }

    /// Reads or writes `count` physical sectors from `sector` on, track by track, and leaves the arm at the last.
    pub fn pass(&self, arm: &mut Arm, sector: u64, count: u64, at_ns: f64, writes: bool) -> Pass {
        let (mut next, end) = (sector, sector + count);
        let (mut now, mut first_end) = (at_ns, at_ns);
        while next < end {
            let track = self.layout.track(next);
            now += self.travel_ns(*arm, &track, writes);
            now += self.wait_ns(track.angle(next), now);
            *arm = Arm { cylinder: track.cylinder, head: track.head };
            if next == sector {
                first_end = now + self.passing_ns(&track, 1, now);
            }
            let here = end.min(track.end()) - next;
            now += self.passing_ns(&track, here, now);
            next += here;
        }
        Pass { first_end_ns: first_end, end_ns: now }
    }
}
