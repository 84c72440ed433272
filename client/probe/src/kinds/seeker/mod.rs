//! SEEKER: what it takes to reach another place (Skippy document, 4.3 and Figure 11).
//!
//! The head goes back and forth between a home and a target at some distance. From access to access the distance grows
//! a little, until the offsets have run over two turns: one of them then meets the head without rotational delay, and
//! the smallest latency of the group is the seek with the minimum time to media. Writes then halve what the offsets
//! leave open, between that one and the one before it, which came by too early.
//!
//! Where writes are allowed and reach the medium the home is one block, as in Figure 11. Reads never touch a block twice and always walk
//! towards lower blocks, in which no look-ahead has read: home and target both move down as the group goes on.

mod plan;

use serde::Serialize;
use serde_json::json;

use super::chain::{Access, Marked, run_chain};
use super::columns::{column, milliseconds, series_with, unmarked};
use super::{Cost, Declaration, Kind, Measurement, track};
use crate::device::{CacheStates, Geometry};
use crate::report::document::Measured;
use crate::report::json::Column;
use crate::session::{Session, Settings, Stop, Suite};
use crate::stats::{Random, median};
use crate::terminal::overview::Overview;
use plan::{Chain, HALVINGS, Pattern, Plan, TURNS};

pub struct Seeker;

/// Equally long columns, one entry per timed access.
#[derive(Serialize)]
struct Series {
    variant: Variant,
    pattern: Pattern,
    group: Column,
    from_blocks: Column,
    to_blocks: Column,
    latency_ns: Column,
    /// 1 where something disturbed the access, 0 where nothing did.
    #[serde(skip_serializing_if = "unmarked")]
    disturbed: Vec<u8>,
}

impl Series {
    fn new(variant: Variant, pattern: Pattern) -> Self {
        let [group, from_blocks, to_blocks, latency_ns] = [const { Column::new() }; 4];
        Self { variant, pattern, group, from_blocks, to_blocks, latency_ns, disturbed: Vec::new() }
    }

