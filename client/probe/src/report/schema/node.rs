//! One schema with its keywords, and how an instance is held against it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use regex_lite::Regex;
use serde_json::{Map, Number, Value};

use super::problem::{Problem, quoted, shortened};
use crate::report::json::Json;

/// The schemas below `$defs`, by the reference that leads to them.
pub type Definitions = BTreeMap<String, Node>;

/// What people read and no program checks.
const ANNOTATIONS: [&str; 8] = ["$schema", "$id", "$defs", "$comment", "title", "description", "examples", "default"];

#[derive(Debug, Default)]
pub struct Node {
    keywords: Vec<Keyword>,
}

#[derive(Debug)]
enum Keyword {
    Type(Vec<String>),
    Const(Json),
    Enum(Vec<Json>),
    Minimum(Number),
    Maximum(Number),
    MinLength(u64),
    MaxLength(u64),
    Pattern(Regex),
    MinItems(u64),
    MaxItems(u64),
    Items(Box<Node>),
    MinProperties(u64),
    MaxProperties(u64),
    Required(Vec<String>),
    /// `properties`, and whether others are allowed.
    Properties(BTreeMap<String, Node>, bool),
    Ref(String),
    AllOf(Vec<Node>),
    If(Box<[Node; 3]>),
}

/// Where the check is, and what it has found.
pub struct Findings<'a> {
    definitions: &'a Definitions,
    path: String,
    most: usize,
    pub problems: Vec<Problem>,
}

impl<'a> Findings<'a> {
    pub fn new(definitions: &'a Definitions, most: usize) -> Self {
        Self { definitions, path: String::new(), most, problems: Vec::new() }
    }

    fn add(&mut self, message: impl FnOnce() -> String) {
        if self.problems.len() < self.most {
            self.problems.push(Problem { path: self.path.clone(), message: message() });
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
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let object = match schema {
            Value::Bool(true) => return Ok(Self::default()),
            Value::Object(object) => object,
            other => return Err(format!("{other} is not a schema")),
        };
        let mut keywords = Vec::new();
        for (name, value) in object {
            if !ANNOTATIONS.contains(&name.as_str()) {
                let wrong = || format!("{name} can't be {}", quoted(value));
                keywords.extend(compile_keyword(name, value, object)?.ok_or_else(wrong)?);
            }
        }
        Ok(Self { keywords })
    }

    /// The references of this schema and of those inside it.
    pub fn references(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for keyword in &self.keywords {
            match keyword {
                Keyword::Ref(name) => found.push(name.as_str()),
                Keyword::Items(node) => found.extend(node.references()),
                Keyword::Properties(nodes, _) => found.extend(nodes.values().flat_map(Self::references)),
                Keyword::AllOf(nodes) => found.extend(nodes.iter().flat_map(Self::references)),
                Keyword::If(nodes) => found.extend(nodes.iter().flat_map(Self::references)),
                _ => {}
            }
        }
        found
    }

    pub fn check(&self, instance: &Json, found: &mut Findings<'_>) {
        for keyword in &self.keywords {
            keyword.check(instance, found);
        }
    }

    fn accepts(&self, instance: &Json, definitions: &Definitions) -> bool {
        let mut found = Findings::new(definitions, 1);
        self.check(instance, &mut found);
        found.problems.is_empty()
    }
}

/// No keyword for a word that only goes with another; an error for an unknown word; `None` for a value it can't have.
fn compile_keyword(name: &str, value: &Value, beside: &Map<String, Value>) -> Result<Option<Vec<Keyword>>, String> {
    let boxed = |value| Node::compile(value).map(Box::new);
    let optional = |name| beside.get(name).map_or(Ok(Node::default()), Node::compile);
    let keyword = match name {
        "type" => strings_or_one(value).map(Keyword::Type),
        "const" => Some(Keyword::Const(value.clone().into())),
        "enum" => value.as_array().map(|list| Keyword::Enum(list.iter().cloned().map(Json::from).collect())),
        "minimum" => value.as_number().cloned().map(Keyword::Minimum),
        "maximum" => value.as_number().cloned().map(Keyword::Maximum),
        "minLength" => value.as_u64().map(Keyword::MinLength),
        "maxLength" => value.as_u64().map(Keyword::MaxLength),
        "minItems" => value.as_u64().map(Keyword::MinItems),
        "maxItems" => value.as_u64().map(Keyword::MaxItems),
        "minProperties" => value.as_u64().map(Keyword::MinProperties),
        "maxProperties" => value.as_u64().map(Keyword::MaxProperties),
        "pattern" => value.as_str().and_then(|text| Regex::new(text).ok()).map(Keyword::Pattern),
        "items" => Some(Keyword::Items(boxed(value)?)),
        "required" => value.as_array().and_then(|list| strings(list)).map(Keyword::Required),
        "properties" | "additionalProperties" => return properties(name, beside),
        "$ref" => value.as_str().map(|text| Keyword::Ref(text.to_owned())),
        "allOf" => match value.as_array() {
            Some(list) => Some(Keyword::AllOf(list.iter().map(Node::compile).collect::<Result<_, _>>()?)),
            None => None,
        },
        "if" => Some(Keyword::If(Box::new([Node::compile(value)?, optional("then")?, optional("else")?]))),
        "then" | "else" => return Ok(Some(Vec::new())),
        _ => return Err(format!("{name} is a keyword that this probe does not understand")),
    };
    Ok(keyword.map(|keyword| vec![keyword]))
}

/// `properties` and `additionalProperties` make one keyword; the second alone makes one as well.
fn properties(name: &str, beside: &Map<String, Value>) -> Result<Option<Vec<Keyword>>, String> {
    if name == "additionalProperties" && beside.contains_key("properties") {
        return Ok(Some(Vec::new()));
    }
    let empty = Map::new();
    let own = match beside.get("properties") {
        None => &empty,
        Some(Value::Object(own)) => own,
        Some(_) => return Ok(None),
    };
    let open = match beside.get("additionalProperties") {
        None => true,
        Some(Value::Bool(open)) => *open,
        Some(_) => return Err("additionalProperties is understood as true or false only".to_owned()),
    };
    let nodes = own.iter().map(|(name, schema)| Ok((name.clone(), Node::compile(schema)?)));
    Ok(Some(vec![Keyword::Properties(nodes.collect::<Result<_, String>>()?, open)]))
}

fn strings_or_one(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(list) => strings(list),
        _ => None,
    }
}

