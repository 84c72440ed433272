//! `diskatlas verify`: whether a file is what its signer signed and keeps to the schemas. Offline.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;

use super::{Status, input, manifest};
use crate::report::check::Violation;
use crate::report::document::SCHEMA;
use crate::report::envelope::{Envelope, EnvelopeError, Verified};
use crate::report::json::Json;
use crate::text;

/// Check a file's signature and schema, offline
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file that `diskatlas run` wrote, or - for standard input
    #[arg(value_name = "FILE", required_unless_present = "manifest")]
    file: Option<PathBuf>,

    /// Check the binaries that lie beside this manifest of a download page, and its signature in FILE.sig, instead
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    manifest: Option<PathBuf>,

    /// With --manifest: the key that must have signed it, as ed25519:BASE64 or as its id
    #[arg(long, value_name = "KEY", requires = "manifest")]
    key: Option<String>,

    /// Print JSON for a machine to read
    #[arg(long)]
    json: bool,
}

/// What was found. The JSON form of `--json`.
#[derive(Debug, Default, Serialize)]
struct Findings {
    valid: bool,
    signature_valid: bool,
    keyid: Option<String>,
    public_key: Option<String>,
    run_id: Option<String>,
    /// What the contributor has consented to.
    license: Option<String>,
    /// Why there is no document to check.
    problem: Option<String>,
    violations: Vec<Violation>,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    if let Some(path) = &args.manifest {
        return manifest::execute(path, args.key.as_deref(), args.json, stdout);
    }
    let file = args.file.as_deref().expect("clap asks for a file or a manifest");
    let findings = examine(&input::read_envelope(file)?)?;
    if args.json {
        serde_json::to_writer(&mut *stdout, &findings)?;
        writeln!(stdout)?;
    } else {
        print(&findings, stdout)?;
    }
    Ok(if findings.valid { Status::Done } else { Status::Failed })
}

fn examine(bytes: &[u8]) -> anyhow::Result<Findings> {
    let verified = match open(bytes) {
        Ok(verified) => verified,
        Err(error) => return Ok(Findings { problem: Some(error.to_string()), ..Findings::default() }),
    };
    let mut findings = Findings {
        signature_valid: true,
        keyid: Some(verified.keyid.clone()),
        public_key: Some(verified.public_key.clone()),
        ..Findings::default()
    };
    match serde_json::from_slice::<Json>(verified.payload()) {
        Ok(document) => {
            findings.violations = input::checker()?.check(&document);
            findings.run_id = document["run_id"].as_str().map(str::to_owned);
            findings.license = document["license"].as_str().map(str::to_owned);
            findings.valid = findings.violations.is_empty();
        }
        Err(error) => findings.problem = Some(format!("the signed payload is not JSON: {error}")),
    }
    Ok(findings)
}

fn open(bytes: &[u8]) -> Result<Verified, EnvelopeError> {
    Envelope::parse(bytes)?.verify()
}

fn print(findings: &Findings, stdout: &mut dyn Write) -> anyhow::Result<()> {
    match &findings.keyid {
        Some(keyid) => writeln!(stdout, "signature  valid, ed25519 key {keyid}")?,
        None => writeln!(stdout, "signature  NOT valid")?,
    }
    if let Some(problem) = &findings.problem {
        writeln!(stdout, "problem    {}", text::printable(problem))?;
    } else if findings.valid {
        writeln!(stdout, "document   keeps to {SCHEMA} and to the schemas of its kinds")?;
    } else {
        let places = text::count(findings.violations.len() as u64, "violation");
        writeln!(stdout, "document   does NOT keep to {SCHEMA}: {places}")?;
        for violation in &findings.violations {
            writeln!(stdout, "  {}", text::printable(&violation.to_string()))?;
        }
    }
    if findings.valid && findings.license.is_none() {
        writeln!(stdout, "licence    none yet: diskatlas submit asks for one, and nothing is sent without")?;
    }
    if let Some(run_id) = &findings.run_id {
        writeln!(stdout, "run        {}", text::printable(run_id))?;
    }
    Ok(())
}
