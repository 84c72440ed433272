//! The second time of being told: a few characters that only someone who means this disk types.

const SERIAL_CHARACTERS: usize = 4;

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Challenge {
    pub expected: String,
    pub asked_for: String,
}

impl Challenge {
    /// The last four characters of the serial number, or the device's name where there is none (or hardly one).
    pub fn new(serial: Option<&str>, name: &str) -> Self {
        let letters: Vec<char> = serial.unwrap_or_default().trim().chars().collect();
        if letters.len() < SERIAL_CHARACTERS {
            return Self { expected: name.to_owned(), asked_for: format!("the device name ({name})") };
        }
        Self {
            expected: letters[letters.len() - SERIAL_CHARACTERS..].iter().collect(),
            asked_for: "the last four characters of its serial number".to_owned(),
        }
    }

    /// Whether the text is what was asked for. A device name may be given with its `/dev/`.
    pub fn accepts(&self, text: &str) -> bool {
        let text = text.trim();
        text == self.expected || text.strip_prefix("/dev/") == Some(&self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::Challenge;

    #[test]
    fn the_last_four_characters_of_the_serial_are_asked_for() {
        let challenge = Challenge::new(Some("WD-WX12A3456789"), "sdb");
        assert!(challenge.accepts("6789") && challenge.accepts(" 6789\n"));
        assert!(!challenge.accepts("sdb") && !challenge.accepts("") && !challenge.accepts("WD-WX12A3456789"));
    }

    #[test]
    fn without_a_serial_the_device_name_is_asked_for() {
        for serial in [None, Some(""), Some("12")] {
            let challenge = Challenge::new(serial, "loop3");
            assert!(challenge.accepts("loop3") && challenge.accepts("/dev/loop3"));
            assert!(!challenge.accepts("yes") && !challenge.accepts(""));
        }
    }
}
