//! What the tests of the command line share: a folder of one's own, a signed sample, and an archive that answers as it is told.

#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod archive;
pub mod loops;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use diskatlas::report::keys::Key;
use diskatlas::report::{content::Content, document::RunDocument, sign_document};
use tempfile::TempDir;

/// A document made up for tests; it says so itself.
pub const SAMPLE: &str = include_str!("../data/sample.document.json");

/// A folder that stands for a person's home, and the probe called in it.
pub struct Home(TempDir);

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The probe with nothing of the outer environment that could change what it does.
    pub fn probe(&self, arguments: &[&str]) -> Command {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("diskatlas");
        command.env_clear().env("HOME", self.0.path()).current_dir(self.0.path()).args(arguments);
        command
    }

    /// A file with the signed sample, and its bytes.
    pub fn signed(&self, name: &str) -> (PathBuf, Vec<u8>) {
        self.write(name, sign(|_| {}))
    }

    pub fn write(&self, name: &str, bytes: Vec<u8>) -> (PathBuf, Vec<u8>) {
        let path = self.path(name);
        fs::write(&path, &bytes).unwrap();
        (path, bytes)
    }
}

/// The sample, changed and then signed.
pub fn sign(change: impl FnOnce(&mut RunDocument)) -> Vec<u8> {
    let mut document: RunDocument = serde_json::from_str(SAMPLE).unwrap();
    change(&mut document);
    sign_document(&document, &key()).unwrap().to_vec().unwrap()
}

pub fn key() -> Key {
    Key::from_seed([7; 32])
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Exit code, standard output and standard error.
pub fn outcome(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}