    fn push(&mut self, group: u64, (from, to, latency_ns, mark): Kept) {
        self.group.push(group);
        self.from_blocks.push(from);
        self.to_blocks.push(to);
        self.latency_ns.push(latency_ns);
        self.disturbed.push(mark);
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Variant {
    Write,
    Read,
}

impl Kind for Seeker {
    fn declaration(&self) -> Declaration {
        Declaration {
            // Minutes of seeks are too many for a quick look.
            needs_rotation: true,
            suites: &[Suite::Standard, Suite::Full],
            ..Declaration::new("seeker", include_str!("../../../../../server/benchmarks/seeker/schema/v1.json"))
        }
    }

    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost {
        let accesses = plan::accesses_guess(settings.writes);
        let bytes = accesses * u64::from(geometry.block_bytes);
        Cost {
            elapsed_ns: accesses * (rotation_ns / 2 + 10_000_000),
            read_bytes: bytes,
            written_bytes: if settings.writes { bytes } else { 0 },
        }
    }

    fn caches(&self, settings: &Settings) -> CacheStates {
        // A write that the cache answers shows nothing of the arm.
        CacheStates { write: settings.writes.then_some(false), look_ahead: None }
    }

    fn overview(&self, entry: &Measured, _capacity_bytes: u64) -> Overview {
        let typical = |(pattern, name)| {
            let latencies: Vec<u64> =
                series_with(entry, "pattern", pattern).flat_map(|series| column(series, "latency_ns")).collect();
            (!latencies.is_empty()).then(|| (name, milliseconds(median(&latencies))))
        };
        let patterns = [
            ("baseline", "typical access nearby"),
            ("outward", "typical access, from the start"),
            ("inward", "typical access, back to the start"),
            ("random", "typical access, random places"),
        ];
        patterns.into_iter().filter_map(typical).collect()
    }

    fn run(&self, session: &mut Session<'_>) -> Measurement {
        let Some(rotation_ns) = session.estimates.rotation_ns else {
            return Measurement::nothing("no rotation period was found, and the offsets depend on it", None);
        };
        session.progress("length of a track", 0);
        let near = session.geometry().capacity_blocks() / 256;
        let track_blocks = match session
            .whole_piece("length of a track", |session| track::estimate_blocks(session, near, rotation_ns))
        {
            Ok(Some(track_blocks)) => track_blocks,
            Ok(None) => return Measurement::nothing("the timing does not show the length of a track", None),
            Err(stop) => return Measurement::nothing("the run ended before the first series", Some(stop)),
        };
        let mut series = Vec::new();
        let end = measure(session, track_blocks, rotation_ns, &mut series);
        series.retain(|one: &Series| !one.latency_ns.is_empty());
        let params = json!({
            "block_bytes": session.geometry().block_bytes,
            "rotation_estimate_ns": rotation_ns,
            "turns": TURNS,
            "track_blocks_estimate": track_blocks,
        });
        let why = "no series was completed before the run ended, or the disk is too small";
        Measurement::of(params, series, end, why)
    }
}

fn measure(session: &mut Session<'_>, track_blocks: u64, rotation_ns: u64, out: &mut Vec<Series>) -> Result<(), Stop> {
    let mut random = Random(session.settings.seed);
    let writing = session.writable() && writes_reach_the_medium(session, rotation_ns, &mut random)?;
    let (variant, access) = if writing { (Variant::Write, Access::Write) } else { (Variant::Read, Access::Read) };
    let Some(plan) = Plan::new(&session.geometry(), track_blocks, writing) else { return Ok(()) };
    let chains = plan.chains(&mut random);
    let patterns = [Pattern::Baseline, Pattern::Outward, Pattern::Inward, Pattern::Random];
    out.extend(patterns.map(|pattern| Series::new(variant, pattern)));
    let mut left: u64 = chains.iter().map(|chain| chain.blocks.len() as u64).sum();
    for chain in &chains {
        session.progress(&chain.label, left * (rotation_ns / 2 + 10_000_000));
        left -= chain.blocks.len() as u64;
        take(session, chain, access, out)?;
        if writing {
            take_narrowed(session, chain, access, out)?;
        }
    }
    Ok(())
}

/// Whether a write waits for the medium. A drive that delays writes answers from its cache, seek or no seek: SEEKER then
/// reads (Skippy document, 4.3, on the limits of the method).
fn writes_reach_the_medium(session: &mut Session<'_>, rotation_ns: u64, random: &mut Random) -> Result<bool, Stop> {
    let Some(plan) = Plan::new(&session.geometry(), 1, true) else { return Ok(false) };
    let blocks = plan.trial(random);
    let latencies = session.whole_piece("trial of writes", |session| {
        let mut latencies = Latencies::new();
        walk(session, &blocks, Access::Write, &mut latencies)?;
        Ok(latencies)
    })?;
    let latencies: Vec<u64> = latencies.into_iter().flatten().map(|(latency, _)| latency).collect();
    Ok(median(&latencies) > rotation_ns / 8)
}

/// A latency and the mark of a disturbance for each access; `None` where it failed.
type Latencies = Vec<Option<(u64, u8)>>;

fn walk(session: &mut Session<'_>, blocks: &[u64], access: Access, out: &mut Latencies) -> Result<(), Stop> {
    let mut ran: Vec<Marked> = Vec::new();
    let end = run_chain(session, blocks, access, &mut ran);
    out.extend(ran.into_iter().map(|one| one.map(|(timing, mark)| (timing.latency_ns, mark))));
    end
}

/// Walks a chain and sorts its timed accesses into the series of their patterns.
fn take(session: &mut Session<'_>, chain: &Chain, access: Access, out: &mut [Series]) -> Result<(), Stop> {
    let (latencies, end) =
        session.piece(&chain.label, |session, latencies| walk(session, &chain.blocks, access, latencies));
    for (index, latency) in latencies.into_iter().enumerate().skip(1) {
        let (Some((latency, mark)), Some((pattern, group))) = (latency, chain.sorts[index]) else { continue };
        let Some(series) = out.iter_mut().find(|one| one.pattern == pattern) else { continue };
        series.push(group, (chain.blocks[index - 1], chain.blocks[index], latency, mark));
    }
    end
}

/// Narrows down what the chain left open of its patterns, and sorts what that took into their series.
fn take_narrowed(session: &mut Session<'_>, chain: &Chain, access: Access, out: &mut [Series]) -> Result<(), Stop> {
    let Some((_, group)) = chain.sorts.last().copied().flatten() else { return Ok(()) };
    let opens: Vec<Open> = out
        .iter()
        .filter(|series| series.pattern != Pattern::Random && chain.sorts.contains(&Some((series.pattern, group))))
        .filter_map(|series| Open::of(series.pattern, &accesses_of(series, group)))
        .collect();
    if opens.is_empty() {
        return Ok(());
    }
    let name = format!("{}, narrowed", chain.label);
    let (kept, end) = session.piece(&name, |session, kept| narrow(session, &opens, access, kept));
    let homeward = chain.sorts.contains(&Some((Pattern::Inward, group)));
    for access in kept {
        let pattern = match (homeward, access.0 < access.1) {
            (true, true) => Pattern::Outward,
            (true, false) => Pattern::Inward,
            (false, true) => Pattern::Baseline,
            // Back to the home of a baseline, as in its chain.
            (false, false) => continue,
        };
        let Some(series) = out.iter_mut().find(|one| one.pattern == pattern) else { continue };
        series.push(group, access);
    }
    end
}

/// The accesses of a group that nothing disturbed.
fn accesses_of(series: &Series, group: u64) -> Vec<Timed> {
    let ends = series.from_blocks.iter().zip(series.to_blocks.iter());
    let timed = series.latency_ns.iter().zip(&series.disturbed);
    let all = series.group.iter().zip(ends.zip(timed));
    all.filter(|(number, (_, (_, mark)))| *number == group && **mark == 0)
        .map(|(_, ((from, to), (latency, _)))| (from, to, latency))
        .collect()
}

// Narrowing halves what the offsets of a distance leave open: the seek ends between the block that met the head soonest
// and the one before it that came by too early. Only where one home is written again and again: reads would meet blocks
// that a look-ahead has read.

/// A timed access: from, to, and what it took.
type Timed = (u64, u64, u64);

#[derive(Clone, Copy, Debug)]
struct Open {
    pattern: Pattern,
    home: u64,
    /// At the other end: the block whose access met the head soonest, and the one beside it that came too early.
    hit: u64,
    missed: u64,
    shortest_ns: u64,
}

impl Open {
    /// `None` where nothing lies between the soonest access and the one before it.
    fn of(pattern: Pattern, accesses: &[Timed]) -> Option<Self> {
        // On the way out a nearer block comes by earlier; on the way home a start further on leaves less of the turn.
        let inward = matches!(pattern, Pattern::Inward);
        let ends = |access: &Timed| if inward { (access.1, access.0) } else { (access.0, access.1) };
        let best = accesses.iter().min_by_key(|access| access.2)?;
        let (home, hit) = ends(best);
        let others = accesses.iter().map(ends).filter(|other| other.0 == home).map(|other| other.1);
        let missed = if inward { others.filter(|&at| at > hit).min() } else { others.filter(|&at| at < hit).max() }?;
        (missed.abs_diff(hit) > 1).then_some(Self { pattern, home, hit, missed, shortest_ns: best.2 })
    }
}

/// An access of the narrowing, as it is kept: from, to, latency and the mark of a disturbance.
type Kept = (u64, u64, u64, u8);

/// Goes home, to the middle and home again, until a sixteenth is left, and keeps what the ways out and back took.
fn narrow(session: &mut Session<'_>, opens: &[Open], access: Access, kept: &mut Vec<Kept>) -> Result<(), Stop> {
    for open in opens {
        let Open { pattern, home, mut hit, mut missed, mut shortest_ns } = *open;
        for _ in 0..HALVINGS {
            let middle = hit.midpoint(missed);
            if middle == hit || middle == missed {
                break;
            }
            let mut timed = Latencies::new();
            let end = walk(session, &[home, middle, home], access, &mut timed);
            let at = |index: usize| timed.get(index).copied().flatten();
            kept.extend(at(1).map(|(latency, mark)| (home, middle, latency, mark)));
            kept.extend(at(2).map(|(latency, mark)| (middle, home, latency, mark)));
            end?;
            let Some((latency, _)) = at(if matches!(pattern, Pattern::Inward) { 2 } else { 1 }) else { break };
            if latency < shortest_ns {
                (hit, shortest_ns) = (middle, latency);
            } else {
                missed = middle;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
