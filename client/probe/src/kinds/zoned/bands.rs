//! How the surfaces take turns on a drive that fills a band of one surface, then of the next one.
//!
//! Every head writes at its own rate, so a stretch of the disk reads as a row of levels, one per band. After all heads had
//! their turn (there and back again, on a serpentine drive) the row repeats: a cell of that length has the same heads in it
//! wherever it starts, and cells of equal mean are of one zone. Nothing but this period is needed, and it is measured.

use serde::{Deserialize, Serialize};

use super::bisection::{Bisection, Point, evenly};
use super::region;
use super::region::{ALIKE, BURST, COARSE, LEAD, Plan, RESOLUTION, Series, region_ns};
use crate::session::{Session, Stop, Suite};
use crate::stats::{to_f64, to_u64};

/// Pairs of regions for each distance, spread over the first part of the disk.
const PAIRS: u64 = 32;
const SPREAD_OVER: u64 = 32;

/// Regions keep so many of their lengths apart: a drive reads ahead, and its buffer would answer for the medium.
/// Where bands are narrow there is no room for that.
const APART: u64 = 3;
const NEAR: u64 = 2;

/// Two regions of different bands differ as the overview's neighbours do. Beyond this part of that, most pairs do.
const MOST_DIFFER: f64 = 0.7;

/// No band is longer than this part of the disk: a cell would not show a boundary any better than its neighbours do.
const BANDS_FEWEST: u64 = 512;

/// Regions of a scan fall this often on every band, and so many are read at most.
const REGIONS_PER_BAND: u64 = 3;
const SCAN_MOST: usize = 640;
const SCAN_STEP: usize = 24;

/// A row repeats where the differences sink below this part of what they are elsewhere.
const REPEATS_BELOW: f64 = 0.45;

/// So many regions have to agree with those a period on: forty bands, which do not by chance.
const AGREEING_FEWEST: usize = 120;

/// Regions of a cell, from the fewest that might do to the most that a run has time for.
const REGIONS_FEWEST: usize = 16;
const CELL_REGIONS_MOST: usize = 25;

/// Differences of two cells beyond so many standard deviations of one are hardly chance.
const HARDLY_CHANCE: f64 = 3.5;

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Cell {
    /// Blocks after which the bands repeat.
    pub period: u64,
    pub length: u64,
    /// Regions at equal distances within it.
    pub regions: usize,
    /// How far apart two cells of one zone may be, as a share of their time.
    pub noise: f64,
}

/// How far neighbours of the overview are apart, as a share of their time: mostly heads, hardly zones.
pub fn scatter(points: &[Point]) -> f64 {
    mean_clipped(points.windows(2).map(|pair| difference(pair[0].elapsed_ns, pair[1].elapsed_ns)).collect())
}

/// Finds the bands at the start of the disk; `None` where nothing repeats. `plan` is that of a short region.
pub fn find(session: &mut Session<'_>, plan: &Plan, scatter: f64) -> Result<Option<Cell>, Stop> {
    session.progress("bands of one surface", 0);
    let Some(band) = band_blocks(session, plan, scatter)? else { return Ok(None) };
    let plan = Plan { length: length_within(plan, band), ..plan.clone() };
    let apart = if plan.length * APART * REGIONS_PER_BAND > band { NEAR } else { APART };
    let stride =
        (band / REGIONS_PER_BAND).max(apart * plan.length).div_ceil(plan.transfer_blocks) * plan.transfer_blocks;
    let mut row: Vec<Option<f64>> = Vec::with_capacity(SCAN_MOST);
    while row.len() < SCAN_MOST {
        for _ in 0..SCAN_STEP {
            let offset = LEAD * plan.transfer_blocks + row.len() as u64 * stride;
            if offset + plan.length > plan.capacity {
                return Ok(None);
            }
            row.push(region::read(session, &plan, offset, plan.length, LEAD)?.map(to_f64));
        }
        if let Some(period) = period_of(&row) {
            return Ok(cell_of(&row, period, stride, plan.length, LEAD * plan.transfer_blocks));
        }
    }
    Ok(None)
}

/// The shortest region where bands are narrow, so that one fits into a band; else as it is.
fn length_within(plan: &Plan, band: u64) -> u64 {
    let fits = plan.length * APART * REGIONS_PER_BAND <= band;
    if fits { plan.length } else { plan.length.min(BURST * plan.transfer_blocks) }
}

