//! `submit` against an archive in the test's own process that answers as it is told.

mod support;

use std::fs;
use std::net::TcpListener;

use serde_json::Value;
use support::archive::{Answer, Archive};
use support::{Home, outcome, sign, text};

const ACCEPTED: &str = r#"{"id": "7", "digest": "d", "state": "received", "status_url": "{url}/api/v1/submissions/7/", "run_url": "{url}/runs/1/"}"#;

/// The key that signs the sample, as a file: seven, thirty-two times.
const KEY_FILE: &str = "diskatlas-secret-key-v1 ed25519 BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n";

fn say(status: u16, body: &str) -> Answer {
    Answer::Say(status, "", body.to_owned())
}

fn status(state: &str, reason: &str) -> Answer {
    let event = format!(r#"{{"at": "2026-01-02T03:04:05Z", "state": "{state}", "reason": "{reason}"}}"#);
    say(200, &format!(r#"{{"state": "{state}", "run_url": "{{url}}/runs/1/", "benchmarks": [], "events": [{event}]}}"#))
}

/// What `submit` comes to when the archive gives these answers. The file must stay as it was, whatever happens.
fn submit(archive: &Archive, options: &[&str]) -> (i32, String, String) {
    let home = Home::new();
    let (file, bytes) = home.signed("a.run.json");
    let result = outcome(home.probe(&["submit", text(&file), "--server", &archive.url]).args(options));
    assert_eq!(fs::read(&file).unwrap(), bytes);
    result
}

#[test]
fn an_accepted_file_prints_the_runs_address_and_nothing_else_on_standard_output() {
    let archive = Archive::start(vec![say(202, ACCEPTED)]);
    let (code, stdout, stderr) = submit(&archive, &[]);
    assert_eq!((code, stdout), (0, format!("{}/runs/1/\n", archive.url)));
    assert!(stderr.contains(&format!("received: {}/api/v1/submissions/7/", archive.url)), "{stderr}");
    assert!(!stderr.contains("warning"), "{stderr}");
}

/// A file without a licence, and what becomes of it when it is to be submitted.
fn submit_unlicensed(archive: &Archive, options: &[&str]) -> ((i32, String, String), Home) {
    let home = Home::new();
    let (file, _) = home.write("a.run.json", sign(|document| document.license = None));
    home.write("key", KEY_FILE.as_bytes().to_vec());
    let mut command = home.probe(&["submit", text(&file), "--server", &archive.url]);
    let result = outcome(command.args(options).env("DISKATLAS_KEY", home.path("key")));
    (result, home)
}

#[test]
fn without_a_licence_nothing_is_sent_and_how_to_give_one_is_said() {
    let archive = Archive::start(vec![say(202, ACCEPTED)]);
    let ((code, stdout, stderr), home) = submit_unlicensed(&archive, &[]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("no licence is given") && stderr.contains("--license CC0-1.0"), "{stderr}");
    assert!(archive.requests().is_empty());
    assert_eq!(fs::read(home.path("a.run.json")).unwrap(), sign(|document| document.license = None));
}

#[test]
fn a_licence_given_at_last_is_signed_and_is_what_the_file_holds_and_what_is_sent() {
    let archive = Archive::start(vec![say(202, ACCEPTED)]);
    let ((code, _, stderr), home) = submit_unlicensed(&archive, &["--license", "CC-BY-4.0"]);
    assert_eq!(code, 0, "{stderr}");
    let expected = sign(|document| document.license = Some("CC-BY-4.0".to_owned()));
    assert_eq!(fs::read(home.path("a.run.json")).unwrap(), expected);
    let requests = archive.requests();
    assert_eq!(zstd::stream::decode_all(requests[0].body.as_slice()).unwrap(), expected);
}

#[test]
fn nobody_elses_result_is_given_away() {
    let archive = Archive::start(vec![say(202, ACCEPTED)]);
    let home = Home::new();
    let (file, bytes) = home.write("a.run.json", sign(|document| document.license = None));
    let arguments = ["submit", text(&file), "--server", &archive.url, "--license", "CC0-1.0"];
    let (code, _, stderr) = outcome(&mut home.probe(&arguments));
    assert_eq!(code, 2);
    assert!(stderr.contains("only that key can give it away"), "{stderr}");
    assert!(archive.requests().is_empty());
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn a_licence_that_was_signed_is_not_exchanged() {
    let archive = Archive::start(vec![say(202, ACCEPTED)]);
    let (code, _, stderr) = submit(&archive, &["--license", "CC-BY-4.0"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("the licence CC0-1.0 already"), "{stderr}");
    assert!(archive.requests().is_empty());
}

#[test]
fn a_part_of_a_run_that_can_go_on_is_sent_with_a_warning() {
    let archive = Archive::start(vec![say(202, ACCEPTED)]);
    let home = Home::new();
    let (file, _) = home.signed("a.run.json");
    home.write("a.run.json.journal", Vec::new());
    let (code, _, stderr) = outcome(&mut home.probe(&["submit", text(&file), "--server", &archive.url]));
    assert_eq!(code, 0);
    assert!(stderr.contains("diskatlas resume"), "{stderr}");
}

#[test]
fn the_envelope_travels_compressed_and_arrives_byte_for_byte() {
    let archive = Archive::start(vec![say(202, ACCEPTED)]);
    submit(&archive, &[]);
    let requests = archive.requests();
    let [request] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert_eq!(request.line, "POST /api/v1/submissions/ HTTP/1.1");
    for header in ["content-type: application/json", "content-encoding: zstd"] {
        assert!(request.headers.iter().any(|found| found == header), "{:?}", request.headers);
    }
    let received = zstd::stream::decode_all(request.body.as_slice()).unwrap();
    assert_eq!(received, sign(|_| {}));
}

#[test]
fn waiting_tells_each_state_and_ends_with_the_published_run() {
    let archive = Archive::start(vec![say(202, ACCEPTED), status("published", "Two kinds were extracted.")]);
    let (code, stdout, stderr) = submit(&archive, &["--wait"]);
    assert_eq!((code, stdout), (0, format!("{}/runs/1/\n", archive.url)));
    assert!(stderr.contains("published: Two kinds were extracted."), "{stderr}");
    assert_eq!(archive.requests()[1].line, "GET /api/v1/submissions/7/ HTTP/1.1");
}

#[test]
fn waiting_for_what_is_rejected_or_held_back_ends_with_the_reason_and_exit_code_1() {
    for state in ["rejected", "quarantined"] {
        let archive = Archive::start(vec![say(202, ACCEPTED), status(state, "It repeats another run.")]);
        let (code, stdout, stderr) = submit(&archive, &["--wait"]);
        assert_eq!((code, stdout.as_str()), (1, ""));
        assert!(stderr.contains(&format!("{state}: It repeats another run.")), "{stderr}");
        assert!(stderr.contains("the archive keeps the submission"), "{stderr}");
    }
}

#[test]
fn bytes_that_were_rejected_before_are_no_success() {
    let before = r#"{"state": "rejected", "status_url": "{url}/status/", "run_url": null}"#;
    let archive = Archive::start(vec![say(202, before)]);
    let (code, stdout, stderr) = submit(&archive, &[]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(
        stderr.contains(&format!("not published; the archive keeps the submission: {}/status/", archive.url)),
        "{stderr}"
    );
}

#[test]
fn json_gives_a_machine_the_last_word_of_the_archive() {
    let archive = Archive::start(vec![say(202, ACCEPTED), status("rejected", "No.")]);
    let (code, stdout, _) = submit(&archive, &["--wait", "--json"]);
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &answer["state"]), (1, &"rejected".into()));
    assert_eq!(answer["status_url"], format!("{}/api/v1/submissions/7/", archive.url));
}

#[test]
fn a_refusal_is_shown_with_its_places_and_asked_for_once() {
    let problem = r#"{"type": "/problems/schema/", "title": "Not a valid run", "status": 422, "detail": "1 place is wrong.",
        "errors": [{"path": "/device/model", "message": "is too long"}]}"#;
    let archive = Archive::start(vec![say(422, problem)]);
    let (code, stdout, stderr) = submit(&archive, &[]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(
        stderr.contains("refused it: Not a valid run: 1 place is wrong.\n  /device/model: is too long"),
        "{stderr}"
    );
    assert_eq!(archive.requests().len(), 1);
}

#[track_caller]
fn assert_later((code, stdout, stderr): &(i32, String, String), archive: &Archive, cause: &str) {
    assert_eq!((*code, stdout.as_str()), (1, ""));
    assert!(stderr.contains(cause), "{cause:?} not in {stderr}");
    assert!(stderr.contains("a.run.json stays as it is. Submit it later with"), "{stderr}");
    assert!(stderr.contains(&format!("a.run.json --server {}", archive.url)), "{stderr}");
}

#[test]
fn a_broken_server_costs_nothing_and_the_file_can_be_sent_later() {
    let archive = Archive::start(vec![say(500, "<html>Internal Server Error</html>")]);
    assert_later(&submit(&archive, &["--retries", "0"]), &archive, "answered 500 (1 attempt)");
}

#[test]
fn a_server_that_recovers_gets_the_file_at_the_next_attempt() {
    let archive = Archive::start(vec![say(503, ""), say(202, ACCEPTED)]);
    let (code, _, stderr) = submit(&archive, &["--retries", "1"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("attempt 1 of 2: the archive answered 503; next attempt in"), "{stderr}");
    let requests = archive.requests();
    assert_eq!(requests[0].body, requests[1].body);
}

#[test]
fn a_server_that_hangs_is_left_after_the_timeout() {
    let archive = Archive::start(vec![Answer::Hang]);
    let result = submit(&archive, &["--retries", "0", "--timeout", "1"]);
    assert_later(&result, &archive, "did not answer in time (1 attempt)");
}

#[test]
fn a_connection_that_breaks_off_is_a_temporary_failure() {
    let archive = Archive::start(vec![Answer::Close, say(202, ACCEPTED)]);
    let (code, _, stderr) = submit(&archive, &["--retries", "1"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("attempt 1 of 2: no connection to the archive"), "{stderr}");
}

#[test]
fn a_server_that_is_not_there_is_said_to_be_unreachable() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let home = Home::new();
    let (file, _) = home.signed("a.run.json");
    let server = format!("http://{closed}");
    let (code, _, stderr) = outcome(&mut home.probe(&["submit", text(&file), "--server", &server, "--retries", "0"]));
    assert_eq!(code, 1);
    assert!(stderr.contains("no connection to the archive: Connection refused"), "{stderr}");
    assert!(stderr.contains("Submit it later with"), "{stderr}");
}

#[test]
fn a_server_that_asks_for_an_hours_patience_is_not_waited_for() {
    let archive = Archive::start(vec![Answer::Say(429, "retry-after: 3600\r\n", String::new())]);
    assert_later(&submit(&archive, &[]), &archive, "asks to come back in 3600 s");
    assert_eq!(archive.requests().len(), 1);
}

#[test]
fn a_moved_archive_names_its_new_address() {
    let archive = Archive::start(vec![Answer::Say(301, "location: https://new.example/\r\n", String::new())]);
    let (code, _, stderr) = submit(&archive, &[]);
    assert_eq!(code, 1);
    assert!(stderr.contains("the archive has moved to https://new.example/"), "{stderr}");
}

#[test]
fn another_web_site_is_not_taken_for_an_archive() {
    let archive = Archive::start(vec![say(200, "<html>Welcome</html>")]);
    let (code, _, stderr) = submit(&archive, &[]);
    assert_eq!(code, 1);
    assert!(stderr.contains("is it the address of an archive?"), "{stderr}");
}

#[test]
fn a_file_that_was_changed_after_signing_is_not_sent() {
    let archive = Archive::start(vec![say(202, ACCEPTED)]);
    let home = Home::new();
    let mut envelope: Value = serde_json::from_slice(&sign(|_| {})).unwrap();
    envelope["payload"] = "e30=".into();
    let (file, _) = home.write("a.run.json", envelope.to_string().into_bytes());
    let (code, _, stderr) = outcome(&mut home.probe(&["submit", text(&file), "--server", &archive.url]));
    assert_eq!(code, 1);
    assert!(stderr.contains("was not sent: wrong signature"), "{stderr}");
    assert!(archive.requests().is_empty());
}

#[test]
fn an_address_that_makes_no_sense_is_a_usage_error() {
    let home = Home::new();
    let (file, _) = home.signed("a.run.json");
    let (code, _, stderr) = outcome(&mut home.probe(&["submit", text(&file), "--server", "archive.example"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("write https://archive.example"), "{stderr}");
}
