//! Regions all over the disk, denser where neighbours differ.
//!
//! On a drive that fills one surface after the other, each recorded as densely as it can carry, neighbours differ by the
//! head they are read with, by more than zones do. Halving would then chase heads: such a disk is measured by
//! [`cells`], each a stretch that all heads take part in. Where the bands can't be told, it is sampled evenly and densely.

use super::bands;
use super::bisection::{Bisection, Point, evenly};
use super::region::{self, ALIKE, COARSE, LEAD, Plan, RESOLUTION, RegionTime, Series, region_ns};
use crate::session::{Session, Settings, Stop, Suite};
use crate::stats::{median, to_f64, to_u64};

/// No more regions than this in a pass, however many zones there are.
const REGIONS_MOST: usize = 420;

/// Where a run has three minutes for all kinds: the shape, and what boundaries that shows. Heads are not told apart.
const REGIONS_MOST_QUICK: usize = 40;
const COARSE_QUICK: u64 = 25;

/// What a pass usually takes, of which the noise and the overview are a part.
const REGIONS_TYPICAL: u64 = 150;
const REGIONS_TYPICAL_QUICK: u64 = 45;

pub fn regions_guess(settings: &Settings) -> u64 {
    let each = if settings.suite == Suite::Quick { REGIONS_TYPICAL_QUICK } else { REGIONS_TYPICAL };
    each * u64::from(settings.repeats)
}

/// Regions one after the other at the start of the disk: they tell the noise.
const NOISE_REGIONS: u64 = 12;

/// Regions of a piece: a few seconds.
const VISITS_PER_PIECE: usize = 24;

type Visits = Vec<(u64, RegionTime)>;

/// Where the overview gets faster towards the inside by more than this, more often than once in so many neighbours, it
/// is not zones that make the difference: their rate only falls.
const RISE: f64 = 0.008;
const RISES_ONE_IN: usize = 5;

/// Where neighbouring regions at the start of the disk differ by more than this, heads do even if the overview does not show it.
const HEADS_DIFFER: f64 = 0.03;

pub fn measure(session: &mut Session<'_>, plan: &Plan, out: &mut Vec<Series>) -> Result<(), Stop> {
    let mut search = Bisection::new((plan.capacity / RESOLUTION).max(2 * plan.length));
    let first = first_pass(session, plan, &mut search, out);
    if !out.is_empty() {
        // Cells: they stand for the regions, and those of one cell for each other's repeats.
        return first;
    }
    // The first repeat is written down even when the run was stopped in the middle of it.
    let mut series = Series::new(0);
    for point in &search.points {
        let mark = u8::from(search.disturbed.contains(&point.offset));
        series.push(point.offset, plan.length, (Some(to_u64(point.elapsed_ns)), mark));
    }
    out.push(series);
    first?;
    repeat(session, plan, &search.points, out)
}

/// The regions of the first pass once more, in each repeat.
fn repeat(session: &mut Session<'_>, plan: &Plan, points: &[Point], out: &mut Vec<Series>) -> Result<(), Stop> {
    let repeats = session.settings.repeats;
    for repeat in 1..repeats {
        let left = points.len() as u64 * u64::from(repeats - repeat);
        session.progress(&format!("pass {} of {repeats}", repeat + 1), region_ns(plan) * left);
        out.push(Series::new(repeat));
        let place = out.len() - 1;
        for (number, part) in points.chunks(VISITS_PER_PIECE).enumerate() {
            let (found, end) = session.piece(&format!("pass {}, part {}", repeat + 1, number + 1), |session, found| {
                region::read_each(session, plan, part.iter().map(|point| (point.offset, plan.length, LEAD)), found)
            });
            for (point, seen) in part.iter().zip(found) {
                out[place].push(point.offset, plan.length, seen);
            }
            end?;
        }
    }
    Ok(())
}

