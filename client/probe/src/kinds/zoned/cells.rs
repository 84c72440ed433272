//! Cells: stretches in which every head reads its share, compared in place of single regions.
//!
//! A cell is as long as the drive needs to come round all its surfaces, and is sampled by short regions at equal distances.
//! Its mean is that of all heads, wherever it starts, so that cells can be halved as regions are on other drives.

use super::bands::{self, Cell};
use super::bisection::{Bisection, Point, evenly};
use super::region::{self, BURST, COARSE, LEAD, Plan, RESOLUTION, Series, as_piece, region_ns};
use crate::session::{Session, Stop, Suite};
use crate::stats::to_f64;

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
pub fn measure(session: &mut Session<'_>, plan: &Plan, scatter: f64, out: &mut Vec<Series>) -> Result<bool, Stop> {
    let bursts = (plan.length / SHORTER / plan.transfer_blocks / BURST).max(1);
    let short = Plan { length: bursts * BURST * plan.transfer_blocks, ..plan.clone() };
    let (cell, stop) = session.piece("bands of one surface", |session| as_piece(bands::find(session, &short, scatter)));
    stop.map_or(Ok(()), Err)?;
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
    let (read, stop) = session.piece(&format!("cell at {offset}"), |session| {
        let places = (0..cell.regions as u64).map(|index| offset + index * cell.period / cell.regions as u64);
        let (seen, stop) = region::read_each(session, plan, places.clone().map(|at| (at, plan.length, LEAD)));
        let read = places.zip(seen).filter_map(|(at, (elapsed, mark))| Some((at, elapsed?, mark)));
        (read.collect::<Regions>(), stop)
    });
    stop.map_or(Ok(()), Err)?;
    let times: Vec<f64> = read.iter().map(|&(_, elapsed, _)| to_f64(elapsed)).collect();
    // With fewer than three quarters of them the heads are no longer those of its neighbours.
    match bands::level(times).filter(|_| read.len() * 4 >= cell.regions * 3) {
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
