//! Regions all over the disk, denser where neighbours differ.
//!
//! On a drive that fills one surface after the other, each recorded as densely as it can carry, neighbours differ by the
//! head they are read with, by more than zones do. Halving would then chase heads: such a disk is sampled evenly and
//! densely instead, and what zones it has shows in the averages.

use super::region::{self, Plan, Series};
use crate::benchmarks::stats::{median, to_f64};
use crate::benchmarks::{Session, Stop};

/// Regions at equal distances, the first and the last one included.
const COARSE: u64 = 65;

/// A boundary between zones is located to this share of the disk.
const RESOLUTION: u64 = 2048;

/// No more regions than this in a pass, however many zones there are.
const REGIONS_MOST: usize = 420;

/// Regions one after the other at the start of the disk: they tell the noise.
const NOISE_REGIONS: u64 = 12;

/// Neighbours that differ by less are taken to be alike even where the noise is smaller: zones differ by more.
const ALIKE: f64 = 0.006;

/// Where the overview gets faster towards the inside by more than this, more often than once in so many neighbours, it
/// is not zones that make the difference: their rate only falls.
const RISE: f64 = 0.008;
const RISES_ONE_IN: usize = 5;

pub fn measure(session: &mut Session<'_>, plan: &Plan, out: &mut Vec<Series>) -> Result<(), Stop> {
    let noise = noise(session, plan)?;
    let mut pass = Pass { plan, noise, regions: Vec::with_capacity(REGIONS_MOST + 1), bad: Vec::new() };
    let first = pass.search(session);
    // The first repeat is written down even when the run was stopped in the middle of it.
    let mut offsets: Vec<(u64, u64)> = pass.regions;
    offsets.sort_unstable();
    let mut series = Series::with_capacity(0, offsets.len() as u64);
    for &(offset, elapsed) in &offsets {
        series.push(offset, plan.length, Some(elapsed));
    }
    out.push(series);
    first?;
    let repeats = session.settings.repeats;
    for repeat in 1..repeats {
        let left = offsets.len() as u64 * u64::from(repeats - repeat);
        session.progress(&format!("pass {} of {repeats}", repeat + 1), region_ns(plan) * left);
        out.push(Series::with_capacity(repeat, offsets.len() as u64));
        let place = out.len() - 1;
        for &(offset, _) in &offsets {
            let elapsed = region::read(session, plan, offset, plan.length, true)?;
            out[place].push(offset, plan.length, elapsed);
        }
    }
    Ok(())
}

/// Time of a region with the seek to it, and a slower inner part.
fn region_ns(plan: &Plan) -> u64 {
    plan.nanoseconds(plan.length) * 13 / 10 + 20_000_000
}

/// How far apart the times of two regions of one zone may be, as a share of them.
fn noise(session: &mut Session<'_>, plan: &Plan) -> Result<f64, Stop> {
    session.progress("noise", 0);
    let mut times = Vec::with_capacity(16);
    let first = plan.transfer_blocks.min(plan.capacity - plan.length);
    for index in 0..NOISE_REGIONS.min((plan.capacity - first) / plan.length) {
        let offset = first + index * plan.length;
        times.extend(region::read(session, plan, offset, plan.length, index == 0)?);
    }
    let typical = median(&times);
    let spread: Vec<u64> = times.iter().map(|time| time.abs_diff(typical)).collect();
    // 1.5 medians of the deviations are a standard deviation; beyond three of those a difference is hardly chance.
    Ok((4.5 * to_f64(median(&spread)) / to_f64(typical.max(1))).max(ALIKE))
}

struct Pass<'a> {
    plan: &'a Plan,
    noise: f64,
    /// Offset and time of each region that could be read.
    regions: Vec<(u64, u64)>,
    /// Offsets at which the medium failed.
    bad: Vec<u64>,
}

impl Pass<'_> {
    fn search(&mut self, session: &mut Session<'_>) -> Result<(), Stop> {
        let last = self.plan.capacity - self.plan.length;
        // The disk's very first request is the one before the first region, so that no seek is in that one's time either.
        let first = self.plan.transfer_blocks.min(last);
        let count = COARSE.min((last - first) / self.plan.length + 1).max(1);
        session.progress("overview", region_ns(self.plan) * count);
        for index in 0..count {
            let offset = if count == 1 { first } else { first + index * (last - first) / (count - 1) };
            let offset = self.aligned(offset, last);
            self.visit(session, offset)?;
        }
        let scattered = self.is_scattered();
        while self.regions.len() + self.bad.len() < REGIONS_MOST {
            let next = if scattered { self.widest_gap() } else { self.widest_step() };
            let Some(offset) = next else { break };
            let left = if scattered { REGIONS_MOST - self.regions.len() } else { 0 };
            let doing = format!("boundaries, {} regions so far", self.regions.len());
            session.progress(&doing, region_ns(self.plan) * left as u64);
            self.visit(session, offset)?;
        }
        Ok(())
    }

    /// Whether the overview goes up and down as heads do, and not down in steps as zones do.
    fn is_scattered(&self) -> bool {
        let rises = self.regions.windows(2).filter(|pair| to_f64(pair[0].1) > to_f64(pair[1].1) * (1.0 + RISE)).count();
        rises * RISES_ONE_IN > self.regions.len()
    }

    /// Regions start where requests would, but for the last one, which ends with the disk.
    fn aligned(&self, offset: u64, last: u64) -> u64 {
        if offset == last { last } else { offset / self.plan.transfer_blocks * self.plan.transfer_blocks }
    }

    fn visit(&mut self, session: &mut Session<'_>, offset: u64) -> Result<(), Stop> {
        match region::read(session, self.plan, offset, self.plan.length, true)? {
            Some(elapsed) => {
                let place = self.regions.partition_point(|region| region.0 < offset);
                self.regions.insert(place, (offset, elapsed));
            }
            None => self.bad.push(offset),
        }
        Ok(())
    }

    /// The middle of the widest pair of neighbours that differ; `None` when all boundaries are located.
    fn widest_step(&self) -> Option<u64> {
        self.widest(|left, right| (left - right).abs() > self.noise * left.min(right))
    }

    /// The middle of the widest pair of neighbours.
    fn widest_gap(&self) -> Option<u64> {
        self.widest(|_, _| true)
    }

    fn widest(&self, wanted: impl Fn(f64, f64) -> bool) -> Option<u64> {
        let narrowest = (self.plan.capacity / RESOLUTION).max(2 * self.plan.length);
        let pairs = self
            .regions
            .windows(2)
            .filter(|pair| pair[1].0 - pair[0].0 > narrowest && wanted(to_f64(pair[0].1), to_f64(pair[1].1)));
        let middles = pairs.map(|pair| {
            let width = pair[1].0 - pair[0].0;
            (width, (pair[0].0 + width / 2) / self.plan.transfer_blocks * self.plan.transfer_blocks)
        });
        // A place that can't be read is not tried again, and its pair stays as it is.
        middles.filter(|(_, middle)| !self.bad.contains(middle)).max().map(|(_, middle)| middle)
    }
}
