//! `diskatlas run`: measures one device and writes a signed run document.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ValueEnum, ValueHint};
use serde_json::json;

use super::choice::Choice;
use super::{Status, UsageError, consent, load_or_create_key, parse_server, upload_with_defaults};
use crate::device::Writing;
use crate::device::open::OpenError;
use crate::identify::{Disk, DriveName, Tree};
use crate::kinds;
use crate::report::document::{Benchmark, Manufacture, RunChallenge, RunDocument};
use crate::report::keys::Key;
use crate::report::{save, sign_document};
use crate::run::journal::RunJournal;
use crate::run::measure::{Outcome, measure};
use crate::run::target::{self, Target, TargetError};
use crate::run::{Request, signals, start};
use crate::safety::confirm::Challenge;
use crate::session::Interrupt;
use crate::submit::challenge;
use crate::submit::http::Client;
use crate::terminal::progress::Display;
use crate::terminal::{message, say, summary, text};

/// How long an archive may take to give a challenge.
const CHALLENGE_TIMEOUT: Duration = Duration::from_secs(15);

/// Measure a disk and write a signed run document
///
/// Nothing is written to the disk unless --writes says so. Ctrl-C ends the run after the request under way: what was measured until then is saved and signed.
/// Exit codes: 0 measured, 1 failed, interrupted or vanished (the file then holds what was measured), 2 not asked rightly.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A raw block device such as /dev/sdb, or a simulated drive such as sim:seagate-hawk
    #[arg(value_hint = ValueHint::AnyPath)]
    pub device: String,

    #[command(flatten)]
    pub choice: Choice,

    /// With --writes destroy: go on although the disk carries partitions or a file system
    #[arg(long)]
    pub wipe: bool,

    /// The confirmation that is asked for before anything is written, for scripts
    #[arg(long, value_name = "TEXT")]
    pub confirm: Option<String>,

    /// Whether the disk rotates, instead of what the kernel says and the timing shows
    #[arg(long, value_enum)]
    pub rotational: Option<Answer>,

    #[command(flatten)]
    pub result: ResultOptions,

    /// Submit the result to this archive when it is measured
    #[arg(long, value_name = "URL")]
    pub submit: Option<String>,

    /// Measure on request of this archive: random places follow from a number that it gives, so that the run can't have been measured before. --submit asks for one by itself
    #[arg(long, value_name = "URL")]
    pub challenge: Option<String>,

    /// Say in JSON what was measured and where it lies
    #[arg(long)]
    pub json: bool,
}

// What is said of a result by hand, and where it goes. (A doc comment would become that of the command.)
#[derive(Clone, Debug, clap::Args)]
pub struct ResultOptions {
    /// The licence under which you give the result away [otherwise asked for before it is sent, and nothing is sent without]
    #[arg(long, value_parser = ["CC0-1.0", "CC-BY-4.0"])]
    pub license: Option<String>,

    /// A label of your own for disks that came together (a site, a lot)
    #[arg(long, value_name = "TEXT")]
    batch_label: Option<String>,

    /// When the disk was made, as its label says: year and ISO week, for example 2024-W07
    #[arg(long, value_name = "YYYY-Www", value_parser = parse_week)]
    pub manufactured: Option<Manufacture>,

    /// Where the signed document goes [default: diskatlas-<run id>.json in this folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl ResultOptions {
    /// The label without the space around it; `None` where nothing is left.
    pub fn checked_label(&self) -> Result<Option<String>, UsageError> {
        let label = self.batch_label.as_deref().map(str::trim).filter(|label| !label.is_empty());
        if label.is_some_and(|label| label.chars().count() > 64 || label.chars().any(char::is_control)) {
            return Err(UsageError("--batch-label takes at most 64 characters on one line; shorten it".to_owned()));
        }
        Ok(label.map(str::to_owned))
    }

