//! HD Tune's benchmark as text (`HD Tune: MODEL Benchmark` and six numbers), of the free version and of Pro, in English and German.
//! It prints results and no samples, and does not say whether its MB is 10^6 or 2^20 bytes: the numbers are carried digit by digit, and
//! extraction leaves both open. Pro puts `Test capacity` and a heading for reads or writes above them.

use serde_json::{Map, Value, json};

use super::figures::decimal;
use super::{ImportContext, Input, ToolOutput, entry, plain_lines, text_of};

const RATE: &[&str] = &["transfer rate", "transferrate", "bertragungsrate", "datenrate"];
const MB_PER_S: &[&str] = &["mb/sec.", "mb/sec", "mb/sek.", "mb/sek", "mb/s"];
/// A result: what its label holds, with which of the words besides, and the units that are printed.
struct Label {
    what: &'static [&'static str],
    which: &'static [&'static str],
    name: &'static str,
    units: &'static [&'static str],
}

const fn rate(which: &'static [&'static str], name: &'static str) -> Label {
    Label { what: RATE, which, name, units: MB_PER_S }
}

const fn alone(what: &'static [&'static str], name: &'static str, units: &'static [&'static str]) -> Label {
    Label { what, which: &[""], name, units }
}

const CPU: &[&str] = &["cpu usage", "cpu-auslastung", "cpu auslastung", "prozessorauslastung", "cpu-nutzung"];
const LABELS: [Label; 6] = [
    rate(&["minimum", "min."], "transfer_minimum_mb_per_s"),
    rate(&["maximum", "max."], "transfer_maximum_mb_per_s"),
    rate(&["average", "durchschnitt", "mittel"], "transfer_average_mb_per_s"),
    alone(&["access time", "zugriffszeit"], "access_time_ms", &["ms"]),
    alone(&["burst rate", "burst-rate", "burstrate"], "burst_rate_mb_per_s", MB_PER_S),
    alone(CPU, "cpu_usage_percent", &["%"]),
];
/// Other programs whose text is pasted below HD Tune's.
const OTHERS: [&str; 6] = ["crystaldiskmark", "as ssd benchmark", "atto disk", "hd tach", "winsat", "crystaldiskinfo"];
/// HD Tune's other pages, as their headings end.
const PAGES: [&str; 8] =
    ["error scan", "health", "info", "file benchmark", "random access", "extra tests", "disk monitor", "aam"];

const REMARKS: [&str; 2] = [
    "HD Tune prints results without samples: nothing says how far each may be trusted, and no statistic uses them.",
    "HD Tune does not say whether its MB is 10^6 or 2^20 bytes, nor how much of the disk it read.",
];

