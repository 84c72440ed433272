//! What stands for a unit instead of its serial number. `docs/reference/unit-digest.md` is its description for others.

use argon2::{Algorithm, Argon2, Params, Version};

use super::keys::hex;

/// The salt's first part separates this use of Argon2id from every other. Changing it, or a cost below, would part each
/// unit from its own earlier runs.
const DOMAIN: &[u8] = b"diskatlas/unit-digest/v1\0";
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 1;
const DIGEST_BYTES: usize = 32;

/// The digest of a unit: 64 hex digits, the same on each machine. `None` where the device tells no serial number, since
/// the model alone would make all its units one.
///
/// The model is the salt, so that nobody tries the serial numbers of all models at once. The vendor is no part of it:
/// the same disk has none, "ATA" or its maker's name, depending on who asks.
///
/// Takes a fraction of a second and 64 MiB on purpose: serial numbers are short and regular, so that trying all of them
/// has to be made expensive.
pub fn unit_digest(model: &str, serial: &str) -> Option<String> {
    let serial = normalise(serial);
    if serial.is_empty() {
        return None;
    }
    let salt = [DOMAIN, normalise(model).as_bytes()].concat();
    let params = Params::new(MEMORY_KIB, PASSES, LANES, Some(DIGEST_BYTES)).ok()?;
    let mut digest = [0; DIGEST_BYTES];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(serial.as_bytes(), &salt, &mut digest)
        .ok()?;
    Some(hex(&digest))
}

/// Interfaces pad the same words differently: runs of white space and of NUL become one space, ends are trimmed, ASCII letters become
/// capitals.
fn normalise(text: &str) -> String {
    let words = text.split(|character: char| character.is_whitespace() || character == '\0');
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_documented_one() {
        // The example of docs/reference/unit-digest.md, computed with another implementation of Argon2 (argon2-cffi).
        assert_eq!(
            unit_digest("ST2000NM0001", "Z1P00EXAMPLE").unwrap(),
            "7151b03ebc61a33f3a084e1cd31691866c56fdd72026b497943ada19ffe2d7d1"
        );
    }

    #[test]
    fn padding_and_case_do_not_make_another_unit() {
        let plain = unit_digest("HD 1", "S1");
        assert_eq!(unit_digest(" hd  1\0\0", "  s1"), plain);
    }

    #[test]
    fn another_model_or_serial_number_is_another_unit() {
        let digests = [unit_digest("HD 1", "S1"), unit_digest("HD 2", "S1"), unit_digest("HD 1", "S2")];
        assert!(digests.iter().all(Option::is_some));
        assert!(digests[0] != digests[1] && digests[0] != digests[2] && digests[1] != digests[2]);
    }

    #[test]
    fn a_device_without_a_serial_number_has_no_digest() {
        assert_eq!(unit_digest("ST2000NM0001", " \0"), None);
    }
}
