//! IDENTIFY DEVICE data built by the tables of ACS-3, clause 7.12.

use super::*;

/// 512 bytes of a 7200 rpm, 512e Serial ATA disk: sample values in the standard's places.
pub fn sample(change: impl FnOnce(&mut [u16; 256])) -> Vec<u8> {
    let mut words = [0_u16; 256];
    put(&mut words, 10, 10, "  S1234567");
    put(&mut words, 23, 4, "FW01");
    put(&mut words, 27, 20, "A MODEL NAME LONGER THAN SIXTEEN");
    words[60..62].copy_from_slice(&[0xFFFF, 0x0FFF]);
    (words[76], words[77]) = (0x000E, 0x0006);
    (words[82], words[83], words[85], words[87]) = (0x0061, 0x4400, 0x0061, 0x4100);
    words[100..104].copy_from_slice(&[0x6DB0, 0x7470, 0, 0]);
    words[106] = 0x6003;
    words[108..112].copy_from_slice(&[0x5000, 0x0000, 0x1234, 0x5678]);
    (words[168], words[206], words[217]) = (2, 1, 7200);
    change(&mut words);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub fn put(words: &mut [u16; 256], at: usize, count: usize, text: &str) {
    let padded = format!("{text:<width$}", width = count * 2);
    for (index, pair) in padded.as_bytes().chunks_exact(2).take(count).enumerate() {
        words[at + index] = u16::from_be_bytes([pair[0], pair[1]]);
    }
}

fn parsed(change: impl FnOnce(&mut [u16; 256])) -> AtaIdentity {
    identify_device(&sample(change)).expect("an identity")
}

#[test]
fn an_ata_disk_tells_its_whole_model_name_serial_firmware_rate_and_form() {
    let identity = parsed(|_| {});
    assert_eq!(identity.model.as_deref(), Some("A MODEL NAME LONGER THAN SIXTEEN"));
    assert_eq!((identity.serial.as_deref(), identity.firmware.as_deref()), (Some("S1234567"), Some("FW01")));
    assert_eq!((identity.rotation, identity.form_factor), (Some(Rotation::Rpm(7200)), Some("3.5 inch")));
    assert_eq!(identity.wwn, Some(0x5000_0000_1234_5678));
    assert!(identity.smart_enabled && identity.sct_supported);
}

#[test]
fn a_shingled_disk_tells_who_sees_to_the_order_of_writes() {
    let told = |word: u16| parsed(move |words| words[69] = word).shingled;
    assert_eq!([0, 1, 2, 0xFFFF].map(told), [None, Some("host-aware"), Some("drive-managed"), None]);
}

#[test]
fn a_fast_disk_on_a_slow_link_tells_both_speeds_and_a_parallel_one_none() {
    let speeds = |identity: AtaIdentity| (identity.sata_supported_bits_per_s, identity.sata_current_bits_per_s);
    assert_eq!(speeds(parsed(|words| words[77] = 0x0002)), (Some(6_000_000_000), Some(1_500_000_000)));
    assert_eq!(speeds(parsed(|words| (words[76], words[77]) = (0x0006, 0))), (Some(3_000_000_000), None));
    assert_eq!(speeds(parsed(|words| words[76] = 0)), (None, None));
}

#[test]
fn caches_are_told_as_supported_and_as_they_stand() {
    let caches = parsed(|words| words[85] = 0x0040).caches;
    assert_eq!((caches.write.current, caches.write.changeable), (Some(false), Some(true)));
    assert_eq!((caches.look_ahead.current, caches.look_ahead.changeable), (Some(true), Some(true)));
    let without = parsed(|words| words[82] = 0).caches;
    assert_eq!((without.write.current, without.write.changeable), (Some(false), Some(false)));
    let old = parsed(|words| (words[83], words[87]) = (0, 0));
    assert_eq!((old.caches, old.smart_enabled, old.wwn), (Caches::default(), false, None));
}

#[test]
fn reserved_rotation_rates_say_nothing() {
    for field in [0, 2, 0x0400, 0xFFFF] {
        assert_eq!(parsed(|words| words[217] = field).rotation, None, "{field:#x}");
    }
    assert_eq!(parsed(|words| words[217] = 1).rotation, Some(Rotation::NonRotating));
}

#[test]
fn a_wrong_checksum_zeros_ones_and_a_packet_device_are_no_identity() {
    let mut signed = sample(|words| words[255] = 0x00A5);
    assert_eq!(identify_device(&signed), None);
    signed[511] = signed[511].wrapping_sub(signed.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
    assert!(identify_device(&signed).is_some());
    assert_eq!(identify_device(&[0; 512]), None);
    assert_eq!(identify_device(&[0xFF; 512]), None);
    assert_eq!(identify_device(&sample(|words| words[0] = 0x8580)), None);
    assert_eq!(identify_device(&sample(|_| {})[..511]), None);
}
