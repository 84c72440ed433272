//! The logs of `--write_lat_log=NAME`: `NAME_lat.JOB.log`, one line for each request: milliseconds, latency in nanoseconds, direction,
//! size, with `--log_offset=1` the offset (`0x...` before fio 3.30 or so), and the priority.

use serde_json::{Value, json};

use super::super::{ImportContext, Input, text_of};
use super::job::Job;
use super::options::Shape;

pub const READ: u8 = 0;
pub const WRITE: u8 = 1;
const WRITES_MOST: usize = 100_000;
pub const LONGEST_NS: u64 = 2_592_000_000_000_000;

#[derive(Clone, Debug)]
pub struct Line {
    pub latency_ns: u64,
    pub direction: u8,
    bytes: u64,
    offset: Option<u64>,
}

/// A text whose first line is four to six numbers; fio leaves some logs empty.
pub fn is_log(input: &Input) -> bool {
    if input.bytes.is_empty() {
        return name_of(&input.name).is_some();
    }
    let beginning = text_of(&input.bytes[..input.bytes.len().min(400)]);
    beginning.lines().next().is_some_and(|line| line.len() < 200 && parse(line, true).is_some())
}

/// `reads_lat.1.log` is of `reads`.
fn name_of(name: &str) -> Option<&str> {
    let file = name.rsplit(['/', '\\']).next()?.strip_suffix(".log")?;
    let (stem, number) = file.rsplit_once('.').unwrap_or((file, "1"));
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
    ["_lat", "_clat", "_slat"].iter().any(|end| stem.ends_with(end)).then_some(stem)
}

/// Whether a log holds whole latencies of this job.
pub fn belongs(job: &Job, name: &str) -> bool {
    let Some(prefix) = job.option(&["write_lat_log"]) else { return false };
    let prefix = match prefix {
        "" => job.name.as_str(),
        path => path.rsplit(['/', '\\']).next().unwrap_or(path),
    };
    name_of(name).is_some_and(|stem| stem == format!("{prefix}_lat"))
}

/// All lines of a job's logs, where they hold every request of it once.
pub fn of_job(job: &Job, logs: &[&Input], remarks: &mut Vec<String>) -> Result<Option<Vec<Line>>, String> {
    let mine: Vec<&&Input> = logs.iter().filter(|input| belongs(job, &input.name)).collect();
    if mine.is_empty() {
        return Ok(None);
    }
    if job.option(&["log_avg_msec"]).is_some_and(|average| average != "0") {
        remarks.push(format!("The log of the job {:?} holds means of stretches of time (log_avg_msec), of no single request, and was left out.", job.label()));
        return Ok(None);
    }
    let mut lines = Vec::new();
    for input in mine {
        let text = text_of(&input.bytes);
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            lines.push(
                parse(line, false).ok_or_else(|| {
                    format!("the line {line:?} of {} is not as fio writes its latency logs", input.name)
                })?,
            );
        }
    }
    let of = |direction| lines.iter().filter(|line| line.direction == direction).count() as u64;
    if of(READ) != job.reads.total_ios
        || of(WRITE) != job.writes.total_ios
        || lines.len() as u64 != of(READ) + of(WRITE)
    {
        return Err(format!(
            "its log has {} requests and its JSON {}: give the logs of all its clones, of this very run",
            lines.len(),
            job.requests()
        ));
    }
    Ok(Some(lines))
}

/// `any` takes what may be a log; without it the latency must be one that a document has room for.
fn parse(line: &str, any: bool) -> Option<Line> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    if !(4..=6).contains(&fields.len()) {
        return None;
    }
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse::<u64>().ok(),
    };
    let numbers: Vec<u64> = fields.iter().map(|field| number(field)).collect::<Option<_>>()?;
    let latency_ns = numbers[1];
    // Five fields are with a priority or with an offset, by version: only six say which is which, and then the fifth is the offset.
    let offset = (numbers.len() == 6).then(|| numbers[4]);
    let line = Line { latency_ns, direction: u8::try_from(numbers[2]).ok()?, bytes: numbers[3], offset };
    (any || (1..=LONGEST_NS).contains(&latency_ns)).then_some(line)
}

/// A series of successive writes, each with its time and place.
pub fn sync_write(
    lines: &[Line],
    shape: &Shape,
    request_blocks: u64,
    about: &ImportContext<'_>,
) -> Result<Value, String> {
    if lines.is_empty() || lines.len() > WRITES_MOST {
        return Err(format!(
            "it made {} writes, and the kind has room for 1 to {WRITES_MOST}: give it fewer (--number_ios)",
            lines.len()
        ));
    }
    let block = about.block_bytes();
    let offsets: Option<Vec<u64>> = lines.iter().map(|line| line.offset).collect();
    let offsets = offsets.ok_or("its log has no places: run fio 3.30 or later with --log_offset=1")?;
    let first = offsets[0];
    let follows = |pair: &[u64]| pair[1] == pair[0] + shape.request_bytes || pair[1] == first;
    let whole = |offset: &u64| offset.is_multiple_of(block) && offset / block + request_blocks <= about.blocks();
    if !offsets.iter().all(whole) {
        return Err("its log has places that are no whole blocks of the device of --identity".to_owned());
    }
    if !offsets.windows(2).all(follows) || lines.iter().any(|line| line.bytes != shape.request_bytes) {
        return Err("its writes do not each begin where the one before ended".to_owned());
    }
    Ok(json!({
        "variant": "write",
        "write_cache": null,
        "request_blocks": request_blocks,
        "start_block": first / block,
        "offset_blocks": offsets.iter().map(|offset| offset / block).collect::<Vec<_>>(),
        "latency_ns": lines.iter().map(|line| line.latency_ns).collect::<Vec<_>>(),
    }))
}
