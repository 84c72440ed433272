//! The tables of makers' numbers (`server/catalog/data/names/`), which the archive reads too.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use regex_lite::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
struct Maker {
    name: String,
    words: Vec<String>,
    part_of: Option<String>,
    #[serde(default)]
    resells: bool,
}

#[derive(Deserialize)]
struct Mark {
    pattern: String,
    #[serde(default, alias = "kind")]
    brand: String,
}

#[derive(Deserialize)]
struct MakersFile {
    maker: Vec<Maker>,
    brand: Vec<Maker>,
    nobody: Vec<String>,
    oem: Vec<Mark>,
    not_a_drive: Vec<Mark>,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
pub struct Rule {
    pub id: String,
    pub pattern: String,
    pub maker: String,
    pub brand: String,
    pub after: String,
    pub as_written: bool,
    pub scale: BTreeMap<String, u64>,
    pub values: BTreeMap<String, BTreeMap<String, Value>>,
    pub facts: Map<String, Value>,
}

#[derive(Deserialize)]
struct NumbersFile {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
struct FamiliesFile {
    family: BTreeMap<String, Vec<(String, String)>>,
}

pub struct Word {
    pub text: String,
    pub maker: String,
    pub brand: String,
}

pub struct Tables {
    pub rules: Vec<(Rule, Regex)>,
    /// The longest first.
    pub words: Vec<Word>,
    pub oem: Vec<(Regex, String)>,
    pub not_a_drive: Vec<(Regex, String)>,
    pub families: BTreeMap<String, Vec<(Regex, String)>>,
    pub heirs: BTreeMap<String, String>,
    /// Makers that sold others' disks, too.
    pub resell: HashSet<String>,
}

pub static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let makers: MakersFile = parsed(include_str!("../../../../server/catalog/data/names/makers.toml"));
    let numbers: NumbersFile = parsed(include_str!("../../../../server/catalog/data/names/numbers.toml"));
    let families: FamiliesFile = parsed(include_str!("../../../../server/catalog/data/names/families.toml"));
    let marks =
        |marks: &[Mark]| marks.iter().map(|mark| (regex(&one_line(&mark.pattern)), mark.brand.clone())).collect();
    let number = |rule: Rule| {
        let pattern = regex(&format!("^(?P<number>{})(?:[^0-9A-Z]|$)", one_line(&rule.pattern)));
        (rule, pattern)
    };
    let family = |entries: Vec<(String, String)>| {
        entries.into_iter().map(|(pattern, name)| (regex(&format!("^(?:{pattern})")), name)).collect()
    };
    Tables {
        rules: numbers.rule.into_iter().map(number).collect(),
        words: words(&makers),
        oem: marks(&makers.oem),
        not_a_drive: marks(&makers.not_a_drive),
        families: families.family.into_iter().map(|(vendor, entries)| (vendor, family(entries))).collect(),
        resell: makers.maker.iter().filter(|maker| maker.resells).map(|maker| maker.name.clone()).collect(),
        heirs: makers.maker.into_iter().filter_map(|maker| Some((maker.name, maker.part_of?))).collect(),
    }
});

fn words(makers: &MakersFile) -> Vec<Word> {
    let word = |text: &String, maker: &str, brand: &str| Word {
        text: text.clone(),
        maker: maker.to_owned(),
        brand: brand.to_owned(),
    };
    let mut words = Vec::new();
    for maker in &makers.maker {
        words.extend(maker.words.iter().map(|text| word(text, &maker.name, "")));
    }
    for brand in &makers.brand {
        words.extend(brand.words.iter().map(|text| word(text, "", &brand.name)));
    }
    words.extend(makers.nobody.iter().map(|text| word(text, "", "")));
    words.sort_by_key(|word| std::cmp::Reverse(word.text.len()));
    words
}

/// A pattern that a table writes on several lines, as one.
fn one_line(pattern: &str) -> String {
    pattern.lines().map(str::trim_start).collect()
}

pub fn regex(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("the tables' patterns are tested")
}

fn parsed<File: for<'text> Deserialize<'text>>(text: &str) -> File {
    toml::from_str(text).expect("the tables are tested")
}
