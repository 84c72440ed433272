//! What a disk is asked first: who it is, and which of the ways to its caches and its thermometer it knows.

use super::ata::{self, CdbLength};
use super::commands::CommandError;
use super::{Bus, CacheProtocol, Passthrough, TemperatureSource, nvme, scsi};
use crate::identify::DeviceInfo;
use crate::identify::pages::ata::{AtaIdentity, identify_device};
use crate::identify::pages::log::{self, START_STOP_CYCLES, TEMPERATURE};
use crate::identify::pages::mode::{self, Form};
use crate::identify::pages::{self, inquiry, smart, vpd};

impl Passthrough {
    /// Asks the disk what it is, from the most telling way down.
    pub fn ask(&mut self, bus: Bus) -> DeviceInfo {
        let mut info = DeviceInfo::default();
        match bus {
            Bus::NoCommands => {}
            Bus::Nvme => self.ask_nvme(&mut info),
            Bus::Ata | Bus::Scsi | Bus::Usb => self.ask_scsi(bus, &mut info),
        }
        if self.commands.is_silent() {
            info.notes.push("the disk did not answer a command in time and was asked no further".to_owned());
        }
        info
    }

    fn ask_nvme(&mut self, info: &mut DeviceInfo) {
        let answer = nvme::controller(&mut self.commands);
        let Some(controller) = note(info, "Identify", answer).as_deref().and_then(pages::nvme::controller) else {
            return;
        };
        self.cache_protocol = if controller.volatile_write_cache { CacheProtocol::Nvme } else { CacheProtocol::None };
        self.temperature_source = TemperatureSource::NvmeLog;
        info.caches.write = nvme::write_cache_setting(&mut self.commands, &controller);
        info.temperature_celsius = self.temperature_celsius();
        (info.model, info.serial, info.firmware) = (controller.model, controller.serial, controller.firmware);
    }

    fn ask_scsi(&mut self, bus: Bus, info: &mut DeviceInfo) {
        let answer = scsi::inquiry(&mut self.commands);
        let inquiry = note(info, "INQUIRY", answer).as_deref().and_then(inquiry::standard);
        // Only disks: the 12-byte carrier is another command on an optical drive.
        let Some(inquiry) = inquiry.filter(|inquiry| matches!(inquiry.device_type, 0x00 | 0x14)) else {
            return;
        };
        let may_be_ata = bus != Bus::Scsi || inquiry.vendor.as_deref() == Some("ATA");
        (info.vendor, info.model, info.firmware) = (inquiry.vendor, inquiry.product, inquiry.revision);
        if may_be_ata && self.ask_ata(bus, info) {
            return;
        }
        if bus != Bus::Usb {
            self.ask_vpd(info);
            self.ask_logs(info);
        }
        self.ask_mode_pages(info);
    }

    /// Whether the disk answered as an ATA disk.
    fn ask_ata(&mut self, bus: Bus, info: &mut DeviceInfo) -> bool {
        let cdb_lengths = [CdbLength::Sixteen, CdbLength::Twelve];
        // The kernel's own translation knows both.
        let cdb_lengths = if bus == Bus::Usb { &cdb_lengths[..] } else { &cdb_lengths[..1] };
        for &cdb_length in cdb_lengths {
            let answer = ata::identify(&mut self.commands, cdb_length);
            let denied = answer == Err(CommandError::Permission);
            if let Some(identity) = answer.ok().as_deref().and_then(identify_device) {
                info.pass_through = Some(if cdb_length == CdbLength::Sixteen { "ata16" } else { "ata12" });
                self.cache_protocol = CacheProtocol::Ata(cdb_length);
                self.temperature_source = temperature_source(&identity, cdb_length);
                info.caches = identity.caches;
                info.temperature_celsius = self.ata_temperature(&identity, cdb_length);
                take_ata(info, identity);
                return true;
            }
            if denied {
                info.notes.push(
                    "ATA commands need root (CAP_SYS_RAWIO): what SCSI's translation tells stands in for them"
                        .to_owned(),
                );
                return false;
            }
        }
        if bus == Bus::Usb {
            info.notes.push("the USB bridge passes no ATA commands on: what it says stands for the disk".to_owned());
        }
        false
    }

