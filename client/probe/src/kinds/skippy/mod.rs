//! SKIPPY: single blocks at linearly growing steps (Skippy document, 4.1 and Figure 1).
//!
//! Between two requests the disk turns for about the same time, so a growing step meets the head once per track of
//! growth: the latencies form a sawtooth whose height is the rotation time, whose slope is the time of a block and
//! whose spikes are the track and cylinder boundaries.
//!
//! Variants: `read`, `backward` (walks down, which look-ahead does not help) and `write` where writing is allowed.
//! Patterns: `increasing` as in Figure 1, long enough for the first edge, a full track and two cylinders; `constant`
//! repeats one step just above the edge, so that every boundary shows even where a track has few blocks.
//!
//! Parts: `outer`, `middle` and `inner` in all variants, then one variant once at places between them, as the paper
//! does in each zone of its drive (4.2): what a track holds there, and whether heads and gaps are the same.

mod plan;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::chain::{Access, run_chain};
use super::columns::{column, milliseconds, series_with, unmarked};
use super::{Cost, Declaration, Kind, Measurement};
use crate::device::{CacheStates, Geometry};
use crate::report::document::Measured;
use crate::report::json::Column;
use crate::session::{Session, Settings, Stop, Suite};
use crate::stats::to_f64;
use crate::terminal::overview::{Drawing, Overview};
use plan::{Known, Layout, Place, Region, TRACKS_FIRST, TRACKS_MOST, Variant};

pub struct Skippy;

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
        let steps = parts(settings.suite).len() as u64 * (growing * u64::from(settings.repeats) + constant);
        let (reading, writing) = (2, u64::from(settings.writes));
        let places = Place::between(settings.suite).count() as u64;
        let between = places * (growing + constant);
        let block = u64::from(geometry.block_bytes);
        Cost {
            elapsed_ns: ((reading + writing) * steps + between) * rotation_ns * 3 / 4
                + places * TURNS_OF_ESTIMATE * rotation_ns,
            // What is written is read before.
            read_bytes: ((reading + writing) * steps + between) * block,
            written_bytes: writing * (steps + between) * block,
        }
    }

    fn caches(&self, settings: &Settings) -> CacheStates {
        // A write that the cache answers shows nothing of the medium.
        CacheStates { write: settings.writes.then_some(false), look_ahead: None }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        let rotation_ns = entry.params["rotation_estimate_ns"].as_u64().filter(|&rotation| rotation > 0);
        let rotation = rotation_ns.map(|rotation_ns| {
            let rpm = 60e9 / to_f64(rotation_ns);
            ("rotation, a first estimate", format!("{} ({rpm:.0} rpm)", milliseconds(rotation_ns)))
        });
        let shortest = VARIANTS.iter().filter_map(|&(variant, name)| {
            let latencies = series_with(entry, "variant", variant).flat_map(|series| column(series, "latency_ns"));
            latencies.min().map(|shortest| (name, milliseconds(shortest)))
        });
        Overview { numbers: rotation.into_iter().chain(shortest).collect(), drawing: sawtooth(entry) }
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let Some(rotation_ns) = session.estimates.rotation_ns else {
            return Measurement::nothing("no rotation period was found, and the steps depend on it", None);
        };
        let mut series = Vec::new();
        let end = measure_regions(session, rotation_ns, &mut series);
        series.retain(|one: &Series| !one.columns.latency_ns.is_empty());
        let params = json!({
            "block_bytes": session.geometry().block_bytes,
            "rotation_estimate_ns": rotation_ns,
            "repeats": session.settings.repeats,
        });
        let why = "no series was completed: the run ended first, or no track was found in the timing";
        Measurement::of(params, series, end, why)
    }
}

/// Turns that it takes to see how many blocks a track has: a dozen strides.
const TURNS_OF_ESTIMATE: u64 = 200;

