//! `smartctl --json -x` (or `-i`): which drive it was. Field names are those of smartmontools 7.0 and later (`json_format_version` 1).
//! Of the serial number only its slow digest goes on.

use serde_json::Value;

use super::{ImportError, ImportOptions, Input};
use crate::report::digest::unit_digest;
use crate::report::document::{CacheSetting, DeviceReport, Rotational};

pub fn device(input: &Input, asked: &ImportOptions) -> Result<DeviceReport, ImportError> {
    let wrong = |why: &str| ImportError::new(input, why);
    let value: Value = serde_json::from_slice(&input.bytes)
        .map_err(|_| wrong("this is no JSON; make it with: smartctl --json -x /dev/DISK"))?;
    if value.get("json_format_version").is_none() || value.get("smartctl").is_none() {
        return Err(wrong("this is JSON, but not smartctl's; make it with: smartctl --json -x /dev/DISK"));
    }
    let model = first_text(&value, &["scsi_product", "product", "model_name", "scsi_model_name"]);
    let model = model.ok_or_else(|| wrong("it names no model: smartctl did not reach the drive. Run it as root, with -d TYPE behind a bridge or a RAID controller"))?;
    let capacity = number(&value, "/user_capacity/bytes")
        .or_else(|| number(&value, "/nvme_namespaces/0/capacity/bytes"))
        .or_else(|| number(&value, "/nvme_total_capacity"));
    let capacity_bytes = capacity
        .filter(|bytes| *bytes >= 512)
        .ok_or_else(|| wrong("it states no capacity; make it with: smartctl --json -x /dev/DISK"))?;
    let logical =
        block(&value, "/logical_block_size").or_else(|| block(&value, "/nvme_namespaces/0/formatted_lba_size"));
    let logical =
        logical.ok_or_else(|| wrong("it states no block size; make it with: smartctl --json -x /dev/DISK"))?;
    let (rotational, rotation_rate_rpm) = rotation(&value, asked)
        .ok_or_else(|| wrong("it does not say whether the drive turns; add --rotational yes or --rotational no"))?;
    let serial = first_text(&value, &["serial_number"]);
    Ok(DeviceReport {
        unit_digest: serial.and_then(|serial| unit_digest(&model, &serial)),
        vendor: first_text(&value, &["scsi_vendor", "vendor"]),
        firmware: first_text(&value, &["firmware_version", "scsi_revision", "revision"]),
        model,
        capacity_bytes,
        logical_block_bytes: logical,
        physical_block_bytes: block(&value, "/physical_block_size").unwrap_or(logical),
        block_bytes: logical,
        block_bytes_source: "logical".to_owned(),
        rotational,
        rotation_rate_rpm,
        form_factor: text(value.pointer("/form_factor/name")),
        interface: interface(&value).to_owned(),
        link_speed_bits_per_s: speed(&value, "current"),
        link_speed_supported_bits_per_s: speed(&value, "max"),
        bridge: None,
        write_cache: cache(&value, "/write_cache/enabled"),
        look_ahead: cache(&value, "/read_lookahead/enabled"),
        manufacture: asked.manufacture.clone(),
        batch_label: asked.batch_label.clone(),
        temperature_celsius: None,
    })
}

/// smartctl's own version, such as 7.3.
pub fn version(input: &Input) -> Option<String> {
    let value: Value = serde_json::from_slice(&input.bytes).ok()?;
    let parts = value.pointer("/smartctl/version")?.as_array()?;
    let parts: Option<Vec<String>> =
        parts.iter().take(4).map(|part| part.as_u64().map(|part| part.to_string())).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("."))
}

/// Words without control characters, trimmed; none where nothing is left.
fn text(value: Option<&Value>) -> Option<String> {
    let words: String = value?.as_str()?.chars().filter(|character| !character.is_control()).take(256).collect();
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

fn first_text(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| text(value.get(name)))
}

fn number(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path)?.as_u64().filter(|number| *number <= 9_007_199_254_740_991)
}

fn block(value: &Value, path: &str) -> Option<u32> {
    let size = number(value, path)?;
    u32::try_from(size).ok().filter(|size| (256..=1_048_576).contains(size))
}

/// What turns, and at which rate: 0 is smartctl's word for a drive that does not.
fn rotation(value: &Value, asked: &ImportOptions) -> Option<(Rotational, Option<u32>)> {
    let rate = number(value, "/rotation_rate").and_then(|rate| u32::try_from(rate).ok()).filter(|rate| *rate <= 65_534);
    let of = |value: bool, source: &str| Rotational { value, source: source.to_owned(), kernel_says: None };
    let rpm = rate.filter(|rate| *rate > 1);
    if let Some(turns) = asked.rotational {
        return Some((of(turns, "user"), rpm.filter(|_| turns)));
    }
    if let Some(rate) = rate {
        return Some((of(rate > 0, "device"), rpm));
    }
    (interface(value) == "nvme").then(|| (of(false, "device"), None))
}

fn interface(value: &Value) -> &'static str {
    let kind = value.pointer("/device/type").and_then(Value::as_str).unwrap_or_default();
    // smartctl's types of USB bridges; `sat` is a plain ATA disk as well as one behind a bridge.
    if kind.starts_with("usb") || kind.starts_with("snt") {
        return "usb";
    }
    match value.pointer("/device/protocol").and_then(Value::as_str) {
        Some("ATA") => "ata",
        Some("SCSI") => "scsi",
        Some("NVMe") => "nvme",
        _ => "unknown",
    }
}

fn speed(value: &Value, which: &str) -> Option<u64> {
    let units = number(value, &format!("/interface_speed/{which}/units_per_second"))?;
    let bits = number(value, &format!("/interface_speed/{which}/bits_per_unit"))?;
    units.checked_mul(bits).filter(|speed| (1..=9_007_199_254_740_991).contains(speed))
}

fn cache(value: &Value, path: &str) -> CacheSetting {
    CacheSetting { current: value.pointer(path).and_then(Value::as_bool), ..CacheSetting::default() }
}
