//! `hdparm -t`: how much was read in three seconds, at the start of the disk or `--offset` GiB into it. Its MB are 2^20 bytes, and
//! it reads 2 MiB at a time until three seconds are over (hdparm's `time_device`, `TIMING_BUF_MB`; hdparm(8), -t and --offset).
//! Before version 4 it read 64 MB, however long that took. The line `/dev/DISK:` above a result says what was read; where it lacks,
//! as in some pastes, the command does.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::figures::{Figure, time_of};
use super::node::{public_name, whole_drive};
use super::{ImportContext, ImportError, Input, ToolOutput, entry, plain_lines, position_of, text_of};
use crate::report::document::Measured;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const REQUEST_MIB: u64 = 2;
const SAMPLE_NS: u64 = 3_000_000_000;

struct Line {
    drive: Option<String>,
    direct: bool,
    offset_gib: Option<u64>,
    mib: u64,
    seconds: Figure,
    rate: Figure,
    rate_unit_bytes: f64,
}

impl Line {
    fn reads_fixed_amount(&self) -> bool {
        self.mib == 64 && self.seconds.value + self.seconds.half < 3.0
    }
}

/// Whether all lines `/dev/DISK:` and commands name one: then what `hdparm -I` says is of the drive that was read.
pub fn is_of_one_device(text: &str) -> bool {
    let named = |line: String| heading(&line).map(str::to_owned).or_else(|| command(&line).and_then(|(name, _)| name));
    plain_lines(text).filter_map(named).collect::<BTreeSet<_>>().len() == 1
}

/// `/dev/sdb:`
fn heading(line: &str) -> Option<&str> {
    line.trim().strip_suffix(':').filter(|name| name.starts_with("/dev/") && !name.contains(' '))
}

/// A sample that can be told from others: its place, length and time.
type Sample = (u64, u64, u64);

pub fn import(inputs: &[Input], about: &ImportContext<'_>) -> Result<ToolOutput, ImportError> {
    let mut taken = ToolOutput::default();
    let mut results: Vec<(&Input, Line)> = Vec::new();
    for input in inputs {
        let found = lines(input, &mut taken).map_err(ImportError::of(input))?;
        results.extend(found.into_iter().map(|line| (input, line)));
    }
    let left_out = of_whole_drives(&mut results, about, &mut taken);
    let drives: BTreeSet<Option<&str>> = results.iter().map(|(_, line)| line.drive.as_deref()).collect();
    let names: Vec<&str> = drives.iter().copied().flatten().collect();
    if drives.contains(&None) {
        let why = "no line says which device its results are of (/dev/DISK: above each); give the whole output, or add --device /dev/DISK where none says so";
        return Err(ImportError::new(&inputs[0], why));
    }
    if names.len() > 1 {
        let why = format!(
            "it has results of several drives ({}), and a run is of one; take one with --device {}, and its own --identity",
            names.join(", "),
            names[0]
        );
        return Err(ImportError::new(&inputs[0], why));
    }
    if results.is_empty() && !left_out.is_empty() {
        let why: Vec<String> = left_out.into_iter().collect();
        let why = format!("{}; run hdparm -t --direct on the drive itself", why.join("; "));
        return Err(ImportError::new(&inputs[0], why));
    }
    taken.remarks.extend(left_out.into_iter().map(|why| format!("Results were left out: {why}.")));
    carry(&results, about, taken, &inputs[0])
}

/// Keeps the results of the device that was asked for, where it is a whole drive; returns why others were left out.
fn of_whole_drives(
    results: &mut Vec<(&Input, Line)>,
    about: &ImportContext<'_>,
    taken: &mut ToolOutput,
) -> BTreeSet<String> {
    if let Some(name) = about.asked.device.as_ref().filter(|_| results.iter().all(|(_, line)| line.drive.is_none())) {
        for (_, line) in results.iter_mut() {
            line.drive = Some(name.clone());
        }
        taken
            .remarks
            .push("Which device was read is the word of whoever imported it: the output does not say.".to_owned());
    }
    let mut left_out = BTreeSet::new();
    results.retain(|(_, line)| match &line.drive {
        Some(name) if about.asked.device.as_ref().is_none_or(|asked| asked == name) => match whole_drive(name) {
            Ok(()) => true,
            Err(why) => {
                left_out.insert(why);
                false
            }
        },
        Some(name) => {
            left_out.insert(format!("{} is not what was asked for", public_name(name)));
            false
        }
        None => true,
    });
    left_out
}

