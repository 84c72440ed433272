//! One schema with its keywords, and how an instance is held against it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use regex_lite::Regex;
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value};

use super::problem::{quoted, shortened};
use crate::report::json::Json;
use crate::report::rules::Violation;

/// The schemas below `$defs`, by the reference that leads to them.
pub type Definitions = BTreeMap<String, Node>;

/// What people read and no program checks.
const ANNOTATIONS: [&str; 8] = ["$schema", "$id", "$defs", "$comment", "title", "description", "examples", "default"];

/// A schema: true, or an object of keywords.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "Value")]
pub struct Node(Keywords);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Keywords {
    #[serde(rename = "$ref")]
    reference: Option<String>,
    all_of: Vec<Node>,
    #[serde(rename = "const", deserialize_with = "even_null")]
    constant: Option<Json>,
    #[serde(rename = "enum")]
    values: Option<Vec<Json>>,
    #[serde(rename = "if")]
    condition: Option<Box<Node>>,
    then: Option<Box<Node>>,
    #[serde(rename = "else")]
    otherwise: Option<Box<Node>>,
    items: Option<Box<Node>>,
    max_items: Option<u64>,
    min_items: Option<u64>,
    max_length: Option<u64>,
    min_length: Option<u64>,
    max_properties: Option<u64>,
    min_properties: Option<u64>,
    maximum: Option<Number>,
    minimum: Option<Number>,
    pattern: Option<Pattern>,
    properties: BTreeMap<String, Node>,
    additional_properties: Option<bool>,
    required: Vec<String>,
    #[serde(rename = "type")]
    types: Option<Types>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Types {
    One(String),
    Any(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = regex_lite::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Regex::new(&text).map(Self)
    }
}

/// `null` is a constant like any other.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

impl TryFrom<Value> for Node {
    type Error = String;

    fn try_from(schema: Value) -> Result<Self, String> {
        match schema {
            Value::Bool(true) => Ok(Self::default()),
            Value::Object(mut object) => {
                object.retain(|name, _| !ANNOTATIONS.contains(&name.as_str()));
                serde_json::from_value(Value::Object(object)).map(Self).map_err(|error| error.to_string())
            }
            other => Err(format!("{other} is not a schema")),
        }
    }
}

/// Where the check is, and what it has found.
pub struct Findings<'a> {
    definitions: &'a Definitions,
    path: String,
    most: usize,
    pub problems: Vec<Violation>,
}

impl<'a> Findings<'a> {
    pub fn new(definitions: &'a Definitions, most: usize) -> Self {
        Self { definitions, path: String::new(), most, problems: Vec::new() }
    }

    fn add_if(&mut self, wrong: bool, message: impl FnOnce() -> String) {
        if wrong && self.problems.len() < self.most {
            self.problems.push(Violation { path: self.path.clone(), message: message() });
        }
    }

    /// Checks an element of a list. Nothing is said of most of them, so their places are not written out.
    fn element(&mut self, index: usize, node: &Node, instance: &Json) {
        if !node.accepts(instance, self.definitions) {
            self.below(&index.to_string(), node, instance);
        }
    }

    /// Checks one level deeper in the instance.
    fn below(&mut self, step: &str, node: &Node, instance: &Json) {
        if self.problems.len() < self.most {
            let length = self.path.len();
            self.path.push('/');
            self.path.push_str(&step.replace('~', "~0").replace('/', "~1"));
            node.check(instance, self);
            self.path.truncate(length);
        }
    }
}

impl Node {
    /// The references of this schema and of those inside it.
    pub fn references(&self) -> Vec<&str> {
        let Keywords { reference, all_of, condition, then, otherwise, items, properties, .. } = &self.0;
        let inside = [condition, then, otherwise, items].into_iter().flatten().map(|node| &**node);
        let inside = inside.chain(all_of).chain(properties.values()).flat_map(Self::references);
        reference.as_deref().into_iter().chain(inside).collect()
    }

    fn accepts(&self, instance: &Json, definitions: &Definitions) -> bool {
        let mut found = Findings::new(definitions, 1);
        self.check(instance, &mut found);
        found.problems.is_empty()
    }

