//! SKIPPY: single blocks at linearly growing steps (Skippy document, 4.1 and Figure 1).
//!
//! Between two requests the disk turns for about the same time, so a growing step meets the head once per track of
//! growth: the latencies form a sawtooth whose height is the rotation time, whose slope is the time of a block and
//! whose spikes are the track and cylinder boundaries.
//!
//! Variants: `read`, `backward` (walks down, which look-ahead does not help) and `write` where writing is allowed.
//! Patterns: `increasing` as in Figure 1, long enough for the first edge, a full track and two cylinders; `constant`
//! repeats one step just above the edge, so that every boundary shows even where a track has few blocks.

mod overview;
mod plan;
mod series;

use serde::Serialize;

use super::{CacheRequirements, Cost, Declaration, Kind, Measurement};
use crate::device::Geometry;
use crate::report::document::Measured;
use crate::session::{Session, Settings, Stop, Suite};
use crate::terminal::overview::Overview;
use plan::{Layout, Region, Variant};
use series::Series;

pub struct Skippy;

#[derive(Serialize)]
struct Params {
    block_bytes: u32,
    rotation_estimate_ns: u64,
    repeats: u32,
}

impl Kind for Skippy {
    fn declaration(&self) -> Declaration {
        Declaration {
            needs_rotation: true,
            ..Declaration::new("skippy", include_str!("../../../../../server/benchmarks/skippy/schema/v1.json"))
        }
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost {
        // Before the track is known: 400 steps and 500 constant ones, at most of a turn each, in each region; fewer of
        // both where time is short.
        let (growing, constant) = if settings.suite == Suite::Quick { (300, 400) } else { (400, 500) };
        let steps = regions(settings.suite).len() as u64 * (growing * u64::from(settings.repeats) + constant);
        let (reading, writing) = (2, u64::from(settings.writes));
        let bytes = steps * u64::from(geometry.block_bytes);
        Cost {
            elapsed_ns: (reading + writing) * steps * rotation_ns * 3 / 4,
            // What is written is read before.
            read_bytes: (reading + writing) * bytes,
            written_bytes: writing * bytes,
        }
    }

    fn caches(&self, settings: &Settings) -> CacheRequirements {
        // A write that the cache answers shows nothing of the medium.
        CacheRequirements { write: settings.writes.then_some(false), look_ahead: None }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        overview::overview(entry)
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let Some(rotation_ns) = session.estimates.rotation_ns else {
            return Measurement::nothing("no rotation period was found, and the steps depend on it", None);
        };
        let mut series = Vec::new();
        let stop = measure_regions(session, rotation_ns, &mut series).err();
        series.retain(|one: &Series| !one.latency_ns.is_empty());
        let params = Params {
            block_bytes: session.geometry().block_bytes,
            rotation_estimate_ns: rotation_ns,
            repeats: session.settings.repeats,
        };
        let why = "no series was completed: the run ended first, or no track was found in the timing";
        Measurement::of(&params, series, stop, why)
    }
}

/// All of them, or the outer one alone for a quick look.
fn regions(suite: Suite) -> &'static [Region] {
    if suite == Suite::Quick { &Region::ALL[..1] } else { &Region::ALL }
}

fn measure_regions(session: &mut Session<'_>, rotation_ns: u64, out: &mut Vec<Series>) -> Result<(), Stop> {
    // Backwards first: caches hide least of it, and what it shows of the drive places the other variants' steps.
    let variants: &[Variant] = if session.writable() {
        // A quick look at the medium needs no third variant, and look-ahead says least of it.
        let all = &[Variant::Backward, Variant::Write, Variant::Read];
        if session.settings.suite == Suite::Quick { &all[..2] } else { all }
    } else {
        &[Variant::Backward, Variant::Read]
    };
    let regions = regions(session.settings.suite);
    let parts = (regions.len() * variants.len()) as u64;
    let mut done = 0;
    for &region in regions {
        session.progress(&format!("{} part, length of a track", region.name()), 0);
        let Some(mut layout) = Layout::find(session, region, rotation_ns)? else { continue };
        for &variant in variants {
            let left = layout.variant_ns(session.settings.repeats).saturating_mul(parts - done);
            session.progress(&format!("{} part, {}", region.name(), variant.name()), left);
            series::measure_variant(session, &mut layout, variant, out)?;
            done += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