pub fn import(input: &Input, about: &ImportContext<'_>) -> Result<ToolOutput, String> {
    let text = text_of(&input.bytes);
    let block = benchmark_of(&text)?;
    let mut taken = ToolOutput { tool_version: block.version, ..ToolOutput::default() };
    same_drive(&block.model, about)?;
    let stated = stated(&block.lines, &mut taken)?;
    if stated.is_empty() {
        return Err("none of HD Tune's six results of reads stands in it (Transfer Rate Minimum, ..., CPU Usage); copy the text of a read benchmark from HD Tune in English or German".into());
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

/// The model that the text names. Errors: what it is instead of one benchmark.
pub fn model(text: &str) -> Result<Option<String>, String> {
    benchmark_of(text).map(|block| Some(block.model).filter(|model| !model.is_empty()))
}

/// HD Tune's text of one benchmark, without what stands before and behind it.
struct Block {
    version: Option<String>,
    model: String,
    lines: Vec<String>,
}

/// The heading is `HD Tune Pro 5.75: MODEL Benchmark`.
fn benchmark_of(text: &str) -> Result<Block, String> {
    let mut found: Option<Block> = None;
    let mut pages: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in plain_lines(text) {
        let lower = line.to_lowercase();
        if let Some((tool, rest)) = line.split_once(':').filter(|_| line.starts_with("HD Tune")) {
            let lower = rest.trim().to_lowercase();
            let page = PAGES.iter().find(|page| lower.ends_with(**page)).copied();
            inside = page.is_none();
            if let Some(page) = page {
                pages.push(page);
                continue;
            }
            if found.is_some() {
                return Err("it holds several benchmarks; give the text of one, each as a file of its own".to_owned());
            }
            let model = rest.trim();
            let model = model.strip_suffix("Benchmark").unwrap_or(model).trim();
            let version =
                tool.bytes().any(|byte| byte.is_ascii_digit()).then(|| tool.trim().chars().take(64).collect());
            found = Some(Block { version, model: model.to_owned(), lines: Vec::new() });
        } else if OTHERS.iter().any(|other| lower.contains(other)) {
            inside = false;
        } else if let Some(block) = found.as_mut().filter(|_| inside) {
            block.lines.push(line);
        }
    }
    found.ok_or_else(|| match pages.first() {
        Some(page) => {
            format!("it is HD Tune's page {page:?}, which no kind carries; give the text of its page \"Benchmark\"")
        }
        None => "it has no heading `HD Tune: MODEL Benchmark`; give the whole text".to_owned(),
    })
}

fn stated(lines: &[String], taken: &mut ToolOutput) -> Result<Map<String, Value>, String> {
    let mut stated = Map::new();
    let mut writes = false;
    for line in lines {
        let lower = line.to_lowercase();
        let Some((label, value)) = lower.split_once(':').map(|(label, value)| (label.trim(), value.trim())) else {
            let heading = |words: &[&str]| words.iter().any(|word| lower.contains(word));
            writes = heading(&["write", "schreib"]) || (writes && !heading(&["read", "lese"]));
            continue;
        };
        if label.contains("test capacity") || label.contains("testkapazit") {
            whole(value)?;
        }
        let holds = |label: &str, words: &[&str]| words.iter().any(|word| label.contains(word));
        let Some(found) = LABELS.iter().find(|one| holds(label, one.what) && holds(label, one.which)) else {
            continue;
        };
        if writes || holds(label, &["write", "schreib"]) {
            taken.remarks.push("What HD Tune wrote was left out: the kind has reads.".to_owned());
            continue;
        }
        // What it prints where it can't tell.
        if value.starts_with('-') {
            taken.remarks.push(format!("The {label} of {value} is no number of a drive and was left out."));
            continue;
        }
        let number =
            found.units.iter().find_map(|unit| value.strip_suffix(unit)).and_then(|number| decimal(number.trim()));
        let number =
            number.ok_or_else(|| format!("the line {line:?} is not as HD Tune prints it; give its text unchanged"))?;
        if number.bytes().all(|byte| matches!(byte, b'0' | b'.')) {
            taken.remarks.push(format!("The {label} of {number} is below what HD Tune prints and was left out."));
        } else if stated.insert(found.name.to_owned(), Value::String(number)).is_some() {
            return Err(format!("the {label} stands in it twice; give the text of one benchmark"));
        }
    }
    in_order(&stated)?;
    Ok(stated)
}

/// Pro can measure the first so many GB alone.
fn whole(value: &str) -> Result<(), String> {
    if ["full", "voll", "gesamt", "komplett"].iter().any(|word| value.contains(word)) {
        return Ok(());
    }
    Err(format!("it measured a part of the disk alone (Test capacity: {value}); measure the whole disk"))
}

/// The average lies between the least and the most.
fn in_order(stated: &Map<String, Value>) -> Result<(), String> {
    let rate = |name: &str| stated.get(name).and_then(Value::as_str).and_then(|text| text.parse::<f64>().ok());
    let [least, average, most] =
        ["minimum", "average", "maximum"].map(|which| rate(&format!("transfer_{which}_mb_per_s")));
    let rising = |one: Option<f64>, two: Option<f64>| one.zip(two).is_none_or(|(one, two)| one <= two);
    if rising(least, average) && rising(average, most) && rising(least, most) {
        return Ok(());
    }
    Err("its transfer rates contradict each other (minimum, average, maximum); give its text unchanged".to_owned())
}

/// HD Tune prints the model, sometimes cut short or with more before it: one must hold the other.
fn same_drive(printed: &str, about: &ImportContext<'_>) -> Result<(), String> {
    if super::same_model(printed, &about.device.model) {
        return Ok(());
    }
    let model = &about.device.model;
    Err(format!(
        "it is of {printed:?}, and --identity is of {model:?}; give the identity of the drive that was measured"
    ))
}
