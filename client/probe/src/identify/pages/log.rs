//! LOG SENSE: SPC-4, clause 7.3. Temperature log page 0x0D and start-stop cycle counter log page 0x0E.

use super::be16;

pub const TEMPERATURE: u8 = 0x0D;
pub const START_STOP_CYCLES: u8 = 0x0E;

/// The year and week of manufacture, as the disk's own log tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq, serde::Serialize)]
pub struct Manufactured {
    pub year: u16,
    pub week: u8,
}

/// Whether log page 0x00, which lists the pages of the device, has this one.
pub fn lists(answer: &[u8], page: u8) -> bool {
    let length = be16(answer, 2).map_or(0, usize::from);
    answer.first() == Some(&0) && answer.iter().skip(4).take(length).any(|listed| listed & 0x3F == page)
}

/// Parameters of a log page: code and value.
fn parameters(answer: &[u8], code: u8) -> Option<Vec<(u16, &[u8])>> {
    // Bit 6 says that a sub-page follows, which has other parameters.
    if *answer.first()? & 0x7F != code {
        return None;
    }
    let length = usize::from(be16(answer, 2)?);
    let mut rest = answer.get(4..)?;
    rest = &rest[..length.min(rest.len())];
    let mut found = Vec::new();
    while let (Some(code), Some(&length)) = (be16(rest, 0), rest.get(3)) {
        let Some(value) = rest.get(4..4 + usize::from(length)) else { break };
        found.push((code, value));
        rest = &rest[4 + value.len()..];
    }
    Some(found)
}

fn parameter(answer: &[u8], page: u8, code: u16) -> Option<&[u8]> {
    parameters(answer, page)?.into_iter().find_map(|(found, value)| (found == code).then_some(value))
}

/// Degrees of parameter 0x0000; 0xFF says that the disk can't tell.
pub fn celsius(answer: &[u8]) -> Option<i32> {
    let byte = *parameter(answer, TEMPERATURE, 0)?.get(1)?;
    (byte != 0xFF).then_some(i32::from(byte)).and_then(super::plausible_celsius)
}

/// Parameter 0x0001: four ASCII digits of the year and two of the week. Blanks, zeros and other words are no date.
pub fn manufactured(answer: &[u8]) -> Option<Manufactured> {
    let text = std::str::from_utf8(parameter(answer, START_STOP_CYCLES, 1)?.get(..6)?).ok()?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (year, week) = (text[..4].parse().ok()?, text[4..].parse().ok()?);
    // The first disk was made in 1956 (IBM 350).
    ((1956..=2155).contains(&year) && (1..=53).contains(&week)).then_some(Manufactured { year, week })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A log page with these parameters (code, control, value).
    pub fn page(code: u8, parameters: &[(u16, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (parameter, value) in parameters {
            body.extend(parameter.to_be_bytes());
            body.extend([0x01, u8::try_from(value.len()).unwrap()]);
            body.extend(*value);
        }
        let mut answer = vec![code, 0];
        answer.extend(u16::try_from(body.len()).unwrap().to_be_bytes());
        answer.extend(body);
        answer
    }

    #[test]
    fn the_current_temperature_is_told_and_not_the_reference() {
        assert_eq!(celsius(&page(TEMPERATURE, &[(1, &[0, 68]), (0, &[0, 34])])), Some(34));
        assert_eq!(celsius(&page(TEMPERATURE, &[(0, &[0, 0xFF]), (1, &[0, 68])])), None);
        assert_eq!(celsius(&page(TEMPERATURE, &[(1, &[0, 68])])), None);
        assert_eq!(celsius(&page(START_STOP_CYCLES, &[(0, &[0, 34])])), None);
    }

    #[test]
    fn year_and_week_of_manufacture_are_six_digits() {
        let date = |text: &[u8]| manufactured(&page(START_STOP_CYCLES, &[(1, text), (2, b"201252")]));
        assert_eq!(date(b"201136"), Some(Manufactured { year: 2011, week: 36 }));
        for text in [&b"000000"[..], b"      ", b"201100", b"201154", b"2011+6", b"20113", b"\xff\xff\xff\xff\xff\xff"]
        {
            assert_eq!(date(text), None, "{text:?}");
        }
        assert_eq!(manufactured(&page(START_STOP_CYCLES, &[(2, b"201252")])), None, "the accounting date is another");
    }

    #[test]
    fn the_list_of_pages_ends_where_it_says() {
        let list = [0, 0, 0, 3, 0x00, 0x0D, 0x0E, 0x0F];
        assert!(lists(&list, TEMPERATURE) && lists(&list, START_STOP_CYCLES));
        assert!(!lists(&list, 0x0F) && !lists(&list[..3], 0) && !lists(&[0x0D, 0, 0, 1, 0x0D], TEMPERATURE));
    }

    #[test]
    fn a_page_cut_in_a_parameter_gives_what_stands_before() {
        let whole = page(TEMPERATURE, &[(0, &[0, 34]), (1, &[0, 68])]);
        assert_eq!(celsius(&whole[..whole.len() - 1]), Some(34));
        assert_eq!(celsius(&whole[..9]), None);
    }
}
