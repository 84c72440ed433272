//! fio's JSON (`--output-format=json` or `json+`), its text with the command above it, and the logs of `--write_lat_log`, as fio 3 writes them (fio(1), fio's HOWTO on log
//! files). A job is taken where it did what a kind measures, with direct requests over the whole device, and declined with the
//! option that stands against it otherwise.

mod job;
mod log;
mod options;
mod text;

use serde_json::{Value, json};

use self::job::Job;
use super::plain::first_json;
use super::{ImportContext, ImportError, Input, ToolOutput, entry, text_of};
use crate::report::document::{Measured, timestamp};
use crate::stats::Latencies;

/// fio's own buckets have 64 steps in each power of two (`FIO_IO_U_PLAT_BITS`, stat.h).
const BUCKET_BITS: u32 = 6;

/// What a shorter job's milliseconds leave open is more than a hundredth.
const SHORTEST_MS: u64 = 100;

pub use log::is_log;
pub use text::is_text;

enum Series {
    Random(Value),
    Sync(Value),
}

/// Several JSON are one run where they are of one device: fio writes a file for each of its invocations.
pub fn import(inputs: &[Input], about: &ImportContext<'_>) -> Result<ToolOutput, ImportError> {
    let (logs, documents): (Vec<&Input>, Vec<&Input>) = inputs.iter().partition(|input| log::is_log(input));
    let Some(first) = documents.first() else {
        let why = "these are fio's logs alone: which device they are of, and what was asked of it, stands in the JSON of the same run; give that too";
        return Err(ImportError::new(&inputs[0], why));
    };
    let mut taken = ToolOutput::default();
    let mut made = Made::default();
    let mut declined = Vec::new();
    let mut all: Vec<Job> = Vec::new();
    for input in &documents {
        let value = parse(input).map_err(ImportError::of(input))?;
        taken.tool_version = value["fio version"].as_str().map(str::to_owned);
        taken.measured_at = taken.measured_at.max(value["timestamp"].as_u64().and_then(moment));
        let jobs = jobs_in_order(&value, about, &mut taken.remarks).map_err(ImportError::of(input))?;
        one_device(&all, &jobs).map_err(ImportError::of(input))?;
        for job in &jobs {
            match series(job, &logs, about, &mut taken.remarks) {
                Ok(series) => made.add(job, series, &mut taken.remarks),
                Err(why) => declined.push(format!("The job {:?} was left out: {why}.", job.label())),
            }
        }
        all.extend(jobs);
    }
    unclaimed(&all, &logs, &mut taken.remarks);
    taken.writes = made.writes;
    taken.benchmarks = made.benchmarks(about);
    if taken.benchmarks.is_empty() {
        let why = super::printable_once(&declined).join(" ");
        return Err(ImportError::new(first, format!("no job of it measured what a kind can carry. {why}")));
    }
    taken.remarks.extend(declined);
    taken.remarks.push("fio prints how long a job ran in milliseconds.".to_owned());
    Ok(taken)
}

/// The jobs of one JSON, which ran one after the other.
fn jobs_in_order(value: &Value, about: &ImportContext<'_>, remarks: &mut Vec<String>) -> Result<Vec<Job>, String> {
    let jobs = job::jobs(value)?;
    // fio counts its groups up at each --stonewall, and prints no flag of it.
    let together = |(at, job): (usize, &Job)| jobs[..at].iter().any(|earlier| earlier.group == job.group);
    let carried = |job: &Job| options::shape(job, about.device.capacity_bytes).is_ok();
    if jobs.iter().enumerate().any(together) && jobs.iter().any(carried) {
        return Err("its jobs ran at the same time and disturbed each other; measure them one after the other (--stonewall), or each by itself".into());
    }
    if jobs.len() > 1 {
        remarks.push("That its jobs ran one after the other is taken from their groups, which --stonewall and --new_group both make.".to_owned());
    }
    if value["fio version"].as_str().is_some_and(|version| version.starts_with("fio-2.")) {
        remarks.push("fio 2 prints latencies in whole microseconds.".to_owned());
    }
    Ok(jobs)
}

fn one_device(before: &[Job], jobs: &[Job]) -> Result<(), String> {
    let mut names: Vec<&str> =
        before.iter().chain(jobs).map(options::device_name).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    match names[..] {
        [] | [_] => Ok(()),
        _ => Err(format!(
            "its jobs ran on several devices ({}); a run is of one drive: import what is of each by itself",
            names.join(", ")
        )),
    }
}

