//! Workers with one request under way each: threads that call `pread` and `pwrite`.
//!
//! They share the one open file of the device. A positional call on a block device takes no lock there; a file of their
//! own would have to be opened by name, after the checks, and the name may by then belong to another disk.

use std::fs::File;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use rustix::io::Errno;
use rustix::process::{getpriority_process, setpriority_process};

use super::Span;
use super::request::{Action, Burst, Completion, FAILURES_MEAN_GONE};

/// A burst and the bytes it works with.
pub struct Work<'a> {
    pub file: &'a File,
    pub burst: &'a Burst<'a>,
    /// The bytes that were kept, and where in them those of each span start.
    pub staged: &'a [u8],
    pub staged_spans: &'a [(Span, usize)],
    pub block_bytes: usize,
    pub clock_ns: fn() -> u64,
    pub is_gone: fn(&File, Errno) -> bool,
}

/// One request in bytes.
#[derive(Clone, Copy)]
pub struct RawRequest {
    pub offset: u64,
    pub length: usize,
    /// Where in the kept bytes a write starts; `None` for a read.
    pub staged_at: Option<usize>,
}

impl Work<'_> {
    /// The request of that index. The burst was checked: everything it names is there.
    pub fn request(&self, index: usize) -> RawRequest {
        let (span, staged_at) = match self.burst.actions[index] {
            Action::Read(span) => (span, None),
            Action::Write(index) => {
                let (span, at) = self.staged_spans[index];
                (span, Some(at))
            }
        };
        let size = self.block_bytes;
        RawRequest { offset: span.block * size as u64, length: span.count as usize * size, staged_at }
    }

    /// Serves the request in one call.
    /// Errors: what the call said; `EIO` where it moved fewer bytes.
    pub fn serve(&self, request: RawRequest, buffer: &mut [u8]) -> Result<(), Errno> {
        let moved = match request.staged_at {
            None => rustix::io::pread(self.file, &mut buffer[..request.length], request.offset)?,
            Some(at) => rustix::io::pwrite(self.file, &self.staged[at..at + request.length], request.offset)?,
        };
        if moved == request.length { Ok(()) } else { Err(Errno::IO) }
    }
}

/// How far the burst is, for all workers.
#[derive(Default)]
pub struct BurstProgress {
    next: AtomicUsize,
    failures_in_a_row: AtomicU32,
    gone: AtomicBool,
    gone_errno: AtomicU32,
}

impl BurstProgress {
    /// Index of the next request; `None` when no more are to be issued.
    pub fn take(&self, work: &Work<'_>, now_ns: u64) -> Option<usize> {
        if self.gone.load(Ordering::Relaxed) || work.burst.ends(now_ns) {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < work.burst.actions.len()).then_some(index)
    }

    /// Hears how a request went.
    pub fn note(&self, work: &Work<'_>, result: Result<(), Errno>) {
        let Err(error) = result else {
            if self.failures_in_a_row.load(Ordering::Relaxed) != 0 {
                self.failures_in_a_row.store(0, Ordering::Relaxed);
            }
            return;
        };
        let failures = self.failures_in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
        if failures >= FAILURES_MEAN_GONE || (work.is_gone)(work.file, error) {
            self.lose(error.raw_os_error());
        }
    }

    /// The device can't be reached any longer.
    pub fn lose(&self, errno: i32) {
        self.gone_errno.store(errno.unsigned_abs(), Ordering::Relaxed);
        self.gone.store(true, Ordering::Relaxed);
    }

    /// Requests that were issued. All of them have ended when the burst has.
    pub fn issued(&self, work: &Work<'_>) -> usize {
        self.next.load(Ordering::Relaxed).min(work.burst.actions.len())
    }

    /// What the device said when it went.
    pub fn gone(&self) -> Option<std::io::Error> {
        let errno = self.gone_errno.load(Ordering::Relaxed);
        let error = || std::io::Error::from_raw_os_error(i32::try_from(errno).unwrap_or(0));
        self.gone.load(Ordering::Relaxed).then(error)
    }
}

/// Where a worker leaves what came of a request. Each request has its own place and is issued once.
#[derive(Default)]
struct Slot {
    start_ns: AtomicU64,
    latency_ns: AtomicU64,
    lane: AtomicU32,
    errno: AtomicU32,
}

impl Slot {
    fn done(&self, action: usize) -> Completion {
        let errno = self.errno.load(Ordering::Relaxed);
        Completion {
            action: u32::try_from(action).unwrap_or(u32::MAX),
            lane: self.lane.load(Ordering::Relaxed),
            start_ns: self.start_ns.load(Ordering::Relaxed),
            latency_ns: self.latency_ns.load(Ordering::Relaxed),
            error: i32::try_from(errno).ok().filter(|&errno| errno != 0),
        }
    }
}

/// Serves the burst with one thread for each part of `buffers`. All threads are there before the first request.
/// Errors: why a thread could not be made. Nothing was done then.
pub fn serve(
    work: &Work<'_>,
    progress: &BurstProgress,
    buffers: Vec<&mut [u8]>,
    done: &mut Vec<Completion>,
) -> std::io::Result<()> {
    let slots: Vec<Slot> = work.burst.actions.iter().map(|_| Slot::default()).collect();
    let (gate, open) = (RwLock::new(()), AtomicBool::new(false));
    // A real-time priority is the issuer's alone; before other programs its workers may come as it does.
    let nice = getpriority_process(None).ok();
    std::thread::scope(|scope| {
        let closed = gate.write();
        for (lane, buffer) in (0..).zip(buffers) {
            let (gate, open, slots) = (&gate, &open, &slots);
            let run = move || {
                let _ = nice.map(|nice| setpriority_process(None, nice));
                drop(gate.read());
                if open.load(Ordering::Acquire) {
                    run_worker(work, progress, slots, lane, buffer);
                }
            };
            std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, run)?;
        }
        open.store(true, Ordering::Release);
        drop(closed);
        Ok::<(), std::io::Error>(())
    })?;
    done.extend(slots.iter().enumerate().take(progress.issued(work)).map(|(action, slot)| slot.done(action)));
    Ok(())
}

fn run_worker(work: &Work<'_>, progress: &BurstProgress, slots: &[Slot], lane: u32, buffer: &mut [u8]) {
    // One reading of the clock ends a request and asks for the next: what is timed starts behind it.
    let mut now_ns = (work.clock_ns)();
    while let Some(index) = progress.take(work, now_ns) {
        let request = work.request(index);
        let start_ns = (work.clock_ns)();
        let result = work.serve(request, buffer);
        now_ns = (work.clock_ns)();
        let slot = &slots[index];
        slot.start_ns.store(start_ns, Ordering::Relaxed);
        slot.latency_ns.store(now_ns - start_ns, Ordering::Relaxed);
        slot.lane.store(lane, Ordering::Relaxed);
        if let Err(error) = result {
            slot.errno.store(error.raw_os_error().unsigned_abs(), Ordering::Relaxed);
        }
        progress.note(work, result);
    }
}
