//! JSON Schema 2020-12, as far as the archive's schemas use it: our own, as the `jsonschema` crate made a quarter of the
//! probe (decision 0054).
//!
//! What a schema says beyond that is refused when it is compiled: a word that were passed over would let a document through that the
//! archive refuses. Tests hold the answers against those of a whole implementation.

mod node;
mod problem;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::json::Json;
use super::rules::Violation;
use node::{Definitions, Node};

pub use problem::shortened;

/// A schema, ready for use.
#[derive(Debug)]
pub struct Schema {
    root: Node,
    definitions: Definitions,
}

impl Schema {
    /// Compiles the text of a schema.
    /// Errors: what is wrong with it: not JSON, a keyword that is not understood or has a value it can't have, or a
    /// reference to nowhere.
    pub fn compile(text: &str) -> Result<Self, String> {
        let mut value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let all = value.get_mut("$defs").map_or(Value::Object(Map::new()), Value::take);
        let all: BTreeMap<String, Node> = serde_json::from_value(all).map_err(|error| error.to_string())?;
        let definitions = all.into_iter().map(|(name, schema)| (format!("#/$defs/{name}"), schema)).collect();
        let schema = Self { root: value.try_into()?, definitions };
        let mut references = schema.definitions.values().chain([&schema.root]).flat_map(Node::references);
        if let Some(nowhere) = references.find(|name| !schema.definitions.contains_key(*name)) {
            return Err(format!("$ref {nowhere:?} leads nowhere"));
        }
        drop(references);
        Ok(schema)
    }

    /// What is wrong with `instance`: the first `most` things, in the order of the document.
    pub fn problems(&self, instance: &Json, most: usize) -> Vec<Violation> {
        let mut found = node::Findings::new(&self.definitions, most);
        self.root.check(instance, &mut found);
        found.problems
    }
}

#[cfg(test)]
mod tests;
