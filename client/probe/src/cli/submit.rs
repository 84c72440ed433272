//! `diskatlas submit`: sends a file to an archive and, if asked to, waits until it is published.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use super::archive::{Server, Terminal};
use super::{Status, consent, input};
use crate::report::envelope::Envelope;
use crate::run::start::journal_path;
use crate::submit::clock::SystemClock;
use crate::submit::endpoint::Endpoint;
use crate::submit::{self, Accepted, Session, SubmitError};
use crate::terminal::say;
use crate::terminal::text::printable;

/// Send a file to an archive
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints the address of the run. The file stays where it is; sending it twice makes one submission."
)]
pub struct Args {
    /// A file that `diskatlas run` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    target: Target,

    /// Print JSON for a machine to read
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Target {
    #[command(flatten)]
    server: Server,

    /// The licence under which you give the result away, where the file does not state one; asked for otherwise
    #[arg(long, value_parser = ["CC0-1.0", "CC-BY-4.0"])]
    license: Option<String>,

    /// Wait until the run is published; exit code 1 if it is not
    #[arg(long)]
    wait: bool,

    /// The longest that --wait waits, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, requires = "wait")]
    wait_limit: u64,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    upload(&args.file, &args.target, args.json, stdout)
}

/// Sends `file` to `server` as `submit` does with its defaults: for `run --submit`.
/// Errors: when the address makes no sense, or the file can't be read or is no envelope.
pub fn upload_with_defaults(file: &Path, server: &str, wait: bool, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let target = Target { server: Server::at(server), license: None, wait, wait_limit: 3600 };
    upload(file, &target, false, stdout)
}

fn upload(file: &Path, target: &Target, json: bool, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let endpoint = target.server.endpoint()?;
    let envelope = input::read_envelope(file)?;
    let verified = Envelope::parse(&envelope)
        .and_then(|envelope| envelope.verify())
        .with_context(|| format!("{} was not sent", file.display()))?;
    warn_if_unfinished(file);
    let envelope = consent::ensure_license(file, envelope, &verified, target.license.as_deref())?;
    drop(verified);
    let client = target.server.client();
    let (mut clock, mut terminal) = (SystemClock::start(), Terminal::new());
    let policy = target.server.policy();
    let mut session = Session { http: &client, clock: &mut clock, progress: &mut terminal, policy };
    session.progress.waiting(&format!("sending to {}", endpoint.base()));
    let accepted = match submit::send(&mut session, &endpoint, &envelope) {
        Ok(accepted) => accepted,
        Err(error) => {
            terminal.finish();
            say_failed(&error, file, &endpoint);
            return Ok(Status::Failed);
        }
    };
    session.progress.line(&printable(&format!("received: {}", accepted.status_url)));
    let wait = target.wait.then(|| Duration::from_secs(target.wait_limit));
    let outcome = wait.map(|limit| submit::follow(&mut session, &accepted, limit));
    terminal.finish();
    conclude(&accepted, outcome, json, stdout)
}

/// A run is taken once: what would still be measured comes too late after it.
fn warn_if_unfinished(file: &Path) {
    if journal_path(file).exists() {
        say!(
            "warning: this run was cut off and can go on (diskatlas resume {}); once this part is sent, the whole can't follow",
            file.display()
        );
    }
}

/// Says how it ended, and prints the run's address (or the archive's last word as JSON).
fn conclude(
    accepted: &Accepted,
    outcome: Option<Result<submit::Status, SubmitError>>,
    json: bool,
    stdout: &mut dyn Write,
) -> anyhow::Result<Status> {
    let (good, run_url, last_word) = match outcome {
        // Bytes that came before are answered with the submission that exists, whatever became of it.
        None => (accepted.state != "rejected", None, accepted.json.clone()),
        Some(Ok(status)) => {
            say_benchmarks(&status);
            (status.is_published(), status.run_url.clone(), with_status_url(status.json, accepted))
        }
        Some(Err(error)) => {
            say!("error: {error}");
            (false, None, accepted.json.clone())
        }
    };
    if json {
        writeln!(stdout, "{last_word}")?;
    } else if good {
        let address = run_url.as_ref().or(accepted.run_url.as_ref()).unwrap_or(&accepted.status_url);
        writeln!(stdout, "{}", printable(address))?;
    } else {
        say!("not published; the archive keeps the submission: {}", printable(&accepted.status_url));
    }
    Ok(if good { Status::Done } else { Status::Failed })
}

/// The status with the address that only the first answer names.
fn with_status_url(mut status: Value, accepted: &Accepted) -> Value {
    if let Some(members) = status.as_object_mut() {
        members.entry("status_url").or_insert_with(|| json!(accepted.status_url));
    }
    status
}

fn say_benchmarks(status: &submit::Status) {
    for benchmark in &status.benchmarks {
        let reason = benchmark.reason.as_deref().filter(|reason| !reason.is_empty());
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        say!("{}", printable(&format!("{} {}{reason}", benchmark.kind, benchmark.state)));
    }
}

fn say_failed(error: &SubmitError, file: &Path, endpoint: &Endpoint) {
    say!("error: {error}");
    if matches!(error, SubmitError::Refused(_)) {
        say!("{} stays as it is; as it is, it will not be accepted", file.display());
    } else {
        say!("nothing is lost: {} stays as it is. Submit it later with", file.display());
        say!("  diskatlas submit {} --server {}", shell_quoted(file), endpoint.base());
    }
}

fn shell_quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+:@%".contains(character);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_so_that_a_shell_takes_it_back() {
        assert_eq!(shell_quoted(Path::new("/tmp/a-1.run.json")), "/tmp/a-1.run.json");
        assert_eq!(shell_quoted(Path::new("a b's")), r"'a b'\''s'");
    }
}