/// fio prints warnings before the JSON, and some wrap it into other text.
fn parse(input: &Input) -> Result<Value, String> {
    let text = text_of(&input.bytes);
    if !text.contains("\"fio version\"") && text::is_text(&text) {
        return text::parse(&text);
    }
    let bytes = text.as_bytes();
    let at = |pattern: &[u8]| bytes.windows(pattern.len()).position(|part| part == pattern);
    let version = at(b"\"fio version\"").ok_or("this is no JSON of fio; run fio with --output-format=json+")?;
    let start = bytes[..version].iter().rposition(|byte| *byte == b'{');
    let start = start.ok_or("its JSON has no beginning; give fio's whole output")?;
    let (value, _) = first_json(&text[start..]).ok_or("its JSON ends early or is damaged; give fio's whole output")?;
    let version = value["fio version"].as_str().unwrap_or_default();
    if !version.starts_with("fio-3.") && !version.starts_with("fio-2.") {
        return Err(format!("it is of {version:?}, and only the JSON of fio 2 and 3 is known; measure with fio 3"));
    }
    if bytes[start..].windows(13).filter(|part| part == b"\"fio version\"").count() > 1 {
        return Err(
            "it holds the JSON of several invocations of fio, or of one with --status-interval; save each as a file of its own and give them all, of --status-interval the last one alone".into(),
        );
    }
    Ok(value)
}

#[derive(Default)]
struct Made {
    random: Vec<Value>,
    sync: Vec<Value>,
    random_ns: u64,
    sync_ns: u64,
    writes: bool,
    combinations: Vec<(String, String, u64, u64)>,
}

impl Made {
    fn add(&mut self, job: &Job, series: Series, remarks: &mut Vec<String>) {
        let elapsed_ns = job.runtime_ms * 1_000_000;
        match series {
            Series::Random(value) => {
                let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
                let number = |name: &str| value[name].as_u64().unwrap_or_default();
                let combination = (text("variant"), text("pattern"), number("concurrency"), number("request_blocks"));
                if self.combinations.contains(&combination) {
                    remarks.push(format!(
                        "The job {:?} was left out: an earlier job measured the same; import it as a run of its own.",
                        job.label()
                    ));
                    return;
                }
                self.writes |= combination.0 != "read";
                self.combinations.push(combination);
                self.random_ns += elapsed_ns;
                self.random.push(value);
            }
            Series::Sync(value) => {
                self.writes = true;
                self.sync_ns += elapsed_ns;
                self.sync.push(value);
            }
        }
    }

    fn benchmarks(self, about: &ImportContext<'_>) -> Vec<Measured> {
        let mut found = Vec::new();
        if !self.sync.is_empty() {
            let lengths = self.sync.iter().filter_map(|one| one["latency_ns"].as_array().map(Vec::len));
            let most = lengths.max().unwrap_or(1).max(1) as u64;
            let largest = self.sync.iter().filter_map(|one| one["request_blocks"].as_u64()).max().unwrap_or(1);
            let params = json!({
                "block_bytes": about.block_bytes(),
                "writes_per_size": most,
                "total_bytes": most * largest * about.block_bytes(),
                "time_limit_ns": null,
                "rotation_estimate_ns": null,
                "not_switched": "Imported: fio switches no write cache, and does not say how it stood.",
            });
            found.push(entry("sync_write", params, self.sync, self.sync_ns));
        }
        if !self.random.is_empty() {
            let params = json!({
                "block_bytes": about.block_bytes(),
                "requests": null,
                "limit_ns": null,
                "batch_bytes": null,
                "sub_bucket_bits": BUCKET_BITS,
                "seed": null,
                "queue_by": "queue",
                "queue_reason": null,
                "left_out": [],
            });
            found.push(entry("random_io", params, self.random, self.random_ns));
        }
        found
    }
}

