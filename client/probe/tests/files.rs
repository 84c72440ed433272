//! `verify`, `show` and `key` as a person or a script calls them.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use support::{Home, SAMPLE, outcome, sign, text};

#[test]
fn a_file_as_it_was_signed_verifies() {
    let home = Home::new();
    let (file, _) = home.signed("a.json");
    let (code, stdout, stderr) = outcome(&mut home.probe(&["verify", text(&file)]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains(&format!("signature  valid, ed25519 key {}", support::key().keyid())), "{stdout}");
    assert!(stdout.contains("document   keeps to run/v1"), "{stdout}");
}

#[test]
fn standard_input_verifies_like_a_file() {
    let home = Home::new();
    let (code, ..) = outcome(home.probe(&["verify", "-"]).write_stdin(sign(|_| {})));
    assert_eq!(code, 0);
}

/// What `verify` says of these bytes; it always answers with exit code 1 here.
fn rejected(bytes: Vec<u8>) -> String {
    let home = Home::new();
    let (file, _) = home.write("bad.json", bytes);
    let (code, stdout, _) = outcome(&mut home.probe(&["verify", text(&file)]));
    assert_eq!(code, 1, "{stdout}");
    stdout
}

/// The signed sample with one change to the envelope.
fn envelope(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut envelope: Value = serde_json::from_slice(&sign(|_| {})).unwrap();
    change(&mut envelope);
    envelope.to_string().into_bytes()
}

#[test]
fn every_way_for_an_envelope_to_be_broken_has_its_own_words() {
    let tampered = STANDARD.encode(SAMPLE.replace("Sample Drive", "Better Drive"));
    let mut truncated = sign(|_| {});
    truncated.truncate(1000);
    let cases: [(Vec<u8>, &str); 9] = [
        (truncated, "truncated"),
        (b"{}".to_vec(), "not a DSSE envelope"),
        (SAMPLE.as_bytes().to_vec(), "a bare run document"),
        (envelope(|e| e["payload"] = json!(tampered)), "wrong signature"),
        (envelope(|e| e["payload"] = json!("%")), "payload is not standard base64"),
        (envelope(|e| e["payloadType"] = json!("text/plain")), "unknown payload type \"text/plain\""),
        (envelope(|e| e["signatures"] = json!([])), "0 signatures: expected exactly one"),
        (envelope(|e| e["signatures"][0]["public_key"] = json!("rsa:AAAA")), "unknown key algorithm \"rsa\""),
        (Vec::new(), "truncated"),
    ];
    for (bytes, words) in cases {
        let stdout = rejected(bytes);
        assert!(stdout.contains("signature  NOT valid"), "{stdout}");
        assert!(stdout.contains(words), "{words:?} not in {stdout}");
    }
}

#[test]
fn a_signed_document_that_breaks_a_schema_is_told_the_place() {
    let stdout = rejected(sign(|document| document.device.capacity_bytes = 0));
    assert!(stdout.contains("signature  valid"), "{stdout}");
    assert!(stdout.contains("/device/capacity_bytes: 0 is less than the minimum of 512"), "{stdout}");
}

#[test]
fn verify_speaks_json_to_a_machine() {
    let home = Home::new();
    let (file, _) = home.write("bad.json", sign(|document| document.license = Some("mine".to_owned())));
    let (code, stdout, stderr) = outcome(&mut home.probe(&["verify", "--json", text(&file)]));
    let findings: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, stderr.as_str()), (1, ""));
    assert_eq!(findings["valid"], false);
    assert_eq!(findings["signature_valid"], true);
    assert_eq!(findings["violations"][0]["path"], "/license");
}

#[test]
fn a_missing_file_is_an_error_on_standard_error() {
    let home = Home::new();
    for command in ["verify", "show"] {
        let (code, stdout, stderr) = outcome(&mut home.probe(&[command, "nowhere.json"]));
        assert_eq!((code, stdout.as_str()), (1, ""));
        assert!(stderr.contains("error: can't read nowhere.json: No such file"), "{stderr}");
    }
}

#[test]
fn a_call_that_makes_no_sense_is_answered_with_exit_code_2() {
    let home = Home::new();
    for arguments in [&["verify"][..], &["submit", "a.json"], &["measure"], &["key"], &["show", "--xml", "a.json"]] {
        let (code, stdout, stderr) = outcome(&mut home.probe(arguments));
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains("Usage:"), "{stderr}");
    }
}

