//! What makes a drive's rate change with time and temperature: for the measurements that take hours.

use serde::{Deserialize, Serialize};

use crate::stats::Random;

/// Writes that get slow in the cold (Eridano 3.3).
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ColdWrites {
    /// At this reading of the sensor or below.
    pub celsius: i32,
    /// What is left of the rate then.
    pub share: f64,
}

/// How the medium's rate moves by itself; all in per cent of the time that a transfer takes beyond its first block. What is
/// left out does not move, and blocks that the drive reads ahead by itself are not touched.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Unsteady {
    /// Each transfer for itself; a standard deviation.
    pub jitter_percent: f64,
    /// A slow wave.
    pub wander_percent: f64,
    pub wander_period_s: f64,
    /// Slower by so much with every day.
    pub drift_percent_per_day: f64,
    /// Slower by so much for good, once this time has passed.
    pub jump_percent: f64,
    pub jump_after_s: f64,
}

impl Unsteady {
    /// How many times as long a transfer takes that begins at `at_ns`.
    pub fn factor(&self, at_ns: f64) -> f64 {
        let seconds = at_ns / 1e9;
        let wave = if self.wander_period_s > 0.0 {
            (std::f64::consts::TAU * seconds / self.wander_period_s).sin()
        } else {
            0.0
        };
        let jumped = if self.jump_percent != 0.0 && seconds >= self.jump_after_s { self.jump_percent } else { 0.0 };
        let percent = self.jitter_percent * normal(at_ns)
            + self.wander_percent * wave
            + self.drift_percent_per_day * seconds / 86_400.0
            + jumped;
        (1.0 + percent / 100.0).max(0.2)
    }
}

/// About normally distributed, of deviation 1, and the same for the same moment: the sum of twelve uniform numbers.
fn normal(at_ns: f64) -> f64 {
    let mut random = Random(at_ns.to_bits());
    (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0
}

/// How the time of a turn moves: around its mean, and away from it. What is left out does not move.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Spindle {
    /// Standard deviation of a slow wander of no one period.
    pub wander_percent: f64,
    /// About the time after which the wander comes again.
    pub wander_period_s: f64,
    pub drift_percent_per_hour: f64,
    /// Where the wander stands at the beginning.
    #[serde(skip)]
    pub seed: u64,
}

/// Periods of the wander's waves as shares of the one that is stated; their ratios are no small fractions.
const WAVES: [f64; 3] = [1.0, 0.618, 0.382];

impl Spindle {
    /// Amplitude, radians a nanosecond and phase of each wave.
    fn waves(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let mut random = Random(self.seed);
        let (percent, period_ns) = (self.wander_percent, self.wander_period_s * 1e9);
        let amplitude = percent / 100.0 * (2.0 / WAVES.len() as f64).sqrt();
        let waves = WAVES.map(|share| {
            let phase = std::f64::consts::TAU * random.uniform();
            (amplitude, std::f64::consts::TAU / (period_ns * share), phase)
        });
        waves.into_iter().filter(move |_| percent > 0.0)
    }

    /// By which share of itself a turn is longer at `at_ns`.
    pub fn longer(&self, at_ns: f64) -> f64 {
        let wander: f64 = self.waves().map(|(height, rate, phase)| height * (rate * at_ns + phase).sin()).sum();
        wander + self.drift_percent_per_hour / 100.0 * at_ns / 3.6e12
    }

    /// By how many nanoseconds of even turning the platter is behind at `at_ns`: what `longer` adds up to.
    pub fn behind_ns(&self, at_ns: f64) -> f64 {
        let wander: f64 = self
            .waves()
            .map(|(height, rate, phase)| height / rate * (phase.cos() - (rate * at_ns + phase).cos()))
            .sum();
        wander + self.drift_percent_per_hour / 100.0 * at_ns / 3.6e12 * at_ns / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platter_falls_behind_by_what_its_turns_are_longer() {
        let spindle = Spindle { wander_percent: 0.04, wander_period_s: 20.0, drift_percent_per_hour: 0.1, seed: 3 };
        let steps = 20_000;
        let summed: f64 = (0..steps).map(|k| spindle.longer((f64::from(k) + 0.5) * 1e6) * 1e6).sum();
        assert!((summed - spindle.behind_ns(f64::from(steps) * 1e6)).abs() < 1.0, "{summed}");
        let other = Spindle { seed: 4, ..spindle };
        assert!((spindle.longer(0.0) - other.longer(0.0)).abs() > 1e-6, "another seed begins elsewhere");
    }

    #[test]
    fn jitter_has_the_stated_deviation_and_no_mean() {
        let unsteady = Unsteady { jitter_percent: 4.0, ..Unsteady::default() };
        let draws: Vec<f64> = (0..20_000).map(|k| unsteady.factor(f64::from(k) * 1.37e9) - 1.0).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let deviation = (draws.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 20_000.0).sqrt();
        assert!(mean.abs() < 0.001 && (deviation - 0.04).abs() < 0.001, "{mean} {deviation}");
    }

    #[test]
    fn drift_wave_and_jump_add_up() {
        let unsteady = Unsteady {
            wander_percent: 2.0,
            wander_period_s: 3600.0,
            drift_percent_per_day: 1.0,
            jump_percent: 5.0,
            jump_after_s: 86_400.0,
            ..Unsteady::default()
        };
        assert!((unsteady.factor(900e9) - 1.02 - 0.01 / 96.0).abs() < 1e-9);
        assert!((unsteady.factor(86_400e9) - 1.06).abs() < 1e-9);
        assert!((unsteady.factor(86_399e9) - 1.01).abs() < 1e-4);
    }
}
