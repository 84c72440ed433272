//! Inputs made of a corpus: one of its files, changed in a few places, with an eye for what parsers stumble over.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

/// What is put in the place of a number, or between two bytes.
const WORDS: [&str; 28] = [
    "0",
    "-1",
    "1e999",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "-0.0",
    "0.000",
    "NaN",
    "1,000",
    "1.000.000,5",
    "null",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "[[[[",
    ":",
    ",",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{202e}",
    "\u{1b}[31m",
    "/s",
    " GB",
];

/// One change: which, where, how far from there, and a byte or a word of [`WORDS`] or of another file.
type Change = (u8, Index, u8, u8);

pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    vec((0_u8..8, any::<Index>(), any::<u8>(), any::<u8>()), 1..6)
}

/// A file of the corpus with changes; the digits of a number are a place of their own.
pub fn mutated(corpus: &[Vec<u8>], which: Index, changes: &[Change]) -> Vec<u8> {
    let mut bytes = corpus[which.index(corpus.len())].clone();
    for &(how, place, length, byte) in changes {
        let at = place.index(bytes.len() + 1);
        let until = (at + usize::from(length)).min(bytes.len());
        let word = WORDS[usize::from(byte) % WORDS.len()].as_bytes();
        match how {
            0 if at < bytes.len() => bytes[at] ^= 1 << (byte & 7),
            1 if at < bytes.len() => bytes[at] = byte,
            2 => drop(bytes.drain(at..until)),
            3 => drop(bytes.splice(at..at, bytes[at..until].to_vec())),
            4 => drop(bytes.splice(at..at, word.iter().copied())),
            5 => bytes.truncate(at),
            6 => {
                let other = &corpus[usize::from(byte) % corpus.len()];
                let from = place.index(other.len() + 1);
                let piece = &other[from..(from + usize::from(length)).min(other.len())];
                drop(bytes.splice(at..at, piece.iter().copied()));
            }
            _ => replace_number(&mut bytes, at, word),
        }
    }
    bytes
}

/// Puts a word in the place of the next number.
fn replace_number(bytes: &mut Vec<u8>, at: usize, word: &[u8]) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|found| at + found) else { return };
    let end = bytes[start..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |found| start + found);
    drop(bytes.splice(start..end, word.iter().copied()));
}

/// Changes a JSON document within its form: members are taken away, doubled, and put in each other's place.
pub fn changed_tree(document: &mut Value, changes: &[Change]) {
    for &(how, place, _, byte) in changes {
        let at = place.index(count(document));
        let Some(node) = nth(document, &mut (at + 1)) else { continue };
        *node = match (how, node.take()) {
            (0, Value::Object(mut members)) => {
                let name = members.keys().nth(place.index(members.len().max(1))).cloned();
                name.map(|name| members.remove(&name));
                Value::Object(members)
            }
            (1, Value::Array(mut items)) => {
                items.pop();
                Value::Array(items)
            }
            (2, Value::Array(mut items)) => {
                items.extend(items.first().cloned());
                Value::Array(items)
            }
            (3, Value::Number(number)) => json!(number.as_i64().map(|value| value.wrapping_add(i64::from(byte) - 128))),
            (4, value) => json!([value]),
            (5, value) => json!({ "extra": value }),
            (6, value) => value,
            _ => leaf(byte),
        };
    }
}

fn leaf(byte: u8) -> Value {
    let leaves = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("=1+1"),
        json!("\u{202e}\u{0}<b>"),
        json!([]),
        json!({}),
        json!([0, 1, 2]),
        json!("x".repeat(300)),
    ];
    leaves[usize::from(byte) % leaves.len()].clone()
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Object(members) => members.values().map(count).sum(),
        Value::Array(items) => items.iter().map(count).sum::<usize>(),
        _ => 0,
    }
}

fn nth<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    *left -= 1;
    if *left == 0 {
        return Some(value);
    }
    match value {
        Value::Object(members) => members.values_mut().find_map(|member| nth(member, left)),
        Value::Array(items) => items.iter_mut().find_map(|item| nth(item, left)),
        _ => None,
    }
}