/// How far apart the times of two regions of one zone may be, as a share of them.
fn noise(session: &mut Session<'_>, plan: &Plan) -> Result<f64, Stop> {
    session.progress("noise", 0);
    let times = session.whole_piece("noise", |session| noise_times(session, plan))?;
    let typical = median(&times);
    let spread: Vec<u64> = times.iter().map(|time| time.abs_diff(typical)).collect();
    // 1.5 medians of the deviations are a standard deviation; beyond three of those a difference is hardly chance.
    Ok((4.5 * to_f64(median(&spread)) / to_f64(typical.max(1))).max(ALIKE))
}

fn noise_times(session: &mut Session<'_>, plan: &Plan) -> Result<Vec<u64>, Stop> {
    let mut times = Vec::with_capacity(16);
    let first = (LEAD * plan.transfer_blocks).min(plan.capacity - plan.length);
    for index in 0..NOISE_REGIONS.min((plan.capacity - first) / plan.length) {
        let offset = first + index * plan.length;
        times.extend(region::read(session, plan, offset, plan.length, if index == 0 { LEAD } else { 0 })?);
    }
    Ok(times)
}

/// The overview, and what it calls for: cells where heads differ (then `out` has them), else halving.
fn first_pass(
    session: &mut Session<'_>,
    plan: &Plan,
    search: &mut Bisection,
    out: &mut Vec<Series>,
) -> Result<(), Stop> {
    let noise = noise(session, plan)?;
    let quick = session.settings.suite == Suite::Quick;
    let offsets = evenly(plan, plan.length, if quick { COARSE_QUICK } else { COARSE });
    session.progress("overview", region_ns(plan) * offsets.len() as u64);
    visit_all(session, plan, search, "overview", &|search| offsets.get(search.visited()).copied())?;
    let scattered = is_scattered(&search.points);
    if !quick
        && (scattered || noise > HEADS_DIFFER)
        && bands::measure_cells(session, plan, bands::scatter(&search.points), out)?
    {
        return Ok(());
    }
    let most = if quick { REGIONS_MOST_QUICK } else { REGIONS_MOST };
    let left = if scattered { most.saturating_sub(search.visited()) } else { 0 };
    session.progress("boundaries", region_ns(plan) * left as u64);
    visit_all(session, plan, search, "boundaries", &|search| {
        let next = if scattered { search.widest_gap(plan) } else { search.widest_step(plan, noise) };
        next.filter(|_| search.visited() < most)
    })
}

/// Whether the overview goes up and down as heads do, and not down in steps as zones do.
fn is_scattered(points: &[Point]) -> bool {
    let rises = points.windows(2).filter(|pair| pair[0].elapsed_ns > pair[1].elapsed_ns * (1.0 + RISE)).count();
    rises * RISES_ONE_IN > points.len()
}

/// Where to read next, from what was read; `None` when that is enough.
type Next<'a> = &'a dyn Fn(&Bisection) -> Option<u64>;

/// Reads where `next` says until it says no more, in pieces of a few seconds.
fn visit_all(
    session: &mut Session<'_>,
    plan: &Plan,
    search: &mut Bisection,
    name: &str,
    next: Next<'_>,
) -> Result<(), Stop> {
    for part in 1.. {
        let (found, end) =
            session.piece(&format!("{name}, part {part}"), |session, found| visit(session, plan, search, next, found));
        let whole = found.len() == VISITS_PER_PIECE;
        for (offset, (elapsed, mark)) in found {
            search.take(offset, elapsed);
            search.disturbed.extend((mark > 0).then_some(offset));
        }
        end?;
        if !whole {
            break;
        }
    }
    Ok(())
}

/// One piece: offsets, and how long each took, where it could be read.
fn visit(
    session: &mut Session<'_>,
    plan: &Plan,
    search: &Bisection,
    next: Next<'_>,
    out: &mut Visits,
) -> Result<(), Stop> {
    let mut search = search.clone();
    while let Some(offset) = next(&search).filter(|_| out.len() < VISITS_PER_PIECE) {
        let mut seen = Vec::new();
        let end = region::read_each(session, plan, [(offset, plan.length, LEAD)], &mut seen);
        for &one in &seen {
            search.take(offset, one.0);
            out.push((offset, one));
        }
        end?;
    }
    Ok(())
}
