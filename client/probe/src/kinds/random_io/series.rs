//! One combination: batch by batch, and what is kept of each request.

use serde::{Deserialize, Serialize};

use super::plan::Mode;
use crate::device::Span;
use crate::device::request::{Action, Completion};
use crate::identify::processors::Processors;
use crate::kinds::columns::unmarked;
use crate::session::Session;
use crate::stats::Latencies;

/// Buckets of latencies in each doubling, as a power of two: a bucket is at most 1/128 of its lower bound wide.
pub const SUB_BUCKET_BITS: u32 = 7;

/// So many requests of each combination are written down one by one.
const RAW_MOST: usize = 100;

/// A series is cut into at most so many slices of time, each of at least so many requests.
const SLICES_MOST: usize = 20;
const SLICE_REQUESTS: usize = 10;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Series {
    pub variant: Mode,
    pub pattern: String,
    pub concurrency: u32,
    pub request_blocks: u32,
    /// Answered requests, and those at which the medium failed.
    pub requests: u64,
    pub failed_requests: u64,
    pub batches: u64,
    /// From the first request of a batch to the last answer, over all batches.
    pub elapsed_ns: u64,
    /// Requests that were answered while all lanes were busy, and how long that was.
    pub steady_requests: u64,
    pub steady_ns: u64,
    pub processors: Option<Processors>,
    pub reads: Option<Latencies>,
    pub writes: Option<Latencies>,
    pub slices: Slices,
    pub first: First,
}

/// The steady part of the batches, cut into stretches of equally many requests.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Slices {
    pub requests: Vec<u64>,
    pub elapsed_ns: Vec<u64>,
    /// 1 where something disturbed the slice, 0 where nothing did.
    #[serde(default, skip_serializing_if = "unmarked")]
    pub disturbed: Vec<u8>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct First {
    pub offset_blocks: Vec<u64>,
    /// 1 for a write.
    pub is_write: Vec<u8>,
    pub lane: Vec<u32>,
    /// From the first request of the combination.
    pub start_ns: Vec<u64>,
    pub latency_ns: Vec<u64>,
    /// 1 where something disturbed the request, 0 where nothing did.
    #[serde(default, skip_serializing_if = "unmarked")]
    pub disturbed: Vec<u8>,
}

/// Collects batches until the combination is through.
pub struct Collector {
    pub series: Series,
    slices_per_batch: usize,
    /// From when to when each slice and each of the first requests went on.
    slice_stretches: Vec<(u64, u64)>,
    first_stretches: Vec<(u64, u64)>,
    read_ns: Vec<u64>,
    write_ns: Vec<u64>,
}

impl Collector {
    pub fn new(series: Series, batches: usize, requests: usize) -> Self {
        Self {
            series,
            slice_stretches: Vec::new(),
            first_stretches: Vec::new(),
            slices_per_batch: (SLICES_MOST / batches.max(1)).max(1),
            read_ns: Vec::with_capacity(requests),
            write_ns: Vec::with_capacity(requests),
        }
    }

    pub fn add(&mut self, actions: &[Action], staged: &[Span], done: &[Completion], processors: Option<Processors>) {
        let Some(first_ns) = done.iter().map(|one| one.start_ns).min() else { return };
        let last_start_ns = done.iter().map(|one| one.start_ns).max().unwrap_or(first_ns);
        let end_ns = done.iter().map(Completion::end_ns).max().unwrap_or(first_ns);
        self.note_first(actions, staged, done, first_ns);
        let series = &mut self.series;
        series.batches += 1;
        series.elapsed_ns += end_ns - first_ns;
        series.failed_requests += done.iter().filter(|one| one.error.is_some()).count() as u64;
        for one in done.iter().filter(|one| one.error.is_none()) {
            series.requests += 1;
            match actions[one.action as usize] {
                Action::Read(_) => self.read_ns.push(one.latency_ns),
                Action::Write(_) => self.write_ns.push(one.latency_ns),
            }
        }
        if let Some(spent) = processors {
            series.processors = Some(series.processors.unwrap_or_default().plus(spent));
        }
        // Until the last request is handed over every lane has one; afterwards they run dry.
        let ends = done.iter().filter(|one| one.error.is_none()).map(Completion::end_ns);
        let mut steady: Vec<u64> = ends.filter(|&end| end <= last_start_ns).collect();
        steady.sort_unstable();
        series.steady_requests += steady.len() as u64;
        series.steady_ns += last_start_ns - first_ns;
        self.cut(&steady, first_ns);
    }

    /// Cuts a batch's answers into slices; what is left over belongs to none.
    fn cut(&mut self, ends_ns: &[u64], first_ns: u64) {
        let count = (ends_ns.len() / SLICE_REQUESTS).clamp(1, self.slices_per_batch);
        let each = ends_ns.len() / count;
        let mut from_ns = first_ns;
        for slice in ends_ns.chunks_exact(each.max(1)).take(count) {
            let last_ns = slice[slice.len() - 1];
            self.series.slices.requests.push(slice.len() as u64);
            self.series.slices.elapsed_ns.push(last_ns - from_ns);
            self.slice_stretches.push((from_ns, last_ns));
            from_ns = last_ns;
        }
    }

    fn note_first(&mut self, actions: &[Action], staged: &[Span], done: &[Completion], first_ns: u64) {
        let before_ns = self.series.elapsed_ns;
        let first = &mut self.series.first;
        for one in done.iter().filter(|one| one.error.is_none()) {
            if first.latency_ns.len() == RAW_MOST {
                return;
            }
            let (span, is_write) = match actions[one.action as usize] {
                Action::Read(span) => (span, 0),
                Action::Write(index) => (staged[index], 1),
            };
            first.offset_blocks.push(span.block);
            first.is_write.push(is_write);
            first.lane.push(one.lane);
            first.start_ns.push(before_ns + one.start_ns - first_ns);
            first.latency_ns.push(one.latency_ns);
            self.first_stretches.push((one.start_ns, one.end_ns()));
        }
    }

    /// Marks what something disturbed. Latencies in buckets are of all requests: what they are is said of the slices.
    pub fn set_disturbed(&mut self, session: &mut Session<'_>) {
        self.series.slices.disturbed = session.disturbed_mask(&self.slice_stretches);
        self.series.first.disturbed = session.disturbed_mask(&self.first_stretches);
    }

    pub fn finish(mut self) -> Series {
        self.series.reads = Latencies::of(&mut self.read_ns, SUB_BUCKET_BITS);
        self.series.writes = Latencies::of(&mut self.write_ns, SUB_BUCKET_BITS);
        self.series
    }
}
