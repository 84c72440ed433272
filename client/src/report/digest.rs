//! What stands for a unit instead of its serial number. `docs/reference/unit-digest.md` is its description for others.

use argon2::{Algorithm, Argon2, Params, Version};

use super::keys::hex;

/// Separates this use of Argon2id from every other. Changing it, or a cost below, would part each unit from its own
/// earlier runs.
const SALT: &[u8] = b"diskatlas/unit-digest/v1";
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 1;
const DIGEST_BYTES: usize = 32;

/// The digest of a unit: 64 hex digits, the same on each machine. `None` where the device tells no serial number, since
/// vendor and model alone would make all units of a model one.
///
/// Takes a fraction of a second and 64 MiB on purpose: serial numbers are short and regular, so that trying all of them
/// has to be made expensive.
#[must_use]
pub fn unit_digest(vendor: Option<&str>, model: &str, serial: &str) -> Option<String> {
    let serial = normalise(serial);
    if serial.is_empty() {
        return None;
    }
    let input = encode(&[&normalise(vendor.unwrap_or_default()), &normalise(model), &serial]);
    let params = Params::new(MEMORY_KIB, PASSES, LANES, Some(DIGEST_BYTES)).ok()?;
    let mut digest = [0; DIGEST_BYTES];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password_into(&input, SALT, &mut digest).ok()?;
    Some(hex(&digest))
}

/// Interfaces pad the same words differently: runs of white space and of NUL become one space, ends are trimmed, ASCII letters become
/// capitals.
fn normalise(text: &str) -> String {
    let words = text.split(|character: char| character.is_whitespace() || character == '\0');
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_ascii_uppercase()
}

/// Each part with its length in bytes before it (32 bits, little-endian), so that no two triples give the same bytes.
fn encode(parts: &[&str]) -> Vec<u8> {
    let length = |part: &str| u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes();
    parts.iter().flat_map(|part| [&length(part)[..], part.as_bytes()].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_documented_one() {
        // The example of docs/reference/unit-digest.md, computed with another implementation of Argon2 (argon2-cffi).
        assert_eq!(
            unit_digest(Some("Seagate"), "ST2000NM0001", "Z1P00EXAMPLE").unwrap(),
            "a804630f4e248c132d15a069c2566a7ebfc86f72aa40f7aae9147db2120c068e"
        );
    }

    #[test]
    fn padding_and_case_do_not_make_another_unit() {
        let plain = unit_digest(Some("ATA"), "HD 1", "S1");
        assert_eq!(unit_digest(Some("ata     "), " HD  1\0\0", "  s1"), plain);
    }

    #[test]
    fn letters_that_move_between_the_parts_make_another_unit() {
        assert_ne!(encode(&["A", "BC", "D"]), encode(&["AB", "C", "D"]));
        assert_ne!(encode(&["", "A", "B"]), encode(&["A", "", "B"]));
    }

    #[test]
    fn a_device_without_a_serial_number_has_no_digest() {
        assert_eq!(unit_digest(Some("Seagate"), "ST2000NM0001", " \0"), None);
    }
}
