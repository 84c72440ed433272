//! FreeBSD's `diskinfo -t` (transfer rates; its seek times have no kind) and `-v` (which drive it is). It reads up to 100 MiB, one MiB
//! at a time, from the first sector on, around the middle and up to the end (`speeddisk` of diskinfo.c).

use serde_json::{Value, json};

use super::figures::{Figure, time_of};
use super::node::whole_drive;
use super::{ImportContext, Input, ToolOutput, entry, plain_lines, text_of};

const MIB: u64 = 1 << 20;
const PLACES: [(&str, &str); 3] = [("outside", "outer"), ("middle", "middle"), ("inside", "inner")];

/// Whether it has what only diskinfo prints.
pub fn is_output(text: &str) -> bool {
    (text.contains("kbytes in") && text.contains("kbytes/sec")) || text.contains("# mediasize in bytes")
}

/// The identity of `diskinfo -v`, by the names that smartctl's JSON has; `None` where it has none.
pub fn identity(text: &str) -> Option<Value> {
    let mut found = json!({"device": {}});
    for line in plain_lines(text) {
        let Some((value, what)) = line.split_once('#').map(|(value, what)| (value.trim(), what.trim())) else {
            continue;
        };
        let number = value.parse::<u64>().ok();
        match what {
            "sectorsize" => found["logical_block_size"] = json!(number),
            "stripesize" => found["physical_block_size"] = json!(number.filter(|size| *size > 0)),
            "Disk descr." => found["model_name"] = json!(value),
            "Disk ident." => found["serial_number"] = json!(value),
            "Rotation rate in RPM" => found["rotation_rate"] = json!(number),
            _ if what.starts_with("mediasize in bytes") => found["user_capacity"]["bytes"] = json!(number),
            "mediasize in sectors" => found["user_capacity"]["blocks"] = json!(number),
            _ => {}
        }
    }
    found.pointer("/user_capacity/bytes").is_some().then_some(found)
}

pub fn import(input: &Input, about: &ImportContext<'_>) -> Result<ToolOutput, String> {
    let text = text_of(&input.bytes);
    let mut taken = ToolOutput::default();
    one_whole_drive(&text)?;
    let own = identity(&text).unwrap_or_default();
    let size = own.pointer("/user_capacity/bytes").and_then(Value::as_u64);
    let model = own.get("model_name").and_then(Value::as_str);
    let other_size = size.is_some_and(|bytes| bytes != about.device.capacity_bytes);
    if other_size || model.is_some_and(|model| !super::same_model(model, &about.device.model)) {
        return Err("its model or media size is not that of --identity; give the identity of the drive that was measured, or none"
            .to_owned());
    }
    let mut series = Vec::new();
    let mut elapsed_ns = 0;
    for (label, position) in PLACES {
        let mine = |line: &String| line.starts_with(label) && line[label.len()..].starts_with(':');
        let lines: Vec<String> = plain_lines(&text).filter(mine).collect();
        let Some(line) = lines.first() else { continue };
        if lines.iter().any(|other| other != line) {
            return Err(
                "it holds several outputs of diskinfo; give each as a file of its own, and import one".to_owned()
            );
        }
        let (offset, length, time) = sample(line, label, about)?;
        elapsed_ns += time;
        series.push(
            json!({"position": position, "offset_blocks": [offset], "length_blocks": [length], "elapsed_ns": [time]}),
        );
    }
    if series.is_empty() {
        return Err(
            "it has no transfer rates (outside, middle, inside); give the whole output of diskinfo -t".to_owned()
        );
    }
    if text.contains("Seek times:") || text.contains("stroke:") {
        taken.remarks.push(
            "diskinfo's seek times are means without samples, which no kind carries, and were left out.".to_owned(),
        );
    }
    taken
        .remarks
        .push("diskinfo reads one stretch of each place once: nothing says how far it may be trusted.".to_owned());
    let shortest = series.iter().filter_map(|one| one["elapsed_ns"][0].as_u64()).min().unwrap_or(1_000_000);
    let params = json!({
        "block_bytes": about.block_bytes(),
        "transfer_blocks": (MIB / about.block_bytes()).max(1),
        "sample_ns": shortest.clamp(1_000_000, 3_600_000_000_000),
        "samples_per_position": 1,
    });
    taken.benchmarks.push(entry("positional", params, series, elapsed_ns));
    Ok(taken)
}

/// The device's name stands on the line above its sizes, or in the command.
fn one_whole_drive(text: &str) -> Result<(), String> {
    let lines: Vec<String> = plain_lines(text).filter(|line| !line.is_empty()).collect();
    let above = lines.windows(2).filter(|pair| pair[1].ends_with("# sectorsize")).map(|pair| pair[0].as_str());
    let alone = lines.iter().map(String::as_str).filter(|line| line.starts_with("/dev/") && !line.contains(' '));
    let asked = lines.iter().flat_map(|line| {
        line.split_whitespace().skip_while(|word| *word != "diskinfo").skip(1).filter(|word| !word.starts_with('-'))
    });
    let mut names: Vec<String> = Vec::new();
    for word in above.chain(alone).chain(asked) {
        let name = if word.starts_with("/dev/") { word.to_owned() } else { format!("/dev/{word}") };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match &names[..] {
        [] if identity(text).is_some() => Ok(()),
        [] => Err("no line says which device it read; give the whole output of diskinfo -tv".to_owned()),
        [name] => whole_drive(name).map_err(|why| format!("{why}; measure the whole drive")),
        _ => Err(format!(
            "it is of several devices ({}), and a run is of one; give what it printed of one",
            names.join(", ")
        )),
    }
}

/// `outside:  102400 kbytes in   0.439125 sec =   233191 kbytes/sec`, with kbytes of 1024 bytes.
fn sample(line: &str, label: &str, about: &ImportContext<'_>) -> Result<(u64, u64, u64), String> {
    let wrong = || format!("the line {line:?} is not as diskinfo prints it; give its output unchanged");
    let words: Vec<&str> = line[label.len() + 1..].split_whitespace().collect();
    let [amount, "kbytes", "in", seconds, "sec", "=", rate, "kbytes/sec"] = words[..] else { return Err(wrong()) };
    let bytes = amount
        .parse::<u64>()
        .ok()
        .and_then(|kib| kib.checked_mul(1024))
        .filter(|bytes| *bytes > 0)
        .ok_or_else(wrong)?;
    let (seconds, rate) = Figure::parse(seconds).zip(Figure::parse(rate)).ok_or_else(wrong)?;
    #[expect(clippy::cast_precision_loss, reason = "at most 100 MiB")]
    let elapsed_ns = time_of(bytes as f64, seconds, rate, 1024.0, 0.0).ok_or_else(wrong)?;
    let (block, blocks) = (about.block_bytes(), about.blocks());
    let length = bytes / block;
    if length == 0 || length + 1 > blocks {
        return Err("it read more than the drive of --identity has; give the identity of the drive that was measured"
            .to_owned());
    }
    let offset = match label {
        "outside" => 1,
        "middle" => (blocks / 2).saturating_sub(length / 2),
        _ => blocks - length,
    };
    Ok((offset.min(blocks - length), length, elapsed_ns))
}