    /// Falls back from the SCT status to the SMART attributes where the first tells nothing.
    fn ata_temperature(&mut self, identity: &AtaIdentity, cdb_length: CdbLength) -> Option<i32> {
        let info = self.temperature_celsius();
        if info.is_some() || !identity.smart_enabled || self.temperature_source == TemperatureSource::None {
            return info;
        }
        let data = ata::smart_data(&mut self.commands, cdb_length).ok();
        let info = data.as_deref().and_then(smart::attribute_celsius);
        self.temperature_source =
            if info.is_some() { TemperatureSource::Smart(cdb_length) } else { TemperatureSource::None };
        info
    }

    fn ask_vpd(&mut self, info: &mut DeviceInfo) {
        let answer = scsi::vpd(&mut self.commands, vpd::SUPPORTED);
        let Some(list) = note(info, "INQUIRY", answer) else { return };
        let listed = |page: u8| vpd::supported(&list).is_some_and(|pages| pages.contains(&page));
        let mut page = |page: u8| listed(page).then(|| scsi::vpd(&mut self.commands, page).ok()).flatten();
        if let Some(identity) = page(vpd::ATA_INFORMATION).as_deref().and_then(vpd::ata) {
            take_ata(info, identity);
        }
        info.serial = page(vpd::SERIAL).as_deref().and_then(vpd::serial).or(info.serial.take());
        info.has_wwn |= page(vpd::DEVICE_IDENTIFICATION).as_deref().and_then(vpd::wwn).is_some();
        let told = page(vpd::CHARACTERISTICS).as_deref().and_then(vpd::characteristics).unwrap_or_default();
        info.rotation = info.rotation.or(told.rotation);
        info.form_factor = info.form_factor.or(told.form_factor);
        info.shingled = info.shingled.or(told.shingled);
    }

    fn ask_logs(&mut self, info: &mut DeviceInfo) {
        if scsi::has_log_page(&mut self.commands, TEMPERATURE) {
            self.temperature_source = TemperatureSource::LogPage;
            info.temperature_celsius = self.temperature_celsius();
        }
        if scsi::has_log_page(&mut self.commands, START_STOP_CYCLES) {
            let answer = scsi::log_page(&mut self.commands, START_STOP_CYCLES);
            info.manufactured = answer.ok().as_deref().and_then(log::manufactured);
        }
    }

    fn ask_mode_pages(&mut self, info: &mut DeviceInfo) {
        for form in [Form::Ten, Form::Six] {
            let commands = &mut self.commands;
            if scsi::mode_page(commands, form, mode::CACHING, mode::Values::Current).is_ok() {
                info.caches = mode::caches(|values| scsi::mode_page(commands, form, mode::CACHING, values).ok());
                self.cache_protocol = CacheProtocol::Mode(form);
                return;
            }
        }
    }
}

/// SCT where the disk has it: its form is a standard, that of the attributes is not.
fn temperature_source(identity: &AtaIdentity, cdb_length: CdbLength) -> TemperatureSource {
    match (identity.sct_supported, identity.smart_enabled) {
        (true, _) => TemperatureSource::Sct(cdb_length),
        (false, true) => TemperatureSource::Smart(cdb_length),
        (false, false) => TemperatureSource::None,
    }
}

/// The disk's own words go before SCSI's, which cuts a model name at 16 characters and calls the vendor "ATA".
fn take_ata(info: &mut DeviceInfo, identity: AtaIdentity) {
    info.vendor = None;
    info.model = identity.model.clone().or(info.model.take());
    info.serial = identity.serial.clone().or(info.serial.take());
    info.firmware = identity.firmware.clone().or(info.firmware.take());
    info.has_wwn = identity.wwn.is_some();
    (info.rotation, info.form_factor) = (identity.rotation, identity.form_factor);
    info.shingled = identity.shingled;
    info.ata = Some(identity);
}

/// The answer, or a note that there is none.
fn note(info: &mut DeviceInfo, command: &str, answer: Result<Vec<u8>, CommandError>) -> Option<Vec<u8>> {
    match answer {
        Ok(bytes) => Some(bytes),
        Err(CommandError::Permission) => {
            info.notes.push(format!("{command} needs root: only what the kernel tells of the disk is known"));
            None
        }
        // Said once, at the end.
        Err(CommandError::Silent) => None,
        Err(error) => {
            info.notes.push(format!("the disk was asked for {command}: {error}"));
            None
        }
    }
}
