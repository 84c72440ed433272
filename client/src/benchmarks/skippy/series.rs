//! One series: its blocks, the walk over them, and its columns.

use serde::Serialize;

use super::plan::{Layout, Region, TRACKS_FIRST, TRACKS_MOST, Variant};
use crate::benchmarks::stats::quantile;
use crate::benchmarks::walk::{Access, walk};
use crate::benchmarks::{Session, Stop};

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    Increasing,
    Constant,
}

#[derive(Serialize)]
pub struct Series {
    pub variant: Variant,
    pub region: Region,
    pub pattern: Pattern,
    pub repeat: u32,
    pub start_block: u64,
    pub step_blocks: Vec<u64>,
    pub offset_blocks: Vec<u64>,
    pub start_ns: Vec<u64>,
    pub latency_ns: Vec<u64>,
}

/// Measures one variant in one region. Series measured before a stop are in `out`.
pub fn measure_variant(
    session: &mut Session<'_>,
    layout: &mut Layout,
    variant: Variant,
    out: &mut Vec<Series>,
) -> Result<(), Stop> {
    let mut edge = None;
    // Repeats of a write go to the same place: no cache answers them, and noise then shows step by step.
    let mut write_lane = None;
    for repeat in 0..session.settings.repeats {
        let steps: Vec<u64> = (0..layout.steps(edge)).collect();
        let span = steps.iter().map(|step| step + 1).sum::<u64>() + 1;
        let lane = match write_lane.filter(|&(_, kept_span)| kept_span >= span) {
            Some((lane, _)) => lane,
            None => layout.next_lane(span),
        };
        if variant == Variant::Write {
            write_lane = Some((lane, span));
        }
        take(session, Request { layout, variant, pattern: Pattern::Increasing, repeat, lane, span }, &steps, out)?;
        if repeat == 0 {
            edge = after_first_repeat(session, layout, variant, out)?;
        }
    }
    Ok(())
}

/// Learns the edge from the first series, and the size of a cylinder from a constant one just above it.
fn after_first_repeat(
    session: &mut Session<'_>,
    layout: &mut Layout,
    variant: Variant,
    out: &mut Vec<Series>,
) -> Result<Option<u64>, Stop> {
    let Some(first) = out.last().filter(|series| series.latency_ns.len() > 16) else { return Ok(None) };
    let shortest_ns = quantile(&first.latency_ns, 0.04);
    let step = match variant {
        // Walking down, the head comes by earliest with almost a whole track of distance.
        Variant::Backward => layout.track_blocks.saturating_sub(layout.constant_step(shortest_ns)).max(1),
        Variant::Read | Variant::Write => layout.constant_step(shortest_ns),
    };
    for tracks in [TRACKS_FIRST, TRACKS_MOST] {
        let count = layout.constant_count(step, tracks);
        let steps = vec![step; usize::try_from(count).unwrap_or(1)];
        let span = count * (step + 1) + 1;
        let lane = layout.next_lane(span);
        let pattern = Pattern::Constant;
        let place = out.len();
        take(session, Request { layout, variant, pattern, repeat: 0, lane, span }, &steps, out)?;
        let Some(constant) = out.get(place) else { break };
        let found = layout.learn_cylinder(&constant.offset_blocks, &constant.latency_ns);
        if found || tracks == TRACKS_MOST {
            break;
        }
        // Too short to show a cylinder: the longer one replaces it.
        out.truncate(place);
    }
    Ok((variant != Variant::Backward).then_some(step))
}

struct Request<'a> {
    layout: &'a Layout,
    variant: Variant,
    pattern: Pattern,
    repeat: u32,
    lane: u64,
    span: u64,
}

/// Walks a series and appends it, what there is of it even when it was stopped.
fn take(session: &mut Session<'_>, request: Request<'_>, steps: &[u64], out: &mut Vec<Series>) -> Result<(), Stop> {
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
    let walked = walk(session, &blocks, access);
    let mut series = Series {
        variant: request.variant,
        region: request.layout.region,
        pattern: request.pattern,
        repeat: request.repeat,
        start_block: start,
        step_blocks: Vec::new(),
        offset_blocks: Vec::new(),
        start_ns: Vec::new(),
        latency_ns: Vec::new(),
    };
    let origin = walked.timings.iter().flatten().next().map_or(0, |timing| timing.start_ns);
    for (index, timing) in walked.timings.iter().enumerate().skip(1) {
        let Some(timing) = timing else { continue };
        series.step_blocks.push(steps[index - 1]);
        series.offset_blocks.push(blocks[index]);
        series.start_ns.push(timing.start_ns - origin);
        series.latency_ns.push(timing.latency_ns);
    }
    out.push(series);
    walked.stop.map_or(Ok(()), Err)
}
