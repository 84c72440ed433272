//! Whether a device turns, and how long a turn takes: from timing alone.
//!
//! Blocks are read backwards, each followed by a pause that grows from series to series. A disk that turns hides the
//! pause: the next block comes by when it comes by, so the time from one completion to the next stays the same until
//! the pause no longer fits and then grows by a whole turn. On anything that does not turn the pause simply adds up.
//! Reading backwards keeps caches out of it, as no look-ahead has fetched the block before the last one.

use super::stats::{median, to_f64, to_u64};
use super::{Session, Stop};

/// Pauses are tried in this grid: two to three turns of the slowest disk known, and several points in the fastest's.
const PAUSE_STEP_NS: u64 = 1_000_000;
const PAUSES: u64 = 28;
const READS_PER_PAUSE: u64 = 6;

/// Two neighbouring pauses that give intervals this close hide their difference.
const SAME_NS: u64 = 300_000;

/// A turn is longer than this (15,000 rpm: 4 ms) and shorter than that (3,600 rpm: 16.7 ms), with room on both sides.
const TURN_RANGE_NS: std::ops::Range<u64> = 2_500_000..26_000_000;

/// Distances between the blocks, shortest first: a drive that keeps whole tracks in its cache needs a longer one.
const STRIDES_BLOCKS: [u64; 4] = [1, 67, 1031, 16_411];

/// What the timing says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Turns {
        period_ns: u64,
    },
    /// Why no rotation was seen, as a sentence.
    Steady {
        reason: String,
    },
}

/// Looks for rotation in the blocks before `near_block`. Takes two or three seconds of device time where there is one.
///
/// # Errors
/// [`Stop`] when the run has to end.
pub fn detect(session: &mut Session<'_>, near_block: u64) -> Result<Verdict, Stop> {
    let mut hidden_best = 0.0_f64;
    let mut from = near_block;
    for stride in STRIDES_BLOCKS {
        let needed = stride * PAUSES * (READS_PER_PAUSE + 1);
        if from < needed {
            break;
        }
        let intervals = sweep(session, from, stride)?;
        from -= needed;
        let hidden = hidden_fraction(&intervals);
        hidden_best = hidden_best.max(hidden);
        if let Some(period_ns) = period(&intervals, hidden) {
            return Ok(Verdict::Turns { period_ns });
        }
    }
    Ok(Verdict::Steady {
        reason: format!(
            "a pause between reads was hidden by the device in only {:.0} % of the tries, so no rotation is seen",
            hidden_best * 100.0
        ),
    })
}

/// The median time from one completion to the next for each pause of the grid; empty where too many reads failed.
fn sweep(session: &mut Session<'_>, from: u64, stride: u64) -> Result<Vec<u64>, Stop> {
    let mut block = from;
    let mut medians = Vec::with_capacity(28);
    for pause in 0..PAUSES {
        let mut intervals = Vec::with_capacity(8);
        let mut previous_end = None;
        for _ in 0..=READS_PER_PAUSE {
            block -= stride;
            let timing = session.read(block, 1)?;
            if let (Some(end), Some(timing)) = (previous_end, timing) {
                intervals.push(timing.end_ns().saturating_sub(end));
            }
            previous_end = timing.map(crate::device::Timing::end_ns);
            session.idle(pause * PAUSE_STEP_NS);
        }
        if intervals.is_empty() {
            return Ok(Vec::new());
        }
        medians.push(median(&intervals));
    }
    Ok(medians)
}

/// How many of the neighbouring pauses gave the same interval.
fn hidden_fraction(intervals: &[u64]) -> f64 {
    if intervals.len() < 2 {
        return 0.0;
    }
    let same = intervals.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < SAME_NS).count() as u64;
    to_f64(same) / to_f64(intervals.len() as u64 - 1)
}

/// The turn, from the jumps between levels; `None` where the intervals don't look like a staircase.
fn period(intervals: &[u64], hidden: f64) -> Option<u64> {
    if hidden < 0.6 {
        return None;
    }
    let jumps: Vec<u64> = intervals
        .windows(2)
        .filter_map(|pair| pair[1].checked_sub(pair[0]))
        .filter(|jump| TURN_RANGE_NS.contains(jump))
        .collect();
    let first = median(intervals.get(..3)?);
    let rough = to_f64(if jumps.is_empty() { return None } else { median(&jumps) });
    // Later levels are several turns away: dividing by their number divides the noise as well.
    let refined: Vec<u64> = intervals
        .iter()
        .filter_map(|&interval| {
            let distance = to_f64(interval.checked_sub(first)?);
            let turns = (distance / rough).round();
            let fits = turns >= 1.0 && (distance - turns * rough).abs() < 0.1 * rough;
            fits.then(|| to_u64(distance / turns))
        })
        .collect();
    // A stray jump gives levels that fit nowhere: a staircase has most of its points on its steps.
    let above = intervals.iter().filter(|&&interval| interval > first + to_u64(rough / 2.0)).count();
    let last_levels = &refined[refined.len().saturating_sub(8)..];
    (refined.len() >= 3 && refined.len() * 10 >= above * 7).then(|| median(last_levels))
}
