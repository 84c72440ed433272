//! Real time for the model: when it is now on the drive's clock, and waiting until it is later, to the microsecond.

use std::num::NonZero;

use rustix::thread::{clock_nanosleep_absolute, set_current_timer_slack};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Waking up takes this long at worst on a quiet machine; the rest of a wait is spun.
const SPIN_NS: u64 = 250_000;

/// The drive's clock: `CLOCK_MONOTONIC` from the start of serving, times a scale.
#[derive(Clone, Copy, Debug)]
pub struct Pacing {
    start_ns: u64,
    scale: f64,
}

impl Pacing {
    pub fn start(scale: f64) -> Self {
        Self { start_ns: monotonic_ns(), scale }
    }

    /// Model nanoseconds since the start.
    #[allow(clippy::cast_precision_loss, reason = "below 2^53 ns for a hundred days")]
    pub fn now_ns(&self) -> f64 {
        (monotonic_ns() - self.start_ns) as f64 * self.scale
    }

    /// Returns when the model's clock shows `model_ns`, and by how many real nanoseconds it is late.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "model times are not negative")]
    pub fn wait_until(&self, model_ns: f64) -> u64 {
        let target = self.start_ns + (model_ns / self.scale) as u64;
        if let Some(asleep) = target.checked_sub(SPIN_NS).filter(|asleep| *asleep > monotonic_ns()) {
            let (seconds, rest) = (asleep / 1_000_000_000, asleep % 1_000_000_000);
            let until = Timespec { tv_sec: seconds.cast_signed(), tv_nsec: rest.cast_signed() };
            // Interrupted by a signal: the rest is spun.
            let _ = clock_nanosleep_absolute(ClockId::Monotonic, &until);
        }
        loop {
            let now = monotonic_ns();
            if now >= target {
                return now - target;
            }
            std::hint::spin_loop();
        }
    }
}

/// Lets the calling thread's timers expire when they should, not up to 50 us later.
pub fn set_timer_slack() {
    // Only precision is lost where the kernel says no.
    let _ = set_current_timer_slack(NonZero::new(1));
}

fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}
