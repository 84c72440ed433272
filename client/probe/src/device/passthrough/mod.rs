//! What is said between the probe and a disk beside reads and writes: identity, temperature, the switches of the caches.
//!
//! A disk may answer nonsense, or not at all. Then less is known and a note says so; nothing here fails a run.

mod ata;
mod cache_restore;
mod commands;
mod identify;
mod ioctl;
mod nvme;
mod scsi;

#[cfg(test)]
mod fake;

use std::io::Write;
use std::os::fd::OwnedFd;

use super::{Cache, CacheStates, CacheSwitchError};
use crate::identify::pages;
use crate::identify::pages::ata::identify_device;
use crate::identify::pages::mode::{self, Form, Values};
use crate::terminal::text::on_off;
use ata::{CdbLength, Feature};
use commands::{CircuitBreaker, CommandError};

pub use cache_restore::CacheRestoreState;
pub use commands::Commands;

/// How a disk is reached, and so what it is asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Bus {
    /// Serial ATA behind the kernel's translation.
    Ata,
    /// SCSI, Serial Attached SCSI; there may be an ATA disk behind it.
    Scsi,
    /// A bridge. Bridges choke on what they don't know, so they are asked the least.
    Usb,
    Nvme,
    /// Virtual disks and others that take no commands.
    NoCommands,
}