fn strings(list: &[Value]) -> Option<Vec<String>> {
    list.iter().map(|one| one.as_str().map(str::to_owned)).collect()
}

impl Keyword {
    fn check(&self, instance: &Json, found: &mut Findings<'_>) {
        match (self, instance) {
            (Self::Ref(name), _) => {
                if let Some(node) = found.definitions.get(name) {
                    node.check(instance, found);
                }
            }
            (Self::AllOf(nodes), _) => nodes.iter().for_each(|node| node.check(instance, found)),
            (Self::If(nodes), _) => {
                let [condition, then, otherwise] = &**nodes;
                let holds = condition.accepts(instance, found.definitions);
                if holds { then } else { otherwise }.check(instance, found);
            }
            (Self::Items(node), Json::Column(column)) => {
                for (index, number) in column.iter().enumerate() {
                    found.element(index, node, &Json::Scalar(number.into()));
                }
            }
            (Self::Items(node), Json::List(list)) => {
                list.iter().enumerate().for_each(|(index, element)| found.element(index, node, element));
            }
            (Self::Properties(nodes, open), Json::Object(object)) => check_members(nodes, *open, object, found),
            (Self::Required(names), Json::Object(object)) => {
                for name in names.iter().filter(|name| !object.contains_key(*name)) {
                    found.add(|| format!("{name:?} is a required property"));
                }
            }
            _ => {
                if let Some(problem) = self.refuses(instance) {
                    found.add(|| problem);
                }
            }
        }
    }

    /// What is wrong with the value itself, whatever stands inside it.
    fn refuses(&self, instance: &Json) -> Option<String> {
        let told = |wrong: bool, words: &dyn Fn() -> String| wrong.then(words);
        match (self, instance) {
            (Self::Type(names), _) => {
                let wrong = !names.iter().any(|name| is_of_type(instance, name));
                told(wrong, &|| format!("{} is not of type {}", quoted(instance), quoted_list(names)))
            }
            (Self::Const(value), _) => told(!equal(instance, value), &|| format!("{} was expected", quoted(value))),
            (Self::Enum(values), _) => {
                let wrong = !values.iter().any(|value| equal(instance, value));
                let all = || values.iter().map(quoted).collect::<Vec<_>>().join(",");
                told(wrong, &|| format!("{} is not one of [{}]", quoted(instance), all()))
            }
            (Self::MinProperties(least), Json::Object(object)) => told((object.len() as u64) < *least, &|| {
                format!("{} members: at least {least} are needed", object.len())
            }),
            (Self::MaxProperties(most), Json::Object(object)) => {
                told(object.len() as u64 > *most, &|| format!("{} members: at most {most} are allowed", object.len()))
            }
            (_, Json::Scalar(scalar)) => self.refuses_scalar(scalar),
            _ => self.refuses_length(instance.list_length()? as u64),
        }
    }

    fn refuses_scalar(&self, scalar: &Value) -> Option<String> {
        let shown = || quoted(scalar);
        let told = |wrong: bool, words: &dyn Fn() -> String| wrong.then(words);
        match (self, scalar) {
            (Self::Minimum(least), Value::Number(number)) => told(compare(number, least) == Ordering::Less, &|| {
                format!("{number} is less than the minimum of {least}")
            }),
            (Self::Maximum(most), Value::Number(number)) => told(compare(number, most) == Ordering::Greater, &|| {
                format!("{number} is greater than the maximum of {most}")
            }),
            (Self::MinLength(least), Value::String(text)) => told((text.chars().count() as u64) < *least, &|| {
                format!("{} is shorter than {least} characters", shown())
            }),
            (Self::MaxLength(most), Value::String(text)) => {
                told(text.chars().count() as u64 > *most, &|| format!("{} is longer than {most} characters", shown()))
            }
            (Self::Pattern(pattern), Value::String(text)) => {
                told(!pattern.is_match(text), &|| format!("{} does not match \"{pattern}\"", shown()))
            }
            _ => None,
        }
    }

    fn refuses_length(&self, length: u64) -> Option<String> {
        match self {
            Self::MinItems(least) if length < *least => Some(format!("{length} items: at least {least} are needed")),
            Self::MaxItems(most) if length > *most => Some(format!("{length} items: at most {most} are allowed")),
            _ => None,
        }
    }
}

fn check_members(
    nodes: &BTreeMap<String, Node>,
    open: bool,
    object: &BTreeMap<String, Json>,
    found: &mut Findings<'_>,
) {
    for (name, value) in object {
        if let Some(node) = nodes.get(name) {
            found.below(name, node, value);
        } else if !open {
            found.add(|| format!("additional properties are not allowed: '{}' was unexpected", shortened(name)));
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
