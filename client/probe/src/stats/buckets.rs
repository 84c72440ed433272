//! Latencies in buckets whose width is a fixed share of what they hold: few numbers for many requests.

use serde::{Deserialize, Serialize};

/// How often each latency came, and what buckets can't say exactly.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Latencies {
    /// Lower bounds of the buckets that hold any, ascending.
    pub low_ns: Vec<u64>,
    pub requests: Vec<u64>,
    pub total_ns: u64,
    pub minimum_ns: u64,
    pub maximum_ns: u64,
}

impl Latencies {
    /// Sorts `latencies`. Each doubling has `2^bits` buckets, so that one is at most `2^-bits` of its lower bound wide.
    pub fn of(latencies: &mut [u64], bits: u32) -> Option<Self> {
        latencies.sort_unstable();
        let (&minimum_ns, &maximum_ns) = latencies.first().zip(latencies.last())?;
        let mut found = Self {
            minimum_ns,
            maximum_ns,
            total_ns: latencies.iter().fold(0, |sum, one| sum.saturating_add(*one)),
            ..Self::default()
        };
        for &latency in latencies.iter() {
            let low = lower_bound(latency, bits);
            match (found.low_ns.last(), found.requests.last_mut()) {
                (Some(&last), Some(requests)) if last == low => *requests += 1,
                _ => {
                    found.low_ns.push(low);
                    found.requests.push(1);
                }
            }
        }
        Some(found)
    }
}

/// The lower bound of the bucket that holds `value`.
pub fn lower_bound(value: u64, bits: u32) -> u64 {
    let shift = value.checked_ilog2().unwrap_or(0).saturating_sub(bits);
    value >> shift << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_what_is_less_than_one_in_128_above_its_lower_bound() {
        for value in [0, 1, 127, 128, 255, 256, 8_333_333, 12_345_678_901, u64::MAX] {
            let low = lower_bound(value, 7);
            assert!(low <= value && value - low <= low / 128, "{value}: {low}");
        }
        assert_eq!(lower_bound(255, 7), 255);
        assert_eq!(lower_bound(257, 7), 256);
        assert_eq!(lower_bound(8_388_608 + 65_535, 7), 8_388_608);
        assert_eq!(lower_bound(8_388_608 + 65_536, 7), 8_388_608 + 65_536);
    }

    #[test]
    fn every_latency_is_counted_once() {
        let mut latencies: Vec<u64> = (1..5000).map(|at| at * 7919 % 20_011 * 1000).collect();
        let found = Latencies::of(&mut latencies, 7).expect("there are some");
        assert_eq!(found.requests.iter().sum::<u64>(), 4999);
        assert!(found.low_ns.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(found.total_ns, latencies.iter().sum::<u64>());
        assert_eq!((found.minimum_ns, found.maximum_ns), (latencies[0], latencies[4998]));
    }

    #[test]
    fn no_latencies_make_no_buckets() {
        assert_eq!(Latencies::of(&mut [], 7), None);
    }
}