/// About how many blocks a band has: the distance at which two regions mostly are of different bands.
fn band_blocks(session: &mut Session<'_>, plan: &Plan, scatter: f64) -> Result<Option<u64>, Stop> {
    let bases: Vec<u64> = (0..PAIRS)
        .map(|index| LEAD * plan.transfer_blocks + index * (plan.capacity / SPREAD_OVER / PAIRS))
        .map(|offset| offset / plan.transfer_blocks * plan.transfer_blocks)
        .collect();
    let mut here = Vec::with_capacity(bases.len());
    for &base in &bases {
        here.push(region::read(session, plan, base, plan.length, LEAD)?.map(to_f64));
    }
    let mut before = (0.0, 0.0);
    let mut distance = APART * plan.length;
    while distance < plan.capacity / BANDS_FEWEST {
        let mut differences = Vec::with_capacity(bases.len());
        for (&base, &time) in bases.iter().zip(&here) {
            let there = region::read(session, plan, base + distance, plan.length, LEAD)?.map(to_f64);
            differences.extend(time.zip(there).map(|(time, there)| difference(time, there)));
        }
        let now = (to_f64(distance), mean_clipped(differences));
        let wanted = MOST_DIFFER * scatter;
        if now.1 >= wanted {
            let share = (wanted - before.1) / (now.1 - before.1).max(f64::EPSILON);
            let crossed = before.0 + share.clamp(0.0, 1.0) * (now.0 - before.0);
            return Ok(Some(to_u64(crossed / MOST_DIFFER)));
        }
        before = now;
        distance *= 2;
    }
    Ok(None)
}

/// After how many regions a row repeats; `None` where it is too short to show that, or does not.
fn period_of(row: &[Option<f64>]) -> Option<f64> {
    let longest = (row.len() / 2).min(row.len().saturating_sub(AGREEING_FEWEST));
    let apart: Vec<f64> = (2..longest).map(|lag| mismatch(row, lag)).collect();
    let mut sorted = apart.clone();
    sorted.sort_by(f64::total_cmp);
    let typical = *sorted.get(sorted.len() / 2)?;
    // Regions of one band agree as well: the row has to leave its start before it can come back to it.
    let left = apart.iter().position(|&one| one > 0.8 * typical)?;
    let back = left + apart[left..].iter().position(|&one| one < REPEATS_BELOW * typical)?;
    let dip = apart[back..].iter().take_while(|&&one| one < REPEATS_BELOW * typical).count();
    // The dip may go on beyond what has been read so far: its far side has to be seen too.
    if back + dip >= apart.len() {
        return None;
    }
    let depths = (back..back + dip).map(|place| (to_f64(place as u64), REPEATS_BELOW * typical - apart[place]));
    let (moment, weight) = depths.fold((0.0, 0.0), |sums, (place, depth)| (sums.0 + place * depth, sums.1 + depth));
    Some(moment / weight + 2.5)
}

/// How far regions are from those `lag` further on, or one more: the period is no whole number of regions.
fn mismatch(row: &[Option<f64>], lag: usize) -> f64 {
    let differences = (0..row.len() - lag - 1).filter_map(|place| {
        let (here, there, next) = (row[place]?, row[place + lag]?, row[place + lag + 1]?);
        Some(difference(here, there).min(difference(here, next)))
    });
    mean_clipped(differences.collect())
}

/// How many regions a cell has: cells that start anywhere in the row must agree. A number that meets every head once
/// does so best. `None` where regions of `length` and what is read before them, `lead`, would overlap: the drive's
/// buffer would answer for the medium.
fn cell_of(row: &[Option<f64>], period: f64, stride: u64, length: u64, lead: u64) -> Option<Cell> {
    let blocks = to_u64(period * to_f64(stride));
    let apart = (REGIONS_FEWEST..=CELL_REGIONS_MOST).filter(|regions| blocks / *regions as u64 >= length + lead);
    let noises = apart.map(|regions| (disagreement(row, period, regions), regions));
    let (noise, regions) = noises.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(Cell { period: blocks, length, regions, noise: (HARDLY_CHANCE * noise).max(ALIKE) })
}

/// Standard deviation of the cells that the row holds, as a share of their mean.
fn disagreement(row: &[Option<f64>], period: f64, regions: usize) -> f64 {
    let step = period / to_f64(regions as u64);
    let levels: Vec<f64> = (0..row.len())
        .map_while(|start| {
            let places = (0..regions).map(|index| start + index_of(to_f64(index as u64) * step));
            let times: Option<Vec<Option<f64>>> = places.map(|place| row.get(place).copied()).collect();
            level(times?.into_iter().flatten().collect())
        })
        .collect();
    let count = to_f64(levels.len().max(1) as u64);
    let mean = levels.iter().sum::<f64>() / count;
    let square = levels.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / count;
    square.sqrt() / mean.max(1.0)
}

/// The mean of a cell's times, in which a disturbed region counts no more than the slowest undisturbed one could.
pub fn level(mut times: Vec<f64>) -> Option<f64> {
    if times.is_empty() {
        return None;
    }
    times.sort_by(f64::total_cmp);
    let (lower, upper) = (times[times.len() / 4], times[times.len() * 3 / 4]);
    // Tukey's fence, as in a box plot.
    let fence = upper + 1.5 * (upper - lower);
    let count = to_f64(times.len() as u64);
    Some(times.into_iter().map(|time| time.min(fence)).sum::<f64>() / count)
}

