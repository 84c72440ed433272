//! A simulated drive's parameters after checking, in the units that the engine works with.

use serde::Serialize;

use super::layout::Layout;
use super::variation::{ColdWrites, Spindle, Unsteady};

/// What the drive says of itself; the run document takes it over with provenance `simulated`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    pub vendor: String,
    pub model: String,
    pub firmware: Option<String>,
    /// A made-up serial number, the same for the same drive and seed: the unit of a simulated run.
    pub serial: String,
    /// `ata` or `scsi`.
    pub interface: String,
    pub form_factor: Option<String>,
    pub link_speed_bits_per_s: Option<u64>,
    pub rotation_rate_rpm: u32,
    pub manufacture_year: Option<u16>,
    pub manufacture_week: Option<u8>,
    pub write_cache: WriteCacheState,
}

/// The write cache's states as SCSI's mode pages tell them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "the four states are what SCSI reports, one bit each")]
pub struct WriteCacheState {
    pub current: bool,
    pub changeable: bool,
    pub default: bool,
    pub saved: bool,
}

/// Everything that decides how long a request takes.
#[derive(Clone, Debug)]
pub struct Model {
    pub name: String,
    pub identity: Identity,
    pub logical_block_bytes: u32,
    pub physical_block_bytes: u32,
    /// In physical sectors.
    pub capacity_sectors: u64,
    pub rotation_ns: f64,
    pub layout: Layout,
    pub seek: SeekCurve,
    pub command: Command,
    pub read_cache: ReadCache,
    pub write_cache: WriteCache,
    pub queue: Queue,
    pub temperature: Option<Temperature>,
    pub cold_writes: Option<ColdWrites>,
    pub unsteady: Option<Unsteady>,
    pub spindle: Option<Spindle>,
}

impl Model {
    /// Logical blocks in one physical sector: 8 on a 512e drive.
    pub fn blocks_per_sector(&self) -> u64 {
        u64::from(self.physical_block_bytes / self.logical_block_bytes)
    }

    pub fn capacity_bytes(&self) -> u64 {
        self.capacity_sectors * u64::from(self.physical_block_bytes)
    }

    pub fn capacity_blocks(&self) -> u64 {
        self.capacity_sectors * self.blocks_per_sector()
    }

    /// How many times as long as the medium needs a transfer takes that begins at `at_ns`.
    pub fn slowness(&self, at_ns: f64, writes: bool) -> f64 {
        let own = self.unsteady.map_or(1.0, |unsteady| unsteady.factor(at_ns));
        let celsius = self.temperature.map(|temperature| temperature.celsius_at(at_ns as u64));
        let cold = self.cold_writes.filter(|cold| writes && celsius.is_some_and(|celsius| celsius <= cold.celsius));
        own / cold.map_or(1.0, |cold| cold.share)
    }

    /// How long the bus takes for so many logical blocks.
    pub fn bus_ns(&self, blocks: u64) -> f64 {
        (blocks * u64::from(self.logical_block_bytes)) as f64 * self.command.bus_ns_per_byte
    }
}

/// Command overheads of the drive and the host's path to it.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    pub read_before_ns: f64,
    pub read_after_ns: f64,
    /// Includes the bus time of the first block: what follows it arrives while the head is on its way.
    pub write_before_ns: f64,
    pub write_after_ns: f64,
    /// Of a request that the buffer answers.
    pub hit_before_ns: f64,
    pub hit_after_ns: f64,
    pub bus_ns_per_byte: f64,
}

/// The segmented read buffer; sizes in physical sectors.
#[derive(Clone, Copy, Debug)]
pub struct ReadCache {
    pub segments: usize,
    pub segment_sectors: u64,
    pub look_ahead_sectors: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct WriteCache {
    pub enabled: bool,
    pub slots: usize,
    /// Logical blocks that fit in.
    pub buffer_blocks: u64,
    pub destage_ns: f64,
    /// Whether collected writes that follow each other on the disk go to the medium without a pause between them.
    pub in_one_pass: bool,
}

/// How many requests the drive takes at once, and which it serves first.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    pub depth: usize,
    pub scheduler: Scheduler,
}

/// The order in which waiting requests are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// First come, first served.
    Fifo,
    /// Shortest positioning time first: seek and rotation together.
    Sptf,
}

/// Seek time over cylinders: `a + b sqrt(d)` below the knee, `c + e d` from there on, meeting at the knee.
#[derive(Clone, Copy, Debug)]
pub struct SeekCurve {
    pub one_cylinder_ns: f64,
    pub short_base_ns: f64,
    pub short_sqrt_ns: f64,
    pub knee_cylinders: u32,
    pub long_per_cylinder_ns: f64,
    pub head_switch_ns: f64,
    pub write_settle_ns: f64,
}

impl SeekCurve {
    fn short_ns(&self, cylinders: u32) -> f64 {
        self.short_base_ns + self.short_sqrt_ns * f64::from(cylinders).sqrt()
    }

    /// Of a read; a write adds `write_settle_ns`.
    pub fn seek_ns(&self, cylinders: u32) -> f64 {
        match cylinders {
            0 => 0.0,
            1 => self.one_cylinder_ns,
            d if d < self.knee_cylinders => self.short_ns(d),
            d => self.short_ns(self.knee_cylinders) + f64::from(d - self.knee_cylinders) * self.long_per_cylinder_ns,
        }
    }
}

/// A case that warms up from `start_celsius` towards `steady_celsius`, in a room that gets warmer and colder.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Temperature {
    pub start_celsius: f64,
    pub steady_celsius: f64,
    pub time_constant_ns: f64,
    /// The room swings by so much to both sides, upwards first.
    pub swing_celsius: f64,
    pub swing_period_ns: f64,
}

impl Temperature {
    pub fn celsius_at(&self, now_ns: u64) -> i32 {
        let cooled = (-(now_ns as f64) / self.time_constant_ns).exp();
        let swing = (std::f64::consts::TAU * now_ns as f64 / self.swing_period_ns).sin() * self.swing_celsius;
        (self.steady_celsius + (self.start_celsius - self.steady_celsius) * cooled + swing).round() as i32
    }
}
