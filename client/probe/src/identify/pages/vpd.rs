//! SCSI vital product data, from INQUIRY or from sysfs (`/sys/block/*/device/vpd_pg*`): SPC-4, clause 7.8.
//!
//! Page 0x89: SAT-3, clause 12.4. Page 0xB1: SBC-3, clause 6.6.

use super::ata::{AtaIdentity, IDENTIFY_BYTES, identify_device};
use super::{Rotation, be16, form_factor, shingled};

pub const SUPPORTED: u8 = 0x00;
pub const SERIAL: u8 = 0x80;
pub const DEVICE_IDENTIFICATION: u8 = 0x83;
pub const ATA_INFORMATION: u8 = 0x89;
pub const CHARACTERISTICS: u8 = 0xB1;

/// Where the IDENTIFY DEVICE data start in page 0x89.
const IDENTIFY_OFFSET: usize = 60;

/// What follows the four bytes before every page, as far as both its length and the answer reach.
fn body(page: &[u8], code: u8) -> Option<&[u8]> {
    let length = usize::from(be16(page, 2)?);
    let body = page.get(4..).filter(|_| page[1] == code)?;
    Some(&body[..length.min(body.len())])
}

/// The pages that the device has. `None` where the answer is none of this page.
pub fn supported(page: &[u8]) -> Option<&[u8]> {
    body(page, SUPPORTED)
}

pub fn serial(page: &[u8]) -> Option<String> {
    super::ascii(body(page, SERIAL)?)
}

/// The logical unit's world wide name: a designator of type NAA that belongs to the logical unit itself.
pub fn wwn(page: &[u8]) -> Option<Vec<u8>> {
    let mut rest = body(page, DEVICE_IDENTIFICATION)?;
    while let (Some(&kind), Some(&length)) = (rest.get(1), rest.get(3)) {
        let designator = rest.get(4..4 + usize::from(length))?;
        // Association 00b is the logical unit, type 3 is NAA.
        if kind & 0x3F == 3 && designator.iter().any(|byte| *byte != 0) {
            return Some(designator.to_vec());
        }
        rest = &rest[4 + designator.len()..];
    }
    None
}

pub fn ata(page: &[u8]) -> Option<AtaIdentity> {
    (page.get(1) == Some(&ATA_INFORMATION)).then_some(())?;
    identify_device(page.get(IDENTIFY_OFFSET..IDENTIFY_OFFSET + IDENTIFY_BYTES)?)
}

/// What page 0xB1 says of the medium (SBC-4, "Block Device Characteristics VPD page").
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Characteristics {
    pub rotation: Option<Rotation>,
    pub form_factor: Option<&'static str>,
    pub shingled: Option<&'static str>,
}

pub fn characteristics(page: &[u8]) -> Option<Characteristics> {
    let body = body(page, CHARACTERISTICS)?;
    Some(Characteristics {
        rotation: Rotation::from_field(be16(body, 0)?),
        form_factor: form_factor(u16::from(*body.get(3)?)),
        // Older pages end before it.
        shingled: body.get(4).and_then(|byte| shingled(u16::from(byte >> 4) & 3)),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn page(code: u8, body: &[u8]) -> Vec<u8> {
        let mut page = vec![0, code];
        page.extend(u16::try_from(body.len()).unwrap().to_be_bytes());
        page.extend(body);
        page
    }

    /// Page 0x89 around these IDENTIFY DEVICE data.
    pub fn ata_information(identify: &[u8]) -> Vec<u8> {
        let mut body = vec![0; IDENTIFY_OFFSET - 4];
        body.extend(identify);
        page(ATA_INFORMATION, &body)
    }

    #[test]
    fn page_89_carries_the_disks_own_words() {
        let identify = super::super::ata::tests::sample(|_| {});
        let told = ata(&ata_information(&identify)).expect("an identity");
        assert_eq!(told.model.as_deref(), Some("A MODEL NAME LONGER THAN SIXTEEN"));
        assert_eq!(ata(&ata_information(&identify[..511])), None);
    }

    #[test]
    fn rate_and_form_are_those_of_page_b1() {
        let told = characteristics(&page(CHARACTERISTICS, &[0x3A, 0x98, 0, 2, 0, 0]));
        let plain =
            Characteristics { rotation: Some(Rotation::Rpm(15_000)), form_factor: Some("3.5 inch"), shingled: None };
        assert_eq!(told, Some(plain));
        assert_eq!(characteristics(&page(CHARACTERISTICS, &[0x3A, 0x98, 0, 2])), Some(plain), "an older page");
        let shingled = |byte| characteristics(&page(CHARACTERISTICS, &[0x1C, 0x20, 0, 2, byte, 0])).unwrap().shingled;
        assert_eq!([0x00, 0x10, 0x20, 0x30].map(shingled), [None, Some("host-aware"), Some("drive-managed"), None]);
        assert_eq!(characteristics(&page(0xB0, &[0x3A, 0x98, 0, 2])), None, "another page");
    }

    #[test]
    fn supported_pages_are_a_list() {
        assert_eq!(supported(&page(SUPPORTED, &[0x00, 0x80, 0x83])), Some(&[0x00, 0x80, 0x83][..]));
    }

    #[test]
    fn the_wwn_is_the_logical_units_naa_designator_and_no_other() {
        let mut body = vec![0x02, 0x01, 0, 4];
        body.extend(b"T10 ");
        // The target port's name has association 01b.
        body.extend([0x01, 0x13, 0, 8, 0x50, 1, 1, 1, 1, 1, 1, 1]);
        body.extend([0x01, 0x03, 0, 8, 0x50, 0, 0xC5, 0, 1, 2, 3, 4]);
        let told = wwn(&page(DEVICE_IDENTIFICATION, &body));
        assert_eq!(told, Some(vec![0x50, 0, 0xC5, 0, 1, 2, 3, 4]));
        assert_eq!(wwn(&page(DEVICE_IDENTIFICATION, &body[..20])), None);
    }

    #[test]
    fn a_serial_page_that_claims_more_than_it_has_is_read_to_its_end() {
        assert_eq!(serial(b"\x00\x80\x00\x40 WD-123  ").as_deref(), Some("WD-123"));
        assert_eq!(serial(&page(SERIAL, b"    ")), None);
    }
}
