//! Measuring again what others disturbed, within a bound, and saying of each sample whether it was disturbed.

use super::preallocate;
use super::{Session, Stop};
use crate::device::Timing;
use crate::report::document::{Disturbance, MediumError};
use crate::stats::Random;

const ATTEMPTS_MOST: u32 = 3;

/// One disturbed request in so many makes a piece worth measuring again.
const ONE_IN: u64 = 50;

/// A piece that took longer is not measured again, and neither is more than a quarter of a kind, with a minute to begin with.
const LONGEST_AGAIN_NS: u64 = 300_000_000_000;
const AGAIN_ALWAYS_NS: u64 = 60_000_000_000;

/// Before a piece is measured again the drive reads here and there for so long, that its cache forgets the first time: more
/// than the 256 or 512 MB of a large drive's cache, or all segments of a smaller one.
const EVICT_NS: u64 = 6_000_000_000;

/// So many requests of a piece are looked at one by one.
pub(super) const SPANS_MOST: usize = 65_536;

/// A shorter pause is watched through.
pub(super) const LONG_PAUSE_NS: u64 = 2_000_000_000;

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Disturbances {
    pub foreign_requests: u64,
    pub swapped_pages: u64,
    pub throttle_events: u64,
}

/// Looks out for what disturbs a measurement. Asked between pieces only; moments are on the device's clock.
pub trait DisturbanceWatch {
    fn look(&mut self) -> Disturbances;

    /// Puts the disturbed stretches of time that end after `from_ns` into `out`, in their order.
    fn disturbed_since(&mut self, from_ns: u64, out: &mut Vec<(u64, u64)>);

    /// Whether a long pause goes on, in which nothing has to be watched.
    fn set_paused(&mut self, paused: bool);
}

struct Attempt<T> {
    value: T,
    errors: Vec<MediumError>,
    disturbance: Disturbance,
}

impl<'a> Session<'a> {
    #[must_use]
    pub fn watched_by(mut self, watch: &'a mut dyn DisturbanceWatch) -> Self {
        self.spans = preallocate(SPANS_MOST, (0, 0));
        self.watch = Some(watch);
        self
    }
}

