//! `diskatlas verify`: whether a file is what its signer signed and keeps to the schemas. Offline, but for `--log`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Status, UsageError, input, manifest};
use crate::report::check::Violation;
use crate::report::document::SCHEMA;
use crate::report::envelope::{Envelope, EnvelopeError, Verified};
use crate::report::json::Json;
use crate::report::keys::hex;
use crate::submit::endpoint::Endpoint;
use crate::submit::http::{Client, Http};
use crate::terminal::text;
use crate::transparency;
use crate::transparency::offline::{RecordingHttp, SavedAnswers};
use crate::transparency::{LogProof, known_head};

/// Check a file's signature and schema, offline
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file that `diskatlas run` wrote, or - for standard input
    #[arg(value_name = "FILE", required_unless_present = "manifest")]
    file: Option<PathBuf>,

    /// Check the binaries that lie beside this manifest of a download page, and its signature in FILE.sig, instead
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    manifest: Option<PathBuf>,

    /// Check besides that the archive's publication log holds the file, and that it goes on from what was seen of it
    #[arg(long, value_name = "URL", requires = "file")]
    log: Option<String>,

    /// With --log: the key that must have signed the log's head, as name+id+base64; remembered from the first time otherwise
    #[arg(long, value_name = "KEY", requires = "log")]
    log_key: Option<String>,

    /// With --log: ask nobody, and read the archive's answers from this folder, as --save-proofs leaves them
    #[arg(long, value_name = "FOLDER", requires = "log", conflicts_with = "save_proofs")]
    proofs: Option<PathBuf>,

    /// With --log: keep the archive's answers in this folder, for --proofs on a machine without a network
    #[arg(long, value_name = "FOLDER", requires = "log")]
    save_proofs: Option<PathBuf>,

    /// With --save-proofs: the size of the head that the other machine saw last, to keep the proof that the log goes on from it
    #[arg(long, value_name = "LEAVES", requires = "save_proofs")]
    since: Option<u64>,

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
    problem: Option<String>,
    violations: Vec<Violation>,
    /// What the publication log shows, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogProof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_problem: Option<String>,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    if let Some(path) = &args.manifest {
        return manifest::execute(path, args.key.as_deref(), args.json, stdout);
    }
    let file = args.file.as_deref().expect("clap asks for a file or a manifest");
    let bytes = input::read_envelope(file)?;
    let mut findings = examine(&bytes)?;
    if let Some(server) = &args.log
        && findings.valid
    {
        look_up(&mut findings, &bytes, server, args)?;
    }
    if args.json {
        serde_json::to_writer(&mut *stdout, &findings)?;
        writeln!(stdout)?;
    } else {
        print(&findings, stdout)?;
    }
    Ok(if findings.valid { Status::Done } else { Status::Failed })
}

/// Asks the log; what it shows is remembered, what it fails to show makes the findings not valid.
fn look_up(findings: &mut Findings, bytes: &[u8], server: &str, args: &Args) -> anyhow::Result<()> {
    let endpoint = Endpoint::parse(server).map_err(|error| UsageError(error.to_string()))?;
    let folder = known_head::folder();
    let seen = match &folder {
        Some(folder) => known_head::load(folder, endpoint.base())
            .with_context(|| format!("can't read what was seen of the log, in {}", folder.display()))?,
        None => None,
    };
    let digest = hex(&Sha256::digest(bytes));
    let client = Client::new(Duration::from_secs(30));
    let files = args.proofs.clone().map(SavedAnswers);
    let asked: &dyn Http = files.as_ref().map_or(&client, |files| files);
    let http = RecordingHttp::new(asked);
    let key = args.log_key.as_deref();
    match transparency::check(&http, endpoint.base(), &digest, findings.run_id.as_deref(), key, seen.as_ref()) {
        Ok(shown) => {
            if let Some(proofs) = &args.save_proofs {
                keep(&http, endpoint.base(), &shown, args.since, proofs)?;
            }
            if let (Some(folder), Some(seen)) = (&folder, &shown.seen) {
                known_head::store(folder, seen)
                    .with_context(|| format!("can't remember the log's head in {}", folder.display()))?;
            }
            findings.valid = shown.is_published();
            findings.log = Some(shown);
        }
        Err(error) => {
            findings.valid = false;
            findings.log_problem = Some(error.to_string());
        }
    }
    Ok(())
}

/// Keeps what was asked, and what the other machine will need to see that the log goes on from the head it knows.
fn keep(
    http: &RecordingHttp<'_>,
    server: &str,
    shown: &LogProof,
    since: Option<u64>,
    folder: &Path,
) -> anyhow::Result<()> {
    if let Some(first) = since.filter(|first| *first > 0 && *first < shown.size) {
        let url = format!("{server}/api/v1/log/proofs/consistency?first={first}&second={}", shown.size);
        let answer = http.get(&url)?;
        anyhow::ensure!(answer.status == 200, "{url} answered with status {}; check --since", answer.status);
    }
    http.write(folder).with_context(|| format!("can't keep the proofs in {}", folder.display()))
}

fn print_log(findings: &Findings, stdout: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(problem) = &findings.log_problem {
        writeln!(stdout, "log        NOT shown: {}", text::printable(problem))?;
    }
    let Some(shown) = &findings.log else { return Ok(()) };
    let (origin, size) = (text::printable(&shown.origin), shown.size);
    for leaf in &shown.leaves {
        let (kind, at) = (text::printable(&leaf.kind), text::printable(&leaf.at));
        writeln!(stdout, "log        {kind} at {at}: leaf {} of {size} in {origin}, proved", leaf.index)?;
    }
    match shown.goes_on_from {
        Some(before) => writeln!(stdout, "log head   signed; goes on from the {before} leaves seen before")?,
        None => writeln!(
            stdout,
            "log head   signed by {}, seen for the first time: compare the key with one from elsewhere",
            text::printable(&shown.verifier_key)
        )?,
    }
    Ok(())
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
    } else if findings.violations.is_empty() {
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
    print_log(findings, stdout)
}
