//! Whether a device turns, and how long a turn takes: from timing alone.
//!
//! Blocks are read backwards, with a different pause before each. A disk that turns hides the pause: the next block
//! comes by when it comes by, so that the times from one completion to the next are whole turns, less the time of a
//! block. On anything that does not turn the pause simply adds up, and the times spread as the pauses do. Reading
//! backwards keeps caches out of it, as no look-ahead has fetched the block before the last one.

use serde::{Deserialize, Serialize};

use crate::device::Timing;
use crate::session::{Session, Stop};
use crate::stats::{Random, quantile, to_f64, to_u64};

/// Reads per distance. Pauses are spread evenly up to the longest one: a turn and a half of the slowest disk known.
const READS: u64 = 160;
const LONGEST_PAUSE_NS: u64 = 26_000_000;

/// A turn is longer than this (15,000 rpm: 4 ms) and shorter than that (3,600 rpm: 16.7 ms), with room on both sides.
const SHORTEST_TURN_NS: f64 = 2_700_000.0;
const LONGEST_TURN_NS: f64 = 22_000_000.0;

/// Periods are tried this much apart, and a time fits one when it is this near to a whole number of turns. The same for all
/// periods: a part of the period would favour twice the turn, where noise blurs the turn itself.
const TURN_STEP: f64 = 1.001;
const FITS_WITHIN_NS: f64 = 90_000.0;

/// Of 160 times without a period a tenth or so fits the best one by chance; of an idle machine's disk nearly all fit, and
/// on a machine with five others at work for each core still a third (measured).
const TURNS_WHEN_FITTING: f64 = 0.25;

/// Distances between the blocks, shortest first: a drive that keeps whole tracks in its cache needs a longer one.
const STRIDES_BLOCKS: [u64; 4] = [1, 67, 1031, 16_411];

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Turns {
        period_ns: u64,
    },
    /// Why no rotation was seen, as a sentence.
    Steady {
        reason: String,
    },
}

impl Default for Verdict {
    fn default() -> Self {
        Self::Steady { reason: String::new() }
    }
}

/// Looks for rotation in the blocks before `near_block`. Takes about three seconds of device time where there is one.
pub fn detect(session: &mut Session<'_>, near_block: u64) -> Result<Verdict, Stop> {
    let mut best = 0.0_f64;
    let mut from = near_block;
    for stride in STRIDES_BLOCKS {
        let needed = stride * (READS + 1);
        if from < needed {
            break;
        }
        let intervals = intervals(session, from, stride)?;
        from -= needed;
        let Some(fit) = best_period(&intervals) else { continue };
        best = best.max(fit.share);
        if fit.share >= TURNS_WHEN_FITTING {
            return Ok(Verdict::Turns { period_ns: to_u64(refined(&intervals, fit)) });
        }
    }
    let percent = best * 100.0;
    Ok(Verdict::Steady {
        reason: format!("only {percent:.0} % of the times between reads fit a common period, so no rotation is seen"),
    })
}

/// Times from one completion to the next, each over a pause of its own.
fn intervals(session: &mut Session<'_>, from: u64, stride: u64) -> Result<Vec<f64>, Stop> {
    let mut intervals = Vec::with_capacity(160);
    let mut random = Random(stride);
    let mut previous_end = None;
    for step in 1..=READS {
        let timing = session.read(from - step * stride, 1)?;
        if let (Some(end), Some(timing)) = (previous_end, timing) {
            intervals.push(to_f64(timing.end_ns().saturating_sub(end)));
        }
        previous_end = timing.map(Timing::end_ns);
        session.idle(random.between(0, LONGEST_PAUSE_NS));
    }
    Ok(intervals)
}

/// A period, the part of it that all times have in common, and the share of times that fit.
#[derive(Clone, Copy)]
struct Fit {
    period: f64,
    phase: f64,
    share: f64,
}

/// The longest period that about as many times fit as fit any: what fits a turn also fits its half and its third.
fn best_period(intervals: &[f64]) -> Option<Fit> {
    if intervals.len() < 20 {
        return None;
    }
    let mut fits = Vec::new();
    let mut period = SHORTEST_TURN_NS;
    while period < LONGEST_TURN_NS {
        fits.push(fit(intervals, period));
        period *= TURN_STEP;
    }
    let most = fits.iter().map(|fit| fit.share).fold(0.0, f64::max);
    let longest = fits.iter().rposition(|fit| fit.share >= 0.85 * most)?;
    // Its neighbours are the same period, a little off: the best of them.
    let around = &fits[longest.saturating_sub(12)..=longest];
    around.iter().copied().max_by(|left, right| left.share.total_cmp(&right.share))
}

/// How many times are a whole number of periods and a common rest, within the tolerance.
fn fit(intervals: &[f64], period: f64) -> Fit {
    let mut rests: Vec<f64> = intervals.iter().map(|interval| interval.rem_euclid(period)).collect();
    rests.sort_by(f64::total_cmp);
    let count = rests.len();
    // The circle is closed by walking on into a second turn of it.
    rests.extend_from_within(..);
    for rest in &mut rests[count..] {
        *rest += period;
    }
    let width = 2.0 * FITS_WITHIN_NS;
    let mut best = (0, 0);
    let mut end = 0;
    for start in 0..count {
        while end < start + count && rests[end] - rests[start] <= width {
            end += 1;
        }
        best = best.max((end - start, start));
    }
    let (inside, start) = best;
    let phase = rests[start + inside / 2];
    Fit { period, phase, share: to_f64(inside as u64) / to_f64(count as u64) }
}

/// The period by least squares over the times that fit: several turns away, the noise counts for less.
fn refined(intervals: &[f64], fit: Fit) -> f64 {
    let points: Vec<(f64, f64)> = intervals
        .iter()
        .map(|&interval| (((interval - fit.phase) / fit.period).round(), interval))
        .filter(|(turns, interval)| (interval - fit.phase - turns * fit.period).abs() < 2.0 * FITS_WITHIN_NS)
        .collect();
    let count = to_f64(points.len() as u64);
    let (sum_turns, sum_times) = points.iter().fold((0.0, 0.0), |sums, point| (sums.0 + point.0, sums.1 + point.1));
    let (mean_turns, mean_time) = (sum_turns / count, sum_times / count);
    let (covariance, variance) = points.iter().fold((0.0, 0.0), |sums, (turns, time)| {
        (sums.0 + (turns - mean_turns) * (time - mean_time), sums.1 + (turns - mean_turns).powi(2))
    });
    if variance > 0.0 { covariance / variance } else { fit.period }
}

/// The middle of the narrowest heap of intervals, taken as parts of a turn: what most of them agree on, whatever the
/// others met (a boundary, a missed turn, a busy host).
pub fn common_rest(intervals: &[u64], period_ns: u64) -> Option<u64> {
    if intervals.len() < 4 {
        return None;
    }
    let period = to_f64(period_ns);
    let rests: Vec<f64> = intervals.iter().map(|&interval| to_f64(interval)).collect();
    let fit = fit(&rests, period);
    let inside: Vec<u64> = rests
        .iter()
        .map(|rest| (rest - fit.phase + period / 2.0).rem_euclid(period) - period / 2.0)
        .filter(|offset| offset.abs() <= 2.0 * FITS_WITHIN_NS)
        .map(|offset| to_u64(offset + period))
        .collect();
    Some(to_u64((fit.phase + to_f64(quantile(&inside, 0.5)) - period).rem_euclid(period)))
}
