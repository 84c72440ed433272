//! What `hdparm -I` says of an ATA disk, as the members that smartctl's JSON has for the same: one reader goes on from both. It names
//! the capacity in sectors and, in short, in MB of 10^6 bytes, which have to agree.

use serde_json::{Value, json};

use super::{hdparm, plain_lines, smartctl_text};

const HEADING: &str = "ATA device, with";

pub fn is_text(text: &str) -> bool {
    text.contains(HEADING) && text.contains("Model Number:")
}

/// Whether it says of the very device that was read which drive it is. What smartctl printed in the same file may be of another one.
pub fn is_of_what_was_read(text: &str) -> bool {
    is_text(text) && !smartctl_text::is_text(text) && hdparm::is_of_one_device(text) && parse(text).is_ok()
}

/// Errors: what of the text is damaged or missing, as a sentence.
pub fn parse(text: &str) -> Result<Value, String> {
    let lines: Vec<String> = plain_lines(text).map(|line| line.trim_start_matches('*').trim().to_owned()).collect();
    let switched_on = |words: &str| {
        let mut found = plain_lines(text).filter(|line| line.trim_start_matches('*').trim() == words);
        found.next().map(|line| line.starts_with('*'))
    };
    let get = |label: &str| value_of(&lines, label);
    let number = |label: &str, unit: &str| {
        let told = get(label)?;
        let digits = told.as_deref().and_then(|value| value.strip_suffix(unit)).map(str::trim);
        Ok::<_, String>(digits.and_then(|digits| digits.parse::<u64>().ok()))
    };
    let both = number("Logical/Physical Sector size", "bytes")?;
    let logical = number("Logical  Sector size", "bytes")?.or(both).unwrap_or(512);
    let sectors = number("LBA48  user addressable sectors", "")?.or(number("LBA    user addressable sectors", "")?);
    let bytes = capacity(sectors, logical, get("device size with M = 1000*1000")?.as_deref()).ok_or(
        "its sectors and its device size contradict each other or are missing; give the whole output of hdparm -I",
    )?;
    let rate = get("Nominal Media Rotation Rate")?;
    let turns = rate.as_deref().and_then(|rate| rate.parse::<u64>().ok());
    Ok(json!({
        "model_name": get("Model Number")?,
        "serial_number": get("Serial Number")?,
        "firmware_version": get("Firmware Revision")?,
        "device": {"protocol": "ATA"},
        "user_capacity": {"bytes": bytes},
        "logical_block_size": logical,
        "physical_block_size": number("Physical Sector size", "bytes")?.or(both),
        "rotation_rate": if rate.as_deref() == Some("Solid State Device") { Some(0) } else { turns },
        "form_factor": {"name": get("Form Factor")?.map(|name| name.replace(" inch", " inches"))},
        "write_cache": {"enabled": switched_on("Write cache")},
        "read_lookahead": {"enabled": switched_on("Look-ahead")},
    }))
}

/// Sectors and their size, where the short form `1000204 MBytes (1000 GB)` agrees.
fn capacity(sectors: Option<u64>, sector_bytes: u64, short: Option<&str>) -> Option<u64> {
    let bytes = sectors?.checked_mul(sector_bytes)?;
    let (megabytes, _) = short?.split_once(" MBytes")?;
    (megabytes.parse() == Ok(bytes / 1_000_000)).then_some(bytes)
}

/// Errors: the label has several values.
fn value_of(lines: &[String], label: &str) -> Result<Option<String>, String> {
    let of = |line: &String| line.strip_prefix(label).and_then(|rest| rest.trim().strip_prefix(':')).map(str::to_owned);
    let found: Vec<String> = lines.iter().filter_map(of).map(|value| value.trim().to_owned()).collect();
    match &found[..] {
        [] => Ok(None),
        [first, rest @ ..] if rest.iter().all(|other| other == first) => Ok(Some(first.clone())),
        _ => Err("it is of several drives; give what hdparm -I printed of the one that was measured".to_owned()),
    }
}
