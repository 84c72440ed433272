//! What pages, mail and terminals put around a tool's output changes nothing of what is read.

use super::texts::*;
use super::*;

type Change = fn(&str) -> Vec<u8>;

/// Of a drive without a serial number, whose digest is slow on purpose.
fn quickly(bytes: &[u8]) -> Result<RunDocument, ImportError> {
    let inputs = [input("output", bytes)];
    let identity = input("identity.json", &changed(IDENTITY, "\"serial_number\": \"SAMPLE0001\",", ""));
    document(Tool::of_all(&inputs)?, &inputs, Some(&identity), &ImportOptions::default())
}

fn each_line(text: &str, change: impl Fn(usize, &str) -> String) -> Vec<u8> {
    text.lines().enumerate().map(|(at, line)| change(at + 1, line)).collect::<Vec<_>>().join("\n").into_bytes()
}

fn entities(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

const CHANGES: [(&str, Change); 31] = [
    ("a forum", |text| format!("[quote=\"somebody\"][code]{text}[/code][/quote]").into_bytes()),
    ("UTF-16 without a mark", |text| utf_16(text, u16::to_le_bytes)),
    ("UTF-16 of big machines", |text| utf_16(text, u16::to_be_bytes)),
    ("ends of lines of old Macs", |text| text.replace('\n', "\r").into_bytes()),
    ("quoted twice", |text| each_line(text, |_, line| format!(">> {line}"))),
    ("quoted in a page", |text| each_line(text, |_, line| format!("&gt; {line}"))),
    ("entities", |text| entities(text).into_bytes()),
    ("a page", |text| {
        format!("<html><body><pre class=\"c\"><code>{}</code></pre></body></html>", entities(text)).into_bytes()
    }),
    ("breaks of lines", |text| format!("<p>{}</p>", entities(text).replace('\n', "<br/>")).into_bytes()),
    ("cat -n", |text| each_line(text, |at, line| format!("{at:6}\t{line}"))),
    ("numbers and colons", |text| each_line(text, |at, line| format!("{at:3}: {line}"))),
    ("numbers and points", |text| each_line(text, |at, line| format!("  {at}. {line}"))),
    ("numbers and a bar", |text| each_line(text, |at, line| format!("{at:5} | {line}"))),
    ("a list", |text| each_line(text, |_, line| format!("- {line}"))),
    ("a table", |text| each_line(text, |_, line| format!("| {line} | |"))),
    ("a table with numbers", |text| each_line(text, |at, line| format!("| {at} | {line} |"))),
    ("hard spaces", |text| text.replace(' ', "\u{a0}").into_bytes()),
    ("spaces that don't show", |text| text.replace('\n', "\u{200b}\n").into_bytes()),
    ("a log of the machine", |text| each_line(text, |_, line| format!("Nov 24 02:10:01 host bench[123]: {line}"))),
    ("a log with moments", |text| each_line(text, |_, line| format!("2026-11-24T02:10:01.123Z {line}"))),
    ("a log of services", |text| each_line(text, |_, line| format!("bench_1  | {line}"))),
    ("a log with moments alone", |text| each_line(text, |at, line| format!("Nov 24 02:10:{:02} {line}", at % 60))),
    ("a search", |text| each_line(text, |_, line| format!("out/result.txt:{line}"))),
    ("a search with numbers", |text| each_line(text, |at, line| format!("result.txt:{at}:{line}"))),
    ("numbers of a search", |text| each_line(text, |at, line| format!("{at}:{line}"))),
    ("a comment", |text| each_line(text, |_, line| format!(" * {line}"))),
    ("a script's comment", |text| each_line(text, |_, line| format!("# {line}"))),
    ("mail as it is stored", |text| text.replace('=', "=3D").replace("seconds", "sec=\nonds").into_bytes()),
    ("a terminal's title", |text| format!("\u{1b}]0;me@host: ~\u{7}{text}").into_bytes()),
    ("empty lines between", |text| text.replace('\n', "\n\n").into_bytes()),
    ("quoted, numbered, in a page", |text| each_line(text, |at, line| format!("&gt; {at}\t{}", entities(line)))),
];

#[test]
fn what_stands_around_an_output_changes_nothing_of_what_is_read() {
    for bytes in [HDPARM, BUFFERED, ZCAV, HDTUNE, FIO] {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let original = quickly(text.as_bytes()).unwrap();
        for (what, change) in CHANGES {
            let found = quickly(&change(&text)).unwrap_or_else(|error| panic!("{what}: {error}"));
            let kind = &original.benchmarks[0].kind();
            assert_eq!(samples(&found, kind), samples(&original, kind), "{what}");
        }
    }
}

#[test]
fn what_stands_around_an_identity_changes_nothing_of_it() {
    let json = std::str::from_utf8(IDENTITY).unwrap();
    for text in [json, SMARTCTL_ATA, SMARTCTL_SAS, SMARTCTL_NVME] {
        let device = |bytes: &[u8]| {
            let facts = smartctl::facts(&input("identity", bytes)).map_err(|error| error.to_string())?;
            let device = smartctl::device(&facts, &ImportOptions::default())?;
            Ok::<_, String>(serde_json::to_value(device).unwrap())
        };
        let text = ["SAMPLE0001", "EX8A4711", "6SJ0PQ4K", "S4E1NX0R"]
            .iter()
            .fold(text.to_owned(), |text, serial| text.replace(serial, "--"));
        let original = device(text.as_bytes()).unwrap();
        for (what, change) in CHANGES {
            assert_eq!(device(&change(&text)).as_ref(), Ok(&original), "{what}");
        }
    }
}

#[test]
fn marks_of_print_are_those_of_programs() {
    let curly = String::from_utf8(FIO.to_vec()).unwrap();
    let mut opens = false;
    let curly: String = curly
        .chars()
        .map(|character| {
            opens ^= character == '"';
            if character == '"' { if opens { '\u{201c}' } else { '\u{201d}' } } else { character }
        })
        .collect();
    assert_eq!(samples(&quickly(curly.as_bytes()).unwrap(), "random_io"), samples(&quickly(FIO).unwrap(), "random_io"));
}

#[test]
fn rows_that_count_up_are_no_margin() {
    let rows = "1 2\n2 3\n3 4";
    assert_eq!(text_of(rows.as_bytes()), rows);
    assert_eq!(text_of(b"1\t2\n3\t4"), "1\t2\n3\t4");
}

#[test]
fn what_another_tool_printed_in_the_same_file_is_said_to_be_left_out() {
    let both = [HDPARM, b"\n", HDTUNE].concat();
    let found = quickly(&both).unwrap();
    assert_eq!(samples(&found, "positional"), samples(&quickly(HDPARM).unwrap(), "positional"));
    assert!(remarks(&found).contains("What hdtune printed in the same file was left out"), "{}", remarks(&found));
    assert!(!remarks(&quickly(HDPARM).unwrap()).contains("in the same file"));
}

#[test]
fn fios_client_is_read_where_its_jobs_ran_on_one_machine() {
    let client =
        changed(&changed(FIO, "\"jobs\"", "\"client_stats\""), "\"jobname\"", "\"hostname\" : \"a\", \"jobname\"");
    assert!(why(quickly(&client)).contains("on several machines"));
    let client = changed(FIO, "\"jobs\"", "\"client_stats\"");
    assert_eq!(samples(&quickly(&client).unwrap(), "random_io"), samples(&quickly(FIO).unwrap(), "random_io"));
}

#[test]
fn terse_lines_of_other_versions_are_refused_by_their_version() {
    assert!(why(quickly(b"2;job;0;0;1;2;3;4\n")).contains("terse lines are of version 2"));
}
