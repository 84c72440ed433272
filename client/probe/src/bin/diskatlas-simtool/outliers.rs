//! What made a gap between two requests long: asked in every gap, since afterwards nobody knows.

use std::sync::atomic::AtomicBool;

use anyhow::ensure;
use diskatlas::device::raw::RawDisk;
use diskatlas::device::request::Action;
use diskatlas::device::{Device, Timing};
use diskatlas::session::preallocate;
use serde_json::{Value, json};

use crate::usage::Usage;

/// Makes the requests one by one; answers with how many gaps were longer than `over_ns` and what the thread met in them:
/// it was pushed aside, or it met a page that was not there, or neither, which leaves interrupts and the hypervisor.
pub fn watch(disk: &mut RawDisk, actions: &[Action], over_ns: u64) -> anyhow::Result<Value> {
    let (goes_on, mut taken) = (AtomicBool::new(false), preallocate(1, Timing { start_ns: 0, latency_ns: 0 }));
    let mut previous: Option<(Timing, Usage)> = None;
    let mut gaps = 0_u64;
    let (mut pushed_aside, mut page_faults, mut neither) = (0_u64, 0_u64, 0_u64);
    for action in actions {
        let before = Usage::of_thread();
        taken.clear();
        let failed = disk.chain(std::slice::from_ref(action), &goes_on, &mut taken).is_err();
        let after = Usage::of_thread();
        let Some(timing) = taken.first().copied().filter(|_| !failed) else {
            previous = None;
            continue;
        };
        gaps += u64::from(previous.is_some());
        if let Some((_, since)) = previous.filter(|(earlier, _)| timing.start_ns - earlier.end_ns() > over_ns) {
            let met = before.since(since);
            match (met.involuntary_switches, met.page_faults) {
                (1.., _) => pushed_aside += 1,
                (0, 1..) => page_faults += 1,
                (0, 0) => neither += 1,
            }
        }
        previous = Some((timing, after));
    }
    ensure!(gaps > 0, "the device failed at nearly every request, or there was but one");
    Ok(json!({
        "gaps": gaps,
        "over_ns": over_ns,
        "pushed_aside": pushed_aside,
        "page_faults": page_faults,
        "neither": neither,
    }))
}
