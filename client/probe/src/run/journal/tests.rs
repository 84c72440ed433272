//! What a journal gives back, whatever happened to its file.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use crate::device::Writing;
use crate::report::document::RunDocument;
use crate::session::Settings;

const SAMPLE: &str = include_str!("../../../tests/data/sample.document.json");

fn header() -> Header {
    let sample: RunDocument = serde_json::from_str(SAMPLE).expect("the sample");
    Header {
        format: FORMAT,
        probe: crate::report::document::Probe::this(),
        run_id: sample.run_id,
        created_at: sample.created_at,
        asked: crate::run::Request {
            device: "sim:ibm-9zx".to_owned(),
            kinds: crate::kinds::find("seeker").into_iter().collect(),
            writing: Writing::Nothing,
            wipe: false,
            rotational: None,
            settings: Settings::default(),
            license: None,
            batch_label: None,
            manufacture: None,
            challenge: None,
        },
        device: sample.device,
        caches_before: crate::device::CacheStates::default(),
        load_average_1min: None,
    }
}

/// A machine whose kernel says that it was started as `boot`.
fn machine(folder: &Path, boot: &str) -> Tree {
    let place = folder.join("proc/sys/kernel/random");
    fs::create_dir_all(&place).expect("a folder");
    fs::write(place.join("boot_id"), boot).expect("the boot");
    Tree::below(folder)
}

fn piece(value: u64, ended_ns: u64) -> Piece {
    Piece { value: json!(value).into(), errors: Vec::new(), elapsed_ns: 7, ended_ns, disturbance: None }
}

/// A journal of three pieces, closed.
fn three_pieces(folder: &Path) -> PathBuf {
    let path = folder.join("run.json.journal");
    let mut journal = RunJournal::begin(&path, header()).expect("a journal");
    journal.began(&machine(folder, "first"), 100);
    for (name, value) in [("one", 1), ("two", 2), ("three", 3)] {
        KindJournal { journal: &mut journal, kind: "seeker" }.record(name, &piece(value, 100 + value));
    }
    path
}

fn recall(journal: &mut RunJournal, name: &str) -> Option<serde_json::Value> {
    KindJournal { journal, kind: "seeker" }.recall(name).map(|piece| serde_json::to_value(piece.value).expect("JSON"))
}

#[test]
fn a_journal_gives_back_its_pieces_each_once_and_only_to_its_owner() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = three_pieces(folder.path());
    assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o600);
    let (mut journal, damaged) = RunJournal::load(&path).expect("the journal");
    assert_eq!((damaged, journal.elapsed_ns("seeker")), (0, 21));
    assert_eq!(recall(&mut journal, "two"), Some(json!(2)));
    assert_eq!(recall(&mut journal, "two"), None);
    assert_eq!(recall(&mut journal, "one"), Some(json!(1)));
}

#[test]
fn a_record_that_was_being_written_is_dropped_wherever_it_was_torn() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = three_pieces(folder.path());
    let whole = fs::read(&path).expect("the file");
    let last_line = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').expect("lines") + 1;
    for end in last_line..whole.len() {
        fs::write(&path, &whole[..end]).expect("the file");
        let (mut journal, damaged) = RunJournal::load(&path).expect("the journal");
        assert_eq!(damaged, (end - last_line) as u64);
        assert_eq!(recall(&mut journal, "two"), Some(json!(2)), "torn at {end}");
        assert_eq!(recall(&mut journal, "three"), None, "torn at {end}");
    }
}

#[test]
fn of_a_damaged_journal_the_part_before_the_damage_counts_and_what_is_measured_anew_takes_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = three_pieces(folder.path());
    let mut bytes = fs::read(&path).expect("the file");
    let text = String::from_utf8(bytes.clone()).expect("text");
    let place = text.find("\"two\"").expect("the second piece");
    bytes[place + 1] = b'T';
    fs::write(&path, &bytes).expect("the file");
    let (mut journal, damaged) = RunJournal::load(&path).expect("the journal");
    assert!(damaged > 0);
    assert_eq!(recall(&mut journal, "one"), Some(json!(1)));
    assert_eq!(recall(&mut journal, "three"), None);
    KindJournal { journal: &mut journal, kind: "seeker" }.record("two", &piece(22, 300));
    drop(journal);
    let (mut journal, damaged) = RunJournal::load(&path).expect("the journal");
    assert_eq!(damaged, 0);
    assert_eq!(recall(&mut journal, "two"), Some(json!(22)));
    assert_eq!(recall(&mut journal, "three"), None);
}

