//! Development only: ends the process at a chosen request to a simulated drive, as a power cut or an impatient person would,
//! or lets it panic in a kind on any device.

use std::env;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Signal, getpid, kill_process};

/// `DISKATLAS_PANIC_IN=bandwidth` panics where that kind is about to measure, with the caches as it wants them.
pub fn panic_in(kind: &str) {
    assert!(env::var("DISKATLAS_PANIC_IN").as_deref() != Ok(kind), "a panic in {kind}, as it was asked for");
}

/// Requests left until the end, and what is sent then. `DISKATLAS_KILL_AT=1200` kills before the request of that number;
/// `DISKATLAS_INTERRUPT_AT` sends what Ctrl-C sends.
static END: LazyLock<Option<(AtomicU64, Signal)>> = LazyLock::new(|| {
    let number = |name| env::var(name).ok().and_then(|text| text.parse().ok()).map(AtomicU64::new);
    let kill = number("DISKATLAS_KILL_AT").map(|at| (at, Signal::KILL));
    kill.or_else(|| number("DISKATLAS_INTERRUPT_AT").map(|at| (at, Signal::INT)))
});

/// A request to a simulated drive is about to be made.
pub fn request() {
    if let Some((left, signal)) = &*END
        && left.fetch_sub(1, Ordering::Relaxed) == 1
    {
        let _ = kill_process(getpid(), *signal);
    }
}
