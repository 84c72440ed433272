//! Halves what the offsets of a distance leave open: the seek ends between the block that met the head soonest and the
//! one before it that came by too early.
//!
//! Only where one home is written again and again: reads would meet blocks that a look-ahead has read.

use super::plan::Pattern;
use super::{Marked, latencies};
use crate::kinds::walk::Access;
use crate::session::{Session, Stop};

/// Halvings: from the space between two offsets to a sixteenth of it.
const HALVINGS: u64 = 4;

/// Accesses that narrow a distance down, of both directions.
pub const ACCESSES: u64 = 2 * 3 * HALVINGS;

/// A timed access: from, to, and what it took.
pub type Timed = (u64, u64, u64);

/// What is open of one pattern.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pattern: Pattern,
    home: u64,
    /// At the other end: the block whose access met the head soonest, and the one beside it that came too early.
    hit: u64,
    missed: u64,
    shortest_ns: u64,
}

impl Open {
    /// `None` where nothing lies between the soonest access and the one before it.
    pub fn of(pattern: Pattern, accesses: &[Timed]) -> Option<Self> {
        // On the way out a nearer block comes by earlier; on the way home a start further on leaves less of the turn.
        let inward = matches!(pattern, Pattern::Inward);
        let ends = |access: &Timed| if inward { (access.1, access.0) } else { (access.0, access.1) };
        let best = accesses.iter().min_by_key(|access| access.2)?;
        let (home, hit) = ends(best);
        let others = accesses.iter().map(ends).filter(|other| other.0 == home).map(|other| other.1);
        let missed = if inward { others.filter(|&at| at > hit).min() } else { others.filter(|&at| at < hit).max() }?;
        (missed.abs_diff(hit) > 1).then_some(Self { pattern, home, hit, missed, shortest_ns: best.2 })
    }
}

/// An access of the narrowing, as it is kept: from, to, latency and the mark of a disturbance.
pub type Kept = (u64, u64, u64, u64);

/// Goes home, to the middle and home again, until a sixteenth is left; returns what the ways out and back took.
pub fn narrow(session: &mut Session<'_>, opens: &[Open], access: Access) -> (Vec<Kept>, Option<Stop>) {
    let mut kept = Vec::new();
    for open in opens {
        let Open { pattern, home, mut hit, mut missed, mut shortest_ns } = *open;
        for _ in 0..HALVINGS {
            let middle = hit.midpoint(missed);
            if middle == hit || middle == missed {
                break;
            }
            let (timed, stop): (Marked, _) = latencies(session, &[home, middle, home], access);
            let at = |index: usize| timed.get(index).copied().flatten();
            kept.extend(at(1).map(|(latency, mark)| (home, middle, latency, u64::from(mark))));
            kept.extend(at(2).map(|(latency, mark)| (middle, home, latency, u64::from(mark))));
            if stop.is_some() {
                return (kept, stop);
            }
            let Some((latency, _)) = at(if matches!(pattern, Pattern::Inward) { 2 } else { 1 }) else { break };
            if latency < shortest_ns {
                (hit, shortest_ns) = (middle, latency);
            } else {
                missed = middle;
            }
        }
    }
    (kept, None)
}
