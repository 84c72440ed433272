//! Who made a disk and what it is, by the strings it gives: maker, reseller, family, model, variant.
//!
//! The rules are tables that the archive reads too (`server/catalog/names.py`); `tests/contract/data/names.json`
//! holds both to one answer.

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::name_tables::{Rule, TABLES, Word, regex};

/// What a disk's strings mean. Empty texts are what nothing is known of.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct DriveName {
    /// What a person looks for: `WD10EZEX`. The whole string where nothing is known of it.
    pub model: String,
    pub maker: String,
    /// Who sold it, where that is somebody else than the maker.
    pub brand: String,
    /// What the maker tells drives of one model apart by: `75WN4A0`.
    pub variant: String,
    pub oem_part: String,
    pub family: String,
    /// `virtual` or `volume` for what is no drive of anyone.
    pub kind: String,
    pub rule: String,
    /// What the number says. Never put over what the disk itself says.
    pub facts: Map<String, Value>,
}

impl DriveName {
    /// Reads a disk's strings; `vendor` is empty where the interface has no such field.
    pub fn of(vendor: &str, model: &str) -> Self {
        let (vendor, model) = (squeezed(vendor), squeezed(model));
        let joined = squeezed(&format!("{vendor} {model}"));
        if let Some((_, kind)) = TABLES.not_a_drive.iter().find(|(pattern, _)| pattern.is_match(&joined)) {
            return Self { model: joined, kind: kind.clone(), ..Self::default() };
        }
        let mut best = Self { model: model.clone(), ..Self::default() };
        for (text, whole) in readings(&vendor, &model) {
            let found = read(&text);
            if !found.rule.is_empty() && (best.maker.is_empty() || same_house(&best.maker, &found.maker)) {
                return Self { family: family(&found), ..found };
            }
            if !found.rule.is_empty() && !found.maker.is_empty() && TABLES.resell.contains(&best.maker) {
                let brand = if found.brand.is_empty() { best.maker } else { found.brand.clone() };
                return Self { family: family(&found), brand, ..found };
            }
            if !found.vendor().is_empty() && best.vendor().is_empty() {
                // A maker named in the middle says nothing of where the number begins.
                best = if whole { found } else { Self { model: model.clone(), ..found } };
            }
        }
        for (text, names_maker) in run_together(&joined) {
            let found = read(&text);
            let other = !best.maker.is_empty() && !same_house(&best.maker, &found.maker);
            if found.maker.is_empty() || found.rule.is_empty() || other {
                continue;
            }
            // Of nobody, only a number that says how large the disk is: others are two letters and some digits.
            if names_maker || !best.maker.is_empty() || found.facts.contains_key("capacity_gb") {
                return Self { family: family(&found), ..found };
            }
        }
        best
    }

    /// Under whose name the model is filed: the maker's, or the reseller's where the number hides it.
    pub fn vendor(&self) -> &str {
        if self.maker.is_empty() { &self.brand } else { &self.maker }
    }

    /// What the disk is, as a person would say it; `None` where its strings tell no more than they say.
    pub fn words(&self) -> Option<String> {
        match self.kind.as_str() {
            "virtual" => return Some("the disk of a virtual machine".to_owned()),
            "volume" => return Some("a volume that a controller makes of drives".to_owned()),
            _ if self.vendor().is_empty() => return None,
            _ => {}
        }
        let said = |text: &str, before: &str, after: &str| {
            if text.is_empty() { String::new() } else { format!("{before}{text}{after}") }
        };
        let mut words = format!("{} {}", self.vendor(), self.model);
        words += &said(&self.family, " (", ")");
        words += &said(&self.variant, ", variant ", "");
        if !self.maker.is_empty() {
            words += &said(&self.brand, ", made for ", "");
        }
        Some(words + &said(&self.oem_part, " as ", ""))
    }
}

// ---- One text.

/// INQUIRY's vendor field, which some bridges fill with the beginning of the model (SPC-4, 6.6.2).
const VENDOR_FIELD: usize = 8;
const SHORTEST_SWAPPED: usize = 10;

