//! Which combinations are measured, and with how many requests each.

use serde::{Deserialize, Serialize};

use crate::device::Geometry;
use crate::device::request::Concurrency;
use crate::kinds::Cost;
use crate::session::Suite;
use crate::stats::{to_f64, to_u64};

/// Platinum's sizes: 512 B to 64 KiB by powers of two.
const SMALLEST_BYTES: u32 = 512;
const LARGEST_BYTES: u32 = 65_536;
/// The size at which queue depths are compared: what file systems and data bases ask for.
const USUAL_BYTES: u32 = 4096;

/// Platinum: "10000 iterations". All processes of a combination do them together, so that elapsed times compare.
const ITERATIONS: u64 = 10_000;
const FEWEST: u64 = 60;

const PROCESSES: [u32; 4] = [1, 2, 4, 8];
const DEPTHS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Device time of all combinations together, in the suites that promise an end.
const QUICK_NS: u64 = 20_000_000_000;
const STANDARD_NS: u64 = 170_000_000_000;
/// A combination ends at this multiple of its share, whatever the disk does.
const SHARES_MOST: u64 = 4;
/// And at this time in full.
const LONGEST_NS: u64 = 1_200_000_000_000;

/// A random request takes so many turns: half a turn of waiting and a seek of about one.
const TURNS: f64 = 1.5;

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Mode {
    #[default]
    Read,
    Mixed,
    Write,
}

