//! Whatever a stranger hands to the probe: an envelope, a document, another tool's output, a disk's answer. None of it may end the
//! probe or pass for what it is not.
//!
//! A short run is part of the tests; `make fuzz-parsers INPUTS=1000000` makes a long one.

mod mutations;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use diskatlas::identify::pages::mode::{Form, Values};
use diskatlas::identify::pages::{Cache, ata, inquiry, log, mode, nvme, smart, vpd};
use diskatlas::identify::{DriveName, mounts, processors};
use diskatlas::import::{self, ImportOptions, Input, Tool};
use diskatlas::kinds::KINDS;
use diskatlas::report::check::Checker;
use diskatlas::report::document::RunDocument;
use diskatlas::report::envelope::Envelope;
use diskatlas::report::json::Json;
use diskatlas::submit::answer::{Accepted, Problem, Status};
use diskatlas::terminal::text::printable;
use diskatlas::transparency::note;

use mutations::{changed_tree, changes, mutated};

/// Columns are cut to so many numbers, where the document is still right then.
const MOST_ITEMS: usize = 12;

static CHECKER: LazyLock<Checker> =
    LazyLock::new(|| Checker::new(KINDS.iter().map(|kind| (kind.slug(), kind.declaration().schema))).unwrap());
static ENVELOPES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| files("../../tests/data/fuzz/envelope"));
static OUTPUTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut found = files("../../tests/data/fuzz/import");
    found.extend(files("tests/data/import").into_iter().filter(|bytes| bytes.len() < 10_000));
    found
});
static ANSWERS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let texts = files("../../tests/data/fuzz/device");
    texts.iter().map(|text| unhex(text)).collect()
});
static DOCUMENTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let kinds = fs::read_dir(root().join("../../server/benchmarks")).unwrap().flatten();
    let mut golden: Vec<PathBuf> = kinds.map(|kind| kind.path().join("golden/run.json")).collect();
    golden.retain(|path| path.is_file());
    golden.sort();
    golden.push(root().join("tests/data/sample.document.json"));
    golden.iter().map(|path| small(&serde_json::from_slice(&fs::read(path).unwrap()).unwrap())).collect()
});
/// What drives say they are.
static NAMES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let table = fs::read_to_string(root().join("../../server/catalog/data/identities.csv")).unwrap();
    let first = |line: &str| line.split(',').next().unwrap().as_bytes().to_vec();
    table.lines().skip(1).map(first).chain([b"WD-".to_vec(), "\u{df} WD \u{df}-\u{1e9e}".into()]).collect()
});
/// Lines of a log's head, and of an archive's answers.
static HEADS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let hash = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
    let texts = [
        format!("archive.example/log\n7\n{hash}\n\n\u{2014} archive.example/log {hash}\n"),
        r#"{"id": "1", "state": "published", "status_url": "/s", "run_url": "/r", "queue_position": 3,
            "benchmarks": [{"kind": "zoned", "state": "done", "reason": ""}],
            "events": [{"at": "2026-01-02T03:04:05Z", "state": "received", "reason": "x"}]}"#
            .to_owned(),
        r#"{"type": "about:blank", "title": "Refused", "status": 422, "detail": "no", "errors": [{"path": "/a", "message": "b"}]}"#
            .to_owned(),
    ];
    texts.map(String::into_bytes).to_vec()
});

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: impl AsRef<Path>) -> Vec<Vec<u8>> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    assert!(found.len() > 3);
    found.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn unhex(text: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = text.iter().filter_map(|digit| char::from(*digit).to_digit(16)?.try_into().ok()).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// A document with short columns, which costs less to check, or the whole one where that is no document any more.
fn small(document: &Value) -> Value {
    fn cut(value: &mut Value) {
        match value {
            Value::Array(items) => {
                items.truncate(MOST_ITEMS);
                items.iter_mut().for_each(cut);
            }
            Value::Object(members) => members.values_mut().for_each(cut),
            _ => {}
        }
    }
    let mut short = document.clone();
    cut(&mut short);
    if violations(&short) == 0 { short } else { document.clone() }
}

fn violations(document: &Value) -> usize {
    CHECKER.check(&Json::of(document).unwrap()).len()
}

/// The payload that an envelope's signature vouches for.
fn vouched(bytes: &[u8]) -> Option<Vec<u8>> {
    Envelope::parse(bytes).ok()?.verify().ok().map(|verified| verified.payload().to_vec())
}

fn read(inputs: Vec<Input>) -> Option<RunDocument> {
    // Digests of serial numbers are slow on purpose.
    let names_unit = |line: &str| ["serial", "disk ident"].iter().any(|word| line.to_ascii_lowercase().contains(word));
    let plain = |mut input: Input| {
        let text = String::from_utf8_lossy(&input.bytes);
        if text.lines().any(names_unit) {
            let lines: Vec<&str> = text.lines().filter(|line| !names_unit(line)).collect();
            input.bytes = lines.join("\n").into_bytes();
        }
        input
    };
    let (outputs, identity) = import::split(inputs.into_iter().map(plain).collect()).ok()?;
    let asked = ImportOptions {
        model: identity.is_none().then(|| "EXAMPLE DISK-8".to_owned()),
        capacity_bytes: identity.is_none().then_some(8_589_934_592),
        rotational: Some(true),
        ..ImportOptions::default()
    };
    import::document(Tool::of_all(&outputs).ok()?, &outputs, identity.as_ref(), &asked).ok()
}

#[test]
fn the_corpus_is_one_that_is_read() {
    assert!(ENVELOPES.iter().filter(|bytes| vouched(bytes).is_some()).count() >= 2);
    assert!(DOCUMENTS.iter().all(|document| violations(document) == 0));
    let read_whole = OUTPUTS.iter().filter(|bytes| read(vec![input("output", bytes)]).is_some());
    assert!(read_whole.count() >= 9);
    assert!(ANSWERS.iter().any(|bytes| ata::identify_device(bytes).is_some_and(|told| told.model.is_some())));
    assert!(ANSWERS.iter().any(|bytes| log::manufactured(bytes).is_some()));
}

fn input(name: &str, bytes: &[u8]) -> Input {
    Input { name: name.to_owned(), bytes: bytes.to_vec() }
}

fn device_parsers(bytes: &[u8]) {
    let _ = (ata::identify_device(bytes), smart::attribute_celsius(bytes), smart::sct_celsius(bytes));
    let _ = (inquiry::standard(bytes), vpd::supported(bytes), vpd::serial(bytes), vpd::wwn(bytes), vpd::ata(bytes));
    let _ = (vpd::characteristics(bytes), log::celsius(bytes), log::manufactured(bytes), log::lists(bytes, 0x0D));
    let _ = (nvme::controller(bytes), nvme::celsius(bytes));
    for form in [Form::Six, Form::Ten] {
        if let Some(page) = mode::page(bytes, form, mode::CACHING) {
            let _ = mode::caching(page);
        }
        for switch in [Cache::Write, Cache::LookAhead] {
            let _ = mode::select(bytes, form, switch, true);
        }
    }
    let _ = mode::caches(|values| (values != Values::Saved).then(|| bytes.to_vec()));
    let text = String::from_utf8_lossy(bytes);
    let _ = (mounts::mountinfo(&text), mounts::swaps(&text), processors::parse(bytes, 100));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_envelope_vouches_for_what_its_key_signed_and_nothing_else(which: Index, changes in changes()) {
        if let Some(payload) = vouched(&mutated(&ENVELOPES, which, &changes)) {
            let signed: Vec<Vec<u8>> = ENVELOPES.iter().filter_map(|bytes| vouched(bytes)).collect();
            prop_assert!(signed.contains(&payload), "{:?}", String::from_utf8_lossy(&payload));
        }
    }

    #[test]
    fn a_document_without_violations_can_be_shown(which: Index, changes in changes()) {
        let mut document = DOCUMENTS[which.index(DOCUMENTS.len())].clone();
        changed_tree(&mut document, &changes);
        if violations(&document) == 0 {
            let read = serde_json::from_value::<RunDocument>(document.clone());
            prop_assert!(read.is_ok(), "{:?} of {document}", read.err());
        }
    }

    #[test]
    fn what_is_imported_makes_a_right_document_or_none(which: Index, other: Index, both: bool, changes in changes()) {
        let mut inputs = vec![input("reads_lat.1.log", &mutated(&OUTPUTS, which, &changes))];
        if both {
            inputs.push(input("other.json", &OUTPUTS[other.index(OUTPUTS.len())]));
        }
        if let Some(document) = read(inputs) {
            let wrong = CHECKER.check(&Json::of(&document).unwrap());
            prop_assert!(wrong.is_empty(), "{:?} of {}", wrong, serde_json::to_string(&document).unwrap());
        }
    }

    #[test]
    fn no_answer_of_a_disk_ends_the_probe(which: Index, changes in changes()) {
        device_parsers(&mutated(&ANSWERS, which, &changes));
    }

    #[test]
    fn a_drive_may_call_itself_anything(which: Index, changes in changes(), vendor in 0_usize..10) {
        let bytes = mutated(&NAMES, which, &changes);
        let text = String::from_utf8_lossy(&bytes);
        let (vendor, model) = text.split_at(text.char_indices().nth(vendor).map_or(text.len(), |(at, _)| at));
        let name = DriveName::of(vendor, model);
        prop_assert!(!name.model.is_empty() || model.trim().is_empty(), "{:?} {:?}", vendor, model);
        let _ = (name.vendor(), name.words());
    }

    #[test]
    fn no_answer_of_an_archive_ends_the_probe(which: Index, changes in changes()) {
        let bytes = mutated(&HEADS, which, &changes);
        let _ = (Accepted::parse(&bytes), Status::parse(&bytes), Problem::parse(&bytes));
        let text = String::from_utf8_lossy(&bytes);
        let key = note::VerifierKey::parse("archive.example/log+7b8f1e5a+AaKn5Q==");
        let _ = (key.map(|key| note::open(&text, &key).is_ok()), note::VerifierKey::parse_cosigner(&text));
        let hostile = printable(&text).chars().any(|letter| letter.is_control() || letter == '\u{202e}');
        prop_assert!(!hostile);
    }
}
