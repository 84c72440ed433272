//! A disk as sysfs describes it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::names::DriveName;
use super::pages::ata::AtaIdentity;
use super::pages::log::Manufactured;
use super::pages::{Caches, Rotation, vpd};
use super::route::Route;
use super::tree::{self, Tree};
use crate::report::document::{AccessRange, Bridge, Hba};

/// Requests that the kernel would split are of no use: their count would not be ours.
const PAGE_BYTES: u64 = 4096;

/// What a disk says of itself when it is asked. Serial number and WWN stay on this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceInfo {
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub firmware: Option<String>,
    pub has_wwn: bool,
    pub rotation: Option<Rotation>,
    pub form_factor: Option<&'static str>,
    pub shingled: Option<&'static str>,
    /// Set where the disk speaks ATA, whatever is in between.
    pub ata: Option<AtaIdentity>,
    /// The command that carried ATA to it: `ata16` or `ata12`.
    pub pass_through: Option<&'static str>,
    pub caches: Caches,
    pub temperature_celsius: Option<i32>,
    pub manufactured: Option<Manufactured>,
    /// What is not known and why, as sentences.
    pub notes: Vec<String>,
}

/// What is known of a disk before it is opened. The serial number stays on this machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Disk {
    /// The kernel's name, for example `sda`.
    #[serde(skip)]
    pub name: String,
    #[serde(rename = "device")]
    pub path: PathBuf,
    pub vendor: Option<String>,
    pub model: Option<String>,
    /// This machine's own business; whether there is one decides what is asked for.
    #[serde(rename = "has_serial", serialize_with = "is_there")]
    pub serial: Option<String>,
    pub firmware: Option<String>,
    pub capacity_bytes: u64,
    pub logical_block_bytes: Option<u32>,
    pub physical_block_bytes: Option<u32>,
    pub kernel_says_rotational: Option<bool>,
    pub rotation_rate_rpm: Option<u32>,
    pub form_factor: Option<String>,
    /// Who sees to it that shingled tracks are written in order, where the disk or the kernel tells of such tracks.
    pub shingled: Option<String>,
    /// Two or more parts of the blocks that have an actuator each; empty for all other disks.
    pub access_ranges: Vec<AccessRange>,
    /// One of the document's interfaces: `ata`, `scsi`, `nvme`, `usb`, `virtio`, `loop`, `unknown`.
    pub interface: String,
    pub link_speed_bits_per_s: Option<u64>,
    /// What disk and port could do on the link, where both or one of them tell.
    pub link_speed_supported_bits_per_s: Option<u64>,
    pub hba: Option<Hba>,
    pub bridge: Option<Bridge>,
    pub scheduler: Option<String>,
    /// The write cache's current state is the kernel's belief until the disk itself was asked.
    #[serde(flatten)]
    pub caches: Caches,
    pub temperature_celsius: Option<i32>,
    pub manufactured: Option<Manufactured>,
    /// Whether it has a world wide name, which stays on this machine too.
    pub has_wwn: bool,
    /// What is not known of it and why, as sentences.
    pub notes: Vec<String>,
    pub controller: Option<String>,
    /// Its major and minor number, and the number that the kernel gives to no other disk or medium: what tells whether the
    /// name still belongs to it.
    #[serde(skip)]
    pub numbers: Option<String>,
    #[serde(skip)]
    pub sequence: Option<u64>,
    #[serde(skip)]
    pub read_only: bool,
    #[serde(skip)]
    pub max_request_bytes: Option<u32>,
}

#[expect(clippy::ref_option, reason = "as serde hands it over")]
fn is_there<S: Serializer>(text: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(text.is_some())
}

