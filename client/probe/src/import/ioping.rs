//! ioping of a whole drive: how long random reads of one block took on average (ioping(1)). It prints every request's time in three
//! digits and no places, so that only its mean is carried, as printed. Its pauses between requests make its rates no drive's.

use serde_json::json;

use super::figures::decimal;
use super::node::whole_drive;
use super::{ImportContext, Input, ToolOutput, entry, plain_lines, text_of};

const FEWEST: u64 = 10;

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
    let target = heading.trim_start_matches("--- ").split(" (").next().unwrap_or_default().trim();
    whole_drive(target).map_err(|why| format!("{why}; measure the drive with: ioping -D -c 300 -i 0 /dev/DISK"))?;
    if let Some(option) = lines.iter().find_map(|line| changing(line)) {
        return Err(format!("ioping's option {option} measures something else than random reads; leave it out"));
    }
    let other_size = |line: &&String| line.contains(" <<< ") && !line.starts_with("4 KiB <<< ");
    if let Some(line) = lines.iter().find(other_size) {
        return Err(format!("its requests are not of 4 KiB ({line}); measure without -s"));
    }
    if lines.iter().any(|line| line.contains(" >>> ")) {
        return Err("it wrote, and the kind has reads; measure without -W".to_owned());
    }
    let count = lines.iter().find_map(|line| line.split_once(" requests completed in ")?.0.parse::<u64>().ok());
    let count = count
        .filter(|count| *count >= FEWEST)
        .ok_or_else(|| format!("fewer than {FEWEST} requests carry no mean; measure with -c 300"))?;
    let mean = lines
        .iter()
        .find_map(|line| mean_ms(line))
        .ok_or("its line min/avg/max/mdev is missing or not in milliseconds; give its output unchanged")?;
    let mut taken = ToolOutput::default();
    let direct = lines.iter().any(|line| {
        line.contains("ioping ") && line.split_whitespace().any(|word| word.starts_with('-') && word.contains('D'))
    });
    if !direct {
        taken.remarks.push("ioping does not print whether it read directly (-D): the kernel's page cache may have answered some requests.".to_owned());
    }
    taken.remarks.push(format!("The access time is ioping's mean of {count} reads of 4 KiB, with pauses between them; nothing says how far it may be trusted."));
    let params = json!({
        "block_bytes": about.block_bytes(),
        "transfer_blocks": null,
        "sample_ns": null,
        "largest_buffer_blocks": null,
        "buffer_tries": null,
    });
    let series = json!({
        "pattern": "stated",
        "stated": {"access_time_ms": mean},
        "processors": null,
        "offset_blocks": [],
        "length_blocks": [],
        "elapsed_ns": [],
    });
    taken.benchmarks.push(entry("access", params, vec![series], 0));
    Ok(taken)
}

/// An option in the command that changes what is measured: sequential (-L), cached (-C), another size or working set (-s, -S), writes.
fn changing(line: &str) -> Option<String> {
    let mut words = line.split_whitespace().skip_while(|word| word.rsplit('/').next() != Some("ioping"));
    words.next()?;
    let strange = |word: &&str| {
        word.strip_prefix('-').is_some_and(|letters| letters.chars().any(|letter| "LCsSwWAYy".contains(letter)))
    };
    words.find(strange).map(str::to_owned)
}

/// `min/avg/max/mdev = 4.21 ms / 11.3 ms / 20.4 ms / 4.10 ms`; the mean lies between the least and the most.
fn mean_ms(line: &str) -> Option<String> {
    let told = line.strip_prefix("min/avg/max/mdev = ")?;
    let milliseconds = |text: &str| {
        let (number, unit) = text.trim().split_once(' ')?;
        let factor = match unit {
            "ns" => 1e-6,
            "us" | "\u{b5}s" => 1e-3,
            "ms" => 1.0,
            "s" => 1e3,
            _ => return None,
        };
        Some(number.parse::<f64>().ok()? * factor)
    };
    let parts: Vec<&str> = told.split(" / ").collect();
    let [least, mean, most, _] = parts[..] else { return None };
    let ordered = milliseconds(least)? <= milliseconds(mean)? && milliseconds(mean)? <= milliseconds(most)?;
    decimal(mean.trim().strip_suffix(" ms")?).filter(|_| ordered)
}
