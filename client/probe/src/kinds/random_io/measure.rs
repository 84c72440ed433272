//! Measures one combination.

use std::collections::HashSet;

use super::plan::{Case, Mode, Plan};
use super::series::{Collector, Series};
use crate::device::Span;
use crate::device::request::Action;
use crate::identify::processors::Processors;
use crate::session::guard_band::guard_blocks;
use crate::session::{BurstStop, Session, Stop};
use crate::stats::Random;

/// What is kept at once before it is written back.
pub const BATCH_BYTES: u64 = 64 << 20;

/// After so many unreadable places a batch is given up.
const UNREADABLE_PLACES_GIVEN_UP: usize = 8;

/// The places of a combination: stretches of one request's length, one after the other.
struct Places {
    first: u64,
    count: u64,
    request_blocks: u32,
}

impl Places {
    fn new(session: &Session<'_>, request_blocks: u32) -> Self {
        let geometry = session.geometry();
        // Where something is written nothing else is read at the ends either, so that the directions compare.
        let margin = if session.writable() { guard_blocks(&geometry) } else { 0 };
        let step = u64::from(request_blocks);
        let first = margin.next_multiple_of(step);
        let count = geometry.capacity_blocks().saturating_sub(margin).saturating_sub(first) / step;
        Self { first, count, request_blocks }
    }

    fn span(&self, index: u64) -> Span {
        Span { block: self.first + index * u64::from(self.request_blocks), count: self.request_blocks }
    }

    /// So many places at random, none twice: requests under way at once must not meet where one of them writes.
    fn draw(&self, random: &mut Random, count: usize) -> Vec<Span> {
        let mut seen = HashSet::with_capacity(count);
        let mut spans = Vec::with_capacity(count);
        while spans.len() < count {
            let index = random.between(0, self.count);
            if seen.insert(index) {
                spans.push(self.span(index));
            }
        }
        spans
    }
}

/// Measures a combination into `out`; why this machine or disk can't do it goes to `refused`.
pub fn measure(
    session: &mut Session<'_>,
    plan: &Plan,
    case: &Case,
    seed: u64,
    out: &mut Series,
    refused: &mut Option<String>,
) -> Result<(), Stop> {
    let places = Places::new(session, case.request_blocks);
    let batch = batch_requests(session, plan, case, &places);
    if batch == 0 {
        *refused = Some(format!("the device has too few places of {} blocks", case.request_blocks));
    }
    let wanted = usize::try_from(plan.requests).unwrap_or(usize::MAX);
    let mut collector = Collector::new(empty(case), wanted.div_ceil(batch.max(1)), wanted);
    let mut random = Random(seed);
    let mut left = wanted;
    let mut serve_all = || {
        while left > 0 && refused.is_none() && collector.series.elapsed_ns < plan.limit_ns {
            let spans = places.draw(&mut random, batch.min(left));
            left -= spans.len();
            let Some(Prepared { actions, staged }) = prepare(session, case.mode, &spans, &mut random)? else {
                continue;
            };
            let before = session.processors();
            let limit_ns = plan.limit_ns - collector.series.elapsed_ns;
            let served = session.burst(&actions, case.concurrency, Some(limit_ns));
            let spent = session.processors().zip(before).map(|(after, before): (Processors, _)| after.since(before));
            collector.add(&actions, &staged, &served.done, spent);
            match served.end {
                Some(BurstStop::Run(stop)) => return Err(stop),
                Some(BurstStop::Refused(why)) => *refused = Some(why),
                None => {}
            }
        }
        Ok(())
    };
    let end = serve_all();
    if case.mode != Mode::Read {
        // A write cache would empty itself in the time of the next combination, or of the next kind.
        session.flush();
    }
    collector.set_disturbed(session);
    *out = collector.finish();
    end
}

/// Requests of one batch: all of them where nothing is written, otherwise as many as may be kept at once. 0 where the
/// device has not enough places to choose from.
fn batch_requests(session: &Session<'_>, plan: &Plan, case: &Case, places: &Places) -> usize {
    let bytes = u64::from(case.request_blocks) * u64::from(session.geometry().block_bytes);
    let fits = if case.mode == Mode::Read { plan.requests } else { BATCH_BYTES / bytes };
    usize::try_from(fits.min(places.count / 4).min(plan.requests)).unwrap_or(0)
}

struct Prepared {
    actions: Vec<Action>,
    staged: Vec<Span>,
}

/// Reads what the writes of a batch will write back; `None` where too much of it can't be read.
fn prepare(
    session: &mut Session<'_>,
    mode: Mode,
    spans: &[Span],
    random: &mut Random,
) -> Result<Option<Prepared>, Stop> {
    // In each pair of mixed requests one writes, which of them is left to chance.
    let mut coin = 0;
    let mut writes: Vec<bool> = Vec::with_capacity(spans.len());
    for index in 0..spans.len() {
        if index % 2 == 0 {
            coin = random.draw() & 1;
        }
        writes.push(match mode {
            Mode::Read => false,
            Mode::Write => true,
            Mode::Mixed => (index as u64 & 1) == coin,
        });
    }
    let mut bad: HashSet<u64> = HashSet::new();
    for _ in 0..UNREADABLE_PLACES_GIVEN_UP {
        let mut staged = Vec::new();
        let mut actions = Vec::with_capacity(spans.len());
        for (&span, &write) in spans.iter().zip(&writes) {
            if bad.contains(&span.block) {
                continue;
            }
            actions.push(if write { Action::Write(staged.len()) } else { Action::Read(span) });
            if write {
                staged.push(span);
            }
        }
        if staged.is_empty() {
            return Ok(Some(Prepared { actions, staged }).filter(|prepared| !prepared.actions.is_empty()));
        }
        let Some(block) = session.stage_spans(&staged)? else { return Ok(Some(Prepared { actions, staged })) };
        let holds = |span: &&Span| (span.block..span.block + u64::from(span.count)).contains(&block);
        let Some(span) = staged.iter().find(holds) else { return Ok(None) };
        bad.insert(span.block);
    }
    Ok(None)
}

fn empty(case: &Case) -> Series {
    let (pattern, concurrency) = (case.pattern().to_owned(), case.concurrency.lanes());
    Series { variant: case.mode, pattern, concurrency, request_blocks: case.request_blocks, ..Series::default() }
}
