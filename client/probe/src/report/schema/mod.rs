//! JSON Schema 2020-12, as far as the archive's schemas use it: small, so that the probe is.
//!
//! What a schema says beyond that is refused when it is compiled: a word that were passed over would let a document through that the
//! archive refuses. Tests hold the answers against those of a whole implementation.

mod node;
mod problem;

use serde_json::Value;

use super::json::Json;
use node::{Definitions, Node};

pub use problem::Problem;

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
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let definitions = match value.get("$defs") {
            None => Definitions::new(),
            Some(Value::Object(all)) => all
                .iter()
                .map(|(name, schema)| Ok((format!("#/$defs/{name}"), Node::compile(schema)?)))
                .collect::<Result<_, String>>()?,
            Some(_) => return Err("$defs is not an object".to_owned()),
        };
        let schema = Self { root: Node::compile(&value)?, definitions };
        let mut references = schema.definitions.values().chain([&schema.root]).flat_map(Node::references);
        if let Some(nowhere) = references.find(|name| !schema.definitions.contains_key(*name)) {
            return Err(format!("$ref {nowhere:?} leads nowhere"));
        }
        drop(references);
        Ok(schema)
    }

    /// What is wrong with `instance`: the first `most` things, in the order of the document.
    pub fn problems(&self, instance: &Json, most: usize) -> Vec<Problem> {
        let mut found = node::Findings::new(&self.definitions, most);
        self.root.check(instance, &mut found);
        found.problems
    }
}

#[cfg(test)]
mod tests;
