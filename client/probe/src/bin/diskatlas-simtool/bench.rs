//! Drives a block device as the kinds do, through the same `Session`, and says what that took: what `make bench-probe` compares with other programs.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use diskatlas::device::request::{Action, Completion, Concurrency};
use diskatlas::device::{Device, Span, Timing};
use diskatlas::device::{Writing, raw::RawDisk};
use diskatlas::run::priority::RealtimeGuard;
use diskatlas::session::guard_band::touches_guard_band;
use diskatlas::session::{Estimates, Interrupt, NullJournal, NullProgress, Session, Settings, preallocate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::outliers;
use crate::usage::Usage;

/// What is kept at once for writing stays in memory.
const KEPT_BYTES: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// A block device of one's own: with `--pattern random-write` it is written to (what stands there, again).
    device: PathBuf,
    #[arg(long, value_enum)]
    pattern: Pattern,
    /// Bytes of one request.
    #[arg(long, value_name = "BYTES")]
    size: u64,
    /// How many requests.
    #[arg(long, value_name = "N")]
    count: usize,
    /// So many workers, each with one request under way.
    #[arg(long, value_name = "N", conflicts_with = "depth")]
    workers: Option<u32>,
    /// One issuer with so many requests under way.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Only the first so many bytes of the device are used.
    #[arg(long, value_name = "BYTES")]
    region: Option<u64>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Takes the requests' places, in requests from the start, from this file, a number in each line.
    #[arg(long, value_name = "FILE")]
    places: Option<PathBuf>,
    /// Raises its own priority and locks itself in memory as a run does while it measures.
    #[arg(long)]
    as_run: bool,
    /// Says of each gap between two requests that is longer than this what happened in it. Looking takes two system calls
    /// in each gap.
    #[arg(long, value_name = "NANOSECONDS", conflicts_with_all = ["workers", "depth", "places"])]
    outliers_over: Option<u64>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Pattern {
    Sequential,
    RandomRead,
    RandomWrite,
}

pub fn bench(args: &BenchArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let writing = if args.pattern == Pattern::RandomWrite { Writing::Preserve } else { Writing::Nothing };
    let mut disk = RawDisk::open(&args.device, writing, None)?;
    let block_bytes = u64::from(disk.geometry().block_bytes);
    ensure!(
        args.size > 0 && args.size.is_multiple_of(block_bytes),
        "--size {} is no multiple of the block, {block_bytes}; choose one",
        args.size
    );
    let count = u32::try_from(args.size / block_bytes).context("--size is too large for one request")?;
    let region = args.region.unwrap_or(u64::MAX).min(disk.geometry().capacity_bytes) / args.size;
    ensure!(region > 0, "the region holds no request of {} bytes; choose a larger one", args.size);
    let places = places(args, region)?;
    let spans: Vec<Span> = places.into_iter().map(|place| Span { block: place * u64::from(count), count }).collect();
    let (mut null_progress, mut null_journal) = (NullProgress, NullJournal);
    let settings = Settings { writes: writing != Writing::Nothing, ..Settings::default() };
    let mut session = Session::new(
        &mut disk,
        &mut null_progress,
        &mut null_journal,
        Interrupt::default(),
        settings,
        Estimates::default(),
    );
    let staged = prepare(&mut session, args, &spans)?;
    let reads = spans.iter().map(|span| Action::Read(*span));
    let actions: Vec<Action> = match (staged, args.concurrency()) {
        (0, _) => reads.collect(),
        (staged, Some(_)) => (0..staged).map(Action::Write).collect(),
        (staged, None) => (0..spans.len()).map(|index| Action::Write(index % staged)).collect(),
    };
    let realtime = args.as_run.then(RealtimeGuard::new);
    let before = Usage::of_process();
    let timings = match (args.concurrency(), args.outliers_over) {
        (Some(concurrency), _) => crowded(&mut session, &actions, concurrency)?,
        (None, Some(over_ns)) => {
            writeln!(out, "{}", outliers::watch(&mut disk, &actions, over_ns)?)?;
            return Ok(());
        }
        (None, None) => alone(&mut session, &actions)?,
    };
    let cost = Usage::of_process().since(before);
    drop(realtime);
    ensure!(!timings.is_empty(), "the device failed at every request");
    report(args, &timings, cost, out)
}

impl BenchArgs {
    fn concurrency(&self) -> Option<Concurrency> {
        self.workers.map(Concurrency::Workers).or(self.depth.map(Concurrency::Queue))
    }
}

/// Makes ready what will be written, and the queue. Answers how many spans are kept; none where nothing is written.
fn prepare(session: &mut Session<'_>, args: &BenchArgs, spans: &[Span]) -> anyhow::Result<usize> {
    if let Some(depth) = args.depth {
        session.queue(depth)?;
    }
    if args.pattern != Pattern::RandomWrite {
        return Ok(0);
    }
    // Alone, each may be written many times; in a crowd, where no two writes may meet, once.
    let geometry = session.geometry();
    let mut staged: Vec<Span> = spans.iter().copied().filter(|&span| !touches_guard_band(&geometry, span)).collect();
    ensure!(
        !staged.is_empty(),
        "every place lies in the first or last MiB, where nothing is written; choose a larger region"
    );
    staged.truncate(usize::try_from(KEPT_BYTES / args.size).unwrap_or(1).max(1));
    if args.concurrency().is_some() {
        let mut seen = std::collections::HashSet::new();
        staged.retain(|span| seen.insert(span.block));
    }
    let bad = session.stage_spans(&staged).map_err(|stop| anyhow::anyhow!("{stop:?}"))?;
    ensure!(bad.is_none(), "the device can't be read where it is to be written");
    Ok(staged.len())
}

/// One request right after the other, as SKIPPY and SEEKER do.
fn alone(session: &mut Session<'_>, actions: &[Action]) -> anyhow::Result<Vec<Timing>> {
    let mut taken = preallocate(actions.len(), None);
    session.chain(actions, &mut taken).map_err(|stop| anyhow::anyhow!("{stop:?}"))?;
    Ok(taken.into_iter().flatten().collect())
}

/// Several requests at once.
fn crowded(session: &mut Session<'_>, actions: &[Action], concurrency: Concurrency) -> anyhow::Result<Vec<Timing>> {
    let served = session.burst(actions, concurrency, None);
    ensure!(served.end.is_none(), "{:?}", served.end);
    Ok(served.done.iter().map(Completion::timing).collect())
}

/// Which of the region's places each request goes to.
fn places(args: &BenchArgs, region: u64) -> anyhow::Result<Vec<u64>> {
    if let Some(path) = &args.places {
        let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
        let numbers = text.lines().take(args.count).map(str::parse).collect::<Result<Vec<u64>, _>>();
        let numbers = numbers.with_context(|| format!("{} holds more than numbers", path.display()))?;
        ensure!(numbers.iter().all(|place| *place < region), "a place of {} is outside the region", path.display());
        return Ok(numbers);
    }
    let mut random = ChaCha8Rng::seed_from_u64(args.seed);
    let sequential = args.pattern == Pattern::Sequential;
    let place = |index| if sequential { index % region } else { random.random_range(0..region) };
    Ok((0..args.count as u64).map(place).collect())
}

fn report(args: &BenchArgs, timings: &[Timing], cost: Usage, out: &mut impl Write) -> anyhow::Result<()> {
    let start = timings.iter().map(|timing| timing.start_ns).min().context("--count is 0")?;
    let end = timings.iter().map(|timing| timing.end_ns()).max().context("--count is 0")?;
    let mut line = json!({
        "requests": timings.len(),
        "bytes": timings.len() as u64 * args.size,
        "elapsed_ns": end - start,
        "cpu_ns": cost.cpu_ns,
        "involuntary_switches": cost.involuntary_switches,
    });
    // In a crowd, requests overlap: there is no gap.
    if args.concurrency().is_none() {
        let mut gaps: Vec<u64> = timings.windows(2).map(|pair| pair[1].start_ns - pair[0].end_ns()).collect();
        gaps.sort_unstable();
        let at = |share: usize| gaps.get(gaps.len().saturating_sub(1) * share / 1000).copied();
        line["gap_ns"] = json!({"median": at(500), "p99": at(990), "p99_9": at(999), "max": at(1000)});
    }
    writeln!(out, "{line}")?;
    Ok(())
}
