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
        let here = self.turned(at_ns);
        let part = (angle - here.fract()).rem_euclid(1.0);
        let wait = part * self.rotation_ns;
        if wait > self.rotation_ns - CATCH_NS {
            return 0.0;
        }
        if self.spindle.is_none() {
            return wait;
        }
        // A turn is longer or shorter than the mean one by a share far below a hundredth: twice is enough.
        (0..2).fold(wait, |wait, _| wait + (here + part - self.turned(at_ns + wait)) * self.rotation_ns)
    }

    /// Turns since the beginning.
    fn turned(&self, at_ns: f64) -> f64 {
        (at_ns - self.spindle.map_or(0.0, |spindle| spindle.behind_ns(at_ns))) / self.rotation_ns
    }

    /// How long one sector of the track takes to pass.
    pub fn sector_ns(&self, track: &Track, at_ns: f64) -> f64 {
        let turn_ns = self.spindle.map_or(self.rotation_ns, |spindle| self.rotation_ns * (1.0 + spindle.longer(at_ns)));
        turn_ns / f64::from(track.slots)
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
            let sector_ns = self.sector_ns(&track, now);
            if next == sector {
                first_end = now + sector_ns;
            }
            let here = end.min(track.end()) - next;
            now += here as f64 * sector_ns;
            next += here;
        }
        Pass { first_end_ns: first_end, end_ns: now }
    }
}