#[test]
fn a_line_that_is_missing_in_the_middle_ends_what_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = three_pieces(folder.path());
    let text = fs::read_to_string(&path).expect("the file");
    let without: String = text.split_inclusive('\n').filter(|line| !line.contains("\"two\"")).collect();
    fs::write(&path, without).expect("the file");
    let (mut journal, _) = RunJournal::load(&path).expect("the journal");
    assert_eq!(recall(&mut journal, "one"), Some(json!(1)));
    assert_eq!(recall(&mut journal, "three"), None);
}

#[test]
fn a_journal_of_another_version_is_refused_with_both_versions_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json.journal");
    let mut other = header();
    other.probe.version = "9.8.7".to_owned();
    drop(RunJournal::begin(&path, other).expect("a journal"));
    let Err(error) = RunJournal::load(&path) else { panic!("another version") };
    let words = error.to_string();
    for part in ["diskatlas 9.8.7", env!("CARGO_PKG_VERSION"), "resume with that version, or remove the journal"] {
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn what_is_no_journal_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json.journal");
    for bytes in ["", "a letter to a friend\n", "{\"format\": 1}\n"] {
        fs::write(&path, bytes).expect("the file");
        assert!(matches!(RunJournal::load(&path), Err(LoadError::NoHeader(_))), "{bytes}");
        assert_eq!(fs::read_to_string(&path).expect("the file"), bytes);
    }
    let nowhere = folder.path().join("nowhere.journal");
    assert!(matches!(RunJournal::load(&nowhere), Err(LoadError::File(JournalError::Missing(_)))));
}

#[test]
fn a_journal_is_neither_overwritten_nor_shared() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = three_pieces(folder.path());
    let Err(error) = RunJournal::begin(&path, header()) else { panic!("overwritten") };
    assert!(error.to_string().contains("diskatlas resume"), "{error}");
    let holder = RunJournal::load(&path).expect("the journal");
    assert!(matches!(RunJournal::load(&path), Err(LoadError::File(JournalError::InUse(_)))));
    drop(holder);
}

#[test]
fn each_time_that_a_run_was_cut_off_is_told_with_what_was_measured_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = three_pieces(folder.path());
    let tree = machine(folder.path(), "first");
    for end in ["killed before its first piece", "killed after four"] {
        let (mut journal, _) = RunJournal::load(&path).expect("the journal");
        journal.began(&tree, 200);
        if end == "killed after four" {
            KindJournal { journal: &mut journal, kind: "seeker" }.record("four", &piece(4, 250));
        }
    }
    let (mut journal, _) = RunJournal::load(&path).expect("the journal");
    journal.began(&tree, 300);
    assert_eq!(recall(&mut journal, "four"), Some(json!(4)));
    assert_eq!(recall(&mut journal, "five"), None);
    let places: Vec<_> = journal.interruptions().into_iter().map(|one| (one.kind, one.piece)).collect();
    let place = |piece: &str| (Some("seeker".to_owned()), Some(piece.to_owned()));
    assert_eq!(places, [place("four"), place("four"), place("five")]);
}

#[test]
fn the_clock_of_a_run_goes_on_over_a_reboot_and_stays_as_it_is_without_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = three_pieces(folder.path());
    let (mut journal, _) = RunJournal::load(&path).expect("the journal");
    assert_eq!(journal.began(&machine(folder.path(), "first"), 5_000_000_000), 0);
    drop(journal);
    let (mut journal, _) = RunJournal::load(&path).expect("the journal");
    let offset_ns = journal.began(&machine(folder.path(), "second"), 17);
    let now_ns = 17_u64.wrapping_add_signed(offset_ns);
    assert!((5_000_000_000..65_000_000_000).contains(&now_ns), "{now_ns}");
}

#[test]
fn a_full_file_system_loses_nothing_that_fits_and_the_journal_catches_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lines");
    let mut file = JournalFile::create(&path).expect("a journal");
    file.append(&"1").expect("room");
    // A handle that takes no bytes stands for a file system without room.
    let full = fs::OpenOptions::new().read(true).open(&path).expect("the file");
    let writable = file.replace_for_test(full);
    assert!(file.append(&"2").is_err());
    file.replace_for_test(writable);
    file.append(&"3").expect("room again");
    drop(file);
    let (file, lines) = JournalFile::open(&path).expect("the journal");
    let text = |place| std::io::read_to_string(file.line(place).expect("a line")).expect("text");
    assert_eq!(lines.places.into_iter().map(text).collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_eq!(lines.dropped_bytes, 0);
}
