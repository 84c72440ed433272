//! SCSI vital product data pages as sysfs hands them out (`/sys/block/*/device/vpd_pg*`), parsed from bytes.
//!
//! Page 0x80: SPC-4, 7.8.15. Page 0x89 and the ATA IDENTIFY DEVICE data inside it: SAT-3, 12.4.2, and ACS-3, 7.12.7.
//! Page 0xB1: SBC-3, 6.6.2.

use super::tree::clean;

/// Where the IDENTIFY DEVICE data start in page 0x89.
const IDENTIFY_OFFSET: usize = 60;
const IDENTIFY_BYTES: usize = 512;

/// What an ATA disk says of itself.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct AtaIdentity {
    pub model: Option<String>,
    pub serial: Option<String>,
    pub firmware: Option<String>,
    pub rotation: Option<Rotation>,
    pub form_factor: Option<&'static str>,
}

/// The medium rotation rate field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rotation {
    NonRotating,
    Rpm(u32),
}

/// The unit serial number of page 0x80.
#[must_use]
pub fn serial(page: &[u8]) -> Option<String> {
    let length = usize::from(u16::from_be_bytes([*page.get(2)?, *page.get(3)?]));
    let bytes = page.get(4..)?;
    clean(&String::from_utf8_lossy(&bytes[..length.min(bytes.len())]))
}

/// The ATA identity inside page 0x89.
#[must_use]
pub fn ata(page: &[u8]) -> Option<AtaIdentity> {
    identify_device(page.get(IDENTIFY_OFFSET..IDENTIFY_OFFSET + IDENTIFY_BYTES)?)
}

/// 512 bytes of IDENTIFY DEVICE data; `None` where there are fewer.
#[must_use]
pub fn identify_device(data: &[u8]) -> Option<AtaIdentity> {
    let words: Vec<u16> =
        data.get(..IDENTIFY_BYTES)?.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    Some(AtaIdentity {
        serial: ata_text(&words[10..20]),
        firmware: ata_text(&words[23..27]),
        model: ata_text(&words[27..47]),
        rotation: rotation(words[217]),
        form_factor: form_factor(words[168] & 0xF),
    })
}

/// Rotation rate and form factor of page 0xB1.
#[must_use]
pub fn characteristics(page: &[u8]) -> Option<(Option<Rotation>, Option<&'static str>)> {
    let rate = u16::from_be_bytes([*page.get(4)?, *page.get(5)?]);
    Some((rotation(rate), form_factor(u16::from(*page.get(7)? & 0xF))))
}

/// ATA strings have the first character in the high byte of each word.
fn ata_text(words: &[u16]) -> Option<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    clean(&String::from_utf8_lossy(&bytes))
}

fn rotation(field: u16) -> Option<Rotation> {
    match field {
        1 => Some(Rotation::NonRotating),
        0x0401..=0xFFFE => Some(Rotation::Rpm(u32::from(field))),
        _ => None,
    }
}

fn form_factor(field: u16) -> Option<&'static str> {
    match field {
        1 => Some("5.25 inch"),
        2 => Some("3.5 inch"),
        3 => Some("2.5 inch"),
        4 => Some("1.8 inch"),
        5 => Some("less than 1.8 inch"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_89(model: &str, rate: u16, form: u16) -> Vec<u8> {
        let mut words = [0_u16; 256];
        let mut put = |at: usize, count: usize, text: &str| {
            let padded = format!("{text:<width$}", width = count * 2);
            for (index, pair) in padded.as_bytes().chunks_exact(2).take(count).enumerate() {
                words[at + index] = u16::from_be_bytes([pair[0], pair[1]]);
            }
        };
        put(10, 10, "  S1234567");
        put(23, 4, "FW01");
        put(27, 20, model);
        words[217] = rate;
        words[168] = form;
        let mut page = vec![0; IDENTIFY_OFFSET];
        page.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        page
    }

    #[test]
    fn an_ata_disk_tells_its_whole_model_name_serial_firmware_rate_and_size() {
        let identity = ata(&page_89("A MODEL NAME LONGER THAN SIXTEEN", 7200, 2)).expect("an identity");
        assert_eq!(identity.model.as_deref(), Some("A MODEL NAME LONGER THAN SIXTEEN"));
        assert_eq!(identity.serial.as_deref(), Some("S1234567"));
        assert_eq!(identity.firmware.as_deref(), Some("FW01"));
        assert_eq!(identity.rotation, Some(Rotation::Rpm(7200)));
        assert_eq!(identity.form_factor, Some("3.5 inch"));
    }

    #[test]
    fn reserved_rotation_rates_say_nothing() {
        for field in [0, 2, 0x0400, 0xFFFF] {
            assert_eq!(rotation(field), None, "{field:#x}");
        }
        assert_eq!(rotation(1), Some(Rotation::NonRotating));
    }

    #[test]
    fn short_pages_give_nothing_instead_of_a_panic() {
        for length in 0..60 {
            let page = vec![0xFF; length];
            let _ = (serial(&page), characteristics(&page));
            assert_eq!(ata(&page), None);
        }
    }

    #[test]
    fn a_serial_page_that_claims_more_than_it_has_is_read_to_its_end() {
        assert_eq!(serial(b"\x00\x80\x00\x40 WD-123  ").as_deref(), Some("WD-123"));
    }
}
