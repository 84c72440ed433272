//! The run document `run/v1`: what one invocation of the probe saw on one device.
//!
//! The published contract is `server/core/schema/run-v1.json`; a field changed here would break the v1 reader.

use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::json::Json;

pub const SCHEMA: &str = "run/v1";
pub const PAYLOAD_TYPE: &str = "application/vnd.diskatlas.run+json";

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RunDocument {
    pub schema: String,
    /// UUIDv7.
    pub run_id: String,
    /// RFC 3339, UTC, whole seconds, `Z`.
    pub created_at: String,
    pub provenance: Provenance,
    /// An SPDX identifier; `None` until the contributor has consented, and no archive takes it then.
    pub license: Option<String>,
    /// What it was read from; there where the provenance is imported, and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// What an archive asked for the run with; not written where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<RunChallenge>,
    pub probe: Probe,
    pub host: Host,
    pub device: DeviceReport,
    pub conditions: Conditions,
    pub benchmarks: Vec<Benchmark>,
}

/// An archive's request: random places of the run follow from it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct RunChallenge {
    /// As the archive gave it.
    pub nonce: String,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    Probe,
    Simulated,
    Imported,
}

/// The output of another tool that a document was made from.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Imported {
    /// `fio`, `hdparm`, `hdtune`, `zcav`, `diskinfo`, `dd` or `ioping`.
    pub tool: String,
    pub tool_version: Option<String>,
    /// RFC 3339, UTC, whole seconds, `Z`, where the output says it.
    pub measured_at: Option<String>,
    /// Who published the files, where that is somebody else than whoever imports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The files without their names.
    pub files: Vec<ImportedFile>,
    /// What was left out and why, and what the output does not say.
    pub remarks: Vec<String>,
    /// Whether an archive's page read the files, and the archive signed the run: no probe did. Left out where it was not so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_browser: bool,
}

#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct ImportedFile {
    pub format: String,
    /// 64 hex digits.
    pub sha256: String,
    pub size_bytes: u64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Probe {
    pub version: String,
    pub target: String,
    pub commit: Option<String>,
}

impl Probe {
    pub fn this() -> Self {
        let commit = env!("DISKATLAS_COMMIT_OR_UNKNOWN");
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            target: env!("DISKATLAS_TARGET").to_owned(),
            commit: (commit != "unknown").then(|| commit.to_owned()),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Host {
    pub cpu: Option<String>,
    pub kernel: Option<String>,
    pub memory_bytes: Option<u64>,
    pub controller: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hba: Option<Hba>,
    pub scheduler: Option<String>,
}

/// The host adapter: the PCI function that the disk hangs on.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Hba {
    pub driver: Option<String>,
    /// Four hex digits each.
    pub pci_vendor_id: String,
    pub pci_device_id: String,
    /// What its own link to the machine runs at, over all lanes.
    pub link_speed_bits_per_s: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DeviceReport {
    /// Argon2id digest of the serial number, 64 hex digits; the serial number itself never leaves the machine.
    pub unit_digest: Option<String>,
    pub vendor: Option<String>,
    pub model: String,
    pub firmware: Option<String>,
    pub capacity_bytes: u64,
    pub logical_block_bytes: u32,
    pub physical_block_bytes: u32,
    /// The block that the benchmarks stepped by, and whether it is the `physical` or the `logical` one.
    pub block_bytes: u32,
    pub block_bytes_source: String,
    pub rotational: Rotational,
    pub rotation_rate_rpm: Option<u32>,
    pub form_factor: Option<String>,
    /// `host-aware`, `host-managed` or `drive-managed`, where the disk or the kernel tells of shingled tracks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shingled: Option<String>,
    /// Two or more parts of the blocks that have an actuator each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub access_ranges: Vec<AccessRange>,
    /// `ata`, `scsi`, `nvme`, `usb`, `virtio`, `loop`, `simulated` or `unknown`.
    pub interface: String,
    pub link_speed_bits_per_s: Option<u64>,
    /// What the link could run at; a lower speed in use confounds what is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_speed_supported_bits_per_s: Option<u64>,
    /// What stands between the machine's bus and the disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bridge: Option<Bridge>,
    pub write_cache: CacheSetting,
    #[serde(default, skip_serializing_if = "CacheSetting::is_unknown")]
    pub look_ahead: CacheSetting,
    pub manufacture: Option<Manufacture>,
    pub batch_label: Option<String>,
    pub temperature_celsius: Option<i32>,
}

/// A part of the blocks with an actuator of its own.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct AccessRange {
    pub offset_bytes: u64,
    pub length_bytes: u64,
}

/// Whether the device turns, and who says so.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Rotational {
    pub value: bool,
    /// `kernel`, `test` (measured by the probe), `user`, `simulated`, or `device` (the disk's own word, in an import).
    pub source: String,
    pub kernel_says: Option<bool>,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Bridge {
    /// Four hex digits each.
    pub usb_vendor_id: Option<String>,
    pub usb_product_id: Option<String>,
    pub vendor: Option<String>,
    pub product: Option<String>,
    /// `uas` or `usb-storage`.
    pub driver: Option<String>,
    /// The command that reaches the ATA disk behind it, `ata16` or `ata12`; `None` where none does.
    pub pass_through: Option<String>,
}

impl Bridge {
    /// Its numbers, its names and its driver, as far as they are known.
    pub fn words(&self) -> Vec<String> {
        let ids = self.usb_vendor_id.as_ref().zip(self.usb_product_id.as_ref());
        let ids = ids.map(|(vendor, product)| format!("{vendor}:{product}"));
        [ids, self.vendor.clone(), self.product.clone(), self.driver.clone()].into_iter().flatten().collect()
    }
}

/// A switch of a cache in the four states in which a device may tell it.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct CacheSetting {
    pub current: Option<bool>,
    pub changeable: Option<bool>,
    pub default: Option<bool>,
    pub saved: Option<bool>,
}

