//! Runs that are cut off, and what becomes of them: on simulated drives, in virtual time.
#![cfg(feature = "simtool")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use diskatlas::stats::Random;
use serde_json::Value;

/// Kills of one test, at requests that look random.
const KILLS: u32 = 50;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn probe(&self, arguments: &[&str], fault: Option<(&str, u64)>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diskatlas"));
        command.current_dir(self.path()).env("DISKATLAS_KEY", self.path().join("key")).args(arguments);
        if let Some((name, at)) = fault {
            command.env(name, at.to_string());
        }
        command.output().expect("the probe")
    }

    fn journal(&self) -> bool {
        self.path().join("run.json.journal").exists()
    }

    /// What `verify` accepts.
    fn document(&self) -> Value {
        let verified = self.probe(&["verify", "run.json"], None);
        assert!(verified.status.success(), "{}", stderr_text(&verified));
        let envelope: Value =
            serde_json::from_slice(&fs::read(self.path().join("run.json")).expect("the file")).expect("JSON");
        let payload = STANDARD.decode(envelope["payload"].as_str().expect("a payload")).expect("base64");
        serde_json::from_slice(&payload).expect("JSON")
    }
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

const RUN: [&str; 8] = ["run", "sim:ibm-9zx", "-o", "run.json", "--repeats", "1", "--only", "skippy,zoned,seeker"];
const RESUME: [&str; 2] = ["resume", "run.json"];

/// Kills a run again and again, each time after a random number of requests, until it is through. Answers with its
/// document and how often it was killed.
fn killed_until_through(random: &mut Random) -> (Value, u32) {
    let place = Place::new();
    let mut kills = 0;
    let mut arguments = &RUN[..];
    loop {
        let output = place.probe(arguments, Some(("DISKATLAS_KILL_AT", random.between(1, 6000))));
        if output.status.success() {
            assert!(!place.journal(), "a journal is left over");
            return (place.document(), kills);
        }
        assert_eq!(output.status.code(), None, "{}", stderr_text(&output));
        assert!(place.journal(), "no journal is left");
        assert!(!place.path().join("run.json").exists());
        kills += 1;
        arguments = &RESUME;
    }
}

#[test]
fn however_often_a_run_is_killed_it_ends_in_a_valid_document_that_says_where_it_was_interrupted() {
    let mut random = Random(20);
    let mut kills = 0;
    while kills < KILLS {
        let (document, now) = killed_until_through(&mut random);
        kills += now;
        let conditions = &document["conditions"];
        assert_eq!(conditions["interrupted"], false);
        let interruptions = conditions["interruptions"].as_array().cloned().unwrap_or_default();
        assert_eq!(u32::try_from(interruptions.len()).expect("few"), now, "{interruptions:?}");
        assert!(interruptions.iter().all(|one| one["kind"].is_string()), "{interruptions:?}");
        for benchmark in document["benchmarks"].as_array().expect("benchmarks") {
            assert!(benchmark.get("samples").is_some(), "{benchmark}");
        }
    }
}

#[test]
fn a_resumed_run_has_the_samples_that_were_measured_before_and_as_many_as_a_whole_one() {
    let whole = Place::new();
    assert!(whole.probe(&RUN, None).status.success());
    let place = Place::new();
    let output = place.probe(&RUN, Some(("DISKATLAS_KILL_AT", 5000)));
    assert_eq!(output.status.code(), None, "{}", stderr_text(&output));
    let output = place.probe(&RESUME, None);
    assert!(output.status.success(), "{}", stderr_text(&output));
    let (whole, resumed) = (whole.document(), place.document());
    let first = |document: &Value| document["benchmarks"][0]["samples"]["series"][0].clone();
    // The drive's noise comes from its seed: what was measured before the kill is what the whole run measured.
    assert_eq!(first(&resumed), first(&whole));
    let counts = |document: &Value| -> Vec<usize> {
        let all = document["benchmarks"].as_array().expect("benchmarks");
        all.iter().map(|one| one["samples"]["series"].as_array().expect("series").len()).collect()
    };
    assert_eq!(counts(&resumed), counts(&whole));
    assert!(whole["conditions"].get("interruptions").is_none());
}

#[test]
fn after_ctrl_c_the_partial_document_is_saved_and_the_run_goes_on_where_it_stopped() {
    let place = Place::new();
    let output = place.probe(&RUN, Some(("DISKATLAS_INTERRUPT_AT", 5000)));
    assert_eq!(output.status.code(), Some(1), "{}", stderr_text(&output));
    assert!(stderr_text(&output).contains("diskatlas resume run.json"), "{}", stderr_text(&output));
    let partial = place.document();
    assert_eq!(partial["conditions"]["interrupted"], true);
    let output = place.probe(&RESUME, None);
    assert!(output.status.success(), "{}", stderr_text(&output));
    let document = place.document();
    assert_eq!(document["run_id"], partial["run_id"]);
    assert_eq!(document["conditions"]["interrupted"], false);
    assert_eq!(document["conditions"]["interruptions"].as_array().map(Vec::len), Some(1));
    assert!(!place.journal());
}