    pub fn output_or_default(&self, run_id: &str) -> PathBuf {
        self.output.clone().unwrap_or_else(|| PathBuf::from(format!("diskatlas-{run_id}.json")))
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum Answer {
    Yes,
    No,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let mut request = request(args)?;
    if let Some(server) = &args.submit {
        parse_server(server)?;
        request.license = consent::ask_before_run(request.license)?;
    }
    if let Some(output) = &args.result.output {
        save::preflight(output)?;
    }
    request.settle_places(challenge_of(args)?);
    let tree = Tree::machine();
    let mut ask = |disk: &Disk, challenge: &Challenge| ask(args.confirm.as_deref(), disk, challenge);
    let mut target = target::open(&request, &tree, &mut ask).map_err(usage_or_failure)?;
    let key = load_or_create_key()?;
    let interrupt = signals::listen()?;
    announce(&target);
    let header = start::header(&mut target, &request, &tree);
    let output = args.result.output_or_default(&header.run_id);
    let journal = RunJournal::begin(&journal_path(&output, &header.run_id), header)
        .map_err(|error| UsageError(error.to_string()))?;
    let finish = Finish { output: &output, key: &key, submit: args.submit.as_deref(), json: args.json };
    finish.measure(target, &request, &tree, &interrupt, journal, stdout)
}

/// What is done with a run that begins, or goes on.
pub(super) struct Finish<'a> {
    pub output: &'a Path,
    pub key: &'a Key,
    pub submit: Option<&'a str>,
    pub json: bool,
}

impl Finish<'_> {
    /// Measures, saves and says what came of it, and sends it where that was asked for.
    pub fn measure(
        &self,
        mut target: Target,
        request: &Request,
        tree: &Tree,
        interrupt: &Interrupt,
        mut journal: RunJournal,
        stdout: &mut dyn Write,
    ) -> anyhow::Result<Status> {
        let (document, end) = measure(&mut target, request, tree, &mut Display::new(), interrupt, &mut journal);
        // Closed before anything is uploaded: a disk is not held for the sake of a network.
        drop(target);
        let file = save_document(self.output, &document, self.key)?;
        self.report(&document, &end, &file, stdout)?;
        close_journal(journal, &end);
        if !matches!(end, Outcome::Complete) || nothing_measured(&document) {
            return Ok(Status::Failed);
        }
        match self.submit {
            Some(server) => upload_with_defaults(&file, server, false, stdout),
            None => Ok(Status::Done),
        }
    }

    fn report(&self, document: &RunDocument, end: &Outcome, file: &Path, stdout: &mut dyn Write) -> anyhow::Result<()> {
        say!("{}", summary::page(document, message::width(), kinds::overview).trim_end());
        for warning in summary::warnings(document) {
            say!("warning: {warning}");
        }
        match end {
            Outcome::Complete if nothing_measured(document) => {
                say!("nothing was measured: the file says why for each benchmark, and an archive would refuse it");
            }
            Outcome::Complete => {}
            Outcome::Interrupted => say!("interrupted: the file holds what was measured until then"),
            Outcome::Gone(error) => say!("the device vanished ({error}): the file holds what was measured until then"),
        }
        if self.json {
            let kinds: Vec<_> = document.benchmarks.iter().map(summary).collect();
            let interrupted = document.conditions.interrupted;
            let line =
                json!({"file": file, "run_id": document.run_id, "interrupted": interrupted, "benchmarks": kinds});
            writeln!(stdout, "{line}")?;
        } else {
            writeln!(stdout, "{}", file.display())?;
            if self.submit.is_none() && !nothing_measured(document) {
                let license = document.license.as_deref();
                let under =
                    license.map(|license| format!(", and free under {license} once submitted")).unwrap_or_default();
                say!("signed{under}: diskatlas submit {} --server URL", file.display());
            }
        }
        Ok(())
    }
}

fn request(args: &Args) -> Result<Request, UsageError> {
    if args.wipe && args.choice.writes != Writing::Destroy {
        return Err(UsageError("--wipe only means something with --writes destroy; leave it out".to_owned()));
    }
    Ok(Request {
        device: args.device.clone(),
        kinds: args.choice.kinds(),
        writing: args.choice.writes,
        wipe: args.wipe,
        rotational: args.rotational.map(|answer| answer == Answer::Yes),
        settings: args.choice.settings(),
        license: args.result.license.clone(),
        batch_label: args.result.checked_label()?,
        manufacture: args.result.manufactured.clone(),
        challenge: None,
    })
}

/// What the archive asks for the run with. Who only submits goes without where the archive gives nothing; who asks for a
/// challenge does not.
fn challenge_of(args: &Args) -> anyhow::Result<Option<RunChallenge>> {
    let Some(server) = args.challenge.as_ref().or(args.submit.as_ref()) else { return Ok(None) };
    match challenge::fetch(&Client::new(CHALLENGE_TIMEOUT), &parse_server(server)?) {
        Ok(challenge) => Ok(Some(challenge)),
        Err(error) if args.challenge.is_none() => {
            say!("without a challenge ({error}): the archive will say that the run was measured offline");
            Ok(None)
        }
        Err(error) => {
            Err(anyhow::anyhow!("no challenge, and nothing was measured: {error}; try again, or leave --challenge out"))
        }
    }
}