impl CacheSetting {
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Manufacture {
    pub year: u16,
    pub week: u8,
    /// `log_page_0x0e` or `user`.
    pub source: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Conditions {
    /// `none`, `preserve` or `destroy`.
    pub writes: String,
    pub write_cache_before: Option<bool>,
    /// `None` where the kinds were measured with different ones.
    pub write_cache_during: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache_after: Option<bool>,
    pub look_ahead_before: Option<bool>,
    pub look_ahead_during: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look_ahead_after: Option<bool>,
    /// Requests that others completed on the device during the run, from the kernel's counters.
    pub foreign_requests: Option<u64>,
    pub load_average_1min: Option<f64>,
    pub temperature_before_celsius: Option<i32>,
    pub temperature_after_celsius: Option<i32>,
    /// Whether the run ended before it was through: the document holds what was measured until then.
    pub interrupted: bool,
    /// When the run was cut off and gone on with later. Not written where it was measured in one go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interruptions: Vec<Interruption>,
    /// Pieces that others, swapping or heat disturbed, or that were measured again for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbances: Vec<Disturbance>,
    /// Lowest and highest processor clock during the run, and the highest load average; not written where nobody told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_khz: Option<(u64, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_average_most: Option<f64>,
}

/// What disturbed a piece of a kind: the attempt that was kept, the least disturbed one.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Disturbance {
    pub kind: String,
    pub piece: String,
    pub attempts: u32,
    /// Requests of the piece, and how many of them were under way while something else was.
    pub requests: u64,
    pub disturbed_requests: u64,
    /// Requests of others on the device, pages that the machine swapped, and times that it slowed down for its heat.
    pub foreign_requests: u64,
    pub swapped_pages: u64,
    pub throttle_events: u64,
}

impl Disturbance {
    /// Whether anything happened that a reader has to know.
    pub fn says_something(&self) -> bool {
        self.attempts > 1
            || self.disturbed_requests + self.foreign_requests + self.swapped_pages + self.throttle_events > 0
    }
}

/// A gap in a run that was resumed.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Interruption {
    /// The last that was heard of the run before the gap: RFC 3339, UTC, whole seconds, `Z`.
    pub at: String,
    /// What was measured first after it; `None` where nothing was left to measure.
    pub kind: Option<String>,
    pub piece: Option<String>,
}

/// One kind's part: either what was measured, or why it was not.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Benchmark {
    Measured(Measured),
    Skipped { kind: String, skipped: String },
}

impl Benchmark {
    pub fn kind(&self) -> &str {
        match self {
            Self::Measured(measured) => &measured.kind,
            Self::Skipped { kind, .. } => kind,
        }
    }

    /// How the caches stood, where something was measured and somebody could tell.
    pub fn caches(&self) -> Option<&CachesUsed> {
        match self {
            Self::Measured(measured) => measured.caches.as_ref(),
            Self::Skipped { .. } => None,
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    pub kind: String,
    /// Version of the kind's schema.
    pub version: u32,
    pub params: Value,
    pub samples: Json,
    pub elapsed_ns: u64,
    /// How the device's caches stood while this was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caches: Option<CachesUsed>,
    pub interference: Interference,
    pub errors: Vec<MediumError>,
}

/// Any entry, member by member: serde's own way with untagged entries keeps all of one unpacked until it knows which it is.
#[derive(Deserialize)]
struct AnyBenchmark {
    kind: String,
    skipped: Option<String>,
    version: Option<u32>,
    params: Option<Value>,
    samples: Option<Json>,
    elapsed_ns: Option<u64>,
    caches: Option<CachesUsed>,
    interference: Option<Interference>,
    errors: Option<Vec<MediumError>>,
}

impl<'de> Deserialize<'de> for Benchmark {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let any = AnyBenchmark::deserialize(deserializer)?;
        if let Some(skipped) = any.skipped {
            return Ok(Self::Skipped { kind: any.kind, skipped });
        }
        let missing = D::Error::missing_field;
        Ok(Self::Measured(Measured {
            kind: any.kind,
            version: any.version.ok_or_else(|| missing("version"))?,
            params: any.params.ok_or_else(|| missing("params"))?,
            samples: any.samples.ok_or_else(|| missing("samples"))?,
            elapsed_ns: any.elapsed_ns.ok_or_else(|| missing("elapsed_ns"))?,
            caches: any.caches,
            interference: any.interference.ok_or_else(|| missing("interference"))?,
            errors: any.errors.ok_or_else(|| missing("errors"))?,
        }))
    }
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct CachesUsed {
    pub write: Option<bool>,
    pub look_ahead: Option<bool>,
    /// What the kind would have wanted and why it was not to be had, as a sentence.
    pub instead: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Interference {
    pub foreign_requests: Option<u64>,
    pub involuntary_context_switches: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MediumError {
    pub offset_bytes: u64,
    /// `read` or `write`.
    pub operation: String,
    pub message: String,
}

/// A moment as documents have it: RFC 3339, UTC, whole seconds, `Z`.
pub fn timestamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
