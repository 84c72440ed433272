//! A sample is as late as the probe is: while it measures, it comes before what can wait, and stays in memory.
#![allow(
    unsafe_code,
    reason = "system calls that have no safe wrapper among our dependencies; each block says why it is sound"
)]

use std::io;

use libc::c_int;
use rustix::mm::{MlockAllFlags, mlockall, munlockall};
use rustix::process::{getpriority_process, setpriority_process};

/// The nice value that comes first.
const HIGHEST_PRIORITY: i32 = -20;

/// The lowest real-time priority: before everything that is not real-time, behind all of the machine's own that is.
const REAL_TIME: c_int = 1;

/// A thread's policy among `SCHED_OTHER`, `SCHED_FIFO` and so on, and its priority there, 0 for those that have none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Policy {
    policy: c_int,
    priority: c_int,
}

impl Policy {
    /// That of the calling thread. By number, since musl's functions of these names only say that they do not exist.
    fn now() -> Option<Self> {
        // SAFETY: 0 is the calling thread, and the call takes no address.
        let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
        let mut priority: c_int = 0;
        // SAFETY: the kernel's `struct sched_param` is one integer, which it writes here.
        let answer = unsafe { libc::syscall(libc::SYS_sched_getparam, 0, &raw mut priority) };
        Some(Self { policy: c_int::try_from(policy).ok().filter(|_| policy >= 0 && answer == 0)?, priority })
    }

    fn set(self) -> io::Result<()> {
        // SAFETY: 0 is the calling thread, and the kernel only reads the integer, which outlives the call.
        let answer = unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, self.policy, &raw const self.priority) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Puts the calling thread before all that is not real-time, with this priority among what is.
/// Errors: the system does not allow it.
pub fn set_realtime_priority(priority: i32) -> io::Result<()> {
    Policy { policy: libc::SCHED_FIFO, priority }.set()
}

/// The measuring thread's place in the queue for a processor, raised while this lives, and its program and stack locked
/// in memory. Threads that it starts do not inherit the real-time priority.
///
/// Where the system does not allow one of these, that one does not change. A thread with real-time priority that waits for
/// a disk leaves its processor to others; the kernel's own limit on real-time threads stays as it is.
pub struct RealtimeGuard {
    nice: Option<i32>,
    policy: Option<Policy>,
    locked: bool,
}

impl RealtimeGuard {
    pub fn new() -> Self {
        let nice = getpriority_process(None).ok();
        let raised = setpriority_process(None, HIGHEST_PRIORITY).is_ok();
        // Who was started with a real-time priority keeps it.
        let ordinary = Policy::now().filter(|now| now.policy == libc::SCHED_OTHER || now.policy == libc::SCHED_BATCH);
        let first = Policy { policy: libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, priority: REAL_TIME };
        Self {
            nice: nice.filter(|_| raised),
            policy: ordinary.filter(|_| first.set().is_ok()),
            // What is there now, not what comes: with a limit on locked memory, later requests for memory would fail.
            locked: mlockall(MlockAllFlags::CURRENT).is_ok(),
        }
    }
}

impl Default for RealtimeGuard {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for RealtimeGuard {
    fn drop(&mut self) {
        if let Some(before) = self.policy {
            // Who may raise a priority but is not privileged may not take the mark back that children start without it.
            let marked = Policy { policy: before.policy | libc::SCHED_RESET_ON_FORK, ..before };
            let _ = before.set().or_else(|_| marked.set());
        }
        if let Some(before) = self.nice {
            let _ = setpriority_process(None, before);
        }
        if self.locked {
            let _ = munlockall();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Policy, RealtimeGuard};

    #[test]
    fn what_was_raised_for_measuring_is_put_back_also_when_it_panics() {
        std::thread::spawn(|| {
            let state = || (Policy::now(), rustix::process::getpriority_process(None).ok());
            let before = state();
            let during = std::panic::catch_unwind(|| {
                let _first = RealtimeGuard::new();
                let during = state();
                std::panic::resume_unwind(Box::new(during));
            });
            let during = *during.expect_err("the panic").downcast::<(Option<Policy>, Option<i32>)>().expect("a state");
            assert_eq!(state(), before);
            if rustix::process::geteuid().is_root() {
                assert_ne!(during, before, "root may raise at least one of the two");
            }
        })
        .join()
        .expect("the thread");
    }

    #[test]
    fn a_thread_that_is_started_while_measuring_is_an_ordinary_one() {
        std::thread::spawn(|| {
            let before = Policy::now();
            let _first = RealtimeGuard::new();
            let started = std::thread::spawn(Policy::now).join().expect("the thread");
            assert_eq!(started, before);
        })
        .join()
        .expect("the thread");
    }
}
