//! Real-time priority for who plays the platter: it can't wait for its turn at the processor.
#![allow(unsafe_code, reason = "the one system call that has no safe wrapper among our dependencies")]

/// Low among the real-time priorities, above everything that is not real-time.
static PRIORITY: libc::c_int = 10;

/// Puts the calling thread, and those it starts from now on, before all that is not real-time.
/// Says so where the kernel does not allow it: the drive then turns less evenly.
pub fn go_first() {
    // By its number, since musl's own function of that name only says that it does not exist. The kernel's `struct
    // sched_param` is this one integer.
    // SAFETY: 0 is the calling thread, and the kernel only reads the integer, which outlives the call.
    let answer = unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, libc::SCHED_FIFO, &raw const PRIORITY) };
    if answer != 0 {
        eprintln!("no real-time priority ({}): latencies will be less even", std::io::Error::last_os_error());
    }
}