/// All of them, or the outer one alone for a quick look.
fn parts(suite: Suite) -> &'static [Place] {
    if suite == Suite::Quick { &[Place::OUTER] } else { &Place::PARTS }
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
    let suite = session.settings.suite;
    let between = Place::between(suite).count() as u64;
    let count = (parts(suite).len() * variants.len()) as u64;
    let mut done = 0;
    let mut known = Known::default();
    for &place in parts(suite) {
        session.progress(&format!("{place}, length of a track"), 0);
        let Some(mut layout) = Layout::find(session, place, rotation_ns, Known::default())? else { continue };
        for &variant in variants {
            let left = layout.variant_ns(session.settings.repeats).saturating_mul(count - done)
                + layout.variant_ns(1).saturating_mul(between);
            session.progress(&format!("{place}, {}", variant.name()), left);
            measure_variant(session, &mut layout, variant, out)?;
            done += 1;
        }
        known.mtm_ns = known.mtm_ns.max(layout.known.mtm_ns);
        known.cylinder_tracks = known.cylinder_tracks.max(layout.known.cylinder_tracks);
    }
    // The variant that caches hide least of.
    let variant = if session.writable() { Variant::Write } else { Variant::Backward };
    for (number, place) in Place::between(suite).enumerate() {
        let Some(mut layout) = Layout::find(session, place, rotation_ns, known)? else { continue };
        let left = layout.variant_ns(1).saturating_mul(between - number as u64);
        session.progress(&format!("{place}, {}", variant.name()), left);
        measure_once(session, &mut layout, variant, out)?;
    }
    Ok(())
}

/// Measures one growing and one constant series.
fn measure_once(
    session: &mut Session<'_>,
    layout: &mut Layout,
    variant: Variant,
    out: &mut Vec<Series>,
) -> Result<(), Stop> {
    let steps = layout.growing();
    let step = layout.constant_step(variant);
    let count = layout.constant_count(step, layout.tracks_between());
    let constant = vec![step; usize::try_from(count).unwrap_or(1)];
    for (pattern, steps) in [(Pattern::Increasing, steps), (Pattern::Constant, constant)] {
        let span = steps.iter().map(|step| step + 1).sum::<u64>() + 1;
        let lane = layout.next_lane(span);
        take(session, &Request { layout, variant, pattern, repeat: 0, lane, span }, &steps, out)?;
    }
    Ok(())
}

/// The clearest variant first.
const VARIANTS: [(&str, &str); 3] =
    [("write", "shortest write"), ("backward", "shortest backward read"), ("read", "shortest forward read")];

