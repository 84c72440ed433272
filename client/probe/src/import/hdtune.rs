//! HD Tune's benchmark as text (`HD Tune: MODEL Benchmark` and six numbers). It prints results and no samples, and does not say
//! whether its MB is 10^6 or 2^20 bytes: the numbers are carried digit by digit, and extraction leaves both open.

use serde_json::{Map, Value, json};

use super::figures::decimal;
use super::{ImportContext, Input, ToolOutput, entry};

/// As HD Tune names them; the document's name; the units that it prints.
const LINES: [(&str, &str, &[&str]); 6] = [
    ("transfer rate minimum", "transfer_minimum_mb_per_s", &["mb/sec", "mb/s"]),
    ("transfer rate maximum", "transfer_maximum_mb_per_s", &["mb/sec", "mb/s"]),
    ("transfer rate average", "transfer_average_mb_per_s", &["mb/sec", "mb/s"]),
    ("access time", "access_time_ms", &["ms"]),
    ("burst rate", "burst_rate_mb_per_s", &["mb/sec", "mb/s"]),
    ("cpu usage", "cpu_usage_percent", &["%"]),
];

const REMARKS: [&str; 2] = [
    "HD Tune prints results without samples: nothing says how far each may be trusted, and no statistic uses them.",
    "HD Tune does not say whether its MB is 10^6 or 2^20 bytes, nor how much of the disk it read.",
];

pub fn import(input: &Input, about: &ImportContext<'_>) -> Result<ToolOutput, String> {
    let text = text_of(&input.bytes);
    let mut taken = ToolOutput { tool_version: version(&text), ..ToolOutput::default() };
    same_drive(&text, about)?;
    if text.lines().any(|line| line.to_lowercase().contains("write")) {
        return Err(
            "it speaks of writes, and only HD Tune's read benchmark has a kind here; give the text of a read benchmark"
                .into(),
        );
    }
    let stated = stated(&text, &mut taken)?;
    if stated.is_empty() {
        return Err("none of HD Tune's six results stands in it (Transfer Rate Minimum, ..., CPU Usage); copy the benchmark's text from HD Tune in English".into());
    }
    taken.remarks.extend(REMARKS.map(str::to_owned));
    let params = json!({
        "block_bytes": about.block_bytes(),
        "transfer_blocks": null,
        "sample_ns": null,
        "largest_buffer_blocks": null,
        "buffer_tries": null,
    });
    let series = json!({
        "pattern": "stated",
        "stated": stated,
        "processors": null,
        "offset_blocks": [],
        "length_blocks": [],
        "elapsed_ns": [],
    });
    taken.benchmarks.push(entry("access", params, vec![series], 0));
    Ok(taken)
}

/// Windows programs save UTF-16 as well as bytes.
fn text_of(bytes: &[u8]) -> String {
    let Some(rest) = bytes.strip_prefix(&[0xff, 0xfe]) else { return String::from_utf8_lossy(bytes).into_owned() };
    let units: Vec<u16> = rest.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

fn stated(text: &str, taken: &mut ToolOutput) -> Result<Map<String, Value>, String> {
    let mut stated = Map::new();
    for line in text.lines() {
        let Some((label, value)) = line.split_once(':') else { continue };
        let label = label.trim().to_lowercase();
        let Some((_, name, units)) = LINES.iter().find(|(words, ..)| *words == label) else { continue };
        let value = value.trim().to_lowercase();
        let number = units.iter().find_map(|unit| value.strip_suffix(unit)).and_then(|number| decimal(number.trim()));
        let wrong = || format!("the line {:?} is not as HD Tune prints it; give its text unchanged", line.trim());
        let number = number.ok_or_else(wrong)?;
        if number.bytes().all(|byte| matches!(byte, b'0' | b'.')) {
            taken.remarks.push(format!("The {label} of {number} is below what HD Tune prints and was left out."));
        } else if stated.insert((*name).to_owned(), Value::String(number)).is_some() {
            return Err(format!("the {label} stands in it twice; give the text of one benchmark"));
        }
    }
    Ok(stated)
}

/// The heading `HD Tune Pro 5.75: MODEL Benchmark`, what stands before and behind the colon.
fn header(text: &str) -> Option<(&str, &str)> {
    let line = text.lines().map(str::trim).find(|line| line.starts_with("HD Tune"))?;
    line.split_once(':').map(|(tool, model)| (tool.trim(), model.trim().trim_end_matches("Benchmark").trim()))
}

/// `HD Tune Pro 5.75` where the heading says so.
fn version(text: &str) -> Option<String> {
    let name = header(text)?.0;
    name.bytes().any(|byte| byte.is_ascii_digit()).then(|| name.chars().take(64).collect())
}

/// HD Tune prints the model, sometimes cut short or with more before it: one must hold the other.
fn same_drive(text: &str, about: &ImportContext<'_>) -> Result<(), String> {
    let letters =
        |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase();
    let (_, printed) = header(text).ok_or("it has no heading `HD Tune: MODEL Benchmark`; give the whole text")?;
    let (theirs, ours) = (letters(printed), letters(&about.device.model));
    if theirs.len() >= 4 && (theirs.contains(&ours) || ours.contains(&theirs)) {
        return Ok(());
    }
    let model = &about.device.model;
    Err(format!(
        "it is of {printed:?}, and --identity is of {model:?}; give the identity of the drive that was measured"
    ))
}
