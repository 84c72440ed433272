//! IDENTIFY DEVICE data: ACS-3, clause 7.12, table "IDENTIFY DEVICE data".

use super::{Caches, Rotation, form_factor, shingled};
use crate::report::document::CacheSetting;

pub const IDENTIFY_BYTES: usize = 512;

/// What an ATA disk says of itself. Serial number and WWN stay on this machine.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AtaIdentity {
    pub model: Option<String>,
    pub serial: Option<String>,
    pub firmware: Option<String>,
    pub wwn: Option<u64>,
    pub rotation: Option<Rotation>,
    pub form_factor: Option<&'static str>,
    /// The fastest signalling rate of the disk, and the one in use.
    pub sata_supported_bits_per_s: Option<u64>,
    pub sata_current_bits_per_s: Option<u64>,
    pub caches: Caches,
    pub shingled: Option<&'static str>,
    pub smart_enabled: bool,
    pub sct_supported: bool,
}

/// `None` where the bytes are no identity: too few, no device of this kind, a wrong checksum, or nothing that names a disk.
pub fn identify_device(data: &[u8]) -> Option<AtaIdentity> {
    let data = data.get(..IDENTIFY_BYTES)?;
    let words: Vec<u16> = data.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    // Bit 15 of word 0 is clear for every ATA device; a bus that nobody drives reads as ones.
    if words[0] & 0x8000 != 0 || !checksum_holds(data) {
        return None;
    }
    let identity = from_words(&words);
    (identity.model.is_some() || identity.serial.is_some()).then_some(identity)
}

/// Word 255 holds a checksum where its low byte is 0xA5: then all bytes add up to 0.
fn checksum_holds(data: &[u8]) -> bool {
    data[510] != 0xA5 || data.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) == 0
}

fn from_words(words: &[u16]) -> AtaIdentity {
    // Words 82 to 87 mean something where bits 15:14 of words 83 and 87 are 01.
    let supported = (words[83] & 0xC000 == 0x4000).then_some(words[82]);
    let enabled = (words[87] & 0xC000 == 0x4000).then_some(words[85]);
    let bit = |word: Option<u16>, bit: u16| word.map(|word| word & (1 << bit) != 0);
    let setting = |number: u16| CacheSetting {
        // A disk that does not support a switch has it off.
        current: bit(enabled, number).zip(bit(supported, number)).map(|(on, there)| on && there),
        changeable: bit(supported, number),
        ..CacheSetting::default()
    };
    AtaIdentity {
        serial: text(&words[10..20]),
        firmware: text(&words[23..27]),
        model: text(&words[27..47]),
        wwn: wwn(words),
        rotation: Rotation::from_field(words[217]),
        form_factor: form_factor(words[168]),
        sata_supported_bits_per_s: fastest_generation(words[76]).and_then(generation_bits_per_s),
        sata_current_bits_per_s: sata(words[76]).and_then(|_| generation_bits_per_s((words[77] >> 1) & 7)),
        caches: Caches { write: setting(5), look_ahead: setting(6) },
        // Bits 1:0 of word 69, ZONED CAPABILITIES, are ACS-4's; older disks leave them clear.
        shingled: shingled(words[69] & 3),
        smart_enabled: bit(enabled, 0) == Some(true),
        sct_supported: !matches!(words[206], 0 | 0xFFFF) && words[206] & 1 != 0,
    }
}

/// ATA strings have the first character in the high byte of each word.
fn text(words: &[u16]) -> Option<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    super::ascii(&bytes)
}

/// Words 108 to 111, where bit 8 of word 87 says that there is one.
fn wwn(words: &[u16]) -> Option<u64> {
    if words[87] & 0xC100 != 0x4100 {
        return None;
    }
    let name = words[108..112].iter().fold(0, |name, word| name << 16 | u64::from(*word));
    (name != 0).then_some(name)
}

/// Word 76 is 0 or all ones where the disk is not a Serial ATA one.
fn sata(capabilities: u16) -> Option<u16> {
    (!matches!(capabilities, 0 | 0xFFFF)).then_some(capabilities)
}

fn fastest_generation(capabilities: u16) -> Option<u16> {
    let capabilities = sata(capabilities)?;
    (1..=3).rev().find(|generation| capabilities & (1 << generation) != 0)
}

/// Gen1, Gen2, Gen3 of Serial ATA.
fn generation_bits_per_s(generation: u16) -> Option<u64> {
    match generation {
        1 => Some(1_500_000_000),
        2 => Some(3_000_000_000),
        3 => Some(6_000_000_000),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests;
