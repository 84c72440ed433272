//! `diskatlas verify --manifest`: whether the binaries beside a manifest are those that its signer listed. Offline.
//!
//! Who checks a probe with the same probe trusts it already: the download page shows the way with OpenSSL besides. This is for the next
//! version, checked by the one that is trusted.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use ed25519_dalek::Signature;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Status, UsageError, input};
use crate::report::envelope::parse_public_key;
use crate::report::keys::{hex, keyid};
use crate::terminal::text;

const SCHEMA: &str = "diskatlas-manifest/v1";

const MAX_MANIFEST_BYTES: u64 = 1 << 20;

#[derive(Debug, Deserialize)]
struct Manifest {
    schema: String,
    version: String,
    commit: Option<String>,
    public_key: Option<String>,
    files: Vec<Listed>,
}

#[derive(Debug, Deserialize)]
struct Listed {
    name: String,
    sha256: String,
}

/// What was found. The JSON form of `--json`.
#[derive(Debug, Serialize)]
struct Findings {
    /// Signed, by the key that was asked for if one was, and every file that is here is the listed one.
    valid: bool,
    signed: bool,
    keyid: Option<String>,
    version: String,
    commit: Option<String>,
    problem: Option<String>,
    files: Vec<Found>,
}

#[derive(Debug, Serialize)]
struct Found {
    name: String,
    state: State,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Same,
    Different,
    /// Not in the manifest's folder.
    Absent,
}

pub fn execute(path: &Path, key: Option<&str>, json: bool, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let findings = examine(path, key)?;
    if json {
        serde_json::to_writer(&mut *stdout, &findings)?;
        writeln!(stdout)?;
    } else {
        print(&findings, key.is_some(), stdout)?;
    }
    Ok(if findings.valid { Status::Done } else { Status::Failed })
}

fn examine(path: &Path, key: Option<&str>) -> anyhow::Result<Findings> {
    let bytes = input::read_at_most(path, MAX_MANIFEST_BYTES, ": no manifest")?;
    let manifest: Manifest = serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is not a manifest of a download page", path.display()))?;
    if manifest.schema != SCHEMA {
        bail!("{}: unknown manifest {:?}; this probe knows {SCHEMA:?}", path.display(), manifest.schema);
    }
    let signer = signer(&manifest, &bytes, path, key);
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = manifest.files.iter().map(|listed| look(folder, listed)).collect::<anyhow::Result<Vec<_>>>()?;
    let whole = files.iter().all(|file| file.state != State::Different);
    let any = files.iter().any(|file| file.state == State::Same);
    let (keyid, problem) = match signer {
        Ok(keyid) => (Some(keyid), None),
        Err(problem) => (None, Some(problem)),
    };
    Ok(Findings {
        valid: keyid.is_some() && whole && any,
        signed: keyid.is_some(),
        keyid,
        version: manifest.version,
        commit: manifest.commit,
        problem,
        files,
    })
}

/// The id of the key that signed the manifest; else why nobody is known to have.
fn signer(manifest: &Manifest, bytes: &[u8], path: &Path, wanted: Option<&str>) -> Result<String, String> {
    let public_key = manifest.public_key.as_deref().ok_or("the manifest is not signed")?;
    let key = parse_public_key(public_key).map_err(|error| error.to_string())?;
    let id = keyid(&key);
    if wanted.is_some_and(|wanted| wanted != public_key && !wanted.eq_ignore_ascii_case(&id)) {
        return Err(format!("the manifest names the key {id}, and not the one that was asked for"));
    }
    let beside = signature_path(path);
    let signature = fs::read(&beside)
        .map_err(|error| format!("can't read the signature {}: {error}; download it too", beside.display()))?;
    let signature = Signature::from_slice(&signature)
        .map_err(|_| format!("{} has {} bytes: a signature has 64", beside.display(), signature.len()))?;
    key.verify_strict(bytes, &signature)
        .map_err(|_| "wrong signature: the manifest was changed after signing, or another key signed it".to_owned())?;
    Ok(id)
}

fn signature_path(manifest: &Path) -> PathBuf {
    let mut name = manifest.as_os_str().to_owned();
    name.push(".sig");
    name.into()
}

fn look(folder: &Path, listed: &Listed) -> anyhow::Result<Found> {
    // A name that leads elsewhere would have other files judged.
    if Path::new(&listed.name).file_name().is_none_or(|name| name != listed.name.as_str()) {
        return Err(UsageError(format!("the manifest lists {:?}, which is no plain file name", listed.name)).into());
    }
    let path = folder.join(&listed.name);
    let state = match File::open(&path) {
        Ok(mut file) => {
            let digest = digest(&mut file).with_context(|| format!("can't read {}", path.display()))?;
            if digest == listed.sha256 { State::Same } else { State::Different }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => State::Absent,
        Err(error) => return Err(error).with_context(|| format!("can't read {}", path.display())),
    };
    Ok(Found { name: listed.name.clone(), state })
}

fn digest(file: &mut File) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(hex(&digest.finalize())),
            count => digest.update(&chunk[..count]),
        }
    }
}

fn print(findings: &Findings, key_was_named: bool, stdout: &mut dyn Write) -> io::Result<()> {
    match (&findings.keyid, &findings.problem) {
        (Some(keyid), _) => writeln!(stdout, "signature  valid, ed25519 key {keyid}")?,
        (None, problem) => {
            let why = problem.as_deref().unwrap_or_default();
            writeln!(stdout, "signature  NOT valid: {}", text::printable(why))?;
        }
    }
    let commit = findings.commit.as_deref().unwrap_or("unknown");
    writeln!(stdout, "version    {}, commit {}", text::printable(&findings.version), text::printable(commit))?;
    for file in &findings.files {
        let words = match file.state {
            State::Same => "is the listed one",
            State::Different => "is NOT the listed one",
            State::Absent => "is not here",
        };
        writeln!(stdout, "file       {} {words}", text::printable(&file.name))?;
    }
    if findings.signed && !key_was_named {
        writeln!(
            stdout,
            "Anyone can sign with a key of their own: compare the key with the one that the archive's operator"
        )?;
        writeln!(stdout, "publishes elsewhere, or name it with --key.")?;
    }
    Ok(())
}
