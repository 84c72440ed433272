//! What a disk is asked first: who it is, and which of the ways to its caches and its thermometer it knows.

use super::ata::{self, Carrier};
use super::commands::CommandError;
use super::{Bus, Dialogue, Speech, Thermometer, Told, nvme, scsi};
use crate::identify::pages::ata::{AtaIdentity, identify_device};
use crate::identify::pages::log::{self, START_STOP_CYCLES, TEMPERATURE};
use crate::identify::pages::mode::{self, Form};
use crate::identify::pages::{self, inquiry, smart, vpd};

impl Dialogue {
    /// Asks the disk what it is, from the most telling way down.
    pub fn ask(&mut self, bus: Bus) -> Told {
        let mut told = Told::default();
        match bus {
            Bus::Mute => {}
            Bus::Nvme => self.ask_nvme(&mut told),
            Bus::Ata | Bus::Scsi | Bus::Usb => self.ask_scsi(bus, &mut told),
        }
        if self.commands.is_silent() {
            told.notes.push("the disk did not answer a command in time and was asked no further".to_owned());
        }
        told
    }

    fn ask_nvme(&mut self, told: &mut Told) {
        let answer = nvme::controller(&mut self.commands);
        let Some(controller) = note(told, "Identify", answer).as_deref().and_then(pages::nvme::controller) else {
            return;
        };
        self.speech = if controller.volatile_write_cache { Speech::Nvme } else { Speech::None };
        self.thermometer = Thermometer::NvmeLog;
        told.caches.write = nvme::write_cache_setting(&mut self.commands, &controller);
        told.temperature_celsius = self.temperature_celsius();
        (told.model, told.serial, told.firmware) = (controller.model, controller.serial, controller.firmware);
    }

    fn ask_scsi(&mut self, bus: Bus, told: &mut Told) {
        let answer = scsi::inquiry(&mut self.commands);
        let inquiry = note(told, "INQUIRY", answer).as_deref().and_then(inquiry::standard);
        // Only disks: the 12-byte carrier is another command on an optical drive.
        let Some(inquiry) = inquiry.filter(|inquiry| matches!(inquiry.device_type, 0x00 | 0x14)) else {
            return;
        };
        let may_be_ata = bus != Bus::Scsi || inquiry.vendor.as_deref() == Some("ATA");
        (told.vendor, told.model, told.firmware) = (inquiry.vendor, inquiry.product, inquiry.revision);
        if may_be_ata && self.ask_ata(bus, told) {
            return;
        }
        if bus != Bus::Usb {
            self.ask_vpd(told);
            self.ask_logs(told);
        }
        self.ask_mode_pages(told);
    }

    /// Whether the disk answered as an ATA disk.
    fn ask_ata(&mut self, bus: Bus, told: &mut Told) -> bool {
        let carriers = [Carrier::Sixteen, Carrier::Twelve];
        // The kernel's own translation knows both.
        let carriers = if bus == Bus::Usb { &carriers[..] } else { &carriers[..1] };
        for &carrier in carriers {
            let answer = ata::identify(&mut self.commands, carrier);
            let denied = answer == Err(CommandError::Permission);
            if let Some(identity) = answer.ok().as_deref().and_then(identify_device) {
                told.pass_through = Some(if carrier == Carrier::Sixteen { "ata16" } else { "ata12" });
                self.speech = Speech::Ata(carrier);
                self.thermometer = thermometer(&identity, carrier);
                told.caches = identity.caches;
                told.temperature_celsius = self.ata_temperature(&identity, carrier);
                take_ata(told, identity);
                return true;
            }
            if denied {
                told.notes.push(
                    "ATA commands need root (CAP_SYS_RAWIO): what SCSI's translation tells stands in for them"
                        .to_owned(),
                );
                return false;
            }
        }
        if bus == Bus::Usb {
            told.notes.push("the USB bridge passes no ATA commands on: what it says stands for the disk".to_owned());
        }
        false
    }