fn parse_week(text: &str) -> Result<Manufacture, String> {
    let wrong = || format!("'{text}' is not a year and an ISO week such as 2024-W07");
    let (year, week) = text.split_once("-W").ok_or_else(wrong)?;
    let (year, week): (u16, u8) = (year.parse().map_err(|_| wrong())?, week.parse().map_err(|_| wrong())?);
    if !(1956..=2155).contains(&year) || !(1..=53).contains(&week) {
        return Err(format!("'{text}' is not between 1956-W01 and 2155-W53"));
    }
    Ok(Manufacture { year, week, source: "user".to_owned() })
}

/// `--confirm`, else a question on the terminal, else nothing.
pub(super) fn ask(confirm: Option<&str>, disk: &Disk, challenge: &Challenge) -> Option<String> {
    if let Some(text) = confirm {
        return Some(text.to_owned());
    }
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        say!("nobody can be asked here; give --confirm with {}", challenge.asked_for);
        return None;
    }
    let size = text::bytes(disk.capacity_bytes);
    let model = disk.model.as_deref().unwrap_or("of an unknown model");
    say!("The probe is about to write to {} ({model}, {size}).", disk.path.display());
    say!("Type {} to go on:", challenge.asked_for);
    let mut line = String::new();
    stdin.lock().read_line(&mut line).ok()?;
    Some(line)
}

/// What the person can put right by asking differently is a usage error.
pub(super) fn usage_or_failure(error: TargetError) -> anyhow::Error {
    let usage = matches!(
        error,
        TargetError::Open(OpenError::NotFound(_) | OpenError::NotABlockDevice(..))
            | TargetError::Misspelt { .. }
            | TargetError::Partition { .. }
            | TargetError::NotADisk(_)
            | TargetError::NotConfirmed { .. }
            | TargetError::Refused { .. }
            | TargetError::Simulated(_)
    );
    if usage { UsageError(error.to_string()).into() } else { error.into() }
}

pub(super) fn announce(target: &Target) {
    let report = &target.report;
    let vendor = report.vendor.as_deref().unwrap_or_default();
    let known = DriveName::of(vendor, &report.model).words().filter(|_| target.kernel_name.is_some());
    let name = known.unwrap_or_else(|| format!("{vendor} {}", report.model).trim().to_owned());
    let size = text::bytes(report.capacity_bytes);
    say!("{name}, {size}, in blocks of {} bytes ({})", report.block_bytes, report.block_bytes_source);
    for sentence in &target.left_behind {
        say!("{sentence}");
    }
}

/// Beside the document; where that is a pipe or a terminal, in this folder.
fn journal_path(output: &Path, run_id: &str) -> PathBuf {
    let stream = output.metadata().is_ok_and(|metadata| !metadata.is_file());
    let output = if stream { PathBuf::from(format!("diskatlas-{run_id}.json")) } else { output.to_owned() };
    start::journal_path(&output)
}

pub(super) fn save_document(path: &Path, document: &RunDocument, key: &Key) -> anyhow::Result<PathBuf> {
    let saved = save::save(path, &sign_document(document, key)?)?;
    if let Some(why) = saved.instead_because {
        say!("warning: {why}; the result lies in {} instead", saved.path.display());
    }
    Ok(saved.path)
}

/// The journal of a run that is through goes; that of one that is not stays, and how to go on with it is said.
fn close_journal(journal: RunJournal, end: &Outcome) {
    let kept = journal.resumable().filter(|_| !matches!(end, Outcome::Complete));
    match kept {
        Some(path) => say!("go on where it stopped with: diskatlas resume {}", start::output_path(path).display()),
        None => journal.remove(),
    }
}

/// A document without a single measurement tells nobody anything.
fn nothing_measured(document: &RunDocument) -> bool {
    document.benchmarks.iter().all(|benchmark| matches!(benchmark, Benchmark::Skipped { .. }))
}

pub(super) fn summary(benchmark: &Benchmark) -> serde_json::Value {
    match benchmark {
        Benchmark::Measured(measured) => json!({
            "kind": measured.kind,
            "state": "measured",
            "elapsed_ns": measured.elapsed_ns,
            "errors": measured.errors.len(),
        }),
        Benchmark::Skipped { kind, skipped } => json!({"kind": kind, "state": "skipped", "reason": skipped}),
    }
}
