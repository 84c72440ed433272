//! A file's bytes as the text that a tool printed, without what terminals, mail, pages and programs put around it: another
//! encoding, colours, markup, spaces and quotation marks of print, and a margin that every line has (`> `, `12: `, `| `).

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

/// Of other bytes than UTF-8 and UTF-16 become replacement characters.
pub fn text_of(bytes: &[u8]) -> String {
    let text = decoded(bytes);
    let text = if text.contains('\u{1b}') { ESCAPES.replace_all(&text, "").into_owned() } else { text };
    let text = without_markup(text);
    without_margins(plain_characters(text))
}

/// Lines without control characters, marks of quotation, and the space around them.
pub fn plain_lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(|line| {
        let plain: String = line.chars().filter(|character| !character.is_control() || *character == '\t').collect();
        plain.trim_start_matches(['>', '|', ' ', '\t']).trim_end().to_owned()
    })
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

// ---- Bytes.

/// UTF-16 by its mark, or by the zeros of its first letters; else UTF-8.
fn decoded(bytes: &[u8]) -> String {
    let units = |rest: &[u8], of: fn([u8; 2]) -> u16| {
        String::from_utf16_lossy(&rest.chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect::<Vec<_>>())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => units(bytes, u16::from_le_bytes),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => units(bytes, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// A terminal's escape sequences (ECMA-48): CSI with its parameters, and the choice of a character set.
static ESCAPES: LazyLock<Regex> =
    LazyLock::new(|| pattern("\u{1b}\\[[0-9;?]*[A-Za-z]|\u{1b}[()][A-Za-z0-9]|\u{1b}[=>]"));

// ---- Markup of pages.

static BREAK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)<br ?/?>"));
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)</?(?:html|body|head|pre|code|samp|kbd|tt|p|div|span|table|tbody|tr|td|li|ul|ol|b|i|a|font)(?:\s[^<>]*)?>",
    )
});
/// Of forums (`BBCode`).
static FORUM_TAG: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\[/?(?:code|quote|pre|spoiler|b|i|u|tt|font|size)(?:=[^\[\]\n]*)?\]"));
static ENTITY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"&(?:#([0-9]{1,6})|#x([0-9A-Fa-f]{1,5})|(amp|lt|gt|quot|apos|nbsp));"));

fn without_markup(text: String) -> String {
    let text = if text.contains("</") || text.contains("<br") {
        TAG.replace_all(&BREAK.replace_all(&text, "\n"), "").into_owned()
    } else {
        text
    };
    let text = if text.contains("[/") { FORUM_TAG.replace_all(&text, "").into_owned() } else { text };
    if !text.contains('&') {
        return text;
    }
    ENTITY
        .replace_all(&text, |found: &Captures| character(found).map_or_else(|| found[0].to_owned(), String::from))
        .into_owned()
}

fn character(found: &Captures) -> Option<char> {
    let code = |at: usize, radix| found.get(at).and_then(|digits| u32::from_str_radix(digits.as_str(), radix).ok());
    if let Some(code) = code(1, 10).or_else(|| code(2, 16)) {
        return char::from_u32(code);
    }
    Some(match &found[3] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => ' ',
    })
}

// ---- Characters.

/// Spaces and quotation marks of print as those of programs, ends of lines of any machine as one, and nothing that shows nothing.
fn plain_characters(text: String) -> String {
    if text.is_ascii() && !text.contains('\r') {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' => plain.push('\n'),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => plain.push(' '),
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {}
            '\u{201c}'..='\u{201f}' => plain.push('"'),
            other => plain.push(other),
        }
    }
    plain
}

// ---- Margins: what every line begins with, and ends with in a table.

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[ \t]*([0-9]{1,6})(?:\t|[:.)](?: |$)| *\|(?: |$)|$)"));
static MOMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [^ ]+ [^ :]+: ?|\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}[^ ]* ?|\[?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\]? )",
    )
});
static SERVICE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^([A-Za-z][0-9A-Za-z_.-]{0,40}) +\|(?: |$)"));
/// As many as one paste may have, one about the other.
const MARGINS_MOST: usize = 4;

fn without_margins(text: String) -> String {
    let mut text = text;
    for _ in 0..MARGINS_MOST {
        let Some(inner) = without_margin(&text) else { break };
        text = inner;
    }
    text
}

/// The text without a margin that all of its lines have; `None` where they have none in common.
fn without_margin(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let filled = || lines.iter().copied().filter(|line| !line.trim().is_empty());
    filled().nth(1)?;
    let cut = margin_of(filled)?;
    let inner = lines.iter().map(|line| if line.trim().is_empty() { Cow::Borrowed("") } else { cut(line) });
    Some(inner.collect::<Vec<_>>().join("\n"))
}

type Cut = fn(&str) -> Cow<'_, str>;

fn margin_of<'t, Lines: Iterator<Item = &'t str>>(filled: impl Fn() -> Lines) -> Option<Cut> {
    if filled().all(|line| line.trim_start().starts_with('>')) {
        return Some(|line| {
            let rest = line.trim_start().trim_start_matches('>');
            Cow::Borrowed(rest.strip_prefix(' ').unwrap_or(rest))
        });
    }
    for mark in ["- ", "* "] {
        if filled().all(|line| line.starts_with(mark)) {
            return Some(|line| Cow::Borrowed(&line[2..]));
        }
    }
    if filled().all(|line| line.starts_with('|') && line.len() > 1 && line.trim_end().ends_with('|')) {
        return Some(|line| {
            Cow::Borrowed(line.trim().trim_matches('|').trim_end_matches([' ', '|']).trim_start_matches(' '))
        });
    }
    let numbers = || filled().map(|line| NUMBER.captures(line).and_then(|found| found[1].parse::<u64>().ok()));
    if numbers().zip(numbers().skip(1)).all(|(one, two)| one.is_some() && one.map(|one| one + 1) == two) {
        return Some(|line| NUMBER.replace(line, ""));
    }
    if filled().all(|line| MOMENT.is_match(line)) {
        return Some(|line| MOMENT.replace(line, ""));
    }
    let service = |line: &str| SERVICE.captures(line).map(|found| found[1].to_owned());
    let first = filled().next().and_then(service);
    if first.is_some() && filled().all(|line| service(line) == first) {
        return Some(|line| SERVICE.replace(line, ""));
    }
    None
}