    /// Falls back from the SCT status to the SMART attributes where the first tells nothing.
    fn ata_temperature(&mut self, identity: &AtaIdentity, carrier: Carrier) -> Option<i32> {
        let told = self.temperature_celsius();
        if told.is_some() || !identity.smart_enabled || self.thermometer == Thermometer::None {
            return told;
        }
        let data = ata::smart_data(&mut self.commands, carrier).ok();
        let told = data.as_deref().and_then(smart::attribute_celsius);
        self.thermometer = if told.is_some() { Thermometer::Smart(carrier) } else { Thermometer::None };
        told
    }

    fn ask_vpd(&mut self, told: &mut Told) {
        let answer = scsi::vpd(&mut self.commands, vpd::SUPPORTED);
        let Some(list) = note(told, "INQUIRY", answer) else { return };
        let listed = |page: u8| vpd::supported(&list).is_some_and(|pages| pages.contains(&page));
        let mut page = |page: u8| listed(page).then(|| scsi::vpd(&mut self.commands, page).ok()).flatten();
        if let Some(identity) = page(vpd::ATA_INFORMATION).as_deref().and_then(vpd::ata) {
            take_ata(told, identity);
        }
        told.serial = page(vpd::SERIAL).as_deref().and_then(vpd::serial).or(told.serial.take());
        told.has_wwn |= page(vpd::DEVICE_IDENTIFICATION).as_deref().and_then(vpd::wwn).is_some();
        let (rotation, form) = page(vpd::CHARACTERISTICS).as_deref().and_then(vpd::characteristics).unwrap_or_default();
        told.rotation = told.rotation.or(rotation);
        told.form_factor = told.form_factor.or(form);
    }

    fn ask_logs(&mut self, told: &mut Told) {
        if scsi::has_log_page(&mut self.commands, TEMPERATURE) {
            self.thermometer = Thermometer::LogPage;
            told.temperature_celsius = self.temperature_celsius();
        }
        if scsi::has_log_page(&mut self.commands, START_STOP_CYCLES) {
            let answer = scsi::log_page(&mut self.commands, START_STOP_CYCLES);
            told.manufactured = answer.ok().as_deref().and_then(log::manufactured);
        }
    }

    fn ask_mode_pages(&mut self, told: &mut Told) {
        for form in [Form::Ten, Form::Six] {
            let commands = &mut self.commands;
            if scsi::mode_page(commands, form, mode::CACHING, mode::Values::Current).is_ok() {
                told.caches = mode::caches(|values| scsi::mode_page(commands, form, mode::CACHING, values).ok());
                self.speech = Speech::Mode(form);
                return;
            }
        }
    }
}

/// SCT where the disk has it: its form is a standard, that of the attributes is not.
fn thermometer(identity: &AtaIdentity, carrier: Carrier) -> Thermometer {
    match (identity.sct_supported, identity.smart_enabled) {
        (true, _) => Thermometer::Sct(carrier),
        (false, true) => Thermometer::Smart(carrier),
        (false, false) => Thermometer::None,
    }
}

/// The disk's own words go before SCSI's, which cuts a model name at 16 characters and calls the vendor "ATA".
fn take_ata(told: &mut Told, identity: AtaIdentity) {
    told.vendor = None;
    told.model = identity.model.clone().or(told.model.take());
    told.serial = identity.serial.clone().or(told.serial.take());
    told.firmware = identity.firmware.clone().or(told.firmware.take());
    told.has_wwn = identity.wwn.is_some();
    (told.rotation, told.form_factor) = (identity.rotation, identity.form_factor);
    told.ata = Some(identity);
}

/// The answer, or a note that there is none.
fn note(told: &mut Told, command: &str, answer: Result<Vec<u8>, CommandError>) -> Option<Vec<u8>> {
    match answer {
        Ok(bytes) => Some(bytes),
        Err(CommandError::Permission) => {
            told.notes.push(format!("{command} needs root: only what the kernel tells of the disk is known"));
            None
        }
        // Said once, at the end.
        Err(CommandError::Silent) => None,
        Err(error) => {
            told.notes.push(format!("the disk was asked for {command}: {error}"));
            None
        }
    }
}