impl Disk {
    /// Reads what sysfs says of `name`; `None` where there is no such block device, or it is a partition.
    pub fn read(tree: &Tree, name: &str) -> Option<Self> {
        let folder = tree.sys.join("block").join(name);
        let sectors = tree::number(&folder.join("size"))?;
        let queue = folder.join("queue");
        let device = folder.join("device");
        let place = fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
        let route = Route::read(name, &place);
        let mut disk = Self {
            name: name.to_owned(),
            path: tree.dev.join(name),
            // A bare number is the bus's vendor (virtio), not the disk's.
            vendor: tree::text(&device.join("vendor")).filter(|vendor| !vendor.starts_with("0x")),
            model: tree::text(&device.join("model")),
            serial: tree::text(&device.join("serial")).or_else(|| tree::text(&folder.join("serial"))),
            firmware: tree::text(&device.join("firmware_rev")).or_else(|| tree::text(&device.join("rev"))),
            // The kernel counts in 512 bytes here, whatever the device's blocks are.
            capacity_bytes: sectors * 512,
            logical_block_bytes: number32(&queue.join("logical_block_size")),
            physical_block_bytes: number32(&queue.join("physical_block_size")),
            kernel_says_rotational: tree::number(&queue.join("rotational")).map(|flag| flag != 0),
            controller: route.controller(),
            interface: route.interface,
            link_speed_bits_per_s: route.link_bits_per_s,
            link_speed_supported_bits_per_s: route.link_supported_bits_per_s,
            hba: route.hba,
            bridge: route.bridge,
            scheduler: scheduler(&queue.join("scheduler")),
            shingled: tree::text(&queue.join("zoned")).filter(|model| model != "none"),
            access_ranges: access_ranges(&queue.join("independent_access_ranges")),
            numbers: tree::text(&folder.join("dev")),
            sequence: tree::number(&folder.join("diskseq")),
            read_only: tree::number(&folder.join("ro")) == Some(1),
            max_request_bytes: max_request(&queue),
            ..Self::default()
        };
        disk.caches.write.current = kernel_write_cache(tree, name);
        disk.read_pages(&device);
        Some(disk)
    }

    /// Puts what the disk itself said over what sysfs says, which may be older, shorter or a bridge's.
    pub fn take(&mut self, info: DeviceInfo) {
        if info.ata.is_some() {
            self.vendor = None;
        }
        self.vendor = info.vendor.or(self.vendor.take());
        self.model = info.model.or(self.model.take());
        self.serial = info.serial.or(self.serial.take());
        self.firmware = info.firmware.or(self.firmware.take());
        self.has_wwn |= info.has_wwn;
        if let Some(Rotation::Rpm(rpm)) = info.rotation {
            self.rotation_rate_rpm = Some(rpm);
        }
        self.form_factor = info.form_factor.map(str::to_owned).or(self.form_factor.take());
        self.shingled = self.shingled.take().or(info.shingled.map(str::to_owned));
        if let Some(ata) = info.ata {
            self.link_speed_supported_bits_per_s = ata.sata_supported_bits_per_s.filter(|_| self.bridge.is_none());
            // Behind a bridge the disk's own link is another one than the bridge's.
            if self.bridge.is_none() {
                self.link_speed_bits_per_s = self.link_speed_bits_per_s.or(ata.sata_current_bits_per_s);
            }
        }
        if let Some(bridge) = &mut self.bridge {
            bridge.pass_through = info.pass_through.map(str::to_owned);
        }
        let kernel_says = self.caches.write.current;
        self.caches = info.caches;
        self.caches.write.current = self.caches.write.current.or(kernel_says);
        (self.temperature_celsius, self.manufactured) = (info.temperature_celsius, info.manufactured);
        self.notes = info.notes;
    }

    /// Who made it and what it is, by the strings it gives.
    pub fn known_as(&self) -> DriveName {
        DriveName::of(self.vendor.as_deref().unwrap_or_default(), self.model.as_deref().unwrap_or_default())
    }

    /// Whether this is a disk at all: not a partition's parent made of other disks, a RAM disk or an empty loop device.
    pub fn is_measurable_kind(tree: &Tree, name: &str) -> bool {
        let folder = tree.sys.join("block").join(name);
        let made_of_others = !tree::names_in(&folder.join("slaves")).is_empty() || folder.join("dm").exists();
        let other = ["zram", "ram", "dm-", "md", "sr", "fd", "drbd", "zd"].iter().any(|start| {
            name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
        });
        !made_of_others && !other && tree::number(&folder.join("size")).is_some_and(|sectors| sectors > 0)
    }

