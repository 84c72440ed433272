//! Numbers and foreign words as a person reads them.

/// Words from elsewhere, fit for a terminal: control characters could move the cursor or set its colours, and characters that
/// nobody sees could show another text than stands there.
pub fn printable(text: &str) -> String {
    text.chars()
        .filter(|character| !is_invisible(*character))
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect()
}

/// Marks of direction and of no width, fillers, variation selectors and tags: what Unicode says to ignore where it is not known
/// (`Default_Ignorable_Code_Point`), line and paragraph separators, and interlinear marks.
const fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// `4.55 GB`: powers of 1000, three digits, as on the label of a disk.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 7] = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let power = (count.max(1).ilog10() / 3) as usize;
    if power == 0 {
        return format!("{count} {}", UNITS[0]);
    }
    let value = count as f64 / 1000f64.powf(power as f64);
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$} {}", UNITS[power])
}

/// `12.3 s` or `1 h 02 min`.
#[expect(clippy::cast_precision_loss, reason = "a tenth of a second is shown")]
pub fn duration(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    match seconds {
        0..60 => format!("{:.1} s", nanoseconds as f64 / 1e9),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// `20 s`, `4 min`, `2 h 10 min` or `7 d`: a time that is not known exactly.
pub fn about(nanoseconds: u64) -> String {
    let seconds = nanoseconds.div_ceil(1_000_000_000);
    match seconds {
        0..90 => format!("{seconds} s"),
        90..5_400 => format!("{} min", seconds.div_ceil(60)),
        5_400..172_800 => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// `1 sample`, `2 samples`, `1,234 samples`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 || noun == "series" { "" } else { "s" })
}

/// `1,234,567`.
pub fn grouped(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}

/// The word of `known` that was most likely meant by `typed`; `None` where none is near.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    // One slip in a short name, one more for every five letters.
    let slips = |word: &str| strsim::damerau_levenshtein(&typed, &word.to_lowercase());
    let allowed = |word: &str| 1 + word.chars().count().min(typed.chars().count()) / 5;
    let near = known.into_iter().map(|word| (slips(word), word)).filter(|(slips, word)| *slips <= allowed(word));
    near.min_by_key(|(slips, _)| *slips).map(|(_, word)| word)
}

pub const fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// A link's rate, for example "6 Gbit/s".
pub fn bits_per_s(rate: u64) -> String {
    let (unit, word) = if rate >= 1_000_000_000 { (1_000_000_000, "Gbit/s") } else { (1_000_000, "Mbit/s") };
    let (whole, tenth) = (rate / unit, rate % unit / (unit / 10));
    if tenth == 0 { format!("{whole} {word}") } else { format!("{whole}.{tenth} {word}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_on_a_label() {
        let cases = [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1_000, "1.00 kB"),
            (4_551_000_000, "4.55 GB"),
            (99_960_000_000, "100 GB"),
            (20_000_588_955_648, "20.0 TB"),
        ];
        for (size, text) in cases {
            assert_eq!(bytes(size), text);
        }
    }

    #[test]
    fn a_links_rate_is_in_giga_or_megabits() {
        let said = [6_000_000_000, 1_500_000_000, 480_000_000].map(bits_per_s);
        assert_eq!(said, ["6 Gbit/s", "1.5 Gbit/s", "480 Mbit/s"]);
    }

    #[test]
    fn durations_read_as_one_says_them() {
        let cases = [(0, "0.0 s"), (26_000_000, "0.0 s"), (59_900_000_000, "59.9 s"), (61_000_000_000, "1 min 01 s")];
        for (nanoseconds, text) in cases {
            assert_eq!(duration(nanoseconds), text);
        }
        assert_eq!(duration(3_720_000_000_000), "1 h 02 min");
    }

    #[test]
    fn estimates_are_said_in_the_unit_a_person_would_use() {
        let said = [45, 100, 3600, 7380, 608_400].map(|seconds: u64| about(seconds * 1_000_000_000));
        assert_eq!(said, ["45 s", "2 min", "60 min", "2 h 03 min", "7 d 1 h"]);
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(count(1, "sample"), "1 sample");
        assert_eq!(count(12_345, "sample"), "12,345 samples");
        assert_eq!(count(2, "series"), "2 series");
        assert_eq!(grouped(100), "100");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn the_nearest_word_is_one_that_a_slip_of_the_finger_explains() {
        let known = ["seagate-hawk", "seagate-barracuda", "hp-97560"];
        assert_eq!(nearest("segate-hawk", known), Some("seagate-hawk"));
        assert_eq!(nearest("Seagate-Hawk", known), Some("seagate-hawk"));
        assert_eq!(nearest("hp-97650", known), Some("hp-97560"));
        assert_eq!(nearest("quantum", known), None);
        assert_eq!(nearest("sdbb", ["sda", "sdb"]), Some("sdb"));
        assert_eq!(nearest("x", ["sda", "sdb"]), None);
    }

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(printable("a\u{1b}[2Jb\n\u{9b}c \u{e9}"), "a [2Jb  c \u{e9}");
    }
}
