//! Whether a document keeps to the published schemas, and to the rules that JSON Schema has no words for.

use std::collections::BTreeMap;
use std::fmt;

use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::rules;

const RUN_SCHEMA: &str = include_str!("../../../server/core/schema/run-v1.json");
/// More than a person reads; a broken column of a million numbers breaks in each of them.
const MAX_VIOLATIONS: usize = 50;
const MAX_QUOTED_BYTES: usize = 80;

/// One thing that is wrong, and where: `path` is a JSON pointer into the document.
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize)]
pub struct Violation {
    pub path: String,
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        write!(formatter, "{path}: {}", self.message)
    }
}

/// A compiled-in schema that is not one.
#[derive(Debug, thiserror::Error)]
#[error("the schema of {name} is broken: {message}")]
pub struct SchemaError {
    name: String,
    message: String,
}

/// The schemas, ready for use. Compiling them takes milliseconds, so one checker serves many documents.
pub struct Checker {
    document: Validator,
    kinds: BTreeMap<&'static str, Validator>,
}

impl Checker {
    /// `kinds` are the slugs of the benchmark kinds, each with the text of its schema.
    ///
    /// # Errors
    /// [`SchemaError`] when a schema is not valid JSON Schema 2020-12.
    pub fn new(kinds: impl IntoIterator<Item = (&'static str, &'static str)>) -> Result<Self, SchemaError> {
        let kinds = kinds.into_iter().map(|(slug, text)| Ok((slug, compile(slug, text)?)));
        Ok(Self { document: compile("run/v1", RUN_SCHEMA)?, kinds: kinds.collect::<Result<_, _>>()? })
    }

    /// What is wrong with `document`, at most 50 things; nothing when it may be submitted.
    #[must_use]
    pub fn check(&self, document: &Value) -> Vec<Violation> {
        let mut violations: Vec<Violation> =
            self.document.iter_errors(document).take(MAX_VIOLATIONS).map(|error| violation("", &error)).collect();
        let benchmarks = document["benchmarks"].as_array().map_or(&[][..], Vec::as_slice);
        for (index, benchmark) in benchmarks.iter().enumerate() {
            violations.extend(self.check_benchmark(&format!("/benchmarks/{index}"), benchmark));
        }
        if violations.is_empty() {
            violations = rules::check(document);
        }
        violations.truncate(MAX_VIOLATIONS);
        violations
    }

    fn check_benchmark(&self, path: &str, benchmark: &Value) -> Vec<Violation> {
        let Some(kind) = benchmark["kind"].as_str() else { return Vec::new() };
        let Some(validator) = self.kinds.get(kind) else {
            let known = self.kinds.keys().copied().collect::<Vec<_>>().join(", ");
            let message = format!("unknown kind {}: this probe knows {known}; a newer one may know more", quote(kind));
            return vec![Violation { path: format!("{path}/kind"), message }];
        };
        if benchmark.get("skipped").is_some() {
            return Vec::new();
        }
        validator.iter_errors(benchmark).take(MAX_VIOLATIONS).map(|error| violation(path, &error)).collect()
    }
}

fn compile(name: &str, text: &str) -> Result<Validator, SchemaError> {
    let broken = |message: String| SchemaError { name: name.to_owned(), message };
    let schema: Value = serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
    let validator = jsonschema::draft202012::options().build(&schema);
    validator.map_err(|error| broken(error.to_string()))
}

fn violation(path: &str, error: &ValidationError<'_>) -> Violation {
    // The value itself may be a column of a million numbers, or markup: quoted only when short.
    let value = error.instance().to_string();
    let message = error.masked_with(if value.len() <= MAX_QUOTED_BYTES { value } else { "the value".to_owned() });
    Violation { path: format!("{path}{}", error.instance_path()), message: message.to_string() }
}

fn quote(text: &str) -> String {
    let short: String = text.chars().take(MAX_QUOTED_BYTES).collect();
    format!("{short:?}")
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
