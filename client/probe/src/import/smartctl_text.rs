//! smartctl's text (`smartctl -x`, `-a` or `-i`, 5.4 and later) as the members that its JSON has for the same: one reader goes on from
//! both. Numbers are grouped as the machine's language has it, and the short form in brackets has to agree with them.

use serde_json::{Value, json};

use super::plain_lines;

/// The first words of a line in each of smartctl's sections of a drive's identity.
const LABELS: [&str; 4] = ["Device Model", "Model Number", "Product", "Device"];

/// Whether this is smartctl's text; other texts have other readers.
pub fn is_text(text: &str) -> bool {
    text.contains("smartmontools") || text.contains("=== START OF INFORMATION SECTION ===")
}

/// Errors: what of the text is damaged, as a sentence.
pub fn parse(text: &str) -> Result<Value, String> {
    let fields = fields(text)?;
    let get =
        |label: &str| fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(label)).map(|(_, value)| value.as_str());
    let mut found = json!({
        "json_format_version": [1, 0],
        "smartctl": {"version": version(text), "messages": [{"string": message(text)}]},
        "model_name": get("Device Model").or_else(|| get("Model Number")),
        "vendor": get("Vendor"),
        "product": get("Product"),
        "revision": get("Revision"),
        "serial_number": get("Serial Number"),
        "firmware_version": get("Firmware Version"),
        "device": {"protocol": protocol(&get)},
        "form_factor": {"name": get("Form Factor")},
        "read_lookahead": {"enabled": switch(get("Rd look-ahead is"))},
        "write_cache": {"enabled": switch(get("Write cache is"))},
        "device_type": {"name": get("Device type").or_else(|| get("Devicetype"))},
        "scsi_transport_protocol": {"name": get("Transport protocol")},
        "nvme_number_of_namespaces": get("Number of Namespaces").and_then(|text| text.parse::<u64>().ok()),
    });
    // smartctl 5 prints the three in one line: `Device: SEAGATE ST373453LC Version: 0005`.
    if let Some((name, version)) = get("Device").and_then(|line| line.rsplit_once("Version:")) {
        let (vendor, product) = name.trim().split_once(' ').unwrap_or(("", name.trim()));
        found["vendor"] = json!(vendor);
        found["product"] = json!(product.trim());
        found["revision"] = json!(version.trim());
    }
    for label in ["User Capacity", "Namespace 1 Size/Capacity", "Namespace 1 Size", "Total NVM Capacity"] {
        let Some(line) = get(label) else { continue };
        let bytes = bytes(line).ok_or_else(|| {
            format!("its line {label:?} is {line:?}, which is damaged; give smartctl's text unchanged")
        })?;
        let member = if label == "Total NVM Capacity" { "nvme_total_capacity" } else { "user_capacity" };
        if member == "nvme_total_capacity" {
            found[member] = json!(bytes);
        } else if found[member].is_null() {
            found[member] = json!({"bytes": bytes});
        }
    }
    sectors(&get, &mut found);
    if let Some(rate) = get("Rotation Rate") {
        let turns = rate.strip_suffix("rpm").and_then(|rpm| rpm.trim().parse::<u64>().ok());
        found["rotation_rate"] = json!(if rate == "Solid State Device" { Some(0) } else { turns });
    }
    if let Some(line) = get("SATA Version is") {
        found["interface_speed"] = speeds(line);
    }
    found["ata_smart_attributes"] = json!({"table": attributes(text)});
    Ok(found)
}

/// The vendor's counters: `3 Spin_Up_Time 0x0027 140 140 021 Pre-fail Always - 3958`, or in short
/// `3 Spin_Up_Time POS--K 140 140 021 - 3958`.
fn attributes(text: &str) -> Vec<Value> {
    let row = |line: String| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let id: u64 = words.first()?.parse().ok()?;
        let raw = match words.get(2)? {
            flags if flags.starts_with("0x") => words.get(9)?,
            flags if flags.len() == 6 && flags.chars().all(|flag| "POSRCK-".contains(flag)) => words.get(7)?,
            _ => return None,
        };
        Some(json!({"id": id, "raw": {"value": raw.parse::<u64>().ok()?}}))
    };
    let numbered = |line: &String| line.starts_with(|first: char| first.is_ascii_digit());
    let filled = plain_lines(text).filter(|line| !line.is_empty());
    filled.skip_while(|line| !line.starts_with("ID#")).skip(1).take_while(numbered).filter_map(row).collect()
}

/// `Label: value` of the identity; each once, since a text of two drives is of none.
fn fields(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut over = false;
    for line in plain_lines(text) {
        if line.starts_with("=== START OF") {
            over = !line.contains("INFORMATION SECTION");
        }
        let Some((label, value)) = line.split_once(':').filter(|_| !over) else { continue };
        let (label, value) = (label.trim(), value.trim());
        if value.is_empty() || label.len() > 40 {
            continue;
        }
        let drive = LABELS.contains(&label) || label.eq_ignore_ascii_case("Serial Number");
        match found.iter().find(|(name, _)| name.eq_ignore_ascii_case(label)) {
            Some((_, before)) if drive && before != value => {
                return Err(
                    "it is of several drives; give what smartctl printed of the one that was measured".to_owned()
                );
            }
            Some(_) => {}
            None => found.push((label.to_owned(), value.to_owned())),
        }
    }
    if LABELS.iter().filter(|label| found.iter().any(|(name, _)| name == *label)).count() > 1 {
        return Err("it is of several drives; give what smartctl printed of the one that was measured".to_owned());
    }
    Ok(found)
}

