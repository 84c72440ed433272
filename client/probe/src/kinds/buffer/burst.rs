//! One size: the same request so often, and how long it took.

use serde::{Deserialize, Serialize};

use crate::session::{Session, Stop};
use crate::stats::quantile;

/// So many latencies are kept of a burst, at equal distances: enough for its quantiles.
const LATENCIES_KEPT: u64 = 4096;

/// When a burst ends: at so many bytes or after so long, but not before so many requests.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub bytes: u64,
    pub time_ns: u64,
    pub fewest_requests: u64,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Burst {
    pub requests: u64,
    /// From when the first request was handed over to when the last was answered.
    pub elapsed_ns: u64,
    pub fastest_ns: u64,
    pub median_ns: u64,
    pub percentile_90_ns: u64,
    pub slowest_ns: u64,
    /// 1 where something disturbed too many of its requests.
    #[serde(default)]
    pub disturbed: u8,
}

impl Burst {
    /// Reads `count` blocks from `start` again and again, once before the clock starts. `None` where the medium failed.
    pub fn take(session: &mut Session<'_>, start: u64, count: u32, bound: Bound) -> (Option<Self>, Option<Stop>) {
        match read(session, start, count, bound) {
            Ok(burst) => {
                let disturbed = u8::from(session.piece_is_disturbed());
                (burst.map(|burst| Self { disturbed, ..burst }), None)
            }
            Err(stop) => (None, Some(stop)),
        }
    }
}

fn read(session: &mut Session<'_>, start: u64, count: u32, bound: Bound) -> Result<Option<Burst>, Stop> {
    let bytes = u64::from(count) * u64::from(session.geometry().block_bytes);
    let wanted = (bound.bytes / bytes).max(bound.fewest_requests);
    let stride = wanted.div_ceil(LATENCIES_KEPT);
    let mut kept: Vec<u64> = Vec::with_capacity(usize::try_from(wanted.min(LATENCIES_KEPT)).unwrap_or(0));
    let (mut fastest_ns, mut slowest_ns) = (u64::MAX, 0);
    let Some(first) = session.read(start, count)? else { return Ok(None) };
    let (mut started_ns, mut ended_ns, mut requests) = (None, first.end_ns(), 0);
    while requests < wanted {
        let Some(timing) = session.read(start, count)? else { return Ok(None) };
        let started = *started_ns.get_or_insert(timing.start_ns);
        ended_ns = timing.end_ns();
        fastest_ns = fastest_ns.min(timing.latency_ns);
        slowest_ns = slowest_ns.max(timing.latency_ns);
        if requests % stride == 0 {
            kept.push(timing.latency_ns);
        }
        requests += 1;
        if requests >= bound.fewest_requests && ended_ns.saturating_sub(started) >= bound.time_ns {
            break;
        }
    }
    Ok(started_ns.map(|started| Burst {
        requests,
        elapsed_ns: ended_ns.saturating_sub(started),
        fastest_ns,
        median_ns: quantile(&kept, 0.5),
        percentile_90_ns: quantile(&kept, 0.9),
        slowest_ns,
        disturbed: 0,
    }))
}
