//! Figures as people's machines print them: with a point or a comma, rounded, and each a range of what it may have been.

/// A printed figure and half of its last digit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub value: f64,
    pub half: f64,
}

impl Figure {
    /// Digits with at most one point or comma between them; nothing else is a figure, `1,234.5` included.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = plain(text, 7)?;
        let digits = plain.split_once('.').map_or(0, |(_, after)| after.len());
        let half = 0.5 * 10f64.powi(-i32::try_from(digits).ok()?);
        Some(Self { value: plain.parse().ok()?, half })
    }

    pub const fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, half: self.half * factor }
    }
}

/// The same digits with a point, as a document has them.
pub fn decimal(text: &str) -> Option<String> {
    plain(text, 4)
}

/// Up to seven digits, and so many behind a point or a comma.
fn plain(text: &str, decimals: usize) -> Option<String> {
    let (whole, part) = match text.split_once(['.', ',']) {
        Some((whole, part)) => (whole, Some(part)),
        None => (text, None),
    };
    let digits = |text: &str, most: usize| {
        !text.is_empty() && text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !digits(whole, 7) || part.is_some_and(|part| !digits(part, decimals)) {
        return None;
    }
    Some(part.map_or_else(|| whole.to_owned(), |part| format!("{whole}.{part}")))
}

/// The time of `bytes` in nanoseconds where a tool printed the time and the rate of the same transfer, both rounded: the middle of
/// what both allow. `None` where they contradict each other. `at_least_s` is what the tool's own rule says.
pub fn time_of(bytes: f64, seconds: Figure, rate: Figure, rate_unit_bytes: f64, at_least_s: f64) -> Option<u64> {
    let rate = rate.times(rate_unit_bytes);
    if rate.value <= rate.half || bytes <= 0.0 {
        return None;
    }
    let low = (seconds.value - seconds.half).max(bytes / (rate.value + rate.half));
    let high = (seconds.value + seconds.half).min(bytes / (rate.value - rate.half));
    let low = if at_least_s <= high { low.max(at_least_s) } else { low };
    // A printed digit may have been rounded from a binary fraction: a millionth of it is no contradiction.
    if low > high * (1.0 + 1e-6) || high <= 0.0 || !high.is_finite() {
        return None;
    }
    nanoseconds(low.midpoint(high) * 1e9)
}

/// A whole number of nanoseconds above 0 that a document has room for.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just before")]
pub fn nanoseconds(value: f64) -> Option<u64> {
    (1.0..=2.592e15).contains(&value).then(|| value.round() as u64)
}