/// The texts that the strings may stand for, the likeliest first, and whether each is all of it.
fn readings(vendor: &str, model: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    if vendor.chars().count() == VENDOR_FIELD && !is_known(vendor) {
        found.push((format!("{vendor}{model}"), true));
    }
    if !vendor.is_empty() {
        found.push((format!("{vendor} {model}"), true));
    }
    found.push((model.to_owned(), true));
    // IDENTIFY's words in the other byte order, as some bridges pass them on; a short text reads as anything.
    let whole = vendor.chars().count() == VENDOR_FIELD;
    let letters: Vec<char> = match names_nobody(vendor) {
        true => model.chars().collect(),
        false if whole => vendor.chars().chain(model.chars()).collect(),
        false => Vec::new(),
    };
    if letters.len() >= SHORTEST_SWAPPED {
        let swapped: String =
            letters.chunks(2).flat_map(|pair| [pair.get(1).copied().unwrap_or(' '), pair[0]]).collect();
        found.push((swapped.trim().to_owned(), true));
    }
    // A bridge's own words before the disk's.
    found.extend(model.match_indices(' ').map(|(at, _)| (model[at + 1..].to_owned(), false)));
    found
}

/// What a text may stand for where a bridge left a space out or put some in, and whether that begins with a
/// maker's name: a name apart from what follows it, then the words of a number together. A size, as in
/// `HD 500 GB`, is no part of a number.
fn run_together(text: &str) -> Vec<(String, bool)> {
    let capitals = text.to_ascii_uppercase();
    let begins =
        |word: &&Word| !word.maker.is_empty() && capitals.starts_with(&word.text) && text.len() > word.text.len();
    let apart = |word: &Word| {
        let (name, rest) = text.split_at(word.text.len());
        (format!("{name} {rest}"), true)
    };
    let mut found: Vec<(String, bool)> = TABLES.words.iter().filter(begins).map(apart).collect();
    if !SIZE.is_match(text) {
        let words: Vec<&str> = text.split_whitespace().collect();
        found.extend((0..words.len().saturating_sub(1)).map(|at| (words[at..].concat(), false)));
    }
    found
}

static SIZE: LazyLock<Regex> = LazyLock::new(|| regex(r"[0-9] ?[GT]i?B(?:[^0-9A-Za-z_]|$)"));

/// What a text means; without a rule where it only names a maker.
fn read(text: &str) -> DriveName {
    let (mut rest, mut brand, part) = without_oem(text);
    let (mut maker, mut last) = (String::new(), text.to_owned());
    loop {
        if let Some(found) = by_rule(&rest, &maker, &brand) {
            let stated = if !brand.is_empty() || same_house(&maker, &found.maker) { brand } else { maker };
            let brand = if found.brand.is_empty() { stated } else { found.brand.clone() };
            return DriveName { brand, oem_part: part, ..found };
        }
        let Some(word) = leading_word(&rest) else { break };
        if !maker.is_empty() && word.maker.is_empty() {
            break;
        }
        let behind = rest.get(word.text.len() + 1..).unwrap_or_default().trim_matches([' ', '-']).to_owned();
        last = std::mem::replace(&mut rest, behind);
        maker = if word.maker.is_empty() { maker } else { word.maker.clone() };
        brand = if word.brand.is_empty() { brand } else { word.brand.clone() };
    }
    if maker.is_empty() && brand.is_empty() {
        return DriveName { model: text.to_owned(), ..DriveName::default() };
    }
    let model = if rest.is_empty() { last } else { rest };
    DriveName { model, maker, brand, oem_part: part, ..DriveName::default() }
}

/// A text without the mark of the firm it was made for, that firm, and its part number.
fn without_oem(text: &str) -> (String, String, String) {
    for (pattern, brand) in &TABLES.oem {
        if let Some(found) = pattern.captures(text) {
            let start = found.get(0).map_or(0, |all| all.start());
            let part = found.name("part").map_or(String::new(), |part| part.as_str().to_ascii_uppercase());
            return (text[..start].trim().to_owned(), brand.clone(), part);
        }
    }
    (text.to_owned(), String::new(), String::new())
}

/// The name that a text begins with, if something else follows it or nothing does.
fn leading_word(text: &str) -> Option<&'static Word> {
    let capitals = text.to_ascii_uppercase();
    TABLES.words.iter().find(|word| {
        capitals.strip_prefix(&word.text).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '-', '_']))
    })
}

/// What the first rule says that fits the text and whom it named before.
fn by_rule(text: &str, maker: &str, brand: &str) -> Option<DriveName> {
    TABLES.rules.iter().find_map(|(rule, pattern)| {
        if !rule.after.is_empty() && rule.after != maker && rule.after != brand {
            return None;
        }
        let stated = !maker.is_empty() && !rule.maker.is_empty() && !TABLES.resell.contains(maker);
        if stated && !same_house(maker, &rule.maker) {
            return None;
        }
        pattern.captures(text).map(|found| named(rule, &found, text))
    })
}

