//! What a person types. Each subcommand is a file with `Args` (what clap parses) and `execute` (what it does).
//!
//! Data goes to standard output, words go to standard error. A command whose data is meant for a machine takes `--json`.

mod archive;
mod choice;
mod completions;
mod consent;
#[cfg(test)]
mod definitions;
mod import;
mod import_page;
mod input;
mod key;
mod kinds;
mod list;
mod log;
mod login;
mod man;
mod manifest;
mod my;
mod plan;
mod quickstart;
mod resume;
mod run;
mod show;
mod submit;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::terminal::say;
pub use archive::parse_server;
pub use key::load_or_create as load_or_create_key;
pub use submit::upload_with_defaults;

/// Version, target and commit: what `--version` prints and the run document states.
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("DISKATLAS_TARGET"),
    ", commit ",
    env!("DISKATLAS_COMMIT_OR_UNKNOWN"),
    ")"
);

/// Measures what a disk is really like inside and submits the signed result to DiskAtlas.
#[derive(Debug, Parser)]
#[command(name = "diskatlas", version = VERSION, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Args),
    Plan(plan::Args),
    Run(run::Args),
    Resume(resume::Args),
    Submit(submit::Args),
    Verify(verify::Args),
    Show(show::Args),
    Import(import::Args),
    Log(log::Args),
    #[command(hide = true)]
    ImportPage(import_page::Args),
    Login(login::Args),
    My(my::Args),
    Key(key::Args),
    Kinds(kinds::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// How a command ended that had nothing more to say about it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Status {
    Done,
    /// Exit code 1: a measurement or an upload failed, and the command has said why.
    Failed,
}

/// What was asked for makes no sense, although each argument alone parses. Exit code 2, as clap's own.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Parses the command line, runs the command and gives its exit code: 0, 1 (failed) or 2 (usage).
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut stdout = io::stdout().lock();
    let result = dispatch(cli.command.as_ref(), &mut stdout).and_then(|status| {
        stdout.flush()?;
        Ok(status)
    });
    match result {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::Failed) => ExitCode::from(1),
        // Whoever read our output has seen enough (`diskatlas list | head -1`): not a failure.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say!("error: {error:#}");
            ExitCode::from(if error.is::<UsageError>() { 2 } else { 1 })
        }
    }
}

fn dispatch(command: Option<&Command>, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let Some(command) = command else {
        quickstart::print(rustix::process::geteuid().is_root(), stdout)?;
        return Ok(Status::Done);
    };
    match command {
        Command::List(args) => list::execute(args, stdout),
        Command::Plan(args) => plan::execute(args, stdout),
        Command::Run(args) => run::execute(args, stdout),
        Command::Resume(args) => resume::execute(args, stdout),
        Command::Submit(args) => submit::execute(args, stdout),
        Command::Verify(args) => verify::execute(args, stdout),
        Command::Show(args) => show::execute(args, stdout),
        Command::Import(args) => import::execute(args, stdout),
        Command::Log(args) => log::execute(args, stdout),
        Command::ImportPage(_args) => import_page::execute(stdout),
        Command::Login(args) => login::execute(args, stdout),
        Command::My(args) => my::execute(args, stdout),
        Command::Key(args) => key::execute(args, stdout),
        Command::Kinds(args) => kinds::execute(args, stdout),
        Command::Completions(args) => completions::execute(args, stdout),
        Command::Man(args) => man::execute(args, stdout),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
