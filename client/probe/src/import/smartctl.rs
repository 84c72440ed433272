//! Which drive it was: what smartctl printed of it (JSON of 7.0 and later, text of 5.4 and later), what diskinfo or hdparm -I say, or
//! the words of whoever imports. What the drive said goes before what a person says. Of the serial number only its slow digest goes on.

use serde_json::Value;

use super::plain::first_json;
use super::{ImportError, ImportOptions, Input, diskinfo, hdparm_identity, smartctl_text};
use crate::identify::DriveName;
use crate::report::digest::unit_digest;
use crate::report::document::{CacheSetting, DeviceReport, Manufacture, Rotational};

const SEVERAL: &str = "it is of several drives; give what smartctl printed of the one that was measured";
const MAKE_IT: &str = "make it with: smartctl --json -x /dev/DISK";

/// What a file says of a drive, by the names that smartctl's JSON has.
/// Errors: what it is instead, or what of it is damaged.
pub fn facts(input: &Input) -> Result<Value, ImportError> {
    let wrong = |why: String| ImportError::new(input, why);
    let text = super::text_of(&input.bytes);
    if smartctl_text::is_text(&text) && !text.trim_start().starts_with('{') {
        if text.contains("\"json_format_version\"") {
            return Err(wrong(SEVERAL.to_owned()));
        }
        return smartctl_text::parse(&text).map_err(wrong);
    }
    if let Some(found) = diskinfo::identity(&text) {
        return Ok(found);
    }
    if hdparm_identity::is_text(&text) {
        return hdparm_identity::parse(&text).map_err(wrong);
    }
    let start = text.find('{').map(|at| &text[at..]).unwrap_or_default();
    let (value, more) = first_json(start)
        .ok_or_else(|| wrong(format!("this is neither JSON nor text of smartctl, or it is damaged; {MAKE_IT}")))?;
    if text.trim_start().starts_with('[') || more {
        return Err(wrong(SEVERAL.to_owned()));
    }
    // A version before 7.0 wrote no version, and tools that keep what smartctl printed leave it out.
    if value.get("smartctl").is_none() && value.pointer("/device/protocol").is_none() {
        return Err(wrong(format!("this is JSON, but not smartctl's of one drive; {MAKE_IT}")));
    }
    Ok(value)
}

/// Whose words `facts` are, as the document names the format of a file.
pub fn format_of(input: &Input) -> &'static str {
    let text = super::text_of(&input.bytes);
    if text.trim_start().starts_with('{') {
        "smartctl-json"
    } else if smartctl_text::is_text(&text) {
        "smartctl-text"
    } else if hdparm_identity::is_text(&text) {
        "hdparm-text"
    } else {
        "diskinfo-text"
    }
}

/// Errors: what is missing or is no drive, and the remedy, as a sentence.
pub fn device(value: &Value, asked: &ImportOptions) -> Result<DeviceReport, String> {
    let vendor = first_text(value, &["scsi_vendor", "vendor"]);
    let said = first_text(value, &["scsi_product", "product", "model_name", "scsi_model_name"])
        .map(|said| without_vendor(&said, vendor.as_deref()));
    let model = said.or_else(|| asked.model.clone()).ok_or_else(|| no_model(value))?;
    a_drive(value, vendor.as_deref().unwrap_or_default(), &model)?;
    let logical = block(value, "/logical_block_size")
        .or_else(|| namespace(value, "formatted_lba_size").and_then(|size| u32::try_from(size).ok()))
        .or_else(|| counted_block(value))
        .or(asked.block_bytes)
        .or_else(|| before_sectors(value).then_some(512))
        .ok_or_else(|| no_block(value))?;
    let capacity_bytes = capacity(value).or(asked.capacity_bytes).ok_or_else(no_capacity)?;
    let blocks = number(value, "/user_capacity/blocks").filter(|_| number(value, "/user_capacity/bytes").is_some());
    if !capacity_bytes.is_multiple_of(u64::from(logical))
        || blocks.is_some_and(|blocks| blocks != capacity_bytes / u64::from(logical))
    {
        return Err(format!(
            "its capacity of {capacity_bytes} bytes is not the number of blocks of {logical} that it states: somebody changed it; {MAKE_IT}"
        ));
    }
    let (rotational, rotation_rate_rpm) = rotation(value, asked)
        .ok_or("nothing says whether the drive turns; add --rotational yes or --rotational no")?;
    let serial = first_text(value, &["serial_number"]).filter(|serial| is_serial(serial));
    Ok(DeviceReport {
        unit_digest: serial.and_then(|serial| unit_digest(&model, &serial)),
        vendor,
        firmware: first_text(value, &["firmware_version", "scsi_revision", "revision"])
            .filter(|words| !is_masked(words)),
        model,
        capacity_bytes,
        logical_block_bytes: logical,
        physical_block_bytes: block(value, "/physical_block_size").unwrap_or(logical),
        block_bytes: logical,
        block_bytes_source: "logical".to_owned(),
        rotational,
        rotation_rate_rpm,
        form_factor: text(value.pointer("/form_factor/name")),
        shingled: None,
        access_ranges: Vec::new(),
        interface: interface(value).to_owned(),
        link_speed_bits_per_s: speed(value, "current"),
        link_speed_supported_bits_per_s: speed(value, "max"),
        bridge: None,
        write_cache: cache(value, "/write_cache/enabled"),
        look_ahead: cache(value, "/read_lookahead/enabled"),
        manufacture: asked.manufacture.clone().or_else(|| manufacture(value)),
        batch_label: asked.batch_label.clone(),
        temperature_celsius: None,
    })
}

