//! NVM Express: Base Specification 1.4, clause 5.15 (Identify), 5.14.1.2 (SMART / Health Information) and 5.21.1.6 (Volatile
//! Write Cache).

use super::{ascii, le16, plausible_celsius};

pub const IDENTIFY_BYTES: usize = 4096;

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Controller {
    pub serial: Option<String>,
    pub model: Option<String>,
    pub firmware: Option<String>,
    /// Whether there is a volatile write cache that can be switched (feature 6).
    pub volatile_write_cache: bool,
    /// Whether default and saved values of features can be asked for.
    pub selects_values: bool,
}

/// The Identify Controller data structure; `None` where nothing in it names a controller.
pub fn controller(data: &[u8]) -> Option<Controller> {
    let data = data.get(..IDENTIFY_BYTES)?;
    let (serial, model) = (ascii(&data[4..24]), ascii(&data[24..64]));
    (serial.is_some() || model.is_some()).then(|| Controller {
        serial,
        model,
        firmware: ascii(&data[64..72]),
        volatile_write_cache: data[525] & 1 != 0,
        // ONCS, bit 4: the save and select fields of Get and Set Features.
        selects_values: le16(data, 520).is_some_and(|word| word & (1 << 4) != 0),
    })
}

/// The composite temperature of the SMART / Health Information log, which counts in kelvins; 0 is none.
pub fn celsius(log: &[u8]) -> Option<i32> {
    let kelvin = le16(log, 1).filter(|&kelvin| kelvin != 0)?;
    plausible_celsius(i32::from(kelvin) - 273)
}

/// Bit 0 of what feature 6 answers: whether the volatile write cache is on.
pub const fn write_cache(answer: u32) -> bool {
    answer & 1 != 0
}

/// What the "supported capabilities" select answers: bit 2 says that the feature can be changed.
pub const fn changeable(capabilities: u32) -> bool {
    capabilities & (1 << 2) != 0
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn controller_data() -> Vec<u8> {
        let mut data = vec![0; IDENTIFY_BYTES];
        data[4..24].copy_from_slice(b"SN0001              ");
        data[24..64].copy_from_slice(b"SAMPLE NVME DISK                        ");
        data[64..72].copy_from_slice(b"1.0     ");
        (data[520], data[525]) = (0x10, 1);
        data
    }

    #[test]
    fn a_controller_tells_its_names_and_that_its_cache_can_be_switched() {
        let told = controller(&controller_data()).expect("a controller");
        assert_eq!((told.serial.as_deref(), told.model.as_deref()), (Some("SN0001"), Some("SAMPLE NVME DISK")));
        assert_eq!(told.firmware.as_deref(), Some("1.0"));
        assert!(told.volatile_write_cache && told.selects_values);
        assert_eq!(controller(&[0; IDENTIFY_BYTES]), None);
    }

    #[test]
    fn kelvins_become_degrees_and_zero_is_none() {
        let log = |kelvin: u16| [&[0][..], &kelvin.to_le_bytes(), &[0; 509]].concat();
        assert_eq!(celsius(&log(310)), Some(37));
        assert_eq!(celsius(&log(0)), None);
        assert_eq!(celsius(&log(0xFFFF)), None);
        assert_eq!(celsius(&[0]), None);
    }

    #[test]
    fn the_switch_is_bit_0_and_changeable_bit_2() {
        assert!(write_cache(1) && !write_cache(2));
        assert!(changeable(4) && !changeable(3));
    }
}