    pub fn check(&self, instance: &Json, found: &mut Findings<'_>) {
        let keywords = &self.0;
        if let Some(node) = keywords.reference.as_ref().and_then(|name| found.definitions.get(name)) {
            node.check(instance, found);
        }
        for node in &keywords.all_of {
            node.check(instance, found);
        }
        if let Some(value) = &keywords.constant {
            found.add_if(!equal(instance, value), || format!("{} was expected", quoted(value)));
        }
        if let Some(values) = &keywords.values {
            let all = || values.iter().map(quoted).collect::<Vec<_>>().join(",");
            let wrong = !values.iter().any(|value| equal(instance, value));
            found.add_if(wrong, || format!("{} is not one of [{}]", quoted(instance), all()));
        }
        if let Some(condition) = &keywords.condition {
            let holds = condition.accepts(instance, found.definitions);
            if let Some(node) = if holds { &keywords.then } else { &keywords.otherwise } {
                node.check(instance, found);
            }
        }
        match instance {
            Json::Scalar(Value::Number(number)) => keywords.check_number(number, found),
            Json::Scalar(Value::String(text)) => keywords.check_text(text, found),
            Json::Scalar(_) => {}
            Json::Column(_) | Json::List(_) => keywords.check_list(instance, found),
            Json::Object(object) => keywords.check_object(object, found),
        }
        if let Some(types) = &keywords.types {
            let names = match types {
                Types::One(name) => std::slice::from_ref(name),
                Types::Any(names) => names,
            };
            let wrong = !names.iter().any(|name| is_of_type(instance, name));
            found.add_if(wrong, || format!("{} is not of type {}", quoted(instance), quoted_list(names)));
        }
    }
}

impl Keywords {
    fn check_number(&self, number: &Number, found: &mut Findings<'_>) {
        if let Some(most) = &self.maximum {
            let wrong = compare(number, most) == Ordering::Greater;
            found.add_if(wrong, || format!("{number} is greater than the maximum of {most}"));
        }
        if let Some(least) = &self.minimum {
            let wrong = compare(number, least) == Ordering::Less;
            found.add_if(wrong, || format!("{number} is less than the minimum of {least}"));
        }
    }

    fn check_text(&self, text: &str, found: &mut Findings<'_>) {
        let length = || text.chars().count() as u64;
        if let Some(most) = self.max_length {
            found.add_if(length() > most, || format!("{} is longer than {most} characters", quoted(&text)));
        }
        if let Some(least) = self.min_length {
            found.add_if(length() < least, || format!("{} is shorter than {least} characters", quoted(&text)));
        }
        if let Some(Pattern(pattern)) = &self.pattern {
            found.add_if(!pattern.is_match(text), || format!("{} does not match \"{pattern}\"", quoted(&text)));
        }
    }

    fn check_list(&self, instance: &Json, found: &mut Findings<'_>) {
        match (&self.items, instance) {
            (Some(node), Json::Column(column)) => {
                for (index, number) in column.iter().enumerate() {
                    found.element(index, node, &Json::Scalar(number.into()));
                }
            }
            (Some(node), _) => {
                instance.items().iter().enumerate().for_each(|(index, element)| found.element(index, node, element));
            }
            (None, _) => {}
        }
        let length = instance.list_length().unwrap_or(0) as u64;
        if let Some(most) = self.max_items {
            found.add_if(length > most, || format!("{length} items: at most {most} are allowed"));
        }
        if let Some(least) = self.min_items {
            found.add_if(length < least, || format!("{length} items: at least {least} are needed"));
        }
    }

    fn check_object(&self, object: &BTreeMap<String, Json>, found: &mut Findings<'_>) {
        let members = object.len() as u64;
        if let Some(most) = self.max_properties {
            found.add_if(members > most, || format!("{members} members: at most {most} are allowed"));
        }
        if let Some(least) = self.min_properties {
            found.add_if(members < least, || format!("{members} members: at least {least} are needed"));
        }
        for (name, value) in object {
            match self.properties.get(name) {
                Some(node) => found.below(name, node, value),
                None => found.add_if(self.additional_properties == Some(false), || {
                    format!("additional properties are not allowed: '{}' was unexpected", shortened(name))
                }),
            }
        }
        for name in self.required.iter().filter(|name| !object.contains_key(*name)) {
            found.add_if(true, || format!("{name:?} is a required property"));
        }
    }
}

fn is_of_type(instance: &Json, name: &str) -> bool {
    match (name, instance) {
        ("null", Json::Scalar(Value::Null))
        | ("boolean", Json::Scalar(Value::Bool(_)))
        | ("string", Json::Scalar(Value::String(_)))
        | ("array", Json::Column(_) | Json::List(_))
        | ("object", Json::Object(_))
        | ("number", Json::Scalar(Value::Number(_))) => true,
        // 1.0 is an integer to JSON Schema.
        ("integer", Json::Scalar(Value::Number(number))) => {
            !number.is_f64() || number.as_f64().is_some_and(|value| value.fract() == 0.0)
        }
        _ => false,
    }
}

/// Equal as JSON Schema has it: 1 and 1.0 are one number.
fn equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Scalar(Value::Number(one)), Json::Scalar(Value::Number(other))) => {
            compare(one, other) == Ordering::Equal
        }
        _ => one == other,
    }
}

/// Exact where both are integers, which is all that a document holds of any size.
fn compare(one: &Number, other: &Number) -> Ordering {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}

fn quoted_list(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" or ")
}