#[test]
fn show_tells_what_would_be_sent_and_json_is_the_document_byte_for_byte() {
    let home = Home::new();
    let (file, bytes) = home.signed("a.json");
    let (code, stdout, _) = outcome(&mut home.probe(&["show", text(&file)]));
    assert_eq!(code, 0);
    assert!(stdout.contains("model        Sample Drive 1") && stdout.contains("Stays on this machine"), "{stdout}");
    let (_, stdout, _) = outcome(&mut home.probe(&["show", "--json", text(&file)]));
    let envelope: Value = serde_json::from_slice(&bytes).unwrap();
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    assert_eq!(stdout.trim_end().as_bytes(), payload);
}

#[test]
fn show_warns_of_a_document_that_an_archive_would_refuse() {
    let home = Home::new();
    let (file, _) = home.write("bad.json", sign(|document| document.license = Some("mine".to_owned())));
    let (code, _, stderr) = outcome(&mut home.probe(&["show", text(&file)]));
    assert_eq!(code, 0);
    assert!(stderr.contains("warning: 1 violation of the schemas"), "{stderr}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let home = Home::new();
    let (file, _) = home.signed("a.json");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_diskatlas"));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = command.args(["show", "--json", text(&file)]).stdout(writer).stderr(Stdio::piped());
    let output = child.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_full_disk_behind_standard_output_is_a_failure() {
    let home = Home::new();
    let (file, _) = home.signed("a.json");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_diskatlas"));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command.args(["show", text(&file)]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("No space left"));
}

#[test]
fn a_run_whose_output_disk_is_full_is_saved_elsewhere_and_said_to_be() {
    let home = Home::new();
    fs::create_dir(home.path("tmp")).unwrap();
    let mut command = home.probe(&["run", "sim:hp-97560,seed=1", "--only", "zoned", "-o", "/dev/full"]);
    let (code, stdout, stderr) = outcome(command.env("TMPDIR", home.path("tmp")));
    let saved = home.path("tmp/diskatlas.run.json");
    assert_eq!((code, stdout.trim_end()), (0, text(&saved)), "{stderr}");
    assert!(stderr.contains("/dev/full is full") && stderr.contains("free some space there"), "{stderr}");
    home.probe(&["verify", text(&saved)]).assert().success();
}

/// The secret half as it stands in a key file.
fn secret(file: &std::path::Path) -> String {
    fs::read_to_string(file).unwrap().split_whitespace().last().unwrap().to_owned()
}

#[test]
fn a_new_key_is_private_is_shown_again_and_its_secret_is_never_printed() {
    let home = Home::new();
    let (code, made, _) = outcome(&mut home.probe(&["key", "new"]));
    let file = home.path(".config/diskatlas/key");
    assert_eq!(code, 0);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let (code, shown, stderr) = outcome(&mut home.probe(&["key", "show"]));
    assert_eq!((code, &shown, stderr.as_str()), (0, &made, ""));
    assert!(shown.contains("public key  ed25519:"), "{shown}");
    assert!(!shown.contains(&secret(&file)));
}

#[test]
fn a_key_is_replaced_by_force_only() {
    let home = Home::new();
    home.probe(&["key", "new"]).assert().success();
    let before = secret(&home.path(".config/diskatlas/key"));
    let (code, stdout, stderr) = outcome(&mut home.probe(&["key", "new"]));
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.contains("already holds a key") && stderr.contains("--force"), "{stderr}");
    assert_eq!(secret(&home.path(".config/diskatlas/key")), before);
    home.probe(&["key", "new", "--force"]).assert().success();
    assert_ne!(secret(&home.path(".config/diskatlas/key")), before);
}

#[test]
fn the_environment_can_name_another_key_file_and_an_exposed_one_is_warned_of() {
    let home = Home::new();
    let file = home.path("other");
    home.probe(&["key", "new"]).env("DISKATLAS_KEY", &file).assert().success();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let (code, stdout, stderr) = outcome(home.probe(&["key", "show", "--json"]).env("DISKATLAS_KEY", &file));
    let shown: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(code, 0);
    assert_eq!(shown["path"], text(&file));
    assert!(stderr.contains("others can read the secret key"), "{stderr}");
    assert!(!home.path(".config").exists());
}

#[test]
fn the_configuration_folder_can_be_elsewhere() {
    let home = Home::new();
    home.probe(&["key", "new"]).env("XDG_CONFIG_HOME", home.path("xdg")).assert().success();
    assert!(home.path("xdg/diskatlas/key").is_file());
}

#[test]
fn showing_a_key_that_is_not_there_says_how_to_make_one() {
    let home = Home::new();
    let (code, _, stderr) = outcome(&mut home.probe(&["key", "show"]));
    assert_eq!(code, 1);
    assert!(stderr.contains("make one with `diskatlas key new`"), "{stderr}");
}
