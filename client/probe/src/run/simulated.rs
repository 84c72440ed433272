//! A simulated drive as a target: its document says so everywhere it could be taken for a real one.

use std::io;

use super::target::Target;
use super::{Request, conditions};
use crate::device::burst::{Action, Burst, BurstError, Done, Ending, NoQueue};
use crate::device::raw::Writing;
use crate::device::{AccessError, Cache, Device, Geometry, Span, Timing, Unswitchable};
use crate::identify::Tree;
use crate::report::digest::unit_digest;
use crate::report::document::{CacheSetting, DeviceReport, Manufacture, Provenance, Rotational};
use crate::sim::{self, SimError, SimulatedDrive};

pub fn open(spec: &str, request: &Request) -> Result<Target, SimError> {
    let drive = sim::open(spec)?;
    Ok(Target {
        report: report(&drive, request),
        host: conditions::host(&Tree::machine(), None),
        provenance: Provenance::Simulated,
        kernel_name: None,
        look_ahead: Some(drive.look_ahead()),
        left_behind: Vec::new(),
        device: Box::new(Opened {
            drive,
            writable: request.writing != Writing::Nothing,
            #[cfg(feature = "simtool")]
            fate: super::fate::Fate::from_environment(),
        }),
    })
}

/// A simulated drive, opened for writing or not, as a real one is.
struct Opened {
    drive: SimulatedDrive,
    writable: bool,
    /// Development only: when the process is to be killed.
    #[cfg(feature = "simtool")]
    fate: super::fate::Fate,
}

impl Device for Opened {
    fn geometry(&self) -> Geometry {
        self.drive.geometry()
    }

    fn max_transfer_blocks(&self) -> u32 {
        self.drive.max_transfer_blocks()
    }

    fn now_ns(&self) -> u64 {
        self.drive.now_ns()
    }

    fn idle(&mut self, duration_ns: u64) {
        self.drive.idle(duration_ns);
    }

    fn read_timed(&mut self, block: u64, count: u32) -> Result<Timing, AccessError> {
        #[cfg(feature = "simtool")]
        self.fate.request();
        self.drive.read_timed(block, count)
    }

    fn keep(&mut self, spans: &[Span]) -> Result<(), AccessError> {
        self.drive.keep(spans)
    }

    fn write_timed(&mut self, index: usize) -> Result<Timing, AccessError> {
        if !self.writable {
            let source = io::Error::new(io::ErrorKind::PermissionDenied, "the drive was not opened for writing");
            return Err(AccessError::Gone { source });
        }
        #[cfg(feature = "simtool")]
        self.fate.request();
        self.drive.write_timed(index)
    }

    fn burst(&mut self, burst: &Burst<'_>, done: &mut Vec<Done>) -> Result<Ending, BurstError> {
        let writes = burst.actions.iter().any(|action| matches!(action, Action::Write(_)));
        if writes && !self.writable {
            return Err(BurstError::Refused("the drive was not opened for writing".to_owned()));
        }
        self.drive.burst(burst, done)
    }

    fn flush(&mut self) {
        self.drive.flush();
    }

    fn queue(&mut self, depth: u32) -> Result<(), NoQueue> {
        self.drive.queue(depth)
    }

    fn cache(&mut self, which: Cache) -> Option<bool> {
        self.drive.cache(which)
    }

    fn set_cache(&mut self, which: Cache, on: bool) -> Result<(), Unswitchable> {
        self.drive.set_cache(which, on)
    }

    fn temperature_celsius(&mut self) -> Option<i32> {
        self.drive.temperature_celsius()
    }

    fn writable(&self) -> bool {
        self.writable
    }
}

fn report(drive: &SimulatedDrive, request: &Request) -> DeviceReport {
    let identity = drive.identity();
    let geometry = drive.geometry();
    let physical = geometry.block_bytes == geometry.physical_block_bytes;
    let made = identity.manufacture_year.zip(identity.manufacture_week);
    let from_drive = made.map(|(year, week)| Manufacture { year, week, source: "log_page_0x0e".to_owned() });
    DeviceReport {
        unit_digest: unit_digest(&identity.model, &identity.serial),
        vendor: Some(identity.vendor),
        model: identity.model,
        firmware: identity.firmware,
        capacity_bytes: geometry.capacity_bytes,
        logical_block_bytes: geometry.logical_block_bytes,
        physical_block_bytes: geometry.physical_block_bytes,
        block_bytes: geometry.block_bytes,
        block_bytes_source: if physical { "physical" } else { "logical" }.to_owned(),
        rotational: Rotational { value: true, source: "simulated".to_owned(), kernel_says: None },
        rotation_rate_rpm: Some(identity.rotation_rate_rpm),
        form_factor: identity.form_factor,
        interface: "simulated".to_owned(),
        link_speed_bits_per_s: identity.link_speed_bits_per_s,
        link_speed_supported_bits_per_s: identity.link_speed_bits_per_s,
        bridge: None,
        look_ahead: CacheSetting { current: Some(drive.look_ahead()), ..CacheSetting::default() },
        write_cache: CacheSetting {
            current: Some(identity.write_cache.current),
            changeable: Some(identity.write_cache.changeable),
            default: Some(identity.write_cache.default),
            saved: Some(identity.write_cache.saved),
        },
        manufacture: request.manufacture.clone().or(from_drive),
        batch_label: request.batch_label.clone(),
        temperature_celsius: drive.temperature_celsius(),
    }
}
