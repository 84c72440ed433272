//! `diskatlas key`: the key that signs a contributor's runs. The secret half is never printed.

use std::io::Write;
use std::path::Path;

use clap::Subcommand;
use serde_json::json;

use super::Status;
use crate::report::keys::{self, Key};
use crate::terminal::say;

/// Make or show the key that signs your runs
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The key is the file named in DISKATLAS_KEY, else diskatlas/key in $XDG_CONFIG_HOME or ~/.config."
)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a new key
    New {
        /// Replace the key that is there; what it signed can't be added to any more
        #[arg(long)]
        force: bool,
        /// Print JSON for a machine to read
        #[arg(long)]
        json: bool,
    },
    /// Show the public half of the key
    Show {
        /// Print JSON for a machine to read
        #[arg(long)]
        json: bool,
    },
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let path = keys::path()?;
    let (key, json) = match args.action {
        Action::New { force, json } => (keys::create(&path, force)?, json),
        Action::Show { json } => (keys::load(&path)?, json),
    };
    warn_if_exposed(&path);
    print(&key, &path, json, stdout)?;
    Ok(Status::Done)
}

/// The key to sign with, made on first use. Says so, and warns when others can read it.
/// Errors: when there is a file that is no key, or none can be made.
pub fn load_or_create() -> anyhow::Result<Key> {
    let path = keys::path()?;
    let (key, made) = keys::load_or_create(&path)?;
    if made {
        say!("made a key to sign with: {} (keep it: it shows that your runs are yours)", path.display());
    }
    warn_if_exposed(&path);
    Ok(key)
}

fn warn_if_exposed(path: &Path) {
    if keys::exposed(path) {
        say!("warning: others can read the secret key in {0}: chmod 600 {0}", path.display());
    }
}

fn print(key: &Key, path: &Path, json: bool, stdout: &mut dyn Write) -> anyhow::Result<()> {
    if json {
        writeln!(stdout, "{}", json!({"keyid": key.keyid(), "public_key": key.public_key(), "path": path}))?;
    } else {
        writeln!(stdout, "keyid       {}", key.keyid())?;
        writeln!(stdout, "public key  {}", key.public_key())?;
        writeln!(stdout, "file        {}", path.display())?;
    }
    Ok(())
}
