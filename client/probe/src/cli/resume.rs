//! `diskatlas resume`: goes on with a run that was cut off.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::run::{Finish, announce, ask, usage_or_failure};
use super::{Status, UsageError, load_or_create_key, parse_server};
use crate::identify::{Disk, Tree};
use crate::report::save;
use crate::run::journal::{JournalError, LoadError, RunJournal};
use crate::run::start::{self, ResumeError};
use crate::run::{Request, signals};
use crate::safety::confirm::Challenge;
use crate::terminal::say;

/// Go on with a run that was cut off by Ctrl-C, a kill, a power cut or a reboot
///
/// What was measured is not measured again. The disk has to be the same one, wherever it is attached now. Where the run writes, the
/// confirmation is asked for again. Exit codes as `diskatlas run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file that `diskatlas run` was to write, or its journal (FILE.journal)
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The disk, where it has to be named: otherwise it is found by its identity
    #[arg(value_name = "DEVICE")]
    device: Option<String>,

    /// The confirmation that is asked for before anything is written, for scripts
    #[arg(long, value_name = "TEXT")]
    confirm: Option<String>,

    /// Submit the result to this archive when it is measured
    #[arg(long, value_name = "URL")]
    submit: Option<String>,

    /// Say in JSON what was measured and where it lies
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    if let Some(server) = &args.submit {
        parse_server(server)?;
    }
    let (output, path) = names(&args.file);
    let (journal, damaged_bytes) = RunJournal::load(&path).map_err(|error| missing_or_failure(error, &output))?;
    save::preflight(&output)?;
    let mut request = journal.header.asked.clone();
    let tree = Tree::machine();
    let target = reopen(args, &mut request, &journal, &tree)?;
    if damaged_bytes > 0 {
        say!(
            "the end of the journal is damaged ({damaged_bytes} bytes) and left out: what stood there is measured again"
        );
    }
    let key = load_or_create_key()?;
    let interrupt = signals::listen()?;
    announce(&target);
    let finish = Finish { output: &output, key: &key, submit: args.submit.as_deref(), json: args.json };
    finish.measure(target, &request, &tree, &interrupt, journal, stdout)
}

/// The document's name and the journal's, whichever of them was given.
fn names(file: &Path) -> (PathBuf, PathBuf) {
    if file.extension().is_some_and(|extension| extension == "journal") {
        (start::output_path(file), file.to_owned())
    } else {
        (file.to_owned(), start::journal_path(file))
    }
}

fn reopen(
    args: &Args,
    request: &mut Request,
    journal: &RunJournal,
    tree: &Tree,
) -> anyhow::Result<crate::run::target::Target> {
    let mut ask = |disk: &Disk, challenge: &Challenge| ask(args.confirm.as_deref(), disk, challenge);
    let (named, clock_ns) = (args.device.as_deref(), journal.last_clock_ns());
    let reopened = start::reopen(request, &journal.header, named, clock_ns, tree, &mut ask);
    let (target, said) = reopened.map_err(|error| match error {
        ResumeError::Target(error) => usage_or_failure(error),
        other => UsageError(other.to_string()).into(),
    })?;
    for sentence in said {
        say!("{sentence}");
    }
    Ok(target)
}

/// A journal that is not there is most often a run that is through.
fn missing_or_failure(error: LoadError, output: &Path) -> anyhow::Error {
    match error {
        LoadError::File(JournalError::Missing(_)) if output.is_file() => UsageError(format!(
            "{} has no journal beside it: its run is through, and nothing is left to resume (see diskatlas show {})",
            output.display(),
            output.display()
        ))
        .into(),
        LoadError::File(JournalError::Missing(_)) | LoadError::OtherVersion { .. } => {
            UsageError(error.to_string()).into()
        }
        other => other.into(),
    }
}