impl Mode {
    /// Of so many requests, those that write.
    fn writes(self, requests: u64) -> u64 {
        match self {
            Self::Read => 0,
            Self::Mixed => requests / 2,
            Self::Write => requests,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Case {
    pub mode: Mode,
    pub concurrency: Concurrency,
    pub request_blocks: u32,
}

impl Case {
    pub fn pattern(&self) -> &'static str {
        match self.concurrency {
            Concurrency::Workers(_) => "processes",
            Concurrency::Queue(_) => "queue",
        }
    }

    /// Names the combination within the kind.
    pub fn name(&self) -> String {
        format!("{}/{}/{}/{}", self.mode, self.pattern(), self.concurrency.lanes(), self.request_blocks)
    }
}

pub struct Plan {
    pub cases: Vec<Case>,
    pub requests: u64,
    /// When a combination ends at the latest, in device time.
    pub limit_ns: u64,
    /// What one request takes, as far as one can tell beforehand.
    request_ns: u64,
    block_bytes: u32,
}

impl Plan {
    pub fn new(geometry: &Geometry, suite: Suite, writable: bool, turn_ns: u64) -> Self {
        let cases = cases(geometry.block_bytes, suite, writable);
        let request_ns = to_u64(to_f64(turn_ns) * TURNS).max(1);
        // In halves of a request: what a write needs is read first.
        let weight: u64 = cases.iter().map(|case| 2 + 2 * case.mode.writes(2) / 2).sum();
        let within = |budget_ns: u64| (2 * budget_ns / weight.max(1) / request_ns / 10 * 10).clamp(FEWEST, ITERATIONS);
        let share = |budget_ns: u64| SHARES_MOST * budget_ns / (cases.len() as u64).max(1);
        let (requests, limit_ns) = match suite {
            Suite::Quick => (within(QUICK_NS), share(QUICK_NS)),
            Suite::Standard => (within(STANDARD_NS), share(STANDARD_NS)),
            Suite::Full | Suite::Day | Suite::Week => (ITERATIONS, LONGEST_NS),
        };
        Self { cases, requests, limit_ns, request_ns, block_bytes: geometry.block_bytes }
    }

    /// What the combinations from that index on take and move.
    pub fn cost_from(&self, index: usize) -> Cost {
        let mut cost = Cost::default();
        for case in &self.cases[index..] {
            let bytes = u64::from(case.request_blocks) * u64::from(self.block_bytes);
            let writes = case.mode.writes(self.requests);
            cost.elapsed_ns += (self.requests + writes) * self.request_ns;
            // Where something is written, what stands there is read first.
            cost.read_bytes += self.requests * bytes;
            cost.written_bytes += writes * bytes;
        }
        cost
    }
}

/// Sizes in bytes that the device can be asked for, smallest first.
fn sizes(block_bytes: u32) -> Vec<u32> {
    let sizes = std::iter::successors(Some(SMALLEST_BYTES), |size| Some(size * 2));
    sizes.take_while(|&size| size <= LARGEST_BYTES).filter(|size| size.is_multiple_of(block_bytes)).collect()
}

fn cases(block_bytes: u32, suite: Suite, writable: bool) -> Vec<Case> {
    let sizes = sizes(block_bytes);
    let usual = USUAL_BYTES.max(block_bytes);
    let some = |wanted: &[u32]| -> Vec<u32> { sizes.iter().copied().filter(|size| wanted.contains(size)).collect() };
    let smallest = sizes.first().copied().unwrap_or(usual);
    let (process_sizes, processes, depth_sizes, depths) = match suite {
        Suite::Quick => (some(&[usual]), vec![1, 8], some(&[usual]), vec![32]),
        Suite::Standard => {
            (some(&[smallest, usual, LARGEST_BYTES]), PROCESSES.to_vec(), some(&[usual]), DEPTHS.to_vec())
        }
        Suite::Full | Suite::Day | Suite::Week => {
            (sizes.clone(), PROCESSES.to_vec(), some(&[usual, LARGEST_BYTES]), DEPTHS.to_vec())
        }
    };
    // Reads first: what writes leave in a write cache would be in their way.
    let modes: &[Mode] = if writable { &[Mode::Read, Mode::Mixed, Mode::Write] } else { &[Mode::Read] };
    let mut cases = Vec::new();
    for &mode in modes {
        for (concurrency, counts, sizes) in [
            (Concurrency::Workers as fn(u32) -> Concurrency, &processes, &process_sizes),
            (Concurrency::Queue as fn(u32) -> Concurrency, &depths, &depth_sizes),
        ] {
            for &size in sizes {
                let request_blocks = size / block_bytes;
                cases.extend(counts.iter().map(|&count| Case {
                    mode,
                    concurrency: concurrency(count),
                    request_blocks,
                }));
            }
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN_NS: u64 = 8_333_333;

    fn geometry(block_bytes: u32) -> Geometry {
        Geometry {
            capacity_bytes: 2_000_000_000_000,
            logical_block_bytes: 512,
            physical_block_bytes: block_bytes,
            block_bytes,
        }
    }

    #[test]
    fn in_full_it_is_what_platinum_did_and_the_depths() {
        let plan = Plan::new(&geometry(512), Suite::Full, true, TURN_NS);
        assert_eq!(plan.requests, 10_000);
        let of = |mode: Mode, pattern: &str| {
            plan.cases.iter().filter(|case| case.mode == mode && case.pattern() == pattern).count()
        };
        for mode in [Mode::Read, Mode::Mixed, Mode::Write] {
            assert_eq!([of(mode, "processes"), of(mode, "queue")], [4 * 8, 6 * 2]);
        }
        let mut names: Vec<String> = plan.cases.iter().map(Case::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), plan.cases.len());
    }

    #[test]
    fn sizes_below_the_block_are_left_out() {
        assert_eq!(sizes(4096), [4096, 8192, 16_384, 32_768, 65_536]);
        assert_eq!(sizes(512).len(), 8);
        let plan = Plan::new(&geometry(4096), Suite::Full, false, TURN_NS);
        assert!(plan.cases.iter().all(|case| case.mode == Mode::Read && case.request_blocks <= 16));
    }

    #[test]
    fn the_suites_that_promise_an_end_keep_within_their_share_with_writes_and_without() {
        for (suite, budget_ns) in [(Suite::Quick, QUICK_NS), (Suite::Standard, STANDARD_NS)] {
            for (writable, turn_ns) in [(false, TURN_NS), (true, TURN_NS), (true, 11_111_111)] {
                let plan = Plan::new(&geometry(512), suite, writable, turn_ns);
                let elapsed_ns = plan.cost_from(0).elapsed_ns;
                assert!(elapsed_ns <= budget_ns, "{suite:?} {writable}: {elapsed_ns}");
                assert!(plan.requests > FEWEST && elapsed_ns * 10 > budget_ns * 8, "{suite:?}: {}", plan.requests);
            }
        }
    }

    #[test]
    fn nothing_is_written_unless_it_may_be() {
        assert_eq!(Plan::new(&geometry(512), Suite::Full, false, TURN_NS).cost_from(0).written_bytes, 0);
        assert!(Plan::new(&geometry(512), Suite::Full, true, TURN_NS).cost_from(0).written_bytes > 0);
    }
}
