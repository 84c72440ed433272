//! The jobs of fio's JSON. Clones of one job (`numjobs` without `group_reporting`) stand one by one and are put together.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::node::public_name;
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
    pub mean_ns: f64,
    pub deviation_ns: f64,
    /// Left out by fio before 3.18.
    pub count: Option<u64>,
    /// Middle of a bucket, as fio prints it, and how many it holds.
    pub bins: BTreeMap<u64, u64>,
    /// Millionths of the requests, and the middle of the bucket in which the last of them lies.
    pub percentiles: BTreeMap<u64, u64>,
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
    let entries = ["jobs", "client_stats"].iter().find_map(|name| document[name].as_array());
    let mut entries: Vec<&Value> = entries.into_iter().flatten().collect();
    // What a client sums up of all machines and jobs.
    entries.retain(|job| job["jobname"] != "All clients");
    if entries.is_empty() {
        return Err("it has no jobs; give fio's whole JSON, not that of a status update".into());
    }
    if entries.iter().any(|job| job["hostname"] != entries[0]["hostname"]) {
        return Err(
            "its jobs ran on several machines, each with drives of its own; give what fio printed of one".into()
        );
    }
    let global = options_of(&document["global options"]);
    let mut found: Vec<Job> = Vec::new();
    for value in entries {
        if value.get("job options").is_none() {
            return Err("it does not say which device its jobs read nor with which options, as fio before 2.14 or so; measure with fio 3".into());
        }
        let job = job(value, &global)
            .ok_or("a job in it lacks what fio prints (jobname, read, write, total_ios, runtime), or its iops are not its requests in its time; give its output unchanged")?;
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
    let (total_ios, runtime_ms) = (value["total_ios"].as_u64()?, value["runtime"].as_u64()?);
    if let Some(iops) = value["iops"].as_f64().filter(|_| runtime_ms > 0) {
        #[expect(clippy::cast_precision_loss, reason = "a check to one in a hundred")]
        let counted = total_ios as f64 * 1000.0 / runtime_ms as f64;
        ((iops - counted).abs() <= 1.0 + counted / 100.0).then_some(())?;
    }
    Some(Side {
        total_ios,
        runtime_ms: runtime_ms.min(2_592_000_000),
        completion: times(value, "clat"),
        total: Some(times(value, "lat")).filter(|times| !times.bins.is_empty() || !times.percentiles.is_empty()),
    })
}

/// fio 3 prints nanoseconds (`clat_ns`), fio 2 whole microseconds (`clat`), whose buckets are not those of fio 3.
fn times(side: &Value, name: &str) -> Times {
    let nanoseconds = side.get(format!("{name}_ns"));
    let (value, unit) = nanoseconds.map_or_else(|| (&side[name], 1000), |value| (value, 1));
    let number = |name: &str| value[name].as_u64().map(|number| number.saturating_mul(unit));
    #[expect(clippy::cast_precision_loss, reason = "1 or 1000")]
    let real = |name: &str| value[name].as_f64().map(|number| number * unit as f64);
    let sums = (number("min"), number("max"), real("mean"), real("stddev"));
    // One of them without the others stands in no output of fio.
    let (Some(minimum_ns), Some(maximum_ns), Some(mean_ns), Some(deviation_ns)) = sums else {
        return Times::default();
    };
    let mut bins = BTreeMap::new();
    for (middle, count) in value["bins"].as_object().filter(|_| unit == 1).into_iter().flatten() {
        match (middle.parse(), count.as_u64()) {
            (Ok(middle), Some(count)) if count > 0 => {
                bins.insert(middle, count);
            }
            (Ok(_), Some(_)) => {}
            // Another way to write buckets, by their number.
            _ => {
                bins.clear();
                break;
            }
        }
    }
    Times {
        minimum_ns,
        maximum_ns,
        mean_ns,
        deviation_ns,
        count: value["N"].as_u64(),
        bins,
        percentiles: percentiles(&value["percentile"], unit, value["rounded"] == true),
    }
}

/// `50.000000` names half of the requests. fio fills its list up with zeros. Each is the middle of one of fio's buckets, where it was
/// not rounded since: none is kept where one is not, since somebody changed it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just before")]
fn percentiles(value: &Value, unit: u64, rounded: bool) -> BTreeMap<u64, u64> {
    let mut found = BTreeMap::new();
    for (percent, latency) in value.as_object().into_iter().flatten() {
        let share = percent.parse::<f64>().ok().filter(|percent| *percent > 0.0 && *percent < 100.0);
        let latency = latency.as_u64().filter(|latency| *latency > 0);
        if let Some((share, latency)) = share.zip(latency) {
            if !rounded && !is_middle(latency) {
                return BTreeMap::new();
            }
            found.insert((share * 1e4).round() as u64, latency.saturating_mul(unit));
        }
    }
    found
}

/// Whether a number is the one that fio prints for a bucket.
fn is_middle(value: u64) -> bool {
    let width = 1u64 << value.checked_ilog2().unwrap_or(0).saturating_sub(BUCKET_BITS);
    value == lower_bound(value, BUCKET_BITS) + width / 2
}

impl Job {
    fn add(&mut self, other: Self) {
        self.reads.add(other.reads);
        self.writes.add(other.writes);
        self.runtime_ms = self.runtime_ms.max(other.runtime_ms);
        self.failed |= other.failed;
        self.clones += 1;
    }

