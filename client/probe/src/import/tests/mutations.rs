//! Files as they come: cut off, with other text around, coloured, quoted, in another language. Each is read as its original was, in
//! part, or refused; nothing else comes of it.

use proptest::prelude::*;

use super::texts::*;
use super::*;

const OUTPUTS: [&str; 9] = [HDPARM_PASTE, ZCAV_1_03, HDTUNE_PRO, HDTUNE_GERMAN, DISKINFO, DD, IOPING, FIO_3_1, FIO_2];
const IDENTITIES: [&str; 3] = [SMARTCTL_ATA, SMARTCTL_SAS, SMARTCTL_NVME];

/// A drive on which each of the outputs may have been measured.
fn asked() -> ImportOptions {
    ImportOptions {
        model: Some("EXAMPLE DISK-8".to_owned()),
        capacity_bytes: Some(8_589_934_592),
        rotational: Some(true),
        ..ImportOptions::default()
    }
}

fn read(text: &str) -> Result<RunDocument, ImportError> {
    let inputs = [input("output", without_serial(text).as_bytes())];
    let tool = Tool::of_all(&inputs)?;
    let capacity_bytes = if tool == Tool::Zcav { Some(314_572_800) } else { asked().capacity_bytes };
    document(tool, &inputs, None, &ImportOptions { capacity_bytes, ..asked() })
}

/// Digests of serial numbers are slow on purpose.
fn without_serial(text: &str) -> String {
    ["EX8A4711", "6SJ0PQ4K", "S4E1NX0R"].iter().fold(text.to_owned(), |text, serial| text.replace(serial, "--"))
}

/// The numbers of a document's samples, by the path to each; lists by their members.
fn numbers(document: &RunDocument) -> Vec<(String, String)> {
    fn walk(value: &Value, path: &str, found: &mut Vec<(String, String)>) {
        match value {
            Value::Object(members) => {
                members.iter().for_each(|(name, value)| walk(value, &format!("{path}/{name}"), found));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, path, found)),
            Value::Null => {}
            leaf => found.push((path.to_owned(), leaf.to_string())),
        }
    }
    let mut found = Vec::new();
    let value = serde_json::to_value(document).unwrap();
    for benchmark in value["benchmarks"].as_array().unwrap() {
        walk(&benchmark["samples"], benchmark["kind"].as_str().unwrap(), &mut found);
    }
    found
}

/// Every number is one of the original's; of times, as close as the last printed digit.
fn is_part_of(found: &RunDocument, original: &RunDocument) -> bool {
    let all = numbers(original);
    let near = |one: &str, two: &str| {
        let (one, two) = (one.parse::<f64>(), two.parse::<f64>());
        one.is_ok_and(|one| two.is_ok_and(|two| (one / two - 1.0).abs() < 1e-3))
    };
    numbers(found).iter().all(|(path, value)| {
        all.iter()
            .any(|(at, other)| path == at && (value == other || (path.ends_with("elapsed_ns") && near(value, other))))
    })
}

fn identity(text: &str) -> Result<DeviceReport, String> {
    let input = input("identity", without_serial(text).as_bytes());
    let facts = smartctl::facts(&input).map_err(|error| error.to_string())?;
    smartctl::device(&facts, &ImportOptions::default())
}

#[test]
fn every_specimen_is_read_whole() {
    for text in OUTPUTS {
        assert!(read(text).is_ok(), "{:?}", read(text).err());
    }
    assert!(IDENTITIES.iter().all(|text| identity(text).is_ok()));
}

#[test]
fn a_specimen_that_is_cut_anywhere_is_read_in_part_or_refused() {
    for text in OUTPUTS {
        let original = read(text).unwrap();
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            if let Ok(found) = read(&text[..end]) {
                assert!(is_part_of(&found, &original), "{:?}", &text[..end]);
            }
        }
    }
}

#[test]
fn an_identity_that_is_cut_anywhere_keeps_its_model_and_sizes_or_is_refused() {
    for text in IDENTITIES {
        let original = identity(text).unwrap();
        let facts = |device: &DeviceReport| {
            (device.model.clone(), device.capacity_bytes, device.logical_block_bytes, device.rotation_rate_rpm)
        };
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            if let Ok(found) = identity(&text[..end]) {
                assert_eq!(facts(&found), facts(&original), "{:?}", &text[..end]);
                assert!(
                    found.physical_block_bytes == original.physical_block_bytes
                        || found.physical_block_bytes == found.logical_block_bytes
                );
            }
        }
    }
}

#[test]
fn two_identities_in_one_file_are_of_no_drive() {
    for one in IDENTITIES {
        for two in IDENTITIES.iter().filter(|two| **two != one) {
            let lines: Vec<&str> = one.lines().collect();
            for end in 6..lines.len() {
                let mixed = format!("{}\n{two}", lines[..end].join("\n"));
                assert!(identity(&mixed).is_err(), "{mixed}");
            }
        }
    }
}

/// A line as tools print it that colour each word by itself.
fn words_coloured(line: &str) -> String {
    line.split(' ').map(|word| format!("\u{1b}[1;32m{word}\u{1b}[0m")).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_tool_that_is_not_read_is_named_whatever_the_case_and_colours() {
    for text in ["H2benchw -- by two authors\n", "h2benchw 1 -a\n", "\u{1b}[1mHD\u{1b}[0m Tach version 3\n"] {
        let why = read(text).unwrap_err().to_string();
        assert!(why.contains("HD Tach or h2benchw"), "{why}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn colours_marks_of_quotation_and_line_ends_change_nothing(which in 0usize..7, line in any::<prop::sample::Index>(), how in 0usize..5) {
        let text = OUTPUTS[which];
        let lines: Vec<&str> = text.lines().collect();
        let at = line.index(lines.len());
        let changed: Vec<String> = lines.iter().enumerate().map(|(number, line)| match how {
            0 if number == at => format!("\u{1b}[33m{line}\u{1b}(B\u{1b}[m"),
            1 => format!("> {line}"),
            2 => format!("{line}\r"),
            3 => words_coloured(line),
            _ => (*line).to_owned(),
        }).collect();
        let found = read(&changed.join("\n")).unwrap();
        prop_assert_eq!(numbers(&found), numbers(&read(text).unwrap()));
    }

    #[test]
    fn text_of_other_tools_around_it_makes_no_other_numbers(which in 0usize..7, other in 0usize..9, before in any::<bool>()) {
        let (text, other) = (OUTPUTS[which], OUTPUTS[other]);
        prop_assume!(text != other);
        let mixed = if before { format!("{other}\n{text}") } else { format!("{text}\n{other}") };
        if let Ok(found) = read(&mixed) {
            prop_assert!(is_part_of(&found, &read(text).unwrap()) || is_part_of(&found, &read(other).unwrap()), "{}", mixed);
        }
    }
}
