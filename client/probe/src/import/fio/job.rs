//! The jobs of fio's JSON. Clones of one job (`numjobs` without `group_reporting`) stand one by one and are put together.

use std::collections::BTreeMap;

use serde_json::Value;

use super::BUCKET_BITS;
use super::log::LONGEST_NS;
use crate::stats::{Latencies, lower_bound};

/// Engines whose requests queue.
pub const QUEUED: [&str; 4] = ["libaio", "io_uring", "posixaio", "windowsaio"];

/// Options by name, a job's own before the global ones; a flag without a value is empty.
pub type Options = BTreeMap<String, String>;

#[derive(Clone, Debug, Default)]
pub struct Times {
    pub minimum_ns: u64,
    pub maximum_ns: u64,
    pub total_ns: f64,
    pub count: u64,
    /// Middle of a bucket, as fio prints it, and how many it holds.
    pub bins: BTreeMap<u64, u64>,
}

#[derive(Clone, Debug, Default)]
pub struct Side {
    pub total_ios: u64,
    pub runtime_ms: u64,
    pub completion: Times,
    /// Where fio was told to count whole latencies (`lat_percentiles`).
    pub total: Option<Times>,
}

#[derive(Clone, Debug)]
pub struct Job {
    pub name: String,
    pub options: Options,
    pub reads: Side,
    pub writes: Side,
    pub runtime_ms: u64,
    pub failed: bool,
    /// Entries of the JSON that were put together.
    pub clones: u64,
    pub group: u64,
    /// Whether it was given to the kernel by a queue.
    pub is_queued: bool,
}

pub fn jobs(document: &Value) -> Result<Vec<Job>, String> {
    let entries = document["jobs"].as_array().filter(|jobs| !jobs.is_empty());
    let entries = entries.ok_or("it has no jobs; give fio's whole JSON, not of a client or a status update")?;
    let global = options_of(&document["global options"]);
    let mut found: Vec<Job> = Vec::new();
    for value in entries {
        let job = job(value, &global).ok_or(
            "a job in it lacks what fio 3 prints (jobname, job options, read, write); give its output unchanged",
        )?;
        match found.last_mut() {
            Some(last) if last.name == job.name && last.group == job.group && last.options == job.options => {
                last.add(job);
            }
            _ => found.push(job),
        }
    }
    Ok(found)
}

fn job(value: &Value, global: &Options) -> Option<Job> {
    let mut options = global.clone();
    options.extend(options_of(value.get("job options")?));
    let (reads, writes) = (side(value.get("read")?)?, side(value.get("write")?)?);
    let engine = options.get("ioengine").map_or("psync", String::as_str);
    Some(Job {
        name: value["jobname"].as_str()?.chars().filter(|character| !character.is_control()).take(64).collect(),
        is_queued: QUEUED.contains(&engine),
        options,
        runtime_ms: reads.runtime_ms.max(writes.runtime_ms),
        reads,
        writes,
        failed: value["error"].as_u64() != Some(0),
        clones: 1,
        group: value["groupid"].as_u64().unwrap_or(0),
    })
}

fn options_of(value: &Value) -> Options {
    let Some(members) = value.as_object() else { return Options::new() };
    let text = |value: &Value| {
        value.as_str().map_or_else(|| if value.is_null() { String::new() } else { value.to_string() }, str::to_owned)
    };
    members.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

fn side(value: &Value) -> Option<Side> {
    Some(Side {
        total_ios: value["total_ios"].as_u64()?,
        runtime_ms: value["runtime"].as_u64()?.min(2_592_000_000),
        completion: times(&value["clat_ns"]),
        total: value["lat_ns"].get("bins").map(|_| times(&value["lat_ns"])),
    })
}

fn times(value: &Value) -> Times {
    let number = |name: &str| value[name].as_u64().unwrap_or_default();
    let mut bins = BTreeMap::new();
    for (middle, count) in value["bins"].as_object().into_iter().flatten() {
        if let (Ok(middle), Some(count)) = (middle.parse(), count.as_u64().filter(|count| *count > 0)) {
            bins.insert(middle, count);
        }
    }
    let count = number("N");
    #[expect(clippy::cast_precision_loss, reason = "requests of a job")]
    let total_ns = value["mean"].as_f64().unwrap_or_default() * count as f64;
    Times { minimum_ns: number("min"), maximum_ns: number("max"), total_ns, count, bins }
}

impl Job {
    fn add(&mut self, other: Self) {
        self.reads.add(other.reads);
        self.writes.add(other.writes);
        self.runtime_ms = self.runtime_ms.max(other.runtime_ms);
        self.failed |= other.failed;
        self.clones += 1;
    }

    pub fn option(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.options.get(*name)).map(String::as_str)
    }
}

impl Side {
    fn add(&mut self, other: Self) {
        self.total_ios = self.total_ios.saturating_add(other.total_ios);
        self.completion.add(&other.completion);
        self.total = match (self.total.take(), other.total) {
            (Some(mut one), Some(two)) => {
                one.add(&two);
                Some(one)
            }
            _ => None,
        };
    }
}

impl Times {
    /// As a document has them: `json+` names each bucket by its middle. `None` where fio printed none, or not of all requests.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just before")]
    pub fn latencies(&self, requests: u64) -> Option<Latencies> {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for (middle, count) in &self.bins {
            let sum = counts.entry(lower_bound(*middle, BUCKET_BITS)).or_default();
            *sum = sum.checked_add(*count)?;
        }
        let counted = counts.values().try_fold(0u64, |sum, count| sum.checked_add(*count))?;
        let possible =
            self.maximum_ns <= LONGEST_NS && self.minimum_ns <= self.maximum_ns && (0.0..9e15).contains(&self.total_ns);
        (requests > 0 && counted == requests && self.count == requests && possible).then(|| Latencies {
            low_ns: counts.keys().copied().collect(),
            requests: counts.into_values().collect(),
            total_ns: self.total_ns.round() as u64,
            minimum_ns: self.minimum_ns,
            maximum_ns: self.maximum_ns,
        })
    }

    fn add(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.minimum_ns = if self.count == 0 { other.minimum_ns } else { self.minimum_ns.min(other.minimum_ns) };
        self.maximum_ns = self.maximum_ns.max(other.maximum_ns);
        self.total_ns += other.total_ns;
        self.count = self.count.saturating_add(other.count);
        for (middle, count) in &other.bins {
            let sum = self.bins.entry(*middle).or_default();
            *sum = sum.saturating_add(*count);
        }
    }
}
