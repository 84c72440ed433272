//! A file's bytes as the text that a tool printed, without what terminals, mail, pages and programs put around it: another
//! encoding, colours, markup, spaces and quotation marks of print, and a margin that every line has (`> `, `12: `, `| `).

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};
use serde_json::Value;

/// Of other bytes than UTF-8 and UTF-16 become replacement characters.
pub fn text_of(bytes: &[u8]) -> String {
    let text = decoded(bytes);
    let text = if text.contains('\u{1b}') { ESCAPES.replace_all(&text, "").into_owned() } else { text };
    let text = if text.contains("=3D") { without_quoted_printable(&text) } else { text };
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

/// The first JSON of a text that begins with one, and whether another may follow; also where lines of it are quoted or commented and
/// others are not.
pub fn first_json(text: &str) -> Option<(Value, bool)> {
    let first = |text: &str| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let value = values.next()?.ok()?;
        let rest = &text[values.byte_offset()..];
        Some((value, rest.contains('{') || rest.contains("=== START OF INFORMATION SECTION")))
    };
    first(text).or_else(|| {
        let inner: Vec<&str> =
            text.lines().map(|line| line.trim_start_matches(['>', '|', '#', '*', ' ', '\t'])).collect();
        first(&inner.join("\n"))
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

/// A terminal's escape sequences (ECMA-48): CSI with its parameters, a window's title, and the choice of a character set.
static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    pattern("\u{1b}\\[[0-9;?]*[A-Za-z]|\u{1b}\\][^\u{7}\u{1b}\n]*(?:\u{7}|\u{1b}\\\\)|\u{1b}[()][A-Za-z0-9]|\u{1b}[=>]")
});

/// Mail as it is stored (RFC 2045, 6.7): `=3D` for `=`, and lines that an `=` at their end breaks. Other codes stay as they are: a text
/// may be so in part, and `=38` in the rest of it is a number.
fn without_quoted_printable(text: &str) -> String {
    text.replace("=\r\n", "").replace("=\n", "").replace("=20\n", "\n").replace("=3D", "=")
}

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

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[ \t]*([0-9]{1,6})(?:[\t:]|[.](?: |$)| *\|(?: |$)|$) ?"));
/// What a log or a search puts before every line, up to the part in brackets that is the same in all.
static STAMPS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"^[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} ([^ ]+ [^ :\[]+)(?:\[[0-9]+\])?:(?: |$)",
        r"^[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8}(?: |$)()",
        r"^\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}[^ ]*(?: |$)()",
        r"^\[?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\]?(?: |$)()",
        r"^([A-Za-z][0-9A-Za-z_.-]{0,40}) +\|(?: |$)",
        r"^([^ \t:]{1,200}[.][A-Za-z]{2,4}):(?:[0-9]{1,6}:)?",
    ]
    .map(pattern)
    .into()
});
/// Of quotation and of comments.
const MARKS: [&str; 5] = ["-", "*", "#", "//", ";"];
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
    let filled: Vec<&str> = lines.iter().copied().filter(|line| !line.trim().is_empty()).collect();
    filled.get(1)?;
    let cut = margin_of(&filled)?;
    let inner = lines.iter().map(|line| if line.trim().is_empty() { "" } else { cut(line) });
    Some(inner.collect::<Vec<_>>().join("\n"))
}

type Cut = Box<dyn Fn(&str) -> &str>;

fn margin_of(filled: &[&str]) -> Option<Cut> {
    if filled.iter().all(|line| line.trim_start().starts_with('>')) {
        return Some(Box::new(|line| {
            let rest = line.trim_start().trim_start_matches('>');
            rest.strip_prefix(' ').unwrap_or(rest)
        }));
    }
    for mark in MARKS {
        if filled.iter().all(|line| behind(line, mark).is_some()) {
            return Some(Box::new(move |line| behind(line, mark).unwrap_or(line)));
        }
    }
    if filled.iter().all(|line| line.starts_with('|') && line.len() > 1 && line.trim_end().ends_with('|')) {
        return Some(Box::new(|line| {
            line.trim().trim_matches('|').trim_end_matches([' ', '|']).trim_start_matches(' ')
        }));
    }
    let number = |line: &&str| NUMBER.captures(line).and_then(|found| found[1].parse::<u64>().ok());
    let counts_up = |pair: &[&str]| number(&pair[0]).is_some_and(|one| number(&pair[1]) == Some(one + 1));
    if filled.windows(2).all(counts_up) {
        return Some(Box::new(|line| &line[NUMBER.find(line).map_or(0, |found| found.end())..]));
    }
    let stamp = STAMPS.iter().find(|stamp| {
        let same = |line: &&str| stamp.captures(line).map(|found| found[1].to_owned());
        let first = filled.first().and_then(same);
        first.is_some() && filled.iter().all(|line| same(line) == first)
    })?;
    Some(Box::new(|line| &line[stamp.find(line).map_or(0, |found| found.end())..]))
}

/// What follows a mark and the one space behind it.
fn behind<'l>(line: &'l str, mark: &str) -> Option<&'l str> {
    let rest = line.trim_start().strip_prefix(mark)?;
    rest.strip_prefix([' ', '\t']).or_else(|| rest.is_empty().then_some(rest))
}
