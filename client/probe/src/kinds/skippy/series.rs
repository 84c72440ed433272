//! One series: its blocks, the walk over them, and its columns.

use serde::{Deserialize, Serialize};

use super::plan::{Layout, Region, TRACKS_FIRST, TRACKS_MOST, Variant};
use crate::kinds::chain::{Access, run_chain};
use crate::report::json::Column;
use crate::session::{Session, Stop};

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    Increasing,
    Constant,
}

impl Pattern {
    const fn name(self) -> &'static str {
        match self {
            Self::Increasing => "increasing",
            Self::Constant => "constant",
        }
    }
}

#[derive(Deserialize, Serialize)]
pub struct Series {
    pub variant: Variant,
    pub region: Region,
    pub pattern: Pattern,
    pub repeat: u32,
    pub start_block: u64,
    pub step_blocks: Column,
    pub offset_blocks: Column,
    pub start_ns: Column,
    pub latency_ns: Column,
    /// 1 where something disturbed the access, 0 where nothing did; left out where nothing disturbed any.
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    pub disturbed: Column,
}

/// Measures one variant in one region. Series measured before a stop are in `out`.
pub fn measure_variant(
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
            if let Some(first) = out.last().filter(|series| series.latency_ns.len() > 16) {
                layout.learn_mtm(&first.latency_ns.to_vec());
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
        let found = layout.learn_cylinder(&constant.offset_blocks.to_vec(), &constant.latency_ns.to_vec());
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

impl Request<'_> {
    /// Unique within a run: a constant series that is taken again is a longer one.
    fn name(&self, steps: usize) -> String {
        let (region, variant, pattern) = (self.layout.region.name(), self.variant.name(), self.pattern.name());
        format!("{region} part, {variant}, {pattern} {}, {steps} steps", self.repeat)
    }
}

/// Takes a series and appends it, what there is of it even when it was stopped.
fn take(session: &mut Session<'_>, request: &Request<'_>, steps: &[u64], out: &mut Vec<Series>) -> Result<(), Stop> {
    let (series, stop) = session.piece(&request.name(steps.len()), |session| walk_series(session, request, steps));
    out.push(series);
    stop.map_or(Ok(()), Err)
}

fn walk_series(session: &mut Session<'_>, request: &Request<'_>, steps: &[u64]) -> (Series, Option<Stop>) {
    let (start, downwards) = match request.variant {
        Variant::Backward => (request.lane + request.span - 1, true),
        Variant::Read | Variant::Write => (request.lane, false),
    };
    let mut blocks = Vec::with_capacity(steps.len() + 1);
    blocks.push(start);
    for &step in steps {
        let last = blocks[blocks.len() - 1];
        blocks.push(if downwards { last - (step + 1) } else { last + step + 1 });
    }
    let access = if request.variant == Variant::Write { Access::Write } else { Access::Read };
    let ran = run_chain(session, &blocks, access);
    let mut series = Series {
        variant: request.variant,
        region: request.layout.region,
        pattern: request.pattern,
        repeat: request.repeat,
        start_block: start,
        step_blocks: Column::new(),
        offset_blocks: Column::new(),
        start_ns: Column::new(),
        latency_ns: Column::new(),
        disturbed: Column::new(),
    };
    let marks = session.disturbed(&ran.timings);
    let origin = ran.timings.iter().flatten().next().map_or(0, |timing| timing.start_ns);
    for (index, timing) in ran.timings.iter().enumerate().skip(1) {
        let Some(timing) = timing else { continue };
        series.step_blocks.push(steps[index - 1]);
        series.offset_blocks.push(blocks[index]);
        series.start_ns.push(timing.start_ns - origin);
        series.latency_ns.push(timing.latency_ns);
        if let Some(&mark) = marks.get(index) {
            series.disturbed.push(mark.into());
        }
    }
    (series, ran.stop)
}
