//! Development only: ends the process at a chosen request to a simulated drive, as a power cut or an impatient person would,
//! or lets it panic in a kind on any device.

use rustix::process::{Signal, getpid, kill_process};

/// `DISKATLAS_PANIC_IN=bandwidth` panics where that kind is about to measure, with the caches as it wants them.
pub fn panic_in(kind: &str) {
    assert!(std::env::var("DISKATLAS_PANIC_IN").as_deref() != Ok(kind), "a panic in {kind}, as it was asked for");
}

/// Counts requests down to the end.
#[derive(Debug)]
pub struct Fate {
    left: Option<u64>,
    signal: Signal,
}

impl Fate {
    /// `DISKATLAS_KILL_AT=1200` kills before the request of that number; `DISKATLAS_INTERRUPT_AT` sends what Ctrl-C sends.
    pub fn from_environment() -> Self {
        let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
        match number("DISKATLAS_KILL_AT") {
            Some(at) => Self { left: Some(at), signal: Signal::KILL },
            None => Self { left: number("DISKATLAS_INTERRUPT_AT"), signal: Signal::INT },
        }
    }

    /// A request is about to be made.
    pub fn request(&mut self) {
        self.left = self.left.map(|left| left.saturating_sub(1));
        if self.left == Some(0) {
            self.left = None;
            let _ = kill_process(getpid(), self.signal);
        }
    }
}
