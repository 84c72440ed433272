//! What could have disturbed the measurement: the host, and requests that were not ours.

use crate::device::Device;
use crate::identify::{Disk, Tree, disk, host};
use crate::report::document::{Host, Interference};

/// The machine, and how it reaches the disk.
pub fn host(tree: &Tree, disk: Option<&Disk>) -> Host {
    Host {
        cpu: host::cpu(tree),
        kernel: host::kernel(tree),
        memory_bytes: host::memory_bytes(tree),
        controller: disk.and_then(|disk| disk.controller.clone()),
        hba: disk.and_then(|disk| disk.hba.clone()),
        scheduler: disk.and_then(|disk| disk.scheduler.clone()),
    }
}

/// Counters at one moment; two of them say what happened in between.
#[derive(Clone, Copy)]
pub struct Counters {
    completed: Option<u64>,
    ours: Option<u64>,
    switches: Option<u64>,
}

impl Counters {
    pub fn now(tree: &Tree, kernel_name: Option<&str>, device: &dyn Device) -> Self {
        Self {
            completed: kernel_name.and_then(|name| disk::requests_completed(tree, name)),
            ours: device.requests(),
            // A simulated drive's time does not pass while the probe waits for its core.
            switches: kernel_name.and_then(|_| host::involuntary_context_switches(tree)),
        }
    }

    pub fn since(&self, earlier: &Self) -> Interference {
        let difference = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        let all = difference(self.completed, earlier.completed);
        let ours = difference(self.ours, earlier.ours);
        Interference {
            foreign_requests: all.zip(ours).map(|(all, ours)| all.saturating_sub(ours)),
            involuntary_context_switches: difference(self.switches, earlier.switches),
        }
    }
}
