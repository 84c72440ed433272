//! What disks answer, parsed from bytes: no system call in here, and no byte string that makes a parser panic.
//!
//! The ATA, SCSI and NVMe standards are cited by document, clause and the name of the table or page, since sub-clauses are
//! numbered anew from one revision to the next.

pub mod ata;
pub mod inquiry;
pub mod log;
pub mod mode;
pub mod nvme;
pub mod smart;
pub mod vpd;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::report::document::CacheSetting;

/// The medium rotation rate field, which ATA (word 217) and SCSI (page 0xB1) share.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rotation {
    NonRotating,
    Rpm(u32),
}

impl Rotation {
    /// `None` for a value that says nothing, reserved ones included.
    pub(crate) fn from_field(field: u16) -> Option<Self> {
        match field {
            1 => Some(Self::NonRotating),
            0x0401..=0xFFFE => Some(Self::Rpm(u32::from(field))),
            _ => None,
        }
    }
}

/// The nominal form factor field, which ATA (word 168) and SCSI (page 0xB1) share.
pub(crate) fn form_factor(field: u16) -> Option<&'static str> {
    match field & 0xF {
        1 => Some("5.25 inch"),
        2 => Some("3.5 inch"),
        3 => Some("2.5 inch"),
        4 => Some("1.8 inch"),
        5 => Some("less than 1.8 inch"),
        _ => None,
    }
}

/// Who sees to it that shingled tracks are written in order: the ZONED field, which ATA (word 69) and SCSI (page 0xB1)
/// share.
pub(crate) fn shingled(field: u16) -> Option<&'static str> {
    match field {
        1 => Some("host-aware"),
        2 => Some("drive-managed"),
        _ => None,
    }
}

/// A cache of the device that can be on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
pub enum Cache {
    /// Writes are answered before they are on the medium.
    #[strum(serialize = "write cache")]
    Write,
    /// The device reads on after a read.
    #[strum(serialize = "look-ahead")]
    LookAhead,
}

impl Cache {
    pub const ALL: [Self; 2] = [Self::Write, Self::LookAhead];

    pub fn label(self) -> &'static str {
        self.into()
    }
}

/// The two switches of a disk's cache.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Caches {
    #[serde(rename = "write_cache")]
    pub write: CacheSetting,
    pub look_ahead: CacheSetting,
}

/// How both stand, stood or are to stand; `None` where nobody can tell, or any way will do.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct CacheStates {
    pub write: Option<bool>,
    pub look_ahead: Option<bool>,
}

impl CacheStates {
    pub fn of(mut state: impl FnMut(Cache) -> Option<bool>) -> Self {
        Self { write: state(Cache::Write), look_ahead: state(Cache::LookAhead) }
    }

    /// Those that are known.
    pub fn known(self) -> impl Iterator<Item = (Cache, bool)> {
        Cache::ALL.into_iter().zip([self.write, self.look_ahead]).filter_map(|(which, state)| Some((which, state?)))
    }

    pub fn get_mut(&mut self, which: Cache) -> &mut Option<bool> {
        match which {
            Cache::Write => &mut self.write,
            Cache::LookAhead => &mut self.look_ahead,
        }
    }
}

/// A temperature that a disk can have: outside of these bounds the field means something else.
pub(crate) fn plausible_celsius(celsius: i32) -> Option<i32> {
    (-40..=125).contains(&celsius).then_some(celsius)
}

pub(crate) fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

pub(crate) fn le16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

/// ASCII in the bytes, padding taken off; `None` where nothing is left.
pub(crate) fn ascii(bytes: &[u8]) -> Option<String> {
    super::tree::clean(&String::from_utf8_lossy(bytes))
}
