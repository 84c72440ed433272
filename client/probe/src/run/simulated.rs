//! A simulated drive as a target: its document says so everywhere it could be taken for a real one.

use super::Request;
use crate::device::{Device, Writing};
use crate::report::digest::unit_digest;
use crate::report::document::{CacheSetting, DeviceReport, Manufacture, Rotational};
use crate::sim::{self, SimError, SimulatedDrive};

pub fn open(spec: &str, request: &Request) -> Result<(Box<dyn Device>, DeviceReport), SimError> {
    let drive = sim::open(spec)?;
    let report = report(&drive, request);
    #[cfg_attr(not(feature = "simtool"), expect(unused_mut))]
    let mut drive = if request.writing == Writing::Nothing { drive.read_only() } else { drive };
    #[cfg(feature = "simtool")]
    {
        drive.before_request = super::fault_injection::request;
    }
    Ok((Box::new(drive), report))
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
        shingled: None,
        access_ranges: Vec::new(),
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
