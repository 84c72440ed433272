//! `hdparm -t`: how much was read in three seconds, at the start of the disk or `--offset` GiB into it. Its MB are 2^20 bytes, and
//! it reads 2 MiB at a time until three seconds are over (hdparm's `time_device`, `TIMING_BUF_MB`; hdparm(8), -t and --offset).

use std::collections::BTreeMap;

use serde_json::json;

use super::figures::{Figure, time_of};
use super::{ImportContext, ImportError, Input, ToolOutput, entry};
use crate::report::document::Measured;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const REQUEST_MIB: u64 = 2;
const SAMPLE_NS: u64 = 3_000_000_000;
/// A place belongs to the middle within a twentieth of the capacity, and to the inner end from 95 % on.
const NEAR: f64 = 0.05;

struct Line {
    direct: bool,
    offset_gib: Option<u64>,
    mib: u64,
    seconds: Figure,
    rate: Figure,
    rate_unit_bytes: f64,
}

/// A sample that can be told from others: its place, length and time.
type Sample = (u64, u64, u64);

pub fn import(inputs: &[Input], about: &ImportContext<'_>) -> Result<ToolOutput, ImportError> {
    let mut taken = ToolOutput::default();
    let mut positions: BTreeMap<&'static str, Vec<Sample>> = BTreeMap::new();
    let (mut direct, mut buffered) = (0, 0);
    for input in inputs {
        for line in lines(input, &mut taken).map_err(ImportError::of(input))? {
            let offset_gib = line.offset_gib.or(about.offset_gib).unwrap_or(0);
            match sample(&line, offset_gib, about).map_err(ImportError::of(input))? {
                Ok((position, sample)) => {
                    positions.entry(position).or_default().push(sample);
                    if line.direct { direct += 1 } else { buffered += 1 }
                }
                Err(why) => taken.remarks.push(why),
            }
        }
    }
    if positions.is_empty() {
        let why = "it holds no result of hdparm -t that a kind can carry; give the whole output of hdparm -t --direct, repeated, with --offset for other places";
        return Err(ImportError::new(&inputs[0], format!("{why}. {}", taken.remarks.join(" "))));
    }
    if direct > 0 && buffered > 0 {
        let why = "some of it was read with --direct and some through the page cache, which are not one measurement; import them as two runs";
        return Err(ImportError::new(&inputs[0], why));
    }
    if buffered > 0 {
        taken.remarks.push("hdparm read through the kernel's page cache, without --direct: read-ahead and copying of the kernel are in its times.".to_owned());
    }
    taken.remarks.push("hdparm prints whole MB of 2^20 bytes, hundredths of a second and the rate: each time is the middle of what these allow.".to_owned());
    taken.benchmarks.push(benchmark(&positions, about));
    Ok(taken)
}

fn benchmark(positions: &BTreeMap<&'static str, Vec<Sample>>, about: &ImportContext<'_>) -> Measured {
    let mut elapsed_ns = 0;
    let mut series = Vec::new();
    for position in ["outer", "middle", "inner"] {
        let Some(samples) = positions.get(position) else { continue };
        let column = |pick: fn(&Sample) -> u64| samples.iter().map(pick).collect::<Vec<_>>();
        elapsed_ns += samples.iter().map(|sample| sample.2).sum::<u64>();
        series.push(json!({
            "position": position,
            "offset_blocks": column(|sample| sample.0),
            "length_blocks": column(|sample| sample.1),
            "elapsed_ns": column(|sample| sample.2),
        }));
    }
    let params = json!({
        "block_bytes": about.block_bytes(),
        "transfer_blocks": (REQUEST_MIB * MIB / about.block_bytes()).max(1),
        "sample_ns": SAMPLE_NS,
        "samples_per_position": positions.values().map(Vec::len).max().unwrap_or(1),
    });
    entry("positional", params, series, elapsed_ns)
}

/// The results of a file. What is printed besides becomes a remark.
fn lines(input: &Input, taken: &mut ToolOutput) -> Result<Vec<Line>, String> {
    let text = String::from_utf8_lossy(&input.bytes);
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        let Some(rest) = line.strip_prefix("Timing ") else { continue };
        let early = || format!("the line {line:?} ends early; give the whole output");
        let (what, result) = rest.split_once(':').ok_or_else(early)?;
        if what.ends_with("cached reads") {
            taken.remarks.push("Cached reads (hdparm -T) time the machine's memory and were left out.".to_owned());
            continue;
        }
        if result.trim().is_empty() {
            taken.remarks.push(
                "A measurement without a result was left out: hdparm ended it early, for example at the end of the device."
                    .to_owned(),
            );
            continue;
        }
        let wrong = || format!("the line {line:?} is not as hdparm prints it; give its output unchanged");
        found.push(parse(what, result).ok_or_else(wrong)?);
    }
    Ok(found)
}

fn parse(what: &str, result: &str) -> Option<Line> {
    let (mode, place) = what.split_once(" disk reads")?;
    let direct = match mode {
        "O_DIRECT" => true,
        "buffered" => false,
        _ => return None,
    };
    let offset_gib = match place.trim() {
        "" => None,
        words => Some(words.strip_prefix("(offset ")?.strip_suffix(" GB)")?.parse().ok()?),
    };
    let words: Vec<&str> = result.split_whitespace().collect();
    let [amount, "MB", "in", seconds, "seconds", "=", rate, unit] = words[..] else { return None };
    #[expect(clippy::cast_precision_loss, reason = "2^20")]
    let rate_unit_bytes = match unit {
        "MB/sec" => MIB as f64,
        "kB/sec" => 1024.0,
        _ => return None,
    };
    Some(Line {
        direct,
        offset_gib,
        mib: amount.parse().ok()?,
        seconds: Figure::parse(seconds)?,
        rate: Figure::parse(rate)?,
        rate_unit_bytes,
    })
}

fn sample(
    line: &Line,
    offset_gib: u64,
    about: &ImportContext<'_>,
) -> Result<Result<(&'static str, Sample), String>, String> {
    let block = about.block_bytes();
    let capacity = about.device.capacity_bytes;
    let (offset, length) = (offset_gib.saturating_mul(GIB), line.mib.saturating_mul(MIB));
    if length == 0 || offset.saturating_add(length) > capacity {
        return Err(format!(
            "{} MB from {offset_gib} GiB on lie beyond the {capacity} bytes of --identity; give the identity of the disk that was read",
            line.mib
        ));
    }
    #[expect(clippy::cast_precision_loss, reason = "sizes of disks")]
    let (bytes, share) = (length as f64, offset as f64 / capacity as f64);
    let elapsed = time_of(bytes, line.seconds, line.rate, line.rate_unit_bytes, 3.0);
    let elapsed_ns = elapsed.ok_or_else(|| {
        format!(
            "{} MB in {} seconds are not {} MB/sec: the file was changed or is not hdparm's; give its output unchanged",
            line.mib, line.seconds.value, line.rate.value
        )
    })?;
    let position = if offset == 0 {
        "outer"
    } else if (share - 0.5).abs() <= NEAR {
        "middle"
    } else if share >= 1.0 - NEAR {
        "inner"
    } else {
        return Ok(Err(format!(
            "A result at {offset_gib} GiB ({:.0} % of the disk) was left out: the kind has the start, the middle and the last {:.0} %.",
            100.0 * share,
            100.0 * NEAR
        )));
    };
    Ok(Ok((position, (offset / block, length / block, elapsed_ns))))
}