impl Session<'_> {
    /// As [`Session::disturbed_mask`], for requests; what it says of one that failed means nothing.
    pub fn disturbed(&mut self, timings: &[Option<Timing>]) -> Vec<u8> {
        let stretch = |timing: &Option<Timing>| timing.map_or((u64::MAX, u64::MAX), |one| (one.start_ns, one.end_ns()));
        self.disturbed_mask(&timings.iter().map(stretch).collect::<Vec<_>>())
    }

    /// For each stretch, from and to on the run's clock, 1 where something disturbed the device or the machine meanwhile
    /// and 0 where nothing did. Asked at the end of a piece, never between samples.
    pub fn disturbed_mask(&mut self, stretches: &[(u64, u64)]) -> Vec<u8> {
        let offset_ns = self.clock_offset_ns.wrapping_neg();
        let on_device_clock = |moment_ns: u64| moment_ns.wrapping_add_signed(offset_ns);
        let first_ns = stretches.iter().map(|stretch| stretch.0).min().unwrap_or(0);
        let windows = self.windows_since(on_device_clock(first_ns));
        let meets = |&(from_ns, to_ns): &(u64, u64)| {
            u8::from(overlaps(&windows, (on_device_clock(from_ns), on_device_clock(to_ns))))
        };
        stretches.iter().map(meets).collect()
    }

    /// Whether so many of the piece's requests were disturbed that what it says as a whole is no good: as many as it is
    /// measured again for.
    pub fn piece_is_disturbed(&mut self) -> bool {
        let windows = self.windows_since(self.spans.first().map_or(u64::MAX, |span| span.0));
        let disturbed = self.spans.iter().filter(|&&span| overlaps(&windows, span)).count() as u64;
        is_much(disturbed, self.spans.len() as u64)
    }

    /// Measures, and again where too much was disturbed; keeps the least disturbed attempt.
    pub(super) fn measure_piece<T: Default>(
        &mut self,
        name: &str,
        measure: &mut impl FnMut(&mut Self, &mut T) -> Result<(), Stop>,
    ) -> (T, Result<(), Stop>, Option<Disturbance>) {
        if self.watch.is_none() {
            let mut value = T::default();
            let end = measure(self, &mut value);
            return (value, end, None);
        }
        let errors_before = self.errors.len();
        let mut best: Option<Attempt<T>> = None;
        let mut attempts = 0;
        let end = loop {
            attempts += 1;
            let started_ns = self.device.now_ns();
            let (tried, end) = self.try_piece(name, measure, errors_before);
            let elapsed_ns = self.device.now_ns().saturating_sub(started_ns);
            let again = attempts < ATTEMPTS_MOST && end.is_ok() && self.worth_again(&tried.disturbance, elapsed_ns);
            // Part of another attempt is not better than a whole one.
            let better = best.as_ref().is_none_or(|best| {
                end.is_ok() && tried.disturbance.disturbed_requests < best.disturbance.disturbed_requests
            });
            if better {
                best = Some(tried);
            }
            if !again {
                break end;
            }
            self.again_ns += elapsed_ns;
            self.evict_drive_cache();
        };
        let Some(Attempt { value, errors, mut disturbance }) = best else { unreachable!("one attempt was made") };
        self.errors.truncate(errors_before);
        self.errors.extend(errors);
        disturbance.attempts = attempts;
        let said = disturbance.says_something().then_some(disturbance);
        self.disturbances.extend(said.clone());
        (value, end, said)
    }

    fn try_piece<T: Default>(
        &mut self,
        name: &str,
        measure: &mut impl FnMut(&mut Self, &mut T) -> Result<(), Stop>,
        errors_before: usize,
    ) -> (Attempt<T>, Result<(), Stop>) {
        self.errors.truncate(errors_before);
        self.spans.clear();
        let from_ns = self.device.now_ns();
        let before = self.look();
        let mut value = T::default();
        let end = measure(self, &mut value);
        let after = self.look();
        let windows = self.windows_since(from_ns);
        let disturbed = self.spans.iter().filter(|&&span| overlaps(&windows, span)).count();
        let disturbance = Disturbance {
            kind: String::new(),
            piece: name.to_owned(),
            attempts: 1,
            requests: self.spans.len() as u64,
            disturbed_requests: disturbed as u64,
            foreign_requests: after.foreign_requests - before.foreign_requests,
            swapped_pages: after.swapped_pages - before.swapped_pages,
            throttle_events: after.throttle_events - before.throttle_events,
        };
        (Attempt { value, errors: self.errors[errors_before..].to_vec(), disturbance }, end)
    }

    fn worth_again(&self, disturbance: &Disturbance, elapsed_ns: u64) -> bool {
        let much = is_much(disturbance.disturbed_requests, disturbance.requests);
        let so_far_ns = self.device.now_ns().saturating_sub(self.began_ns);
        let bound_ns = AGAIN_ALWAYS_NS.max(so_far_ns / 4);
        much && elapsed_ns <= LONGEST_AGAIN_NS && self.again_ns + elapsed_ns <= bound_ns
    }

    /// Makes the drive's cache forget what the attempt before read: reads all over the disk, for a few seconds.
    fn evict_drive_cache(&mut self) {
        let count = self.device.max_transfer_blocks();
        let last = self.device.geometry().capacity_blocks().saturating_sub(u64::from(count));
        let end_ns = self.device.now_ns().saturating_add(EVICT_NS);
        let mut random = Random(end_ns);
        while last > 0 && self.device.now_ns() < end_ns && !self.interrupt.raised() {
            // What can't be read here shows where it is measured.
            if self.device.read_timed(random.between(0, last), count).is_err() {
                return;
            }
        }
    }

    /// A request was made: what is measured between two of them waits for this, which allocates nothing.
    pub(super) fn note_request(&mut self, timing: Timing) {
        if self.spans.len() < self.spans.capacity() {
            self.spans.push((timing.start_ns, timing.end_ns()));
        }
    }

    /// A pause that lasts is no time to watch in.
    pub(super) fn pause_watch(&mut self, duration_ns: u64, rests: bool) {
        if duration_ns >= LONG_PAUSE_NS
            && let Some(watch) = &mut self.watch
        {
            watch.set_paused(rests);
        }
    }

    fn look(&mut self) -> Disturbances {
        self.watch.as_mut().map(|watch| watch.look()).unwrap_or_default()
    }

    fn windows_since(&mut self, from_ns: u64) -> Vec<(u64, u64)> {
        let mut windows = Vec::new();
        if let Some(watch) = &mut self.watch {
            watch.disturbed_since(from_ns, &mut windows);
        }
        windows
    }
}

fn is_much(disturbed: u64, requests: u64) -> bool {
    disturbed > 0 && disturbed.saturating_mul(ONE_IN) >= requests
}

/// Whether any of the windows, which come in their order, meets the span.
fn overlaps(windows: &[(u64, u64)], (from_ns, to_ns): (u64, u64)) -> bool {
    let next = windows.partition_point(|window| window.1 <= from_ns);
    windows.get(next).is_some_and(|window| window.0 < to_ns)
}

#[cfg(test)]
mod tests;
