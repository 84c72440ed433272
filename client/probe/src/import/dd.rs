//! dd with its command: how long one stretch of a drive took to read. Only the command says what was read, from where on, and
//! whether directly; those of GNU and of BSD print bytes, seconds and a rate of the same transfer.

use serde_json::json;

use super::figures::Figure;
use super::node::whole_drive;
use super::{ImportContext, Input, ToolOutput, entry, plain_lines, position_of, text_of};

/// What a shorter reading leaves open for its first access is more than a hundredth or two.
const SHORTEST_NS: u64 = 1_000_000_000;
const REMEDY: &str = "read a drive with: dd if=/dev/DISK of=/dev/null bs=1M count=4096 iflag=direct";

/// Whether it has what only dd prints.
pub fn is_output(text: &str) -> bool {
    plain_lines(text).any(|line| result(&line).is_some())
}

pub fn import(input: &Input, about: &ImportContext<'_>) -> Result<ToolOutput, String> {
    let text = text_of(&input.bytes);
    let lines: Vec<String> = plain_lines(&text).collect();
    let mut commands = lines.iter().filter_map(|line| options(line));
    let (Some(options), None) = (commands.next(), commands.next()) else {
        return Err(format!(
            "the one command of dd is not in it, which alone says what was read; {REMEDY}, and give command and output"
        ));
    };
    let mut results = lines.iter().filter_map(|line| result(line));
    let (Some((bytes, elapsed_ns)), None) = (results.next(), results.next()) else {
        return Err("it has not the one result of dd; give command and output of one dd".to_owned());
    };
    let option = |name: &str| options.iter().find_map(|(key, value)| (key == name).then_some(value.as_str()));
    let source = option("if").ok_or_else(|| format!("dd read no device; {REMEDY}"))?;
    whole_drive(source).map_err(|why| format!("{why}; {REMEDY}"))?;
    if option("of") != Some("/dev/null") {
        return Err(format!("dd wrote what it read elsewhere, which is in its time; {REMEDY}"));
    }
    let number = |name: &str, otherwise: Option<u64>| option(name).map_or(otherwise, size);
    let (Some(request), Some(skip)) = (number("bs", Some(512)), number("skip", Some(0))) else {
        return Err(
            "the size of its requests (bs) or its start (skip) is no number; give the command unchanged".to_owned()
        );
    };
    let counted = number("count", None).map(|count| count.saturating_mul(request));
    let (block, offset) = (about.block_bytes(), skip.saturating_mul(request));
    if counted.is_some_and(|counted| counted != bytes) || bytes % block != 0 || offset % block != 0 || request < block {
        return Err("its result is not what its command asked for; give command and output of one dd".to_owned());
    }
    if offset.saturating_add(bytes) > about.device.capacity_bytes {
        return Err(
            "it read beyond the capacity of --identity; give the identity of the drive that was read".to_owned()
        );
    }
    if elapsed_ns < SHORTEST_NS {
        return Err(format!("it took less than a second, too little to time; {REMEDY}"));
    }
    let position = position_of(offset, about.device.capacity_bytes).ok_or(
        "it read neither at the start, nor the middle, nor the end of the drive; the kind has no other places",
    )?;
    let direct = option("iflag").is_some_and(|flags| flags.split(',').any(|flag| flag == "direct"));
    let mut taken = ToolOutput::default();
    if !direct {
        taken.remarks.push("dd read through the kernel's page cache, without iflag=direct: read-ahead, copying and what the cache held are in its time.".to_owned());
    }
    taken.remarks.push("dd reads one stretch once: nothing says how far it may be trusted.".to_owned());
    let params = json!({
        "block_bytes": block,
        "transfer_blocks": (request / block).min(1_048_576),
        "sample_ns": elapsed_ns.min(3_600_000_000_000),
        "samples_per_position": 1,
    });
    let series = json!({
        "position": position,
        "offset_blocks": [offset / block],
        "length_blocks": [bytes / block],
        "elapsed_ns": [elapsed_ns],
    });
    taken.benchmarks.push(entry("positional", params, vec![series], elapsed_ns));
    Ok(taken)
}

/// The operands of a line that calls dd.
fn options(line: &str) -> Option<Vec<(String, String)>> {
    let mut words = line.split_whitespace().skip_while(|word| word.rsplit('/').next() != Some("dd"));
    words.next()?;
    let found: Vec<_> =
        words.filter_map(|word| word.split_once('=')).map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    found.iter().any(|(key, _)| key == "if").then_some(found)
}

/// `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.12345 s, 210 MB/s`, or BSD's `... transferred in 5.123 secs (209577533 bytes/sec)`.
fn result(line: &str) -> Option<(u64, u64)> {
    let (bytes, rest) = line.split_once(" bytes ")?;
    let bytes: u64 = bytes.parse().ok().filter(|bytes| *bytes > 0)?;
    let (seconds, rate, unit) = if let Some((_, told)) = rest.split_once("copied, ") {
        let words: Vec<&str> = told.split_whitespace().collect();
        let [seconds, "s," | "seconds,", rate, unit] = words[..] else { return None };
        (seconds.to_owned(), rate.to_owned(), unit)
    } else {
        let words: Vec<&str> = rest.strip_prefix("transferred in ")?.split_whitespace().collect();
        let [seconds, "secs" | "sec", rate, "bytes/sec)"] = words[..] else { return None };
        (seconds.to_owned(), rate.trim_start_matches('(').to_owned(), "B/s")
    };
    let unit = match unit {
        "B/s" => 1.0,
        "kB/s" => 1e3,
        "MB/s" => 1e6,
        "GB/s" => 1e9,
        "MiB/s" => 1_048_576.0,
        _ => return None,
    };
    let seconds = Figure::parse(&seconds)?;
    let rate: f64 = rate.replace(',', ".").parse().ok()?;
    #[expect(clippy::cast_precision_loss, reason = "a check to one in twenty")]
    let agrees = (rate * unit * seconds.value / bytes as f64 - 1.0).abs() < 0.05;
    super::figures::nanoseconds(seconds.value * 1e9).filter(|_| agrees).map(|elapsed_ns| (bytes, elapsed_ns))
}

/// `512`, `64k`, `1M`, and `1MB` of 10^6 bytes, as dd(1) has them.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|character: char| !character.is_ascii_digit());
    let unit = match &text[digits.len()..] {
        "" | "c" => 1,
        "kB" | "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "k" | "K" | "KiB" => 1 << 10,
        "m" | "M" | "MiB" => 1 << 20,
        "g" | "G" | "GiB" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}