/// `scsi_model_name` is vendor and product in one.
fn without_vendor(model: &str, vendor: Option<&str>) -> String {
    let rest = vendor.and_then(|vendor| model.strip_prefix(vendor)?.strip_prefix(' ')).map(str::trim);
    rest.filter(|rest| !rest.is_empty()).unwrap_or(model).to_owned()
}

/// What a document says of where its identity comes from.
pub fn remarks(value: &Value, device: &DeviceReport, tool: &str, model_is_printed: bool) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(version) = version(value) {
        found.push(format!("The drive's identity is that of smartctl {version}; its caches stood as it says when smartctl ran, not while {tool} measured."));
    }
    if value.is_null() && model_is_printed {
        found.push("The model is that of the tool's own text, the capacity the word of whoever imported it: the drive itself was not asked.".to_owned());
    } else if value.is_null() {
        found.push(
            "Model and capacity of the drive are the words of whoever imported it: the drive itself was not asked."
                .to_owned(),
        );
    }
    if before_sectors(value) {
        found.push(
            "smartctl before 5.41 prints no block size; ATA disks of its time have blocks of 512 bytes.".to_owned(),
        );
    }
    if device.unit_digest.is_none() {
        found.push("The serial number is missing, or somebody masked it: nothing stands for the unit.".to_owned());
    }
    found
}

/// smartctl's own version, such as 7.3.
fn version(value: &Value) -> Option<String> {
    let parts = value.pointer("/smartctl/version")?.as_array()?;
    let parts: Option<Vec<String>> =
        parts.iter().take(4).map(|part| part.as_u64().map(|part| part.to_string())).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("."))
}

/// An ATA disk of a smartctl that printed no block size yet (before 5.41).
fn before_sectors(value: &Value) -> bool {
    let part = |at: usize| value.pointer(&format!("/smartctl/version/{at}")).and_then(Value::as_u64);
    interface(value) == "ata"
        && value.pointer("/logical_block_size").is_none_or(Value::is_null)
        && part(0) == Some(5)
        && part(1) < Some(41)
}

// ---- What is no drive, or whose words are masked.

fn a_drive(value: &Value, vendor: &str, model: &str) -> Result<(), String> {
    let name = |path: &str| value.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let known = DriveName::of(vendor, model).kind;
    let words = format!("{vendor} {model}").to_lowercase();
    let volume = ["raid", "volume", "logical", "virtual", "perc ", "array", "stripe", "mirror", "jbod"];
    if known == "volume" || known == "virtual" || volume.iter().any(|word| words.contains(word)) {
        return Err(format!(
            "{:?} is a volume that a controller or a virtual machine makes, not a drive; name the drive behind it, for example: smartctl --json -x -d megaraid,N /dev/DISK (or -d cciss,N, -d areca,N, -d 3ware,N; smartctl --scan lists them)",
            format!("{vendor} {model}").trim()
        ));
    }
    if name("/scsi_transport_protocol/name").to_lowercase().contains("iscsi") {
        return Err(
            "it was reached by iSCSI: what lies at the other end is a volume; run smartctl where the drives are"
                .to_owned(),
        );
    }
    let kind = name("/device_type/name");
    if !kind.is_empty() && !kind.starts_with("disk") && !kind.contains("zoned") {
        return Err(format!("it is a {kind}, not a disk; give what smartctl prints of the disk that was measured"));
    }
    if is_masked(model) {
        return Err(format!(
            "its model {model:?} is masked, and without it nobody knows which drive this is; give smartctl's output unchanged (of the serial number only a digest is kept)"
        ));
    }
    Ok(())
}

/// Words that stand in somebody else's place: REDACTED, XXXX, ***.
fn is_masked(words: &str) -> bool {
    let upper = words.to_uppercase();
    let hidden = ["XXXX", "REDACT", "MASKED", "HIDDEN", "REMOVED", "ANONYM", "CENSOR", "****", "####", "...."];
    hidden.iter().any(|hidden| upper.contains(hidden))
        || !words.chars().any(char::is_alphanumeric)
        || ["XXX", "XX", "X"].contains(&upper.as_str())
}

