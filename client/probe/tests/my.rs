//! `my` and `key` against an archive in the test's own process that answers as it is told.

mod support;

use std::fs;

use serde_json::Value;
use support::archive::{Answer, Archive};
use support::{Home, outcome, text};

const NONCE: &str = r#"{"nonce": "sample-nonce-0001", "expires_at": "2026-01-02T03:04:05Z"}"#;
const RUN: &str = "01a2066b-528d-7f0e-bfe5-f49a9b9d86ac";

fn say(status: u16, body: &str) -> Answer {
    Answer::Say(status, "", body.to_owned())
}

fn row(state: &str) -> String {
    format!(
        r#"{{"run_id": "{RUN}", "state": "{state}", "reason": "A reason.", "received_at": "2026-01-02T03:04:05Z",
        "license": "CC0-1.0", "drive": "ACME SAMPLE-1", "batch": null, "after_revocation": false, "status_url": "{{url}}/s/"}}"#
    )
}

fn called(home: &Home, archive: &Archive, arguments: &[&str]) -> (i32, String, String) {
    outcome(home.probe(arguments).args(["--server", &archive.url]))
}

fn with_key() -> Home {
    let home = Home::new();
    assert_eq!(outcome(&mut home.probe(&["key", "new"])).0, 0);
    home
}

#[test]
fn all_pages_of_ones_runs_are_listed_with_the_reasons_of_what_is_not_public() {
    let page = |state: &str, after: &str| {
        say(200, &format!(r#"{{"keys": [], "results": [{}], "after": {after}}}"#, row(state)))
    };
    let pages = [page("quarantined", "\"0\""), page("published", "null")];
    let answers = pages.into_iter().flat_map(|page| [say(200, NONCE), page]).collect();
    let archive = Archive::start(answers);
    let (code, stdout, _) = called(&with_key(), &archive, &["my", "runs"]);
    assert_eq!(code, 0);
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{stdout}");
    assert!(lines[1].starts_with(RUN) && lines[1].contains("quarantined  2026-01-02 03:04  CC0-1.0    ACME SAMPLE-1"));
    assert_eq!(lines[2], "    A reason.");
    let requests = archive.requests();
    assert_eq!(requests[0].line, "GET /api/v1/challenges/ HTTP/1.1");
    assert_eq!(requests[1].line, "POST /api/v1/keys/me/runs/ HTTP/1.1");
}

#[test]
fn a_run_is_withdrawn_only_where_that_is_confirmed() {
    let archive = Archive::start(vec![say(200, NONCE), say(200, &row("withdrawn"))]);
    let home = with_key();
    let (code, _, stderr) = called(&home, &archive, &["my", "withdraw", RUN]);
    assert_eq!(code, 2);
    assert!(stderr.contains("--yes"), "{stderr}");
    assert!(archive.requests().is_empty());
    let (code, stdout, _) = called(&home, &archive, &["my", "withdraw", RUN, "--reason", "faulty", "--yes", "--json"]);
    assert_eq!(code, 0);
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap()["state"], "withdrawn");
}

#[test]
fn a_refusal_is_told_in_the_archives_words_with_exit_code_1() {
    let problem = r#"{"title": "Not a wider licence", "detail": "It is CC0-1.0.", "errors": []}"#;
    let archive = Archive::start(vec![say(200, NONCE), say(409, problem)]);
    let (code, stdout, stderr) = called(&with_key(), &archive, &["my", "license", RUN, "CC-BY-4.0"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert_eq!(stderr, "error: the archive refused it: Not a wider licence: It is CC0-1.0.\n");
}

#[test]
fn without_a_key_nothing_is_asked_and_what_is_no_run_is_said() {
    let archive = Archive::start(vec![say(200, NONCE)]);
    let (code, _, stderr) = called(&Home::new(), &archive, &["my", "runs"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("diskatlas key new"), "{stderr}");
    assert_eq!(called(&with_key(), &archive, &["my", "withdraw", "seven", "--yes"]).0, 2);
    assert!(archive.requests().is_empty());
}

#[test]
fn a_rotated_key_takes_the_place_of_the_old_one_once_the_archive_knows_it() {
    let refused = r#"{"title": "Revoked key", "detail": "No.", "errors": []}"#;
    let archive = Archive::start(vec![say(200, NONCE), say(403, refused), say(200, NONCE), say(200, "{}")]);
    let home = with_key();
    let path = home.path(".config/diskatlas/key");
    let old = fs::read(&path).unwrap();
    assert_eq!(called(&home, &archive, &["key", "rotate"]).0, 1);
    assert_eq!(fs::read(&path).unwrap(), old);
    let waiting = fs::read(home.path(".config/diskatlas/key.next")).unwrap();
    let (code, stdout, stderr) = called(&home, &archive, &["key", "rotate"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains(text(&path)), "{stdout}");
    assert_eq!(fs::read(&path).unwrap(), waiting);
    let folder = fs::read_dir(home.path(".config/diskatlas")).unwrap();
    let kept = folder.map(|entry| entry.unwrap().path()).filter(|one| *one != path);
    assert_eq!(kept.map(|one| fs::read(one).unwrap()).collect::<Vec<_>>(), [old]);
}

#[test]
fn a_key_is_revoked_from_a_day_that_has_passed() {
    let answer = r#"{"status": "revoked", "revoked_from": "2026-01-02T00:00:00Z"}"#;
    let archive = Archive::start(vec![say(200, NONCE), say(200, answer)]);
    let home = with_key();
    for date in ["2999-01-01", "soon"] {
        assert_eq!(called(&home, &archive, &["key", "revoke", "--from", date, "--yes"]).0, 2, "{date}");
    }
    let (code, stdout, stderr) = called(&home, &archive, &["key", "revoke", "--from", "2026-01-02", "--yes"]);
    assert_eq!(code, 0);
    assert!(stdout.ends_with("from 2026-01-02T00:00:00Z\n"), "{stdout}");
    assert!(stderr.contains("diskatlas key new --force"), "{stderr}");
}

#[test]
fn a_key_is_bound_once_the_browser_has_approved_it() {
    let login = r#"{"id": "01a2066b-528d-7f0e-bfe5-f49a9b9d86ac", "user_code": "BCDF-GHJK", "interval": 1,
        "verification_uri": "{url}/accounts/device/", "verification_uri_complete": "{url}/accounts/device/?code=BCDF-GHJK"}"#;
    for (state, expected) in [("approved", 0), ("denied", 1)] {
        let decision = say(200, &format!(r#"{{"state": "{state}"}}"#));
        let archive = Archive::start(vec![say(200, NONCE), say(200, login), decision]);
        let (code, stdout, stderr) = outcome(&mut with_key().probe(&["login", &archive.url, "--name", "workshop"]));
        assert_eq!((code, stdout.starts_with("bound to your account")), (expected, expected == 0), "{stderr}");
        assert!(stderr.contains("code  BCDF-GHJK"), "{stderr}");
        let requests = archive.requests();
        assert_eq!(requests[2].line, "GET /api/v1/logins/01a2066b-528d-7f0e-bfe5-f49a9b9d86ac/ HTTP/1.1");
    }
}