impl Bus {
    /// Of a run document's `interface`.
    pub fn of(interface: &str) -> Self {
        match interface {
            "ata" => Self::Ata,
            "scsi" => Self::Scsi,
            "usb" => Self::Usb,
            "nvme" => Self::Nvme,
            _ => Self::NoCommands,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum CacheProtocol {
    None,
    Ata(CdbLength),
    Mode(Form),
    Nvme,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum TemperatureSource {
    None,
    Sct(CdbLength),
    Smart(CdbLength),
    LogPage,
    NvmeLog,
}

/// An open disk to talk to. Puts the caches back when it is dropped, on whatever way.
pub struct Passthrough {
    commands: CircuitBreaker,
    cache_protocol: CacheProtocol,
    temperature_source: TemperatureSource,
    permission: Result<(), CacheSwitchError>,
    /// How each cache stood before it was switched first.
    before: CacheStates,
    /// The same for whoever comes after a kill.
    cache_restore: Option<CacheRestoreState>,
}

impl Passthrough {
    pub fn new(disk: OwnedFd) -> Self {
        Self::over(Box::new(ioctl::Channel(disk)))
    }

    pub fn over(commands: Box<dyn Commands>) -> Self {
        Self {
            commands: CircuitBreaker::new(commands),
            cache_protocol: CacheProtocol::None,
            temperature_source: TemperatureSource::None,
            permission: Err(CacheSwitchError("nobody asked for its caches to be switched".to_owned())),
            before: CacheStates::default(),
            cache_restore: None,
        }
    }

    /// Says whether the caches may be switched, and why not.
    pub fn permit(&mut self, permission: Result<(), CacheSwitchError>) {
        self.permission = permission;
    }

    /// Whether the cache is on now.
    pub fn cache(&mut self, which: Cache) -> Option<bool> {
        match self.cache_protocol {
            CacheProtocol::Ata(cdb_length) => {
                let identity = identify_device(&ata::identify(&mut self.commands, cdb_length).ok()?)?;
                match which {
                    Cache::Write => identity.caches.write.current,
                    Cache::LookAhead => identity.caches.look_ahead.current,
                }
            }
            CacheProtocol::Mode(form) => {
                let page = scsi::mode_page(&mut self.commands, form, mode::CACHING, Values::Current).ok()?;
                let caching = mode::caching(&page)?;
                match which {
                    Cache::Write => Some(caching.write),
                    Cache::LookAhead => caching.look_ahead,
                }
            }
            CacheProtocol::Nvme if which == Cache::Write => nvme::write_cache(&mut self.commands).ok(),
            CacheProtocol::Nvme | CacheProtocol::None => None,
        }
    }

    /// Switches the cache until the disk loses power, and sees whether the disk followed.
    pub fn set_cache(&mut self, which: Cache, on: bool) -> Result<(), CacheSwitchError> {
        let words = which.label();
        self.permission.clone()?;
        let Some(now) = self.cache(which) else {
            return Err(CacheSwitchError(format!("the disk does not tell its {words}, which could not be put back")));
        };
        if now == on {
            return Ok(());
        }
        self.before.get_mut(which).get_or_insert(now);
        if let Some(cache_restore) = &mut self.cache_restore {
            cache_restore.about_to_switch(self.before);
        }
        let state = on_off(on);
        let refused = |error: CommandError| CacheSwitchError(format!("the {words} can't be switched {state}: {error}"));
        self.send(which, on).map_err(refused)?;
        if self.cache(which) == Some(on) {
            return Ok(());
        }
        Err(CacheSwitchError(format!("the disk took the command to switch its {words} {state} and did not follow it")))
    }

    fn send(&mut self, which: Cache, on: bool) -> Result<(), CommandError> {
        match self.cache_protocol {
            CacheProtocol::Ata(cdb_length) => {
                let feature = match (which, on) {
                    (Cache::Write, true) => Feature::WriteCacheOn,
                    (Cache::Write, false) => Feature::WriteCacheOff,
                    (Cache::LookAhead, true) => Feature::LookAheadOn,
                    (Cache::LookAhead, false) => Feature::LookAheadOff,
                };
                ata::set_features(&mut self.commands, cdb_length, feature)
            }
            CacheProtocol::Mode(form) => {
                let page = scsi::mode_page(&mut self.commands, form, mode::CACHING, Values::Current)?;
                let list = mode::select(&page, form, which, on).ok_or(CommandError::Unsupported)?;
                scsi::mode_select(&mut self.commands, form, &list)
            }
            CacheProtocol::Nvme if which == Cache::Write => nvme::set_write_cache(&mut self.commands, on),
            CacheProtocol::Nvme | CacheProtocol::None => Err(CommandError::Unsupported),
        }
    }

    pub fn temperature_celsius(&mut self) -> Option<i32> {
        let commands = &mut self.commands;
        match self.temperature_source {
            TemperatureSource::None => None,
            TemperatureSource::Sct(cdb_length) => {
                pages::smart::sct_celsius(&ata::sct_status(commands, cdb_length).ok()?)
            }
            TemperatureSource::Smart(cdb_length) => {
                pages::smart::attribute_celsius(&ata::smart_data(commands, cdb_length).ok()?)
            }
            TemperatureSource::LogPage => pages::log::celsius(&scsi::log_page(commands, pages::log::TEMPERATURE).ok()?),
            TemperatureSource::NvmeLog => pages::nvme::celsius(&nvme::smart_log(commands).ok()?),
        }
    }

    /// What stands now is what will be put back.
    pub fn accept_current(&mut self) {
        self.before = CacheStates::default();
        if let Some(cache_restore) = &mut self.cache_restore {
            cache_restore.clear();
        }
    }

    /// Another disk is there: nothing is put back to it. What was switched stays written down for the one that it was.
    pub fn forget(&mut self) {
        self.before = CacheStates::default();
        self.cache_restore = None;
        self.permission = Err(CacheSwitchError("another disk or medium is there".to_owned()));
    }

    /// Puts back what a process that was killed left switched, where the caches may be switched, and writes down there
    /// from now on what this one switches. Answers with what was put back and what was not, as sentences.
    pub fn restore_after_kill(&mut self, cache_restore: CacheRestoreState) -> Vec<String> {
        let mut said = Vec::new();
        let left = cache_restore.before();
        self.cache_restore = Some(cache_restore);
        for (which, was) in left.known() {
            if self.cache(which).is_none_or(|now| now == was) {
                continue;
            }
            let (name, was_word, now_word) = (which.label(), on_off(was), on_off(!was));
            let left = format!("a run that was killed left the {name} {now_word}");
            said.push(match self.permission.clone().and_then(|()| self.set_cache(which, was)) {
                Ok(()) => format!("{left}; it is {was_word} again, as before that run"),
                Err(why) => format!(
                    "{left}; it was {was_word} before. `diskatlas resume FILE` of that run puts it back, and so does any run \
                     with --caches switch on a disk that nobody uses. Not now: {why}"
                ),
            });
        }
        if self.permission.is_ok() && self.is_in_state(left) {
            self.accept_current();
        }
        said
    }

    /// Whether each cache stands so; `None` is any way.
    fn is_in_state(&mut self, wanted: CacheStates) -> bool {
        wanted.known().all(|(which, was)| self.cache(which) == Some(was))
    }

    /// Puts each cache that was switched back to where it was found. Answers with what could not be put back.
    pub fn restore(&mut self) -> Vec<String> {
        self.commands.try_again();
        let mut problems = Vec::new();
        for (which, was) in self.before.known() {
            if self.cache(which) == Some(was) {
                continue;
            }
            let sent = self.send(which, was);
            if sent.is_err() || self.cache(which) != Some(was) {
                let state = on_off(was);
                problems.push(format!(
                    "the {} was {state} and could not be put back; the disk does that itself once it loses power",
                    which.label()
                ));
            }
        }
        problems
    }
}

impl Drop for Passthrough {
    fn drop(&mut self) {
        for problem in self.restore() {
            // Nothing is left to do where even that can't be said.
            let _ = writeln!(std::io::stderr(), "warning: {problem}");
        }
        let left = self.cache_restore.as_ref().map(CacheRestoreState::before).unwrap_or_default();
        if self.before != CacheStates::default() && self.is_in_state(left) {
            self.accept_current();
        }
    }
}

#[cfg(test)]
mod tests;