/// Whether a serial number can stand for a unit. What is masked or made up would make one unit of many drives: too few different
/// characters, one of them many times in a row, or digits that count up.
fn is_serial(serial: &str) -> bool {
    let upper = serial.to_uppercase();
    let bytes: Vec<u8> = upper.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let different = bytes.iter().collect::<std::collections::BTreeSet<_>>().len();
    let same = bytes.chunk_by(|one, two| one == two).map(<[u8]>::len).max().unwrap_or(0);
    let counting = bytes.windows(7).any(|seven| seven.windows(2).all(|pair| pair[1] == pair[0] + 1));
    let strange = !upper
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || matches!(character, ' ' | '-' | '_' | '.' | '/' | ':'));
    let placeholder = ["SERIAL", "UNKNOWN", "NONE", "N/A", "DEFAULT"].iter().any(|word| upper.contains(word));
    !is_masked(serial) && !strange && !placeholder && different >= 4 && same < 6 && !counting
}

fn no_model(value: &Value) -> String {
    if value.get("smartctl").is_none() && value.pointer("/device/protocol").is_none() {
        return "it names no model, as diskinfo before FreeBSD 12 and some disks do; add --model".to_owned();
    }
    let said =
        value.pointer("/smartctl/messages/0/string").and_then(Value::as_str).map(|said| super::printable(said, 200));
    let said = said.map(|said| format!(" (it said: {said})")).unwrap_or_default();
    format!(
        "it names no model: smartctl did not reach the drive, or was not asked for it{said}. Run it as root: smartctl --json -x /dev/DISK, with -d TYPE behind a bridge or a RAID controller; or add --model"
    )
}

fn no_capacity() -> String {
    "it states no capacity: the drive, or what lies before it, did not tell; add --capacity BYTES, or run smartctl on the disk itself (for NVMe its namespace: smartctl --json -x /dev/nvme0n1)".to_owned()
}

fn no_block(value: &Value) -> String {
    let several = value.get("nvme_number_of_namespaces").and_then(Value::as_u64).is_some_and(|count| count > 1);
    let why = if several {
        "smartctl was asked of the controller, whose namespaces each have a size of blocks of their own"
    } else {
        "it states no size of blocks"
    };
    format!(
        "{why}; add --block-bytes 512 (or 4096, as it is formatted: lsblk -o NAME,LOG-SEC says), or run smartctl on the disk itself (for NVMe its namespace: smartctl --json -x /dev/nvme0n1)"
    )
}

// ---- Members of smartctl's JSON (`json_format_version` 1).

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

/// Of the only namespace that is described.
fn namespace(value: &Value, member: &str) -> Option<u64> {
    let [only] = value.get("nvme_namespaces")?.as_array()?.as_slice() else { return None };
    only.pointer(&format!("/{member}"))?.as_u64()
}

fn capacity(value: &Value) -> Option<u64> {
    number(value, "/user_capacity/bytes")
        .or_else(|| namespace(value, "capacity/bytes"))
        .or_else(|| number(value, "/nvme_total_capacity"))
        .filter(|bytes| *bytes >= 512)
}

fn block(value: &Value, path: &str) -> Option<u32> {
    let size = number(value, path)?;
    u32::try_from(size).ok().filter(|size| (256..=1_048_576).contains(size))
}

/// The capacity stands there in blocks and in bytes.
fn counted_block(value: &Value) -> Option<u32> {
    let (bytes, blocks) = (number(value, "/user_capacity/bytes")?, number(value, "/user_capacity/blocks")?);
    let size = u32::try_from(bytes.checked_div(blocks)?).ok()?;
    (bytes == u64::from(size) * blocks && size.is_power_of_two() && (512..=8192).contains(&size)).then_some(size)
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
    if interface(value) == "nvme" {
        return Some((of(false, "device"), None));
    }
    spins(value).then(|| (of(true, "device"), None))
}

/// Whether its counters say that a platter was spun up and a head moved: drives of before 2007 or so state no rotation
/// rate. Flash drives that list such counters leave them at 0, so that a 0 says nothing.
fn spins(value: &Value) -> bool {
    const SPIN_UP_TIME: u64 = 3;
    const SEEKS: [u64; 2] = [7, 8];
    let Some(table) = value.pointer("/ata_smart_attributes/table").and_then(Value::as_array) else { return false };
    let counted = |id: u64| {
        let row = table.iter().find(|row| row.get("id").and_then(Value::as_u64) == Some(id))?;
        number(row, "/raw/value")
    };
    counted(SPIN_UP_TIME)
        .is_some_and(|spun_up| spun_up > 0 || SEEKS.iter().any(|id| counted(*id).is_some_and(|seeks| seeks > 0)))
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

/// From the log page of SCSI disks that counts starts and stops (0x0e).
fn manufacture(value: &Value) -> Option<Manufacture> {
    let of =
        |name: &str| value.pointer(&format!("/scsi_start_stop_cycle_counter/{name}"))?.as_str()?.parse::<u16>().ok();
    let year = of("year_of_manufacture").filter(|year| (1956..=2155).contains(year))?;
    let week = of("week_of_manufacture").filter(|week| (1..=53).contains(week))?;
    Some(Manufacture { year, week: u8::try_from(week).ok()?, source: "log_page_0x0e".to_owned() })
}