    fn read_pages(&mut self, device: &Path) {
        let page = |name: &str| fs::read(device.join(name)).ok();
        self.has_wwn = page("vpd_pg83").as_deref().and_then(vpd::wwn).is_some();
        if let Some(found) = page("vpd_pg80").as_deref().and_then(vpd::serial) {
            self.serial = Some(found);
        }
        let characteristics = page("vpd_pgb1").as_deref().and_then(vpd::characteristics);
        let vpd::Characteristics { mut rotation, form_factor: mut form, mut shingled } =
            characteristics.unwrap_or_default();
        if let Some(ata) = page("vpd_pg89").as_deref().and_then(vpd::ata) {
            rotation = rotation.or(ata.rotation);
            form = form.or(ata.form_factor);
            shingled = shingled.or(ata.shingled);
            self.take_ata(ata);
        }
        if let Some(Rotation::Rpm(rpm)) = rotation {
            self.rotation_rate_rpm = Some(rpm);
        }
        self.form_factor = form.map(str::to_owned);
        // The kernel takes a disk that sees to the order itself for any other.
        self.shingled = self.shingled.take().or(shingled.map(str::to_owned));
        if self.interface == "ata" {
            // "ATA" is what SCSI calls a disk whose vendor it does not know: no vendor.
            self.vendor = self.vendor.take().filter(|vendor| vendor != "ATA");
        }
    }

    /// The disk's own words go before SCSI's, which cuts a model name at 16 characters.
    fn take_ata(&mut self, ata: AtaIdentity) {
        self.model = ata.model.or(self.model.take());
        self.serial = ata.serial.or(self.serial.take());
        self.firmware = ata.firmware.or(self.firmware.take());
        self.has_wwn |= ata.wwn.is_some();
    }
}

/// Whether the kernel takes the device's write cache to be on.
pub fn kernel_write_cache(tree: &Tree, name: &str) -> Option<bool> {
    tree::text(&tree.sys.join("block").join(name).join("queue/write_cache")).map(|text| text == "write back")
}

/// Requests that the device completed since it came up: reads, writes, discards and flushes
/// (Documentation/block/stat.rst of the kernel).
pub fn requests_completed(tree: &Tree, name: &str) -> Option<u64> {
    let text = tree::text(&tree.sys.join("block").join(name).join("stat"))?;
    let fields: Vec<u64> = text.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    let at = |index: usize| fields.get(index).copied().unwrap_or(0);
    (fields.len() >= 11).then(|| at(0) + at(4) + at(11) + at(15))
}

fn number32(path: &Path) -> Option<u32> {
    tree::number(path)?.try_into().ok()
}

/// In the order of their blocks (Documentation/ABI/stable/sysfs-block of the kernel). One range is no more than the disk.
fn access_ranges(folder: &Path) -> Vec<AccessRange> {
    let range = |name: &String| {
        let sectors = |file: &str| tree::number(&folder.join(name).join(file))?.checked_mul(512);
        Some(AccessRange { offset_bytes: sectors("sector")?, length_bytes: sectors("nr_sectors")? })
    };
    let mut ranges: Vec<AccessRange> = tree::names_in(folder).iter().filter_map(range).collect();
    ranges.sort_unstable_by_key(|range| range.offset_bytes);
    if ranges.len() < 2 { Vec::new() } else { ranges }
}

fn max_request(queue: &Path) -> Option<u32> {
    let bytes = tree::number(&queue.join("max_sectors_kb"))?.checked_mul(1024)?;
    // Each segment holds at least a page of the buffer.
    let segments = tree::number(&queue.join("max_segments")).map_or(bytes, |count| count.saturating_mul(PAGE_BYTES));
    u32::try_from(bytes.min(segments)).ok()
}

/// The scheduler in brackets is the one in use.
fn scheduler(path: &Path) -> Option<String> {
    let text = tree::text(path)?;
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    Some(inside.map_or(text.clone(), |(name, _)| name.to_owned()))
}

#[cfg(test)]
mod tests;