fn sawtooth(entry: &Measured) -> Option<Drawing> {
    let increasing =
        |variant| series_with(entry, "variant", variant).find(|one| one["pattern"].as_str() == Some("increasing"));
    let (variant, series) = VARIANTS.iter().find_map(|&(variant, _)| Some((variant, increasing(variant)?)))?;
    let (steps, latencies) = (column(series, "step_blocks"), column(series, "latency_ns"));
    let points = steps.iter().zip(&latencies).map(|(&step, &latency)| (to_f64(step), to_f64(latency) / 1e6)).collect();
    let region = series["region"].as_str().unwrap_or("outer");
    let title = format!("Sawtooth of the {variant} variant at the {region} start");
    Some(Drawing { title, x_label: "step (blocks)", y_label: "latency (ms)", points })
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum Pattern {
    Increasing,
    Constant,
}

#[derive(Serialize)]
struct Series {
    variant: Variant,
    region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    position_permille: Option<u64>,
    pattern: Pattern,
    repeat: u32,
    start_block: u64,
    #[serde(flatten)]
    columns: Columns,
}

#[derive(Default, Deserialize, Serialize)]
struct Columns {
    step_blocks: Column,
    offset_blocks: Column,
    start_ns: Column,
    latency_ns: Column,
    /// 1 where something disturbed the access, 0 where nothing did.
    #[serde(default, skip_serializing_if = "unmarked")]
    disturbed: Vec<u8>,
}

/// Measures one variant in one region. Series measured before a stop are in `out`.
fn measure_variant(
    session: &mut Session<'_>,
    layout: &mut Layout,
    variant: Variant,
    out: &mut Vec<Series>,
) -> Result<(), Stop> {
    // Repeats of a write go to the same place: no cache answers them, and noise then shows step by step.
    let mut write_lane = None;
    for repeat in 0..session.settings.repeats {
        let steps = layout.growing();
        let span = steps.iter().map(|step| step + 1).sum::<u64>() + 1;
        let lane = match write_lane.filter(|&(_, kept_span)| kept_span >= span) {
            Some((lane, _)) => lane,
            None => layout.next_lane(span),
        };
        if variant == Variant::Write {
            write_lane = Some((lane, span));
        }
        take(session, &Request { layout, variant, pattern: Pattern::Increasing, repeat, lane, span }, &steps, out)?;
        if repeat == 0 {
            if let Some(first) = out.last().filter(|series| series.columns.latency_ns.len() > 16) {
                layout.learn_mtm(&first.columns.latency_ns.to_vec());
            }
            measure_constant(session, layout, variant, out)?;
        }
    }
    Ok(())
}

/// A constant series just above the edge, and a longer one in its place if the first shows no cylinder.
fn measure_constant(
    session: &mut Session<'_>,
    layout: &mut Layout,
    variant: Variant,
    out: &mut Vec<Series>,
) -> Result<(), Stop> {
    let step = layout.constant_step(variant);
    for tracks in [TRACKS_FIRST, TRACKS_MOST] {
        let count = layout.constant_count(step, tracks);
        let steps = vec![step; usize::try_from(count).unwrap_or(1)];
        let span = count * (step + 1) + 1;
        let lane = layout.next_lane(span);
        let pattern = Pattern::Constant;
        let place = out.len();
        take(session, &Request { layout, variant, pattern, repeat: 0, lane, span }, &steps, out)?;
        let Some(constant) = out.get(place) else { break };
        let found =
            layout.learn_cylinder(&constant.columns.offset_blocks.to_vec(), &constant.columns.latency_ns.to_vec());
        // Look-ahead answers most of a forward series: a longer one would show no more.
        if found || tracks == TRACKS_MOST || variant == Variant::Read {
            break;
        }
        out.truncate(place);
    }
    Ok(())
}

struct Request<'a> {
    layout: &'a Layout,
    variant: Variant,
    pattern: Pattern,
    repeat: u32,
    lane: u64,
    span: u64,
}

/// Takes a series and appends it, what there is of it even when it was stopped.
fn take(session: &mut Session<'_>, request: &Request<'_>, steps: &[u64], out: &mut Vec<Series>) -> Result<(), Stop> {
    let &Request { layout, variant, pattern, repeat, lane, span } = request;
    // Unique within a run: a constant series that is taken again is a longer one.
    let count = steps.len();
    let name = format!("{}, {}, {pattern} {repeat}, {count} steps", layout.place, variant.name());
    let start_block = if variant == Variant::Backward { lane + span - 1 } else { lane };
    let (columns, end) = session.piece(&name, |session, columns| walk(session, variant, start_block, steps, columns));
    let Place { region, position_permille } = layout.place;
    out.push(Series { variant, region, position_permille, pattern, repeat, start_block, columns });
    end
}

fn walk(session: &mut Session<'_>, variant: Variant, start: u64, steps: &[u64], out: &mut Columns) -> Result<(), Stop> {
    let mut blocks = Vec::with_capacity(steps.len() + 1);
    blocks.push(start);
    for &step in steps {
        let last = blocks[blocks.len() - 1];
        blocks.push(if variant == Variant::Backward { last - (step + 1) } else { last + step + 1 });
    }
    let access = if variant == Variant::Write { Access::Write } else { Access::Read };
    let mut ran = Vec::new();
    let end = run_chain(session, &blocks, access, &mut ran);
    let origin = ran.iter().flatten().next().map_or(0, |(timing, _)| timing.start_ns);
    for (index, one) in ran.into_iter().enumerate().skip(1) {
        let Some((timing, mark)) = one else { continue };
        out.step_blocks.push(steps[index - 1]);
        out.offset_blocks.push(blocks[index]);
        out.start_ns.push(timing.start_ns - origin);
        out.latency_ns.push(timing.latency_ns);
        out.disturbed.push(mark);
    }
    end
}

#[cfg(test)]
mod tests;
