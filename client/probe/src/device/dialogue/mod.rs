//! What is said between the probe and a disk beside reads and writes: identity, temperature, the switches of the caches.
//!
//! A disk may answer nonsense, or not at all. Then less is known and a note says so; nothing here fails a run.

mod ask;
mod ata;
mod commands;
mod edge;
mod notebook;
mod nvme;
mod scsi;

#[cfg(test)]
mod fake;

use std::io::Write;
use std::os::fd::OwnedFd;

use super::{Cache, Unswitchable};
use crate::identify::pages::ata::identify_device;
use crate::identify::pages::mode::{self, Form, Switch, Values};
use crate::identify::pages::{self, Caches};
use ata::{Carrier, Feature};
use commands::{CommandError, Patient};

pub use commands::Commands;
pub use notebook::Notebook;

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
    Mute,
}

impl Bus {
    /// Of a run document's `interface`.
    pub fn of(interface: &str) -> Self {
        match interface {
            "ata" => Self::Ata,
            "scsi" => Self::Scsi,
            "usb" => Self::Usb,
            "nvme" => Self::Nvme,
            _ => Self::Mute,
        }
    }
}

/// How a disk's caches are read and switched.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Speech {
    None,
    Ata(Carrier),
    Mode(Form),
    Nvme,
}

/// Where a disk's temperature stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Thermometer {
    None,
    Sct(Carrier),
    Smart(Carrier),
    LogPage,
    NvmeLog,
}

/// An open disk to talk to. Puts the caches back when it is dropped, on whatever way.
pub struct Dialogue {
    commands: Patient,
    speech: Speech,
    thermometer: Thermometer,
    permission: Result<(), Unswitchable>,
    /// How each cache stood before it was switched first.
    before: [Option<bool>; 2],
    /// The same for whoever comes after a kill.
    notebook: Option<Notebook>,
}

impl Dialogue {
    pub fn new(disk: OwnedFd) -> Self {
        Self::over(Box::new(edge::Channel(disk)))
    }

    pub fn over(commands: Box<dyn Commands>) -> Self {
        Self {
            commands: Patient::new(commands),
            speech: Speech::None,
            thermometer: Thermometer::None,
            permission: Err(Unswitchable("nobody asked for its caches to be switched".to_owned())),
            before: [None; 2],
            notebook: None,
        }
    }

    /// Says whether the caches may be switched, and why not.
    pub fn permit(&mut self, permission: Result<(), Unswitchable>) {
        self.permission = permission;
    }

    /// Whether the cache is on now.
    pub fn cache(&mut self, which: Cache) -> Option<bool> {
        match self.speech {
            Speech::Ata(carrier) => {
                let identity = identify_device(&ata::identify(&mut self.commands, carrier).ok()?)?;
                setting(identity.caches, which).current
            }
            Speech::Mode(form) => {
                let page = scsi::mode_page(&mut self.commands, form, mode::CACHING, Values::Current).ok()?;
                let caching = mode::caching(&page)?;
                match which {
                    Cache::Write => Some(caching.write),
                    Cache::LookAhead => caching.look_ahead,
                }
            }
            Speech::Nvme if which == Cache::Write => nvme::write_cache(&mut self.commands).ok(),
            Speech::Nvme | Speech::None => None,
        }
    }

    /// Switches the cache until the disk loses power, and sees whether the disk followed.
    pub fn set_cache(&mut self, which: Cache, on: bool) -> Result<(), Unswitchable> {
        let words = which.words();
        self.permission.clone()?;
        let Some(now) = self.cache(which) else {
            return Err(Unswitchable(format!("the disk does not tell its {words}, which could not be put back")));
        };
        if now == on {
            return Ok(());
        }
        self.before[index(which)].get_or_insert(now);
        if let Some(notebook) = &mut self.notebook {
            notebook.about_to_switch(self.before);
        }
        let state = state_word(on);
        let refused = |error: CommandError| Unswitchable(format!("the {words} can't be switched {state}: {error}"));
        self.send(which, on).map_err(refused)?;
        if self.cache(which) == Some(on) {
            return Ok(());
        }
        Err(Unswitchable(format!("the disk took the command to switch its {words} {state} and did not follow it")))
    }

