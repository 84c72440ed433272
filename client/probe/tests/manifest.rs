//! `verify --manifest`: binaries that were downloaded, checked by a probe that is trusted already.

mod support;

use std::fs;

use diskatlas::report::keys::{Key, hex};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use support::{Home, key, outcome};

const BINARY: &str = "diskatlas-x86_64-unknown-linux-musl";

/// A download folder with one file that stands for a binary; what is signed is what `change` made of the manifest.
fn downloads(home: &Home, signer: Option<&Key>, change: impl FnOnce(&mut Value)) {
    fs::write(home.path(BINARY), b"a sample, no program").unwrap();
    let mut manifest = json!({
        "schema": "diskatlas-manifest/v1",
        "version": "9.9.9",
        "commit": "0123456789012345678901234567890123456789",
        "public_key": signer.map(Key::public_key),
        "files": [
            {"name": BINARY, "sha256": hex(&Sha256::digest(b"a sample, no program"))},
            {"name": "diskatlas-aarch64-unknown-linux-musl", "sha256": "00"},
        ],
    });
    change(&mut manifest);
    let bytes = manifest.to_string();
    fs::write(home.path("manifest.json"), &bytes).unwrap();
    if let Some(key) = signer {
        fs::write(home.path("manifest.json.sig"), key.sign_written(|out| out.write_all(bytes.as_bytes())).unwrap())
            .unwrap();
    }
}

fn verify(home: &Home, more: &[&str]) -> (i32, String) {
    let (code, stdout, stderr) = outcome(&mut home.probe(&[&["verify", "--manifest", "manifest.json"], more].concat()));
    (code, stdout + &stderr)
}

#[test]
fn a_binary_that_its_operator_listed_and_signed_is_recognised() {
    let home = Home::new();
    downloads(&home, Some(&key()), |_| {});
    let (code, said) = verify(&home, &["--key", &key().public_key()]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(&format!("signature  valid, ed25519 key {}", key().keyid())), "{said}");
    assert!(said.contains(&format!("{BINARY} is the listed one")) && said.contains("aarch64"), "{said}");
    assert!(said.contains("version    9.9.9, commit 0123456"), "{said}");
}

#[test]
fn without_a_key_to_compare_with_the_signature_is_said_to_prove_little() {
    let home = Home::new();
    downloads(&home, Some(&key()), |_| {});
    let (code, said) = verify(&home, &[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("Anyone can sign with a key of their own") && said.contains("--key"), "{said}");
}

#[test]
fn the_key_can_be_named_by_its_id_and_another_one_is_refused() {
    let home = Home::new();
    downloads(&home, Some(&key()), |_| {});
    assert_eq!(verify(&home, &["--key", &key().keyid()]).0, 0);
    let (code, said) = verify(&home, &["--key", &Key::from_seed([8; 32]).public_key()]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("signature  NOT valid") && said.contains("not the one that was asked for"), "{said}");
}

#[test]
fn a_changed_binary_is_found() {
    let home = Home::new();
    downloads(&home, Some(&key()), |_| {});
    fs::write(home.path(BINARY), b"another program").unwrap();
    let (code, said) = verify(&home, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains(&format!("{BINARY} is NOT the listed one")), "{said}");
}

#[test]
fn a_manifest_that_was_changed_after_signing_is_found() {
    let home = Home::new();
    downloads(&home, Some(&key()), |_| {});
    let bytes = fs::read_to_string(home.path("manifest.json")).unwrap().replace("9.9.9", "9.9.8");
    fs::write(home.path("manifest.json"), bytes).unwrap();
    let (code, said) = verify(&home, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("wrong signature"), "{said}");
}

#[test]
fn an_unsigned_manifest_and_one_whose_signature_is_missing_do_not_pass() {
    let home = Home::new();
    downloads(&home, None, |_| {});
    let (code, said) = verify(&home, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("NOT valid: the manifest is not signed"), "{said}");
    downloads(&home, Some(&key()), |_| {});
    fs::remove_file(home.path("manifest.json.sig")).unwrap();
    let (code, said) = verify(&home, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("manifest.json.sig") && said.contains("download it too"), "{said}");
}

#[test]
fn a_manifest_without_any_of_its_files_beside_it_does_not_pass() {
    let home = Home::new();
    downloads(&home, Some(&key()), |_| {});
    fs::remove_file(home.path(BINARY)).unwrap();
    let (code, said) = verify(&home, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains(&format!("{BINARY} is not here")), "{said}");
}

#[test]
fn a_listed_name_that_leads_out_of_the_folder_is_refused() {
    let home = Home::new();
    downloads(&home, Some(&key()), |manifest| manifest["files"][0]["name"] = json!("../key"));
    let (code, said) = verify(&home, &[]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("no plain file name"), "{said}");
}

#[test]
fn what_is_no_manifest_is_said_to_be_none() {
    let home = Home::new();
    downloads(&home, Some(&key()), |manifest| manifest["schema"] = json!("diskatlas-manifest/v7"));
    let (code, said) = verify(&home, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("diskatlas-manifest/v7"), "{said}");
    fs::write(home.path("manifest.json"), "[]").unwrap();
    assert!(verify(&home, &[]).1.contains("is not a manifest of a download page"));
}

#[test]
fn the_findings_come_as_json_for_a_machine() {
    let home = Home::new();
    downloads(&home, Some(&key()), |_| {});
    let (code, stdout) = verify(&home, &["--json"]);
    let findings: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &findings["valid"], &findings["signed"]), (0, &json!(true), &json!(true)));
    assert_eq!(findings["files"][0]["state"], "same");
    assert_eq!(findings["files"][1]["state"], "absent");
}