fn difference(one: f64, other: f64) -> f64 {
    (one - other).abs() / one.min(other).max(1.0)
}

/// The mean, in which what is far beyond most counts no more than thrice the median.
fn mean_clipped(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_by(f64::total_cmp);
    let most = 3.0 * values[values.len() / 2];
    let count = to_f64(values.len() as u64);
    values.into_iter().map(|value| value.min(most)).sum::<f64>() / count
}

fn index_of(place: f64) -> usize {
    usize::try_from(to_u64(place)).unwrap_or(usize::MAX)
}

/// A region is a quarter as long as where it has to average over heads.
const SHORTER: u64 = 4;

/// No more regions than this, however many zones there are: in full, and where everything has to fit into twenty minutes.
const REGIONS_MOST: usize = 4900;
const REGIONS_MOST_STANDARD: usize = 3600;

/// Steps beyond the noise come first. In the time that is left, those that only may be one are looked at.
const DIFFERENT_ENOUGH: [f64; 2] = [1.0, 0.7];

/// Regions of a cell: where each stands, how long it took and whether something disturbed it.
type Regions = Vec<(u64, u64, u8)>;

/// Measures by cells; `false`, and nothing in `out`, where the bands can't be told. `scatter` is how far neighbours
/// of the overview are apart, as a share of their time.
pub fn measure_cells(
    session: &mut Session<'_>,
    plan: &Plan,
    scatter: f64,
    out: &mut Vec<Series>,
) -> Result<bool, Stop> {
    let bursts = (plan.length / SHORTER / plan.transfer_blocks / BURST).max(1);
    let short = Plan { length: bursts * BURST * plan.transfer_blocks, ..plan.clone() };
    let cell = session.whole_piece("bands of one surface", |session| find(session, &short, scatter))?;
    let Some(cell) = cell else { return Ok(false) };
    let short = Plan { length: cell.length, ..short };
    let mut measured = Vec::with_capacity(256);
    let stop = search(session, &short, &cell, &mut measured).err();
    if !measured.is_empty() {
        out.push(series_of(&short, measured));
    }
    stop.map_or(Ok(true), Err)
}

fn search(session: &mut Session<'_>, plan: &Plan, cell: &Cell, measured: &mut Vec<Regions>) -> Result<(), Stop> {
    let mut search = Bisection::new((plan.capacity / RESOLUTION).max(cell.period));
    let offsets = evenly(plan, cell.period, COARSE);
    let most = if session.settings.suite == Suite::Full { REGIONS_MOST } else { REGIONS_MOST_STANDARD };
    let cell_ns = region_ns(plan) * cell.regions as u64;
    let count = offsets.len() as u64;
    for (index, offset) in offsets.into_iter().enumerate() {
        session.progress("overview of all heads", cell_ns * (count - index as u64));
        visit(session, plan, cell, &mut search, offset, measured)?;
    }
    for share in DIFFERENT_ENOUGH {
        while search.visited() * cell.regions < most {
            let Some(offset) = search.widest_step(plan, share * cell.noise) else { break };
            session.progress(&format!("boundaries, {} cells so far", search.points.len()), 0);
            visit(session, plan, cell, &mut search, offset, measured)?;
        }
    }
    Ok(())
}

fn visit(
    session: &mut Session<'_>,
    plan: &Plan,
    cell: &Cell,
    search: &mut Bisection,
    offset: u64,
    measured: &mut Vec<Regions>,
) -> Result<(), Stop> {
    let read: Regions = session.whole_piece(&format!("cell at {offset}"), |session| {
        let places = (0..cell.regions as u64).map(|index| offset + index * cell.period / cell.regions as u64);
        let mut seen = Vec::new();
        region::read_each(session, plan, places.clone().map(|at| (at, plan.length, LEAD)), &mut seen)?;
        Ok(places.zip(seen).filter_map(|(at, (elapsed, mark))| Some((at, elapsed?, mark))).collect())
    })?;
    let times: Vec<f64> = read.iter().map(|&(_, elapsed, _)| to_f64(elapsed)).collect();
    // With fewer than three quarters of them the heads are no longer those of its neighbours.
    match level(times).filter(|_| read.len() * 4 >= cell.regions * 3) {
        Some(elapsed_ns) => {
            search.insert(Point { offset, elapsed_ns });
            measured.push(read);
        }
        None => search.bad.push(offset),
    }
    Ok(())
}

/// Cells in order of position, the number of each beside its regions.
fn series_of(plan: &Plan, mut measured: Vec<Regions>) -> Series {
    measured.sort_by_key(|regions| regions[0].0);
    let mut series = Series::new(0);
    for (number, regions) in measured.iter().enumerate() {
        for &(offset, elapsed, mark) in regions {
            series.push_in(number as u64, offset, plan.length, (Some(elapsed), mark));
        }
    }
    series
}

#[cfg(test)]
mod tests;
