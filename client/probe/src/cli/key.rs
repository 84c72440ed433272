//! `diskatlas key`: the key that signs a contributor's runs. The secret half is never printed.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::Subcommand;
use jiff::Timestamp;
use serde_json::json;

use super::archive::{Server, confirm};
use super::{Status, UsageError};
use crate::report::document::timestamp;
use crate::report::keys::{self, Key};
use crate::submit::command::Command;
use crate::terminal::say;
use crate::terminal::text::printable;

/// Make, show, rotate or revoke the key that signs your runs
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
    /// Have a new key follow this one; at the archive both are yours
    #[command(
        after_help = "The new key takes the place of the old one, whose file stays beside it. If the old one may be in other hands, revoke it then: diskatlas key revoke --key KEYID"
    )]
    Rotate {
        #[command(flatten)]
        server: Server,
        /// Print JSON for a machine to read
        #[arg(long)]
        json: bool,
    },
    /// Give a key up at an archive, for good: it takes nothing more that the key signs
    #[command(
        after_help = "Runs that came in since the date are marked as signed by anybody. Before a lost key is revoked, `diskatlas key rotate` keeps your runs yours."
    )]
    Revoke {
        /// Since when the key may be in other hands, as 2026-01-02 or 2026-01-02T03:04:05Z (UTC); now if left out
        #[arg(long, value_name = "DATE", value_parser = instant)]
        from: Option<Timestamp>,
        /// The id of the key, if it is not this one but one that it followed
        #[arg(long, value_name = "KEYID")]
        key: Option<String>,
        #[command(flatten)]
        server: Server,
        /// Don't ask
        #[arg(long)]
        yes: bool,
        /// Print JSON for a machine to read
        #[arg(long)]
        json: bool,
    },
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let path = keys::path()?;
    let (key, json) = match &args.action {
        Action::New { force, json } => (keys::create(&path, *force)?, *json),
        Action::Show { json } => (keys::load(&path)?, *json),
        Action::Rotate { server, json } => (rotate(&path, server)?, *json),
        Action::Revoke { from, key, server, yes, json } => {
            return revoke(*from, key.as_deref(), server, *yes, *json, stdout);
        }
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

/// The key that is there, to ask for what belongs to it.
/// Errors: when there is none.
pub fn load() -> anyhow::Result<Key> {
    let path = keys::path()?;
    warn_if_exposed(&path);
    Ok(keys::load(&path)?)
}

/// The new key stands in a file of its own until the archive knows it, so that nothing is lost at any point: where the answer
/// got lost, the next call asks for the same key again.
fn rotate(path: &Path, server: &Server) -> anyhow::Result<Key> {
    let holder = server.holder()?;
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        Path::new(&name).to_owned()
    };
    let next = beside(".next");
    let (successor, _made) = keys::load_or_create(&next)?;
    holder.send(Command::Rotate { successor: &successor })?;
    let old = beside(&format!(".{}", &holder.key.keyid()[..16]));
    if !old.exists() {
        std::fs::hard_link(path, &old).with_context(|| format!("the old key can't be kept as {}", old.display()))?;
    }
    std::fs::rename(&next, path).with_context(|| format!("the new key is in {} still", next.display()))?;
    say!("{} knows the new key as yours; the old one is kept in {}", holder.endpoint.base(), old.display());
    Ok(successor)
}

fn revoke(
    from: Option<Timestamp>,
    other: Option<&str>,
    server: &Server,
    yes: bool,
    json: bool,
    stdout: &mut dyn Write,
) -> anyhow::Result<Status> {
    let holder = server.holder()?;
    let own = holder.key.keyid();
    let keyid = other.map_or_else(|| own.clone(), str::to_lowercase);
    if keyid.len() != 64 || !keyid.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(UsageError(format!("--key {keyid:?} is no key's id: those have 64 hexadecimal digits")).into());
    }
    confirm(&format!("Revoking the key {keyid}"), yes)?;
    let from = from.map(timestamp);
    let answer = holder.send(Command::Revoke { keyid: &keyid, from: from.as_deref() })?;
    if json {
        writeln!(stdout, "{answer}")?;
    } else {
        let from = answer["revoked_from"].as_str().unwrap_or_default();
        writeln!(stdout, "revoked {keyid} from {}", printable(from))?;
    }
    if keyid == own {
        say!("nothing more is taken that this key signs; make another one with `diskatlas key new --force`");
    }
    Ok(Status::Done)
}

/// A day, which begins at midnight UTC, or an instant.
fn instant(text: &str) -> Result<Timestamp, String> {
    let day = format!("{text}T00:00:00Z");
    let found = text.parse::<Timestamp>().or_else(|error| day.parse().map_err(|_: jiff::Error| error));
    let found = found.map_err(|_| "expected a date like 2026-01-02 or 2026-01-02T03:04:05Z".to_owned())?;
    if found > Timestamp::now() { Err("lies ahead: leave it out to revoke from now on".to_owned()) } else { Ok(found) }
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