    /// Its name as a document may have it: that of a device may hold a serial number.
    pub fn label(&self) -> String {
        if self.name.contains('/') { public_name(&self.name) } else { self.name.clone() }
    }

    /// Reads and writes; a file may state more than there is room for.
    pub const fn requests(&self) -> u64 {
        self.reads.total_ios.saturating_add(self.writes.total_ios)
    }

    pub fn option(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.options.get(*name)).map(String::as_str)
    }
}

impl Side {
    fn add(&mut self, other: Self) {
        let (mine, theirs) = (self.total_ios, other.total_ios);
        self.completion.add(&other.completion, mine, theirs);
        self.total = match (self.total.take(), other.total) {
            (Some(mut one), Some(two)) => {
                one.add(&two, mine, theirs);
                Some(one)
            }
            _ => None,
        };
        self.total_ios = mine.saturating_add(theirs);
        self.runtime_ms = self.runtime_ms.max(other.runtime_ms);
    }
}

impl Times {
    /// As a document has them: `json+` names each bucket by its middle; without buckets what fio sums up, with percentiles where it
    /// has any. `None` where fio printed neither, or not of all requests.
    #[expect(clippy::cast_precision_loss, reason = "requests of a job, and a check to a microsecond")]
    pub fn latencies(&self, requests: u64) -> Option<Value> {
        let total_ns = self.mean_ns * requests as f64;
        // Some print whole microseconds beside a mean of more digits.
        let between = |value: f64, low: u64, high: u64| value + 1e3 >= low as f64 && value <= high as f64 + 1e3;
        let possible = (1..=LONGEST_NS).contains(&self.maximum_ns)
            && self.minimum_ns <= self.maximum_ns
            && between(self.mean_ns, self.minimum_ns, self.maximum_ns)
            && between(self.deviation_ns, 0, self.maximum_ns - self.minimum_ns)
            && (0.0..9e15).contains(&total_ns)
            && self.count.is_none_or(|count| count == requests);
        if requests == 0 || !possible {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just before")]
        let total_ns = total_ns.round() as u64;
        let (minimum_ns, maximum_ns) = (self.minimum_ns, self.maximum_ns);
        if let Some((low_ns, requests)) = self.buckets(requests) {
            return serde_json::to_value(Latencies { low_ns, requests, total_ns, minimum_ns, maximum_ns }).ok();
        }
        self.summary(requests, total_ns)
    }

    /// Lower bounds of the buckets, and the requests in each, where they hold all and the shortest and the longest lie at their ends.
    fn buckets(&self, requests: u64) -> Option<(Vec<u64>, Vec<u64>)> {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for (middle, count) in &self.bins {
            let sum = counts.entry(lower_bound(*middle, BUCKET_BITS)).or_default();
            *sum = sum.checked_add(*count)?;
        }
        let counted = counts.values().try_fold(0u64, |sum, count| sum.checked_add(*count))?;
        let ends = (*counts.keys().next()?, *counts.keys().next_back()?);
        let bounds = (lower_bound(self.minimum_ns, BUCKET_BITS), lower_bound(self.maximum_ns, BUCKET_BITS));
        (counted == requests && ends == bounds).then(|| counts.into_iter().unzip())
    }

    fn summary(&self, requests: u64, total_ns: u64) -> Option<Value> {
        let rising = self.percentiles.values().is_sorted();
        let low = lower_bound(self.minimum_ns, BUCKET_BITS);
        let inside = self
            .percentiles
            .values()
            .all(|latency| *latency >= low && lower_bound(*latency, BUCKET_BITS) <= self.maximum_ns);
        if !rising || !inside || !(0.0..1e15).contains(&self.deviation_ns) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just before")]
        let deviation_ns = self.deviation_ns.round() as u64;
        Some(json!({
            "low_ns": [],
            "requests": [],
            "total_ns": total_ns,
            "minimum_ns": self.minimum_ns,
            "maximum_ns": self.maximum_ns,
            "summary": {
                "requests": requests,
                "deviation_ns": deviation_ns,
                "per_million": self.percentiles.keys().collect::<Vec<_>>(),
                "percentile_ns": self.percentiles.values().collect::<Vec<_>>(),
            },
        }))
    }

    /// Together with a clone's: percentiles of one of them say nothing of both.
    fn add(&mut self, other: &Self, mine: u64, theirs: u64) {
        if theirs == 0 {
            return;
        }
        if mine == 0 {
            *self = other.clone();
            return;
        }
        self.minimum_ns = self.minimum_ns.min(other.minimum_ns);
        self.maximum_ns = self.maximum_ns.max(other.maximum_ns);
        #[expect(clippy::cast_precision_loss, reason = "requests of a job")]
        let (mine, theirs) = (mine as f64, theirs as f64);
        let mean_ns = self.mean_ns.mul_add(mine, other.mean_ns * theirs) / (mine + theirs);
        let squares = |times: &Self, count: f64| {
            times.deviation_ns.powi(2) * (count - 1.0) + (times.mean_ns - mean_ns).powi(2) * count
        };
        self.deviation_ns = ((squares(self, mine) + squares(other, theirs)) / (mine + theirs - 1.0)).sqrt();
        self.mean_ns = mean_ns;
        self.count = self.count.zip(other.count).map(|(one, two)| one.saturating_add(two));
        self.percentiles.clear();
        for (middle, count) in &other.bins {
            let sum = self.bins.entry(*middle).or_default();
            *sum = sum.saturating_add(*count);
        }
    }
}
