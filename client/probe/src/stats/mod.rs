//! Order statistics of integer columns. All of them sort a copy: called between series, never between samples.

mod buckets;

pub use buckets::{Latencies, lower_bound};

/// The value that `fraction` of the values lie below; 0 for no values.
pub fn quantile(values: &[u64], fraction: f64) -> u64 {
    if values.is_empty() {
        return 0;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let last = sorted.len() - 1;
    let index = usize::try_from(to_u64(to_f64(last as u64) * fraction)).unwrap_or(last);
    sorted[index.min(last)]
}

pub fn median(values: &[u64]) -> u64 {
    quantile(values, 0.5)
}

/// Blocks and nanoseconds of any disk are far below 2^53, where a float stops being exact.
#[allow(clippy::cast_precision_loss)]
pub fn to_f64(value: u64) -> f64 {
    value as f64
}

/// Rounds to the nearest whole number; negative values and not-a-number become 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn to_u64(value: f64) -> u64 {
    value.round() as u64
}

/// A number of blocks as a request takes it; more than fits becomes the most, which no device accepts.
pub fn count32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Positions that look random and are the same for the same seed (splitmix64, Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        to_f64(self.draw() >> 11) / to_f64(1 << 53)
    }

    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.draw() % (high - low).max(1)
    }
}
