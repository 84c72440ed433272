//! ioping of a whole drive: how long random reads of one block took on average (ioping(1)). It prints every request's time in three
//! digits and no places, so that only its mean is carried, as printed. Its pauses between requests make its rates no drive's.

use serde_json::json;

use super::figures::decimal;
use super::node::whole_drive;
use super::{ImportContext, Input, ToolOutput, entry, plain_lines, text_of};

const FEWEST: f64 = 10.0;
const BLOCK_BYTES: f64 = 4096.0;

pub fn is_output(text: &str) -> bool {
    text.contains("ioping statistics ---")
}

pub fn import(input: &Input, about: &ImportContext<'_>) -> Result<ToolOutput, String> {
    let text = text_of(&input.bytes);
    let lines: Vec<String> = plain_lines(&text).collect();
    let mut headings = lines.iter().filter(|line| line.starts_with("--- ") && line.ends_with("ioping statistics ---"));
    let (Some(heading), None) = (headings.next(), headings.next()) else {
        return Err("it has not the one summary of ioping; give the output of one ioping".to_owned());
    };
    let target = heading.trim_start_matches("--- ").trim_end_matches("ioping statistics ---");
    let target = target.split(" (").next().unwrap_or_default().trim();
    whole_drive(target).map_err(|why| format!("{why}; measure the drive with: ioping -D -c 300 -i 0 /dev/DISK"))?;
    random_reads(&lines)?;
    let summary = lines
        .iter()
        .find_map(|line| Summary::of(line))
        .ok_or("its line \"requests completed\" is missing or not as ioping prints it; give its output unchanged")?;
    summary.of_reads_of_one_block()?;
    let [least, mean, most] = lines
        .iter()
        .find_map(|line| times(line))
        .ok_or("its line min/avg/max/mdev is missing or contradicts itself; give its output unchanged")?;
    let taken_ms = summary.taken_ms.filter(|_| lines.iter().any(|line| line.starts_with("generated ")));
    let near = |taken: f64| (mean.ms * summary.requests / taken - 1.0).abs() < 0.05;
    if least.ms > mean.ms || mean.ms > most.ms || taken_ms.is_some_and(|taken| !near(taken)) {
        return Err("its requests and their time are not its mean (min/avg/max/mdev); give its output unchanged".into());
    }
    let mean = mean.printed_ms.ok_or_else(|| {
        format!("its mean of {} ms has more digits than the kind has room for; it is no mechanical drive's", mean.ms)
    })?;
    let mut remarks = Vec::new();
    if !is_direct(&lines) {
        remarks.push("ioping does not print whether it read directly (-D): the kernel's page cache may have answered some requests.".to_owned());
    }
    remarks.push(format!("The access time is ioping's mean of {} reads of 4 KiB, with pauses between them; nothing says how far it may be trusted.", summary.requests));
    Ok(ToolOutput { benchmarks: vec![stated(&mean, about)], remarks, ..ToolOutput::default() })
}

fn stated(mean_ms: &str, about: &ImportContext<'_>) -> crate::report::document::Measured {
    let params = json!({
        "block_bytes": about.block_bytes(),
        "transfer_blocks": null,
        "sample_ns": null,
        "largest_buffer_blocks": null,
        "buffer_tries": null,
    });
    let series = json!({
        "pattern": "stated",
        "stated": {"access_time_ms": mean_ms},
        "processors": null,
        "offset_blocks": [],
        "length_blocks": [],
        "elapsed_ns": [],
    });
    entry("access", params, vec![series], 0)
}

fn is_direct(lines: &[String]) -> bool {
    lines.iter().any(|line| {
        line.contains("ioping ") && line.split_whitespace().any(|word| word.starts_with('-') && word.contains('D'))
    })
}

/// Errors: what its command or the line of a request says that it did instead.
fn random_reads(lines: &[String]) -> Result<(), String> {
    if let Some(option) = lines.iter().find_map(|line| changing(line)) {
        return Err(format!("ioping's option {option} measures something else than random reads; leave it out"));
    }
    // `4 KiB <<< /dev/sda (block device 1 TiB): request=1 time=8.1 ms`, before 1.0 `4 KiB from`, `4.0 kb from`, `4096 bytes from`.
    for line in lines.iter().filter(|line| line.contains("request=")) {
        if line.contains(" >>> ") || line.contains(" to /dev/") {
            return Err(WROTE.to_owned());
        }
        let size = line.split(" <<< ").next().and_then(|rest| rest.split(" from ").next()).unwrap_or_default();
        if bytes(size) != Some(BLOCK_BYTES) {
            return Err(format!("its requests are not of 4 KiB ({line}); measure without -s"));
        }
    }
    Ok(())
}

const WROTE: &str = "it wrote, and the kind has reads; measure without -W";

