//! Temperatures of ATA disks.
//!
//! The SCT status is ACS-3, clause 8, table "SCT status response". The attributes of SMART READ DATA are older than any
//! standard: SFF-8035i, revision 2, describes their table (360 bytes behind a revision number, twelve for each attribute).

use super::{le16, plausible_celsius};

const FIRST_ATTRIBUTE: usize = 2;
const ATTRIBUTE_BYTES: usize = 12;
const ATTRIBUTES: usize = 30;
/// Where the raw value starts in an attribute.
const RAW: usize = 5;

/// Attribute 194 is the temperature; 190, of the air or as another name for it, stands in where there is no 194.
const TEMPERATURE_ATTRIBUTES: [u8; 2] = [194, 190];

/// Where the temperature stands in the SCT status, and what says that there is none.
const SCT_TEMPERATURE: usize = 200;
const SCT_UNKNOWN: u8 = 0x80;

/// From the 512 bytes of SMART READ DATA. The low 16 bits of the raw value are degrees on most disks; on one that counts
/// in tenths, or packs something else there, the number is out of a disk's range and nothing is told.
pub fn attribute_celsius(data: &[u8]) -> Option<i32> {
    if data.len() < 512 || data[..512].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) != 0 {
        return None;
    }
    TEMPERATURE_ATTRIBUTES.iter().find_map(|&id| {
        let raw = le16(data, attribute(data, id)? + RAW)?.cast_signed();
        // Disks without a sensor leave a zero.
        plausible_celsius(i32::from(raw)).filter(|&celsius| celsius != 0)
    })
}

fn attribute(data: &[u8], id: u8) -> Option<usize> {
    let places = (0..ATTRIBUTES).map(|index| FIRST_ATTRIBUTE + index * ATTRIBUTE_BYTES);
    places.into_iter().find(|&at| data.get(at) == Some(&id))
}

pub fn sct_celsius(status: &[u8]) -> Option<i32> {
    if status.len() < 512 || !matches!(le16(status, 0)?, 2 | 3) {
        return None;
    }
    let byte = *status.get(SCT_TEMPERATURE)?;
    (byte != SCT_UNKNOWN).then(|| i32::from(byte.cast_signed())).and_then(plausible_celsius)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// SMART READ DATA with these attributes (id, raw value), its checksum put right.
    pub fn attributes(list: &[(u8, [u8; 6])]) -> Vec<u8> {
        let mut data = vec![0; 512];
        data[0] = 16;
        for (index, (id, raw)) in list.iter().enumerate() {
            let at = FIRST_ATTRIBUTE + index * ATTRIBUTE_BYTES;
            data[at] = *id;
            data[at + RAW..at + RAW + 6].copy_from_slice(raw);
        }
        data[511] = 0_u8.wrapping_sub(data.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
        data
    }

    /// An SCT status of format 3 with that temperature.
    pub fn status(celsius: u8) -> Vec<u8> {
        let mut status = vec![0; 512];
        (status[0], status[SCT_TEMPERATURE]) = (3, celsius);
        status
    }

    #[test]
    fn the_temperature_goes_before_the_airflow_and_its_extremes_are_left_out() {
        let data = attributes(&[(1, [9; 6]), (190, [30, 0, 20, 40, 0, 0]), (194, [37, 0, 18, 0, 52, 0])]);
        assert_eq!(attribute_celsius(&data), Some(37));
        assert_eq!(attribute_celsius(&attributes(&[(190, [30, 0, 20, 40, 0, 0])])), Some(30));
    }

    #[test]
    fn tenths_of_degrees_a_zero_and_a_wrong_checksum_tell_nothing() {
        assert_eq!(attribute_celsius(&attributes(&[(194, [0x5E, 1, 0, 0, 0, 0])])), None);
        assert_eq!(attribute_celsius(&attributes(&[(194, [0; 6])])), None);
        assert_eq!(attribute_celsius(&attributes(&[(9, [1; 6])])), None);
        let mut data = attributes(&[(194, [37, 0, 0, 0, 0, 0])]);
        data[300] ^= 1;
        assert_eq!(attribute_celsius(&data), None);
    }

    #[test]
    fn the_sct_status_tells_degrees_below_zero_too_and_0x80_is_none() {
        assert_eq!(sct_celsius(&status(41)), Some(41));
        assert_eq!(sct_celsius(&status(0xFB)), Some(-5));
        assert_eq!(sct_celsius(&status(0x80)), None);
        assert_eq!(sct_celsius(&[0; 512]), None);
        assert_eq!(sct_celsius(&status(41)[..511]), None);
    }
}