fn series(job: &Job, logs: &[&Input], about: &ImportContext<'_>, remarks: &mut Vec<String>) -> Result<Series, String> {
    let shape = options::shape(job, about.device.capacity_bytes)?;
    if job.runtime_ms < SHORTEST_MS {
        return Err(format!(
            "it ran for {} ms, and fio counts milliseconds: give it {SHORTEST_MS} at least",
            job.runtime_ms
        ));
    }
    let block = about.block_bytes();
    if shape.request_bytes % block != 0 || shape.request_bytes / block > 4096 {
        return Err(format!("its requests of {} bytes are not 1 to 4,096 blocks of {block}", shape.request_bytes));
    }
    let request_blocks = shape.request_bytes / block;
    let log = log::of_job(job, logs, remarks)?;
    if shape.sequential {
        let log = log.ok_or("successive writes need each write's time and place: run fio with --write_lat_log=NAME --log_offset=1 and give NAME_lat.1.log too")?;
        return log::sync_write(&log, &shape, request_blocks, about).map(Series::Sync);
    }
    let (reads, writes) = latencies(job, log.as_deref(), remarks);
    let requests = job.requests();
    if !(1..=1_000_000).contains(&requests) {
        return Err(format!(
            "it made {requests} requests, and the kind has room for 1 to 1,000,000: give it fewer (--number_ios)"
        ));
    }
    Ok(Series::Random(json!({
        "variant": shape.variant,
        "pattern": shape.pattern,
        "concurrency": shape.concurrency,
        "request_blocks": request_blocks,
        "requests": requests,
        "failed_requests": 0,
        "batches": 1,
        "elapsed_ns": job.runtime_ms * 1_000_000,
        "steady_requests": 0,
        "steady_ns": 0,
        "processors": null,
        "reads": reads,
        "writes": writes,
        "slices": {"requests": [], "elapsed_ns": []},
        "first": {"offset_blocks": [], "is_write": [], "lane": [], "start_ns": [], "latency_ns": []},
    })))
}

/// The latencies of a job's reads and writes: from its log, else from the buckets of `json+`, else what fio sums up, else none.
fn latencies(job: &Job, log: Option<&[log::Line]>, remarks: &mut Vec<String>) -> (Option<Value>, Option<Value>) {
    if let Some(lines) = log {
        let of = |direction: u8| {
            let mine = lines.iter().filter(|line| line.direction == direction);
            let found = Latencies::of(&mut mine.map(|line| line.latency_ns).collect::<Vec<_>>(), BUCKET_BITS)?;
            serde_json::to_value(found).ok()
        };
        return (of(log::READ), of(log::WRITE));
    }
    let mut of = |side: &job::Side| {
        if side.total_ios == 0 {
            return None;
        }
        let total = side.total.as_ref().and_then(|times| times.latencies(side.total_ios));
        let Some(found) = total.clone().or_else(|| side.completion.latencies(side.total_ios)) else {
            remarks.push(format!(
                "The job {:?} has no latencies here: its JSON does not count them. Run fio with --output-format=json+ or --write_lat_log.",
                job.label()
            ));
            return None;
        };
        if found.pointer("/summary/per_million").is_some_and(|shares| shares == &json!([])) {
            remarks.push(format!("Of the latencies of the job {:?} fio's shortest, mean, longest and deviation are kept: it printed no percentiles of all its requests. --output-format=json+ prints its buckets.", job.label()));
        } else if found.get("summary").is_some() {
            remarks.push("Of latencies without buckets fio's shortest, mean, longest, deviation and percentiles are kept; --output-format=json+ prints the buckets.".to_owned());
        }
        if job.is_queued && total.is_none() {
            remarks.push(format!("The latencies of the job {:?} are fio's completion latencies: the time to hand a request over is not in them.", job.label()));
        }
        Some(found)
    };
    (of(&job.reads), of(&job.writes))
}

fn unclaimed(jobs: &[Job], logs: &[&Input], remarks: &mut Vec<String>) {
    for input in logs {
        if !jobs.iter().any(|job| log::belongs(job, &input.name)) {
            remarks.push("A latency log that belongs to none of the jobs, or holds parts of latencies (slat, clat), was left out.".to_owned());
        }
    }
}

/// Unix seconds as a document has them.
fn moment(seconds: u64) -> Option<String> {
    // Between 2000 and 2100: a machine without a clock says 1970.
    let seconds = i64::try_from(seconds).ok().filter(|seconds| (946_684_800..4_102_444_800).contains(seconds))?;
    jiff::Timestamp::from_second(seconds).ok().map(timestamp)
}