/// An option in the command that changes what is measured: sequential (-L), cached (-C), another working set (-S, -o), writes.
fn changing(line: &str) -> Option<String> {
    let mut words = line.split_whitespace().skip_while(|word| word.rsplit('/').next() != Some("ioping"));
    words.next()?;
    let strange = |word: &&str| {
        word.strip_prefix('-').is_some_and(|letters| letters.chars().any(|letter| "LCSwWAYyGo".contains(letter)))
    };
    words.find(strange).map(str::to_owned)
}

/// `14.9 k requests completed in 2.96 s, 58.4 MiB read, 5.06 k iops, 19.8 MiB/s`; before 1.0 without how much was read.
struct Summary {
    requests: f64,
    taken_ms: Option<f64>,
    read_bytes: Option<f64>,
    wrote: bool,
    per_second: f64,
    bytes_per_second: f64,
}

impl Summary {
    fn of(line: &str) -> Option<Self> {
        let (count, rest) = line.split_once(" requests completed in ")?;
        let parts: Vec<&str> = rest.split(", ").collect();
        let (taken, rates) = (parts.first()?, parts.get(parts.len().checked_sub(2)?..)?);
        Some(Self {
            requests: scaled(count)?,
            taken_ms: time(taken).map(|time| time.ms),
            read_bytes: parts.iter().find_map(|part| bytes(part.strip_suffix(" read")?)),
            wrote: rest.contains("written"),
            per_second: scaled(rates[0].strip_suffix(" iops")?)?,
            bytes_per_second: bytes(rates[1].strip_suffix("/s")?)?,
        })
    }

    /// What was read, else the rates, say how large a request was; a rate of so few a second is printed as a whole number.
    fn of_reads_of_one_block(&self) -> Result<(), String> {
        if self.wrote {
            return Err(WROTE.to_owned());
        }
        if self.requests < FEWEST {
            return Err(format!("fewer than {FEWEST} requests carry no mean; measure with -c 300"));
        }
        let (size, near) = self.read_bytes.map_or_else(
            || (self.bytes_per_second / self.per_second, 0.05 + 0.6 / self.per_second),
            |bytes| (bytes / self.requests, 0.05),
        );
        if (size / BLOCK_BYTES - 1.0).abs() < near {
            return Ok(());
        }
        Err(format!("its requests are not of 4 KiB but of {size:.0} bytes; measure without -s and -L"))
    }
}

/// `450`, `14.9 k`, `1.2 M`.
fn scaled(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let factor = match unit {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        _ => return None,
    };
    Some(number.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0)? * factor)
}

/// `4 KiB`, in old versions `4.0 kb` and `4096 bytes`, all of 2^10.
fn bytes(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "b" | "bytes" => 1.0,
        "kib" | "kb" => 1024.0,
        "mib" | "mb" => 1_048_576.0,
        "gib" | "gb" => 1_073_741_824.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0)? * factor)
}

/// A time, and its digits in milliseconds where a document has room for them.
struct Time {
    ms: f64,
    printed_ms: Option<String>,
}

fn time(text: &str) -> Option<Time> {
    let (number, unit) = text.trim().split_once(' ')?;
    let places = match unit {
        "ns" => -6,
        "us" | "\u{b5}s" => -3,
        "ms" => 0,
        "s" => 3,
        _ => return None,
    };
    let ms = number.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)? * 10f64.powi(places);
    Some(Time { ms, printed_ms: moved(number, places).and_then(|text| decimal(&text)) })
}

/// The same digits with the point so many places on.
fn moved(number: &str, places: i32) -> Option<String> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{part}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let at = i32::try_from(whole.len()).ok()? + places;
    let (whole, part) = if at <= 0 {
        ("0".to_owned(), format!("{}{digits}", "0".repeat(at.unsigned_abs() as usize)))
    } else {
        let filled = format!("{digits:0<width$}", width = at.unsigned_abs() as usize);
        let (whole, part) = filled.split_at(at.unsigned_abs() as usize);
        (whole.trim_start_matches('0').to_owned(), part.to_owned())
    };
    let whole = if whole.is_empty() { "0" } else { whole.as_str() };
    Some(if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") })
}

/// `min/avg/max/mdev = 4.21 ms / 11.3 ms / 20.4 ms / 4.10 ms`, before 0.7 `0.0/6.2/74.1/6.5 ms`.
fn times(line: &str) -> Option<[Time; 3]> {
    let told = line.strip_prefix("min/avg/max/mdev = ")?;
    let parts: Vec<&str> = told.split('/').map(str::trim).collect();
    let [least, mean, most, deviation] = parts[..] else { return None };
    time(deviation)?;
    let unit = if least.contains(' ') { "" } else { " ms" };
    let of = |part: &str| time(&format!("{part}{unit}"));
    Some([of(least)?, of(mean)?, of(most)?])
}