fn protocol<'a>(get: &impl Fn(&str) -> Option<&'a str>) -> Option<&'static str> {
    if get("Device Model").is_some() || get("ATA Version is").is_some() {
        Some("ATA")
    } else if get("Model Number").is_some() {
        Some("NVMe")
    } else if get("Product").or_else(|| get("Device")).is_some() {
        Some("SCSI")
    } else {
        None
    }
}

fn switch(word: Option<&str>) -> Option<bool> {
    match word {
        Some("Enabled") => Some(true),
        Some("Disabled") => Some(false),
        _ => None,
    }
}

/// What it says instead of an identity: `Smartctl open device: /dev/sda failed: Permission denied`.
fn message(text: &str) -> Option<String> {
    let mut lines = plain_lines(text).filter(|line| !line.is_empty());
    let said = ["open device", "failed:", "Unknown USB bridge", "Unable to detect", "Read Device Identity", "No such"];
    lines.find(|line| !line.starts_with("===") && said.iter().any(|words| line.contains(words)))
}

/// `smartctl 7.1 2020-06-20 r5066`.
fn version(text: &str) -> Vec<u64> {
    let mut words = text.split_whitespace().skip_while(|word| !matches!(*word, "smartctl" | "smartctl-64"));
    let number = words.find(|word| word.bytes().next().is_some_and(|byte| byte.is_ascii_digit())).unwrap_or_default();
    number.split('.').map_while(|part| part.parse().ok()).collect()
}

/// `1.500.301.910.016 bytes [1.50 TB]`: groups of three digits, and the same number in short, where that is printed.
#[expect(clippy::cast_precision_loss, reason = "a check to one in fifty")]
fn bytes(line: &str) -> Option<u64> {
    let (long, short) = line.split_once('[').map_or((line, None), |(long, short)| (long, Some(short)));
    // A line that was cut has neither.
    let long = match long.trim().strip_suffix("bytes") {
        Some(long) => long.trim(),
        None if short.is_some() => long.trim(),
        None => return None,
    };
    let separator = |character: char| !character.is_ascii_digit();
    if long.chars().any(|character| {
        separator(character)
            && !matches!(character, ',' | '.' | '\'' | '\u{2019}' | ' ' | '\u{a0}' | '\u{202f}' | '\u{fffd}')
    }) {
        return None;
    }
    let digits: String = long.chars().filter(char::is_ascii_digit).collect();
    let bytes: u64 = digits.parse().ok()?;
    if let Some(short) = short {
        let (number, unit) = short.strip_suffix(']')?.trim().split_once(' ')?;
        let unit = match unit {
            "MB" => 1e6,
            "GB" => 1e9,
            "TB" => 1e12,
            "PB" => 1e15,
            _ => return None,
        };
        let near = number.replace(',', ".").parse::<f64>().ok()? * unit;
        return ((bytes as f64 / near - 1.0).abs() < 0.02).then_some(bytes);
    }
    let groups: Vec<&str> = long.split(separator).collect();
    (groups.len() == 1 || groups[1..].iter().all(|group| group.len() == 3)).then_some(bytes)
}

fn sectors<'a>(get: &impl Fn(&str) -> Option<&'a str>, found: &mut Value) {
    let number = |text: &str| text.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
    let whole = |line: &&str| line.ends_with("physical");
    if let Some(line) = get("Sector Sizes").or_else(|| get("Sector Size")).filter(whole) {
        found["logical_block_size"] = json!(number(line));
        let physical = line.split_once(',').map_or(line, |(_, physical)| physical.trim());
        found["physical_block_size"] = json!(number(physical));
    }
    for (label, member) in
        [("Logical block size", "logical_block_size"), ("Physical block size", "physical_block_size")]
    {
        if let Some(line) = get(label).filter(|line| line.ends_with("bytes")) {
            found[member] = json!(number(line));
        }
    }
    if let Some(line) = get("Namespace 1 Formatted LBA Size") {
        found["logical_block_size"] = json!(number(line).filter(|size| size.is_power_of_two()));
    }
}

/// `SATA 3.0, 6.0 Gb/s (current: 3.0 Gb/s)`.
fn speeds(line: &str) -> Value {
    let speed = |text: &str| {
        let number = text.split("Gb/s").next()?.trim().rsplit([' ', ',']).next()?.parse::<f64>().ok()?;
        let tenths = [1.5, 3.0, 6.0].into_iter().zip([15, 30, 60]).find(|(rate, _)| (rate - number).abs() < 0.01)?.1;
        Some(json!({"units_per_second": tenths, "bits_per_unit": 100_000_000}))
    };
    let (most, now) = line.split_once("(current:").unwrap_or((line, ""));
    let mut found = json!({});
    for (name, part) in [("max", most), ("current", now)] {
        if let Some(speed) = Some(part).filter(|part| part.contains("Gb/s")).and_then(speed) {
            found[name] = speed;
        }
    }
    found
}
