//! The drive file as written: every field of the TOML, nothing checked yet but names and types.

use serde::Deserialize;

use super::variation::{ColdWrites, Spindle, Unsteady};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveFile {
    pub identity: IdentityFile,
    pub media: MediaFile,
    pub zones: Vec<ZoneFile>,
    pub seek: SeekFile,
    pub command: CommandFile,
    pub read_cache: ReadCacheFile,
    pub write_cache: WriteCacheFile,
    /// One request at a time where left out.
    pub queue: Option<QueueFile>,
    pub temperature: Option<TemperatureFile>,
    pub cold_writes: Option<ColdWrites>,
    pub unsteady: Option<Unsteady>,
    pub spindle: Option<Spindle>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityFile {
    pub vendor: String,
    pub model: String,
    pub firmware: Option<String>,
    /// `ata` or `scsi`: how the drive of that name is attached.
    pub interface: String,
    pub form_factor: Option<String>,
    pub link_bits_per_s: Option<u64>,
    pub manufacture_year: Option<u16>,
    pub manufacture_week: Option<u8>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MediaFile {
    pub rpm: f64,
    pub heads: u16,
    pub logical_block_bytes: u32,
    pub physical_block_bytes: u32,
    /// What the drive says it holds; all that the zones hold where left out.
    pub capacity_bytes: Option<u64>,
    /// `cylinder`, `cylinder_serpentine` or `surface_serpentine`.
    pub layout: String,
    /// Cylinders that one head runs through before the next head runs back.
    pub serpentine_cylinders: Option<u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum PerHead {
    Same(u32),
    Each(Vec<u32>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneFile {
    pub cylinders: u32,
    /// Physical sectors on a track, spares included.
    pub sectors_per_track: PerHead,
    pub track_skew_sectors: Option<f64>,
    pub track_skew_ms: Option<f64>,
    pub cylinder_skew_sectors: Option<f64>,
    pub cylinder_skew_ms: Option<f64>,
    /// From the end of one serpentine band to the start of the next.
    pub band_skew_ms: Option<f64>,
    #[serde(default)]
    pub spares_per_track: u32,
    #[serde(default)]
    pub spares_per_cylinder: u32,
    /// Whole tracks at the zone's end, and sectors before them.
    #[serde(default)]
    pub spare_tracks: u32,
    #[serde(default)]
    pub spares_per_zone: u32,
    /// Sectors, at random places, that got no number: those behind them moved on into the nearest spares.
    #[serde(default)]
    pub slipped_defects: u32,
    /// Sectors, at random places, that lie among the zone's spares.
    #[serde(default)]
    pub remapped_defects: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeekFile {
    pub head_switch_ms: f64,
    pub one_cylinder_ms: f64,
    /// Below the knee a seek over d cylinders takes `short_base_ms + short_sqrt_ms * sqrt(d)`.
    pub short_base_ms: f64,
    pub short_sqrt_ms: f64,
    pub knee_cylinders: u32,
    /// From the knee on the time grows linearly up to this.
    pub full_stroke_ms: f64,
    /// Added to every repositioning before a write.
    #[serde(default)]
    pub write_settle_ms: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandFile {
    pub read_before_ms: f64,
    pub read_after_ms: f64,
    pub write_before_ms: f64,
    pub write_after_ms: f64,
    pub hit_before_ms: f64,
    pub hit_after_ms: f64,
    pub bus_bytes_per_s: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadCacheFile {
    /// 0 means no read cache.
    pub segments: u32,
    pub segment_kib: u32,
    pub look_ahead_kib: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteCacheFile {
    pub enabled: bool,
    pub changeable: bool,
    /// Writes that are taken before the first must be on the medium.
    #[serde(default)]
    pub slots: u32,
    /// What the collected writes may take; without end where left out. Of a longer write so much is still on its way
    /// to the medium when the drive answers.
    pub buffer_kib: Option<u32>,
    /// From the end of one collected write on the medium to when the head can take the next.
    #[serde(default)]
    pub destage_ms: f64,
    /// Whether collected writes that follow each other on the disk go to the medium without a pause between them.
    #[serde(default)]
    pub in_one_pass: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueFile {
    /// Requests that the drive takes before it has answered the first.
    pub depth: u32,
    /// `fifo`, or `sptf`: shortest positioning time first.
    pub scheduler: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemperatureFile {
    pub start_celsius: f64,
    pub steady_celsius: f64,
    pub time_constant_s: f64,
    /// The room swings by so much to both sides, upwards first.
    #[serde(default)]
    pub swing_celsius: f64,
    #[serde(default = "a_day_h")]
    pub swing_period_h: f64,
}

fn a_day_h() -> f64 {
    24.0
}
