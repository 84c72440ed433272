//! Real-time priority for who plays the platter: it can't wait for its turn at the processor.
#![allow(unsafe_code, reason = "the one system call that has no safe wrapper among our dependencies")]

/// Low among the real-time priorities, above everything that is not real-time.
const PRIORITY: libc::c_int = 10;

/// Puts the calling thread, and those it starts from now on, before all that is not real-time.
/// Says so where the kernel does not allow it: the drive then turns less evenly.
pub fn go_first() {
    // SAFETY: a structure of plain numbers, of which some C libraries have more than others; all zero is a value.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = PRIORITY;
    // SAFETY: 0 is the calling thread, and the kernel only reads the structure, which outlives the call.
    let answer = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    if answer != 0 {
        eprintln!("no real-time priority ({}): latencies will be less even", std::io::Error::last_os_error());
    }
}
