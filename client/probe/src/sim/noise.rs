//! Delays that a host sees and the mechanism does not make: interrupts, other processes, retries.

use crate::stats::Random;

/// How restless host and drive are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseLevel {
    Off,
    /// A completion delay of 30 us on average and 1 % outliers of 4 ms on average.
    Default,
    /// A completion delay of 100 us on average and 3 % outliers of 8 ms on average.
    Heavy,
}

/// Completion delays from a seed: exponential, plus rare exponential outliers.
#[derive(Clone, Debug)]
pub struct Noise {
    random: Random,
    level: NoiseLevel,
}

impl Noise {
    pub fn new(level: NoiseLevel, seed: u64) -> Self {
        Self { random: Random(seed.wrapping_mul(0xA24B_AED4_963E_E407)), level }
    }

    /// Whether no request is delayed.
    pub fn is_off(&self) -> bool {
        self.level == NoiseLevel::Off
    }

    /// The next request's delay.
    pub fn delay_ns(&mut self) -> f64 {
        let (mean_ns, outlier_share, outlier_ns) = match self.level {
            NoiseLevel::Off => return 0.0,
            NoiseLevel::Default => (30e3, 0.01, 4e6),
            NoiseLevel::Heavy => (100e3, 0.03, 8e6),
        };
        let delay = self.exponential(mean_ns);
        let outlier = self.random.uniform() < outlier_share;
        if outlier { delay + self.exponential(outlier_ns) } else { delay }
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.random.uniform()).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delays_have_the_stated_mean() {
        let mut noise = Noise::new(NoiseLevel::Default, 7);
        let mean = (0..200_000).map(|_| noise.delay_ns()).sum::<f64>() / 200_000.0;
        assert!((mean - 70e3).abs() < 3e3, "30 us and 1 % of 4 ms, got {mean} ns");
    }

    #[test]
    fn another_seed_gives_other_delays_and_the_same_seed_the_same() {
        let draw = |seed| (0..5).map(|_| 0).scan(Noise::new(NoiseLevel::Heavy, seed), |n, _| Some(n.delay_ns()));
        assert!(draw(1).eq(draw(1)));
        assert!(draw(1).ne(draw(2)));
    }
}