#[test]
fn an_interrupt_before_anything_was_finished_leaves_no_journal() {
    let place = Place::new();
    let output = place.probe(&RUN, Some(("DISKATLAS_INTERRUPT_AT", 3)));
    assert_eq!(output.status.code(), Some(1), "{}", stderr_text(&output));
    assert!(!place.journal() && !stderr_text(&output).contains("resume"), "{}", stderr_text(&output));
}

#[test]
fn another_device_is_refused_and_the_journal_stays_as_it_is() {
    let place = Place::new();
    place.probe(&RUN, Some(("DISKATLAS_KILL_AT", 5000)));
    let before = fs::read(place.path().join("run.json.journal")).expect("a journal");
    for (device, difference) in [
        ("sim:ibm-9zx,seed=2", "another unit of the same model"),
        ("sim:seagate-hawk", "it says that it is"),
        ("/dev/null", "a character device"),
    ] {
        let output = place.probe(&["resume", "run.json", device], None);
        assert_eq!(output.status.code(), Some(2), "{}", stderr_text(&output));
        assert!(stderr_text(&output).contains(difference), "{}", stderr_text(&output));
    }
    assert!(fs::read(place.path().join("run.json.journal")).expect("a journal") == before);
}

#[test]
fn a_damaged_journal_is_used_as_far_as_it_goes_and_that_is_said() {
    let place = Place::new();
    place.probe(&RUN, Some(("DISKATLAS_KILL_AT", 9000)));
    let path = place.path().join("run.json.journal");
    let mut bytes = fs::read(&path).expect("a journal");
    let place_of_damage = bytes.len() * 2 / 3;
    bytes[place_of_damage] ^= 1;
    fs::write(&path, bytes).expect("the journal");
    let output = place.probe(&["resume", "run.json.journal"], None);
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert!(stderr_text(&output).contains("the end of the journal is damaged"), "{}", stderr_text(&output));
    assert_eq!(place.document()["conditions"]["interruptions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_run_does_not_take_the_place_of_one_that_can_be_resumed() {
    let place = Place::new();
    place.probe(&RUN, Some(("DISKATLAS_KILL_AT", 5000)));
    let output = place.probe(&RUN, None);
    assert_eq!(output.status.code(), Some(2), "{}", stderr_text(&output));
    assert!(stderr_text(&output).contains("go on with `diskatlas resume"), "{}", stderr_text(&output));
}

#[test]
fn a_run_that_is_through_has_nothing_left_to_resume() {
    let place = Place::new();
    assert!(place.probe(&RUN, None).status.success());
    let output = place.probe(&RESUME, None);
    assert_eq!(output.status.code(), Some(2), "{}", stderr_text(&output));
    assert!(stderr_text(&output).contains("nothing is left to resume"), "{}", stderr_text(&output));
    let output = place.probe(&["resume", "other.json"], None);
    assert!(stderr_text(&output).contains("there is no journal other.json.journal"), "{}", stderr_text(&output));
}

/// A file system of 100 KB; `None`, with the reason said, where this machine lets nobody mount one.
struct Small(tempfile::TempDir);

impl Small {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let output =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=100k", "tmpfs"]).arg(folder.path()).output();
        let reason = match output {
            Ok(output) if output.status.success() => return Some(Self(folder)),
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            Err(error) => format!("mount: {error}"),
        };
        let _ = writeln!(std::io::stderr(), "skipped: no small file system can be mounted here ({reason})");
        assert!(std::env::var_os("DISKATLAS_STRICT").is_none_or(|strict| strict.is_empty()), "skipped: {reason}");
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn on_a_full_file_system_the_run_goes_on_says_that_it_cannot_be_resumed_and_keeps_its_result() {
    let Some(small) = Small::new() else { return };
    let (place, output) = (Place::new(), small.0.path().join("run.json"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskatlas"));
    command.current_dir(place.path()).env("DISKATLAS_KEY", place.path().join("key")).env("TMPDIR", place.path());
    let output = command.args(["run", "sim:ibm-9zx", "-o"]).arg(output).output().expect("the probe");
    assert!(output.status.success(), "{}", stderr_text(&output));
    assert!(
        stderr_text(&output).contains("what is measured from here on is lost if it is cut off"),
        "{}",
        stderr_text(&output)
    );
    assert!(stderr_text(&output).contains("is full"), "{}", stderr_text(&output));
    let document = place.document();
    assert_eq!(document["conditions"]["interrupted"], false);
}
