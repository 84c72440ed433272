//! One issuer with a queue of requests under way: `io_uring`.
#![allow(unsafe_code, reason = "the kernel is handed addresses of buffers; each block says why they stay valid")]

use std::os::fd::AsRawFd;

use io_uring::{IoUring, Probe, opcode, types};
use rustix::io::Errno;

use super::request::{Completion, LANES_MOST, QueueUnavailable};
use super::workers::{BurstProgress, Work};

/// How long to wait between two looks at the completions where the kernel does not even let us wait for them.
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(1);

/// A queue to the kernel, made once.
pub struct Ring(IoUring);

impl Ring {
    /// Errors: [`QueueUnavailable`] says why this system has none.
    pub fn open() -> Result<Self, QueueUnavailable> {
        // With its own task work the kernel need not interrupt the issuer (Linux 5.19); older ones go without.
        let ring = IoUring::builder()
            .setup_coop_taskrun()
            .build(LANES_MOST)
            .or_else(|_| IoUring::new(LANES_MOST))
            .map_err(|error| QueueUnavailable(why_not(&error)))?;
        let mut probe = Probe::new();
        let known = ring.submitter().register_probe(&mut probe).is_ok()
            && probe.is_supported(opcode::Read::CODE)
            && probe.is_supported(opcode::Write::CODE);
        if known { Ok(Self(ring)) } else { Err(QueueUnavailable(TOO_OLD.to_owned())) }
    }
}

const TOO_OLD: &str = "this kernel's io_uring can't read and write; Linux 5.6 and newer can";

fn why_not(error: &std::io::Error) -> String {
    match Errno::from_io_error(error) {
        Some(Errno::NOSYS) => "this kernel has no io_uring; Linux 5.6 and newer have it".to_owned(),
        Some(Errno::PERM | Errno::ACCESS) => {
            "io_uring is forbidden here: the setting kernel.io_uring_disabled, a container's \
             system call filter or a security module says no"
                .to_owned()
        }
        Some(Errno::NOMEM) => {
            "io_uring gets no memory here: the limit on locked memory (ulimit -l) is too low".to_owned()
        }
        _ => format!("io_uring can't be set up: {error}"),
    }
}

/// A request under way.
#[derive(Clone, Copy, Default)]
struct Lane {
    action: usize,
    length: usize,
    start_ns: u64,
}

/// Serves the burst with as many requests under way as there are buffers. Returns when none is under way any more.
///
/// Takes the ring and gives it back unless it broke.
pub fn serve(
    ring: Ring,
    work: &Work<'_>,
    progress: &BurstProgress,
    buffers: Vec<&mut [u8]>,
    done: &mut Vec<Completion>,
) -> Option<Ring> {
    let mut queue = Queue {
        ring: ring.0,
        lanes: vec![Lane::default(); buffers.len()],
        free: (0..buffers.len()).rev().collect(),
        buffers,
        under_way: 0,
    };
    done.resize(work.burst.actions.len(), Completion::default());
    let intact = loop {
        queue.issue(work, progress);
        if queue.under_way == 0 {
            break true;
        }
        match queue.ring.submit_and_wait(1) {
            Ok(_) => {}
            Err(error) if error.raw_os_error() == Some(Errno::INTR.raw_os_error()) => {}
            // Too much is waiting to be collected: that is what comes next.
            Err(error) if is_full(&error) => {}
            Err(error) => {
                queue.abandon(work, progress, &error, done);
                break false;
            }
        }
        queue.collect(work, progress, done);
    };
    done.truncate(progress.issued(work));
    intact.then_some(Ring(queue.ring))
}

fn is_full(error: &std::io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::AGAIN | Errno::BUSY))
}

struct Queue<'a> {
    ring: IoUring,
    lanes: Vec<Lane>,
    /// Lanes without a request.
    free: Vec<usize>,
    buffers: Vec<&'a mut [u8]>,
    under_way: usize,
}

impl Queue<'_> {
    /// Gives every free lane a request.
    fn issue(&mut self, work: &Work<'_>, progress: &BurstProgress) {
        while let Some(&lane) = self.free.last() {
            let now_ns = (work.clock_ns)();
            let Some(action) = progress.take(work, now_ns) else { return };
            let request = work.request(action);
            let fd = types::Fd(work.file.as_raw_fd());
            let length = u32::try_from(request.length).unwrap_or(0);
            let entry = match request.staged_at {
                None => {
                    let buffer = &mut self.buffers[lane][..request.length];
                    opcode::Read::new(fd, buffer.as_mut_ptr(), length).offset(request.offset).build()
                }
                Some(at) => {
                    let bytes = &work.staged[at..at + request.length];
                    opcode::Write::new(fd, bytes.as_ptr(), length).offset(request.offset).build()
                }
            };
            self.lanes[lane] = Lane { action, length: request.length, start_ns: (work.clock_ns)() };
            // SAFETY: the entry names a buffer of this lane, which no other request uses until this one is collected, or
            // kept bytes, which nobody changes. Both are borrowed for longer than `serve` runs, and `serve` does not
            // return while a request is under way.
            let pushed = unsafe { self.ring.submission().push(&entry.user_data(lane as u64)) };
            // There are never more requests than entries: the ring has room for `LANES_MOST`.
            debug_assert!(pushed.is_ok());
            self.free.pop();
            self.under_way += 1;
        }
    }

    fn collect(&mut self, work: &Work<'_>, progress: &BurstProgress, done: &mut [Completion]) {
        let mut completions = self.ring.completion();
        completions.sync();
        for completion in completions {
            let now_ns = (work.clock_ns)();
            let index = usize::try_from(completion.user_data()).unwrap_or(0);
            let lane = self.lanes[index];
            let result = match usize::try_from(completion.result()) {
                Ok(moved) if moved == lane.length => Ok(()),
                Ok(_) => Err(Errno::IO),
                Err(_) => Err(Errno::from_raw_os_error(-completion.result())),
            };
            done[lane.action] = Completion {
                action: u32::try_from(lane.action).unwrap_or(u32::MAX),
                lane: u32::try_from(index).unwrap_or(u32::MAX),
                start_ns: lane.start_ns,
                latency_ns: now_ns - lane.start_ns,
                error: result.err().map(Errno::raw_os_error),
            };
            self.free.push(index);
            self.under_way -= 1;
            progress.note(work, result);
        }
    }

    /// The kernel takes no more calls: waits for what it already has, and counts the rest as failed.
    fn abandon(&mut self, work: &Work<'_>, progress: &BurstProgress, error: &std::io::Error, done: &mut [Completion]) {
        let unsent = self.ring.submission().len();
        while self.under_way > unsent {
            self.collect(work, progress, done);
            std::thread::sleep(LOOK_AGAIN);
        }
        let errno = error.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
        for (index, lane) in self.lanes.iter().enumerate().filter(|(index, _)| !self.free.contains(index)) {
            let action = u32::try_from(lane.action).unwrap_or(u32::MAX);
            let lane_number = u32::try_from(index).unwrap_or(u32::MAX);
            done[lane.action] =
                Completion { action, lane: lane_number, start_ns: lane.start_ns, latency_ns: 0, error: Some(errno) };
        }
        progress.lose(errno);
    }
}