    fn send(&mut self, which: Cache, on: bool) -> Result<(), CommandError> {
        match self.speech {
            Speech::Ata(carrier) => {
                let feature = match (which, on) {
                    (Cache::Write, true) => Feature::WriteCacheOn,
                    (Cache::Write, false) => Feature::WriteCacheOff,
                    (Cache::LookAhead, true) => Feature::LookAheadOn,
                    (Cache::LookAhead, false) => Feature::LookAheadOff,
                };
                ata::set_features(&mut self.commands, carrier, feature)
            }
            Speech::Mode(form) => {
                let page = scsi::mode_page(&mut self.commands, form, mode::CACHING, Values::Current)?;
                let switch = match which {
                    Cache::Write => Switch::Write,
                    Cache::LookAhead => Switch::LookAhead,
                };
                let list = mode::select(&page, form, switch, on).ok_or(CommandError::Unsupported)?;
                scsi::mode_select(&mut self.commands, form, &list)
            }
            Speech::Nvme if which == Cache::Write => nvme::set_write_cache(&mut self.commands, on),
            Speech::Nvme | Speech::None => Err(CommandError::Unsupported),
        }
    }

    pub fn temperature_celsius(&mut self) -> Option<i32> {
        let commands = &mut self.commands;
        match self.thermometer {
            Thermometer::None => None,
            Thermometer::Sct(carrier) => pages::smart::sct_celsius(&ata::sct_status(commands, carrier).ok()?),
            Thermometer::Smart(carrier) => pages::smart::attribute_celsius(&ata::smart_data(commands, carrier).ok()?),
            Thermometer::LogPage => pages::log::celsius(&scsi::log_page(commands, pages::log::TEMPERATURE).ok()?),
            Thermometer::NvmeLog => pages::nvme::celsius(&nvme::smart_log(commands).ok()?),
        }
    }

    /// What stands now is what will be put back.
    pub fn settle(&mut self) {
        self.before = [None; 2];
        if let Some(notebook) = &mut self.notebook {
            notebook.settled();
        }
    }

    /// Puts back what a process that was killed left switched, where the caches may be switched, and writes down there
    /// from now on what this one switches. Answers with what was put back and what was not, as sentences.
    pub fn mend(&mut self, notebook: Notebook) -> Vec<String> {
        let mut said = Vec::new();
        let left = notebook.before();
        self.notebook = Some(notebook);
        for which in Cache::ALL {
            let Some(was) = left[index(which)] else { continue };
            if self.cache(which).is_none_or(|now| now == was) {
                continue;
            }
            let (name, was_word, now_word) = (which.words(), state_word(was), state_word(!was));
            let left = format!("a run that was killed left the {name} {now_word}");
            said.push(match self.permission.clone().and_then(|()| self.set_cache(which, was)) {
                Ok(()) => format!("{left}; it is {was_word} again, as before that run"),
                Err(why) => format!(
                    "{left}; it was {was_word} before. `diskatlas resume FILE` of that run puts it back, and so does any run \
                     with --caches switch on a disk that nobody uses. Not now: {why}"
                ),
            });
        }
        if self.permission.is_ok() && self.stands_as(left) {
            self.settle();
        }
        said
    }

    /// Whether each cache stands so; `None` is any way.
    fn stands_as(&mut self, wanted: [Option<bool>; 2]) -> bool {
        Cache::ALL.into_iter().all(|which| wanted[index(which)].is_none_or(|was| self.cache(which) == Some(was)))
    }

    /// Puts each cache that was switched back to where it was found. Answers with what could not be put back.
    pub fn put_back(&mut self) -> Vec<String> {
        self.commands.try_again();
        let mut problems = Vec::new();
        for which in Cache::ALL {
            let Some(was) = self.before[index(which)] else { continue };
            if self.cache(which) == Some(was) {
                continue;
            }
            let sent = self.send(which, was);
            if sent.is_err() || self.cache(which) != Some(was) {
                let state = state_word(was);
                problems.push(format!(
                    "the {} was {state} and could not be put back; the disk does that itself once it loses power",
                    which.words()
                ));
            }
        }
        problems
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        for problem in self.put_back() {
            // Nothing is left to do where even that can't be said.
            let _ = writeln!(std::io::stderr(), "warning: {problem}");
        }
        let left = self.notebook.as_ref().map_or([None; 2], Notebook::before);
        if self.before != [None; 2] && self.stands_as(left) {
            self.settle();
        }
    }
}

const fn state_word(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

fn index(which: Cache) -> usize {
    match which {
        Cache::Write => 0,
        Cache::LookAhead => 1,
    }
}

fn setting(caches: Caches, which: Cache) -> pages::Setting {
    match which {
        Cache::Write => caches.write,
        Cache::LookAhead => caches.look_ahead,
    }
}

#[cfg(test)]
mod tests;
