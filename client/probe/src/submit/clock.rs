//! Time and chance, as far as waiting for a server needs them.

use std::thread;
use std::time::{Duration, Instant};

/// Real in the probe, made up in tests.
pub trait Clock {
    /// Time since any fixed moment.
    fn now(&self) -> Duration;
    fn sleep(&mut self, duration: Duration);
    /// A number in `0.0..1.0`, so that many probes that lost the same server do not come back at the same moment.
    fn jitter(&mut self) -> f64;
}

pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&mut self, duration: Duration) {
        thread::sleep(duration);
    }

    fn jitter(&mut self) -> f64 {
        f64::from(getrandom::u32().unwrap_or(u32::MAX / 2)) / (f64::from(u32::MAX) + 1.0)
    }
}
