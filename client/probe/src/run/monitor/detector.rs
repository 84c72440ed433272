//! Which stretches of time were disturbed, from counters read now and then.

use crate::session::Disturbances;

/// Pages swapped between two readings that are no more than a machine's background: 256 KiB.
const PAGES_OF_NO_CONCERN: u64 = 64;

/// So many disturbed stretches are kept; what comes then lengthens the last one.
const WINDOWS_MOST: usize = 16_384;

/// Counters at one moment of the device's clock. `None` where the machine does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// Before and after the counters were read.
    pub before_ns: u64,
    pub at_ns: u64,
    /// Whether the counters below `ours` were read as well.
    pub slow: bool,
    /// Requests and sectors that the device completed, and those that the probe asked for.
    pub completed: Option<(u64, u64)>,
    pub ours: Option<(u64, u64)>,
    /// Pages swapped in and out.
    pub swapped_pages: Option<u64>,
    /// Times that a core or the package was slowed down for its heat.
    pub throttle_events: Option<u64>,
    /// Lowest and highest clock of the processors.
    pub cpu_khz: Option<(u64, u64)>,
    pub load: Option<f64>,
}

/// A stretch of time in which something disturbed the device or the machine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Window {
    pub from_ns: u64,
    pub to_ns: u64,
}

/// Takes readings in their order. Makes no room while it does: that is there from the start.
#[derive(Debug)]
pub struct DisturbanceDetector {
    first: Option<Reading>,
    last: Option<Reading>,
    last_slow: Option<Reading>,
    /// Requests of others before `first`.
    foreign_before: u64,
    /// Sectors of others as far as known: never falls, as ours count when asked for and the device's when done.
    foreign_sectors: i64,
    windows: Vec<Window>,
    pub sum: Disturbances,
    pub cpu_khz: Option<(u64, u64)>,
    pub load_most: Option<f64>,
}

impl Default for DisturbanceDetector {
    fn default() -> Self {
        Self {
            first: None,
            last: None,
            last_slow: None,
            foreign_before: 0,
            foreign_sectors: 0,
            windows: Vec::with_capacity(WINDOWS_MOST),
            sum: Disturbances::default(),
            cpu_khz: None,
            load_most: None,
        }
    }
}

impl DisturbanceDetector {
    pub fn take(&mut self, reading: Reading) {
        if let Some((low, high)) = reading.cpu_khz {
            let (lowest, highest) = self.cpu_khz.unwrap_or((low, high));
            self.cpu_khz = Some((lowest.min(low), highest.max(high)));
        }
        self.load_most = match (self.load_most, reading.load) {
            (Some(most), Some(load)) => Some(most.max(load)),
            (most, load) => most.or(load),
        };
        if reading.slow {
            self.take_slow(reading);
        }
        // Nothing can be said while our own requests are not counted yet: the next reading covers this time too.
        if reading.completed.is_some() && reading.ours.is_none() {
            return;
        }
        let (first, last) = (*self.first.get_or_insert(reading), self.last.replace(reading).unwrap_or(reading));
        if self.foreign(&first, &reading) {
            self.disturbed(Window { from_ns: last.before_ns, to_ns: reading.at_ns });
        }
    }

    fn take_slow(&mut self, reading: Reading) {
        let last = self.last_slow.replace(reading).unwrap_or(reading);
        let swapped = difference(reading.swapped_pages, last.swapped_pages);
        let throttled = difference(reading.throttle_events, last.throttle_events);
        self.sum.swapped_pages += swapped;
        self.sum.throttle_events += throttled;
        if swapped >= PAGES_OF_NO_CONCERN || throttled > 0 {
            self.disturbed(Window { from_ns: last.before_ns, to_ns: reading.at_ns });
        }
    }

    /// Time that nobody measures in passes: what happens in it disturbs nothing, and counts from the next reading on.
    pub fn skip(&mut self) {
        self.first = None;
        self.last = None;
        self.last_slow = None;
        self.foreign_before = self.sum.foreign_requests;
        self.foreign_sectors = 0;
    }

    /// Disturbed stretches that end after `from_ns`.
    pub fn windows_since(&self, from_ns: u64) -> &[Window] {
        &self.windows[self.windows.partition_point(|window| window.to_ns <= from_ns)..]
    }

    /// Whether others reached the device since the last reading.
    fn foreign(&mut self, first: &Reading, now: &Reading) -> bool {
        let both = |reading: &Reading| Some((reading.completed?, reading.ours?));
        let (Some((completed, ours)), Some((before, ours_before))) = (both(now), both(first)) else { return false };
        let grown = |now: u64, then: u64| now.wrapping_sub(then).cast_signed();
        let sectors = grown(completed.1, before.1) - grown(ours.1, ours_before.1);
        let more = sectors > self.foreign_sectors;
        if more {
            let requests = grown(completed.0, before.0) - grown(ours.0, ours_before.0);
            // Where sectors of others are there, so is at least one request, though ours hide it as long as they are under way.
            let known = self.foreign_before + u64::try_from(requests).unwrap_or(0).max(1);
            self.sum.foreign_requests = self.sum.foreign_requests.max(known);
            self.foreign_sectors = sectors;
        }
        more
    }

    /// Stretches that meet become one, and so do the last two where there is no room for another.
    fn disturbed(&mut self, mut window: Window) {
        while let Some(last) = self.windows.last().copied() {
            if last.to_ns < window.from_ns && self.windows.len() < WINDOWS_MOST {
                break;
            }
            window = Window { from_ns: last.from_ns.min(window.from_ns), to_ns: last.to_ns.max(window.to_ns) };
            self.windows.pop();
        }
        self.windows.push(window);
    }
}

fn difference(now: Option<u64>, then: Option<u64>) -> u64 {
    now.zip(then).map_or(0, |(now, then)| now.saturating_sub(then))
}
