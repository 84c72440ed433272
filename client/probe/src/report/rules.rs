//! The rules of `run/v1` that JSON Schema can't express. They go by the names of columns, and name no kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::json::{Column, Json};

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

/// Members of a series that are positions on the device, as one number or as a column.
const POSITIONS: [&str; 4] = ["start_block", "offset_blocks", "from_blocks", "to_blocks"];

/// What the rules measure a benchmark against.
struct Facts {
    block_bytes: u64,
    capacity_bytes: u64,
    capacity_blocks: u64,
    writes: bool,
}

/// What of `document` breaks a rule. `document` keeps to its schemas already.
pub fn check(document: &Json) -> Vec<Violation> {
    let device = &document["device"];
    let block_bytes = device["block_bytes"].as_u64().unwrap_or(1).max(1);
    let capacity_bytes = device["capacity_bytes"].as_u64().unwrap_or(0);
    let facts = Facts {
        block_bytes,
        capacity_bytes,
        capacity_blocks: capacity_bytes / block_bytes,
        writes: document["conditions"]["writes"].as_str() != Some("none"),
    };
    let mut violations = Vec::from_iter(imported(document));
    violations.extend(block_bytes_source(device));
    if document["benchmarks"].items().iter().all(|benchmark| benchmark.get("skipped").is_some()) {
        let message = "every kind was skipped: there is no measurement".to_owned();
        violations.push(broken("/benchmarks".to_owned(), message));
    }
    let mut seen = BTreeSet::new();
    for (index, benchmark) in document["benchmarks"].items().iter().enumerate() {
        let path = format!("/benchmarks/{index}");
        let kind = benchmark["kind"].as_str().unwrap_or_default();
        if !seen.insert(kind) {
            let message = format!("{kind} occurs twice: a kind has one entry in a run");
            violations.push(broken(format!("{path}/kind"), message));
        }
        if benchmark.get("skipped").is_none() {
            violations.extend(check_benchmark(&path, benchmark, &facts));
        }
    }
    violations
}

fn check_benchmark(path: &str, benchmark: &Json, facts: &Facts) -> Vec<Violation> {
    let mut violations = Vec::new();
    let stated = &benchmark["params"]["block_bytes"];
    if stated.as_u64() != Some(facts.block_bytes) {
        let stated = in_words(stated);
        let message = format!("{stated} differs from /device/block_bytes, {}", facts.block_bytes);
        violations.push(broken(format!("{path}/params/block_bytes"), message));
    }
    let beyond = |error: &Json| error["offset_bytes"].as_u64().is_some_and(|offset| offset >= facts.capacity_bytes);
    if let Some(index) = benchmark["errors"].items().iter().position(beyond) {
        let message = format!("the place is beyond the device, which has {} bytes", facts.capacity_bytes);
        violations.push(broken(format!("{path}/errors/{index}/offset_bytes"), message));
    }
    for (index, series) in benchmark["samples"]["series"].items().iter().enumerate() {
        let path = format!("{path}/samples/series/{index}");
        let Some(series) = series.as_object() else { continue };
        violations.extend(check_columns(&path, series, facts.capacity_blocks));
        let writes = |variant: &Json| matches!(variant.as_str(), Some("write" | "mixed"));
        if series.get("variant").is_some_and(writes) && !facts.writes {
            let message = "a variant that writes in a run whose /conditions/writes is none".to_owned();
            violations.push(broken(format!("{path}/variant"), message));
        }
    }
    violations
}

/// The columns of a series, and those of the objects in it.
fn check_columns(path: &str, series: &BTreeMap<String, Json>, capacity_blocks: u64) -> Vec<Violation> {
    let mut violations = column_lengths(path, series);
    violations.extend(positions(path, series, capacity_blocks));
    violations.extend(region_ends(path, series, capacity_blocks));
    for (name, inner) in series.iter().filter_map(|(name, value)| Some((name, value.as_object()?))) {
        violations.extend(check_columns(&format!("{path}/{name}"), inner, capacity_blocks));
    }
    violations
}

/// An import names its source, and nothing else does.
fn imported(document: &Json) -> Option<Violation> {
    let provenance = document["provenance"].as_str()?;
    let message = match (provenance == "imported", document.get("imported").is_some()) {
        (true, false) => "is missing: an imported run names what it was read from".to_owned(),
        (false, true) => format!("stands in a run whose /provenance is {provenance}"),
        _ => return None,
    };
    Some(broken("/imported".to_owned(), message))
}

/// `block_bytes` is the size that its source names.
fn block_bytes_source(device: &Json) -> Option<Violation> {
    let source = device["block_bytes_source"].as_str()?;
    let (stated, meant) = (&device["block_bytes"], &device[format!("{source}_block_bytes").as_str()]);
    let message = || {
        let (stated, meant) = (in_words(stated), in_words(meant));
        format!("{stated} is not the {source} block, which /device states as {meant} bytes")
    };
    (stated.as_u64() != meant.as_u64()).then(|| broken("/device/block_bytes".to_owned(), message()))
}

/// All columns of a series are equally long.
fn column_lengths(path: &str, series: &BTreeMap<String, Json>) -> Vec<Violation> {
    let mut columns = series.iter().filter_map(|(name, value)| Some((name, value.list_length()?)));
    let Some((first, expected)) = columns.next() else { return Vec::new() };
    columns
        .filter(|(_, length)| *length != expected)
        .map(|(name, length)| {
            broken(
                format!("{path}/{name}"),
                format!("{length} values, but {first} beside it has {expected}: columns are equally long"),
            )
        })
        .collect()
}

/// All positions lie on the device. One violation for each member, at its first bad value.
fn positions(path: &str, series: &BTreeMap<String, Json>, capacity_blocks: u64) -> Vec<Violation> {
    let beyond = |block: &u64| *block >= capacity_blocks;
    let message = |block: u64| format!("block {block} is beyond the device, which has {capacity_blocks} blocks");
    let check = |name: &&str| {
        let value = series.get(*name)?;
        let Some(column) = value.as_column() else {
            let block = value.as_u64().filter(beyond)?;
            return Some(broken(format!("{path}/{name}"), message(block)));
        };
        let (index, block) = column.iter().enumerate().find(|(_, block)| beyond(block))?;
        Some(broken(format!("{path}/{name}/{index}"), message(block)))
    };
    POSITIONS.iter().filter_map(check).collect()
}

/// A region of `length_blocks` from `offset_blocks` ends on the device. At most one violation, the first.
fn region_ends(path: &str, series: &BTreeMap<String, Json>, capacity_blocks: u64) -> Option<Violation> {
    let column = |name| series.get(name).and_then(Json::as_column).map(Column::iter);
    let mut regions = column("offset_blocks")?.zip(column("length_blocks")?);
    let index = regions.position(|(offset, length)| offset.saturating_add(length) > capacity_blocks)?;
    let message = format!("the region ends beyond the device, which has {capacity_blocks} blocks");
    Some(broken(format!("{path}/length_blocks/{index}"), message))
}

/// A number, or what stands in its place.
fn in_words(value: &Json) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn broken(path: String, message: String) -> Violation {
    Violation { path, message }
}