fn named(rule: &Rule, found: &Captures, text: &str) -> DriveName {
    let group = |name| found.name(name).map(|group| group.as_str()).filter(|text| !text.is_empty());
    let model = group("model").or(group("number")).unwrap_or_default();
    let end = found.name("number").map_or(0, |number| number.end());
    let variant = group("variant").map_or_else(|| without_makers(&text[end..]), str::to_owned);
    DriveName {
        model: if rule.as_written { model.trim().to_owned() } else { model.to_ascii_uppercase() },
        maker: rule.maker.clone(),
        brand: rule.brand.clone(),
        variant: variant.to_ascii_uppercase(),
        rule: rule.id.clone(),
        facts: facts(rule, found),
        ..DriveName::default()
    }
}

/// What follows a number, without names that say what is known already.
fn without_makers(text: &str) -> String {
    let words = text.trim_matches([' ', '-', '_']).split_whitespace();
    words.filter(|word| !is_known(word)).collect::<Vec<_>>().join(" ")
}

/// Whether a vendor field says nothing of a maker: empty, the bus's name, a bridge's.
fn names_nobody(vendor: &str) -> bool {
    let nobody = |word: &Word| word.maker.is_empty() && word.brand.is_empty();
    vendor.is_empty() || TABLES.words.iter().any(|word| vendor.eq_ignore_ascii_case(&word.text) && nobody(word))
}

fn is_known(text: &str) -> bool {
    TABLES.words.iter().any(|word| text.eq_ignore_ascii_case(&word.text))
}

fn facts(rule: &Rule, found: &Captures) -> Map<String, Value> {
    let mut facts = rule.facts.clone();
    for (fact, codes) in &rule.values {
        let code = found.name(fact).map(|code| code.as_str().to_ascii_uppercase());
        if let Some(value) = code.and_then(|code| codes.get(&code)) {
            facts.insert(fact.clone(), value.clone());
        }
    }
    for fact in NUMBERS.iter().filter(|&&fact| !rule.values.contains_key(fact)) {
        let digits = found.name(fact).and_then(|digits| digits.as_str().parse::<u64>().ok());
        if let Some(number) = digits {
            facts.insert((*fact).to_owned(), (number * rule.scale.get(*fact).unwrap_or(&1)).into());
        }
    }
    facts
}

/// Facts that stand in a number as digits.
const NUMBERS: [&str; 1] = ["capacity_gb"];

fn family(name: &DriveName) -> String {
    let fits = |(pattern, family): &(Regex, String)| {
        let found = pattern.find(&name.model)?;
        Some(if family.is_empty() { found.as_str().to_owned() } else { family.clone() })
    };
    TABLES.families.get(name.vendor()).and_then(|entries| entries.iter().find_map(fits)).unwrap_or_default()
}

/// Whether two makers are one by merger, so that a number may come under either name.
fn same_house(one: &str, other: &str) -> bool {
    house(one) == house(other)
}

fn house(maker: &str) -> &str {
    TABLES.heirs.get(maker).map_or(maker, |heir| house(heir))
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Case {
        strings: [String; 2],
        name: DriveName,
    }

    #[test]
    fn the_archive_gives_every_string_the_same_name() {
        let cases: Vec<Case> =
            serde_json::from_str(include_str!("../../../../tests/contract/data/names.json")).expect("cases");
        for case in cases {
            let [vendor, model] = &case.strings;
            assert_eq!(DriveName::of(vendor, model), case.name, "{vendor:?} {model:?}");
        }
    }

    #[test]
    fn a_disk_is_called_what_its_label_says() {
        let words = |model| DriveName::of("", model).words();
        assert_eq!(words("WDC WD10EZEX-75WN4A0").as_deref(), Some("Western Digital WD10EZEX (Blue), variant 75WN4A0"));
        assert_eq!(
            words("Hitachi HUA723020ALA640 49Y1944").as_deref(),
            Some("Hitachi HUA723020ALA640 (Ultrastar 7K3000), made for IBM as 49Y1944")
        );
        assert_eq!(words("QEMU HARDDISK").as_deref(), Some("the disk of a virtual machine"));
        assert_eq!(words("Flash Disk"), None);
    }
}
