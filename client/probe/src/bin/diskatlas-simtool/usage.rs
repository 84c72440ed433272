//! What a process or a thread has used of the processor, as the kernel counts it for every program.
#![allow(unsafe_code, reason = "the one system call that has no safe wrapper among our dependencies")]

use libc::{RUSAGE_SELF, RUSAGE_THREAD, c_int, timeval};

#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// In programs and in the kernel.
    pub cpu_ns: u64,
    pub involuntary_switches: u64,
    /// Without reading from a disk.
    pub page_faults: u64,
}

impl Usage {
    /// All threads of this process, those that have ended included.
    pub fn of_process() -> Self {
        Self::of(RUSAGE_SELF)
    }

    pub fn of_thread() -> Self {
        Self::of(RUSAGE_THREAD)
    }

    fn of(whose: c_int) -> Self {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the kernel writes one `rusage` to the address, and `whose` is a constant that it knows.
        let usage = unsafe {
            libc::getrusage(whose, usage.as_mut_ptr());
            // SAFETY: all of it is integers, and zero is one.
            usage.assume_init()
        };
        Self {
            cpu_ns: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
            involuntary_switches: usage.ru_nivcsw.unsigned_abs(),
            page_faults: usage.ru_minflt.unsigned_abs(),
        }
    }

    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns - before.cpu_ns,
            involuntary_switches: self.involuntary_switches - before.involuntary_switches,
            page_faults: self.page_faults - before.page_faults,
        }
    }
}

fn nanoseconds(time: timeval) -> u64 {
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_usec.unsigned_abs() * 1000
}
