//! Whether a document keeps to the published schemas, and to the rules that JSON Schema has no words for.

use std::collections::BTreeMap;

use super::json::Json;
use super::rules;
use super::schema::{Schema, shortened};

pub use super::rules::Violation;

const RUN_SCHEMA: &str = include_str!("../../../../server/core/schema/run-v1.json");
/// More than a person reads; a broken column of a million numbers breaks in each of them.
const MAX_VIOLATIONS: usize = 50;

#[derive(Debug, thiserror::Error)]
#[error("the schema of {name} is broken: {message}")]
pub struct SchemaError {
    name: String,
    message: String,
}

/// The schemas, ready for use. Compiling them takes milliseconds, so one checker serves many documents.
pub struct Checker {
    document: Schema,
    kinds: BTreeMap<&'static str, Schema>,
}

impl Checker {
    /// `kinds` are the slugs of the benchmark kinds, each with the text of its schema.
    /// Errors: [`SchemaError`] when a schema is not valid, or says more than [`Schema`] understands.
    pub fn new(kinds: impl IntoIterator<Item = (&'static str, &'static str)>) -> Result<Self, SchemaError> {
        let kinds = kinds.into_iter().map(|(slug, text)| Ok((slug, compile(slug, text)?)));
        Ok(Self { document: compile("run/v1", RUN_SCHEMA)?, kinds: kinds.collect::<Result<_, _>>()? })
    }

    /// What is wrong with `document`, at most 50 things; nothing when it may be submitted.
    pub fn check(&self, document: &Json) -> Vec<Violation> {
        let mut violations = self.document.problems(document, MAX_VIOLATIONS);
        for (index, benchmark) in document["benchmarks"].items().iter().enumerate() {
            violations.extend(self.check_benchmark(&format!("/benchmarks/{index}"), benchmark));
        }
        if violations.is_empty() {
            violations = rules::check(document);
        }
        violations.truncate(MAX_VIOLATIONS);
        violations
    }

    fn check_benchmark(&self, path: &str, benchmark: &Json) -> Vec<Violation> {
        let Some(kind) = benchmark["kind"].as_str() else { return Vec::new() };
        let Some(schema) = self.kinds.get(kind) else {
            let known = self.kinds.keys().copied().collect::<Vec<_>>().join(", ");
            let message =
                format!("unknown kind {:?}: this probe knows {known}; a newer one may know more", shortened(kind));
            return vec![Violation { path: format!("{path}/kind"), message }];
        };
        if benchmark.get("skipped").is_some() {
            return Vec::new();
        }
        let problems = schema.problems(benchmark, MAX_VIOLATIONS).into_iter();
        problems.map(|problem| Violation { path: format!("{path}{}", problem.path), ..problem }).collect()
    }
}

fn compile(name: &str, text: &str) -> Result<Schema, SchemaError> {
    Schema::compile(text).map_err(|message| SchemaError { name: name.to_owned(), message })
}

#[cfg(test)]
mod tests;
