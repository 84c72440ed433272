//! The way from the machine to a disk, as the place in sysfs's tree of devices tells: bus, link, host adapter, USB bridge.
//!
//! All of it confounds what is measured of the disk itself, so the document names it.

use std::fs;
use std::path::{Path, PathBuf};

use super::tree;
use crate::report::document::{Bridge, Hba};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// One of the document's interfaces: `ata`, `scsi`, `nvme`, `usb`, `virtio`, `loop`, `unknown`.
    pub interface: String,
    /// The disk's own link: its signalling rate, over all lanes.
    pub link_bits_per_s: Option<u64>,
    /// What disk and port could do on that link.
    pub link_supported_bits_per_s: Option<u64>,
    pub hba: Option<Hba>,
    pub bridge: Option<Bridge>,
}

impl Route {
    /// `place` is the disk's folder below `sys/devices`, links resolved.
    pub fn read(name: &str, place: &Path) -> Self {
        let interface = interface(name, place);
        let (link, supported) = match interface {
            "ata" => (sata_speed(place), None),
            "nvme" => pci_function(place).map_or((None, None), |function| pcie_speeds(&function)),
            "usb" => (usb_device(place).and_then(|device| usb_speed(&device)), None),
            "scsi" => sas_speeds(place),
            _ => (None, None),
        };
        Self {
            interface: interface.to_owned(),
            link_bits_per_s: link,
            link_supported_bits_per_s: supported,
            hba: pci_function(place).and_then(|function| hba(&function)),
            bridge: usb_device(place).filter(|_| interface == "usb").map(|device| bridge(&device, place)),
        }
    }

    /// The host adapter in one line: its driver, and its vendor and device numbers.
    pub fn controller(&self) -> Option<String> {
        let hba = self.hba.as_ref()?;
        let ids = format!("0x{}:0x{}", hba.pci_vendor_id, hba.pci_device_id);
        Some(hba.driver.as_ref().map_or(ids.clone(), |driver| format!("{driver} ({ids})")))
    }
}

fn interface(name: &str, place: &Path) -> &'static str {
    let has = |start: &str| place.iter().any(|part| numbered(&part.to_string_lossy(), start));
    let named = [("loop", "loop"), ("nvme", "nvme")].into_iter().find(|(start, _)| name.starts_with(start));
    // A virtual SCSI host counts: its disks speak SCSI.
    let placed = [("usb", "usb"), ("ata", "ata"), ("host", "scsi"), ("virtio", "virtio")];
    named.or_else(|| placed.into_iter().find(|(start, _)| has(start))).map_or("unknown", |(_, interface)| interface)
}

/// Whether the name is `start` and a number, as in `usb2` or `port-0:1`.
fn numbered(name: &str, start: &str) -> bool {
    name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

fn ancestor(place: &Path, start: &str) -> Option<PathBuf> {
    let named = |folder: &&Path| folder.file_name().is_some_and(|name| numbered(&name.to_string_lossy(), start));
    place.ancestors().find(named).map(Path::to_path_buf)
}

/// What the ATA link runs at, for example from "6.0 Gbps".
fn sata_speed(place: &Path) -> Option<u64> {
    let port = ancestor(place, "ata")?;
    let number = port.file_name()?.to_string_lossy().strip_prefix("ata")?.to_owned();
    let link = format!("link{number}");
    giga(&tree::text(&port.join(&link).join("ata_link").join(&link).join("sata_spd"))?)
}

/// What the phys of the disk's port run at together, and what they could.
fn sas_speeds(place: &Path) -> (Option<u64>, Option<u64>) {
    let Some(port) = ancestor(place, "port-") else { return (None, None) };
    let phys: Vec<PathBuf> = tree::names_in(&port)
        .into_iter()
        .filter(|name| numbered(name, "phy-"))
        .map(|name| port.join(&name).join("sas_phy").join(&name))
        .collect();
    let sum = |file: &str| {
        let rates: Option<Vec<u64>> = phys.iter().map(|phy| giga(&tree::text(&phy.join(file))?)).collect();
        rates.filter(|rates| !rates.is_empty()).map(|rates| rates.iter().sum())
    };
    (sum("negotiated_linkrate"), sum("maximum_linkrate"))
}

/// What the PCIe link runs at over all its lanes, and what the function could.
fn pcie_speeds(function: &Path) -> (Option<u64>, Option<u64>) {
    let speed = |rate: &str, width: &str| {
        let lanes = tree::number(&function.join(width)).filter(|lanes| (1..=32).contains(lanes))?;
        Some(giga(&tree::text(&function.join(rate))?)? * lanes)
    };
    (speed("current_link_speed", "current_link_width"), speed("max_link_speed", "max_link_width"))
}

/// The USB device counts in megabits per second.
fn usb_speed(device: &Path) -> Option<u64> {
    let text = tree::text(&device.join("speed"))?;
    // 1.5 is the slowest; the others are whole numbers.
    let (whole, tenth) = text.split_once('.').unwrap_or((&text, "0"));
    (whole.parse::<u64>().ok()?.checked_mul(10)? + tenth.parse::<u64>().ok()?).checked_mul(100_000)
}

/// From "6.0 Gbps", "12.0 Gbit" or "8.0 GT/s PCIe".
fn giga(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ')?;
    unit.starts_with('G').then_some(())?;
    let (whole, tenth) = number.split_once('.').unwrap_or((number, "0"));
    Some((whole.parse::<u64>().ok()?.checked_mul(10)? + tenth.get(..1)?.parse::<u64>().ok()?) * 100_000_000)
}

fn pci_function(place: &Path) -> Option<PathBuf> {
    place
        .ancestors()
        .find(|folder| folder.join("vendor").exists() && folder.join("class").exists())
        .map(Path::to_path_buf)
}

fn hba(function: &Path) -> Option<Hba> {
    let id = |file: &str| {
        let text = tree::text(&function.join(file))?.strip_prefix("0x")?.to_ascii_lowercase();
        (text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
    };
    Some(Hba {
        driver: driver(function),
        pci_vendor_id: id("vendor")?,
        pci_device_id: id("device")?,
        link_speed_bits_per_s: pcie_speeds(function).0,
    })
}

fn usb_device(place: &Path) -> Option<PathBuf> {
    place.ancestors().find(|folder| folder.join("idVendor").exists()).map(Path::to_path_buf)
}

fn bridge(device: &Path, place: &Path) -> Bridge {
    let id = |file: &str| tree::text(&device.join(file)).filter(|text| text.len() == 4).map(|text| text.to_lowercase());
    let interface = place.ancestors().find(|folder| folder.join("bInterfaceClass").exists());
    Bridge {
        usb_vendor_id: id("idVendor"),
        usb_product_id: id("idProduct"),
        vendor: tree::text(&device.join("manufacturer")),
        product: tree::text(&device.join("product")),
        driver: interface.and_then(driver),
        pass_through: None,
    }
}

fn driver(folder: &Path) -> Option<String> {
    let link = fs::read_link(folder.join("driver")).ok()?;
    tree::clean(&link.file_name()?.to_string_lossy())
}

#[cfg(test)]
mod tests;
