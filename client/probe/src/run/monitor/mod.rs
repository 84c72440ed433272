//! Watches for what disturbs a measurement, from a thread of its own: between two samples the measuring thread does nothing for it.

mod counters;
mod detector;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::device::Device;
use crate::identify::Tree;
use crate::session::{DisturbanceWatch, Disturbances};

pub use counters::{CounterSource, KernelCounters};
pub use detector::DisturbanceDetector;

/// How often the device's counters are read, and how many such readings apart the rest of the machine's.
const EVERY: Duration = Duration::from_millis(20);
const SLOW_EVERY: u32 = 10;

/// A pause may last a week; the thread sleeps through it and looks up this seldom whether anybody still wants it.
const PAUSED_CHECK: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Shared {
    ends: AtomicBool,
    paused: AtomicBool,
}

pub struct Monitor {
    shared: Arc<Shared>,
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    detector: DisturbanceDetector,
    source: Box<dyn CounterSource>,
}

impl Monitor {
    /// Watches the device from now on; `None` where nobody else can reach it.
    pub fn start(tree: &Tree, kernel_name: Option<&str>, device: &dyn Device) -> Option<Self> {
        let (name, traffic) = kernel_name.zip(device.traffic())?;
        let mut monitor = Self::of(Box::new(KernelCounters::open(tree, name, traffic)));
        let (shared, state) = (monitor.shared.clone(), monitor.state.clone());
        monitor.thread = thread::Builder::new().name("monitor".to_owned()).spawn(move || watch(&shared, &state)).ok();
        Some(monitor)
    }

    /// Without a thread: reads when it is asked only.
    fn of(source: Box<dyn CounterSource>) -> Self {
        let state = Arc::new(Mutex::new(State { detector: DisturbanceDetector::default(), source }));
        Self { shared: Arc::default(), state, thread: None }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lowest and highest processor clock, and the highest load, so far.
    pub fn machine(&self) -> (Option<(u64, u64)>, Option<f64>) {
        let state = self.state();
        (state.detector.cpu_khz, state.detector.load_most)
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl DisturbanceWatch for Monitor {
    fn look(&mut self) -> Disturbances {
        let mut state = self.state();
        state.read(true);
        state.detector.sum
    }

    fn disturbed_since(&mut self, from_ns: u64, out: &mut Vec<(u64, u64)>) {
        let mut state = self.state();
        state.read(true);
        out.clear();
        out.extend(state.detector.windows_since(from_ns).iter().map(|window| (window.from_ns, window.to_ns)));
    }

    fn set_paused(&mut self, paused: bool) {
        self.shared.paused.store(paused, Ordering::Release);
        let mut state = self.state();
        state.detector.skip();
        drop(state);
        if !paused {
            self.wake();
        }
    }
}

impl State {
    fn read(&mut self, slow: bool) {
        let reading = self.source.read(slow);
        self.detector.take(reading);
    }
}

fn watch(shared: &Shared, state: &Mutex<State>) {
    let mut round = 0_u32;
    while !shared.ends.load(Ordering::Acquire) {
        if shared.paused.load(Ordering::Acquire) {
            thread::park_timeout(PAUSED_CHECK);
            continue;
        }
        state.lock().unwrap_or_else(PoisonError::into_inner).read(round.is_multiple_of(SLOW_EVERY));
        round = round.wrapping_add(1);
        thread::park_timeout(EVERY);
    }
}