fn carry(
    results: &[(&Input, Line)],
    about: &ImportContext<'_>,
    mut taken: ToolOutput,
    first: &Input,
) -> Result<ToolOutput, ImportError> {
    let mut positions: BTreeMap<&'static str, Vec<Sample>> = BTreeMap::new();
    let (mut direct, mut buffered) = (0, 0);
    for (input, line) in results {
        let offset_gib = line.offset_gib.or(about.asked.offset_gib).unwrap_or(0);
        match sample(line, offset_gib, about).map_err(ImportError::of(input))? {
            Ok((position, sample)) => {
                positions.entry(position).or_default().push(sample);
                if line.direct { direct += 1 } else { buffered += 1 }
            }
            Err(why) => taken.remarks.push(why),
        }
    }
    if positions.is_empty() {
        let why = "it holds no result of hdparm -t that a kind can carry; give the whole output of hdparm -t --direct of the whole disk, repeated, with --offset for other places";
        return Err(ImportError::new(first, format!("{why}. {}", super::printable_once(&taken.remarks).join(" "))));
    }
    if direct > 0 && buffered > 0 {
        let why = "some of it was read with --direct and some through the page cache, which are not one measurement; import them as two runs";
        return Err(ImportError::new(first, why));
    }
    if buffered > 0 {
        taken.remarks.push("hdparm read through the kernel's page cache, without --direct: read-ahead and copying of the kernel are in its times.".to_owned());
    }
    taken.remarks.push("hdparm prints whole MB of 2^20 bytes, hundredths of a second and the rate: each time is the middle of what these allow.".to_owned());
    let fixed = results.iter().any(|(_, line)| line.reads_fixed_amount());
    if fixed {
        taken.remarks.push("This hdparm read 64 MB, however long that took, as before version 4.".to_owned());
    }
    taken.benchmarks.push(benchmark(&positions, fixed, about));
    Ok(taken)
}

fn benchmark(positions: &BTreeMap<&'static str, Vec<Sample>>, fixed: bool, about: &ImportContext<'_>) -> Measured {
    let shortest_ns = positions.values().flatten().map(|sample| sample.2).min().unwrap_or(SAMPLE_NS);
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
        "sample_ns": if fixed { shortest_ns.clamp(1_000_000, SAMPLE_NS) } else { SAMPLE_NS },
        "samples_per_position": positions.values().map(Vec::len).max().unwrap_or(1),
    });
    entry("positional", params, series, elapsed_ns)
}

/// The results of a file. What is printed besides becomes a remark.
fn lines(input: &Input, taken: &mut ToolOutput) -> Result<Vec<Line>, String> {
    let text = text_of(&input.bytes);
    let lines: Vec<String> = plain_lines(&text).map(|line| line.trim_start_matches('#').trim().to_owned()).collect();
    let mut found: Vec<Line> = Vec::new();
    let (mut drive, mut asked_gib) = (None, None);
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = heading(line) {
            drive = Some(name.to_owned());
        } else if let Some(command) = command(line) {
            (drive, asked_gib) = command;
        }
        let Some(rest) = line.strip_prefix("Timing ") else { continue };
        let (what, result) = rest.split_once(':').unwrap_or((rest, ""));
        if what.contains("cache") {
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
        if result.contains("failed") {
            taken.remarks.push(
                "A measurement that failed was left out: the drive, or what lies before it, could not read.".to_owned(),
            );
            continue;
        }
        // Mail programs fold lines.
        let folded = lines.get(at + 1).map(|next| format!("{result} {next}"));
        match parse(what, result).or_else(|| folded.and_then(|whole| parse(what, &whole))) {
            Some(result) => {
                found.push(Line { drive: drive.clone(), offset_gib: result.offset_gib.or(asked_gib), ..result });
            }
            None if result.split_whitespace().count() < 8 || !line.ends_with("/sec") => {
                taken.remarks.push("A result whose line ends early was left out.".to_owned());
            }
            None => return Err(format!("the line {line:?} is not as hdparm prints it; give its output unchanged")),
        }
    }
    Ok(found)
}

/// `$ sudo hdparm -t --offset 37 /dev/sdb`: what it reads, where it names one device, and from where on.
fn command(line: &str) -> Option<(Option<String>, Option<u64>)> {
    let mut words = line.split_whitespace().skip_while(|word| word.rsplit('/').next() != Some("hdparm"));
    words.next()?;
    let words: Vec<&str> = words.collect();
    let devices: Vec<&&str> = words.iter().filter(|word| word.starts_with("/dev/")).collect();
    let offset = words.windows(2).find(|pair| pair[0] == "--offset").and_then(|pair| pair[1].parse().ok());
    let device = if let [device] = devices[..] { Some((*device).to_owned()) } else { None };
    Some((device, offset))
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
    let spaced = result.replace('=', " = ");
    // People go on behind it: `MB/sec.`, `MB/sec (slow)`.
    let words: Vec<&str> = spaced.split_whitespace().take(8).collect();
    let [amount, "MB", "in", seconds, "seconds", "=", rate, unit] = words[..] else { return None };
    #[expect(clippy::cast_precision_loss, reason = "2^20")]
    let rate_unit_bytes = match unit.trim_end_matches(['.', ',', ';', ')']) {
        "MB/sec" => MIB as f64,
        "kB/sec" => 1024.0,
        _ => return None,
    };
    Some(Line {
        drive: None,
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
    let elapsed = time_of(length as f64, line.seconds, line.rate, line.rate_unit_bytes, 3.0);
    let elapsed_ns = elapsed.ok_or_else(|| {
        format!(
            "{} MB in {} seconds are not {} MB/sec: the file was changed or is not hdparm's; give its output unchanged",
            line.mib, line.seconds.value, line.rate.value
        )
    })?;
    let left_out = || {
        let percent = (100 * offset + capacity / 2) / capacity;
        format!(
            "A result at {offset_gib} GiB ({percent} % of the disk) was left out: the kind has the start, the middle and the last 5 %."
        )
    };
    Ok(position_of(offset, capacity)
        .map(|position| (position, (offset / block, length / block, elapsed_ns)))
        .ok_or_else(left_out))
}
