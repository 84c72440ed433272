//! `diskatlas log watch`: whether an archive's publication log goes on from what was seen of it, and is the one that others see.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde_json::json;

use super::{Status, UsageError};
use crate::submit::endpoint::Endpoint;
use crate::submit::http::Client;
use crate::terminal::{say, text};
use crate::transparency::note::{VerifierKey, cosigned_at_s};
use crate::transparency::{Watched, head_cosigned, known_head, watch};

/// The most that a signed head takes; its signatures are of a hundred bytes each.
const MOST_BYTES: u64 = 65_536;

/// Watch an archive's publication log
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Watch(WatchArgs),
}

/// Check that the log goes on from what this machine saw of it, and is the one that others are shown
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Remembers the head, for next time. With --against it also takes a head that somebody else was shown: a file `checkpoint` of a release, or what a witness printed (manage.py witness). Exit code 1 where the two are not of one log; keep both files then, as they are signed."
)]
struct WatchArgs {
    #[arg(value_name = "URL", help = "Address of the archive, for example https://archive.example")]
    url: String,

    /// A signed head of this log that somebody else was shown
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// The witness that must have cosigned the head of --against, or the one that the archive shows with cosignatures, as name+id+base64
    #[arg(long, value_name = "KEY")]
    witness: Option<String>,

    /// The key that must have signed the log's head, as name+id+base64; remembered from the first time otherwise
    #[arg(long, value_name = "KEY")]
    log_key: Option<String>,

    /// Print JSON for a machine to read
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let Command::Watch(args) = &args.command;
    let endpoint = Endpoint::parse(&args.url).map_err(|error| UsageError(error.to_string()))?;
    let http = Client::new(Duration::from_secs(30));
    let against = match (args.against.as_deref(), &args.witness) {
        (Some(path), _) => Some(read(path)?),
        (None, Some(_)) => Some(head_cosigned(&http, endpoint.base())?),
        (None, None) => None,
    };
    let cosigned = cosigned(against.as_deref(), args.witness.as_deref())?;
    let folder = known_head::folder();
    let seen = match &folder {
        Some(folder) => known_head::load(folder, endpoint.base())
            .with_context(|| format!("can't read what was seen of the log, in {}", folder.display()))?,
        None => None,
    };
    match watch(&http, endpoint.base(), args.log_key.as_deref(), seen.as_ref(), against.as_deref()) {
        Ok(shown) => {
            if let Some(folder) = &folder {
                known_head::store(folder, &shown.seen)
                    .with_context(|| format!("can't remember the log's head in {}", folder.display()))?;
            }
            print(&shown, cosigned, args.json, stdout)?;
            Ok(Status::Done)
        }
        Err(error) => {
            if args.json {
                writeln!(stdout, "{}", json!({"problem": error.to_string()}))?;
            } else {
                say!("error: {}", text::printable(&error.to_string()));
            }
            Ok(Status::Failed)
        }
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    let large = fs::metadata(path).is_ok_and(|file| file.len() > MOST_BYTES);
    anyhow::ensure!(!large, "{} is larger than a signed head can be: give the head alone", path.display());
    fs::read_to_string(path).with_context(|| format!("can't read the head in {}", path.display()))
}

/// When the witness cosigned the head, in seconds since 1970, where one was named.
fn cosigned(head: Option<&str>, witness: Option<&str>) -> anyhow::Result<Option<u64>> {
    let (Some(head), Some(witness)) = (head, witness) else { return Ok(None) };
    let key = VerifierKey::parse_cosigner(witness).map_err(|error| UsageError(error.to_string()))?;
    Ok(Some(cosigned_at_s(head, &key)?))
}

fn print(shown: &Watched, cosigned: Option<u64>, json: bool, stdout: &mut dyn Write) -> anyhow::Result<()> {
    if json {
        let mut value = serde_json::to_value(shown)?;
        value["cosigned_at_s"] = json!(cosigned);
        return Ok(writeln!(stdout, "{value}")?);
    }
    writeln!(stdout, "log        {}, {} leaves", text::printable(&shown.origin), shown.size)?;
    match shown.goes_on_from {
        Some(before) => writeln!(stdout, "log head   signed; goes on from the {before} leaves seen before")?,
        None => writeln!(
            stdout,
            "log head   signed by {}, seen for the first time: compare the key with one from elsewhere",
            text::printable(&shown.verifier_key)
        )?,
    }
    if let Some(other) = shown.agrees_with {
        let witness = if cosigned.is_some() { ", which the witness cosigned" } else { "" };
        writeln!(stdout, "elsewhere  the same log: the head of {other} leaves{witness}")?;
    }
    Ok(())
}
