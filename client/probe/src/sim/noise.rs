//! Delays that a host sees and the mechanism does not make: interrupts, other processes, retries.

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
    state: u64,
    level: NoiseLevel,
}

impl Noise {
    pub fn new(level: NoiseLevel, seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0xA24B_AED4_963E_E407), level }
    }

    /// The next request's delay.
    pub fn delay_ns(&mut self) -> f64 {
        let (mean_ns, outlier_share, outlier_ns) = match self.level {
            NoiseLevel::Off => return 0.0,
            NoiseLevel::Default => (30e3, 0.01, 4e6),
            NoiseLevel::Heavy => (100e3, 0.03, 8e6),
        };
        let delay = self.exponential(mean_ns);
        let outlier = self.uniform() < outlier_share;
        if outlier { delay + self.exponential(outlier_ns) } else { delay }
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.uniform()).ln()
    }

    /// In [0, 1), by the `SplitMix64` generator (Steele, Lea, Flood 2014): small, and the same on every machine.
    fn uniform(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
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
