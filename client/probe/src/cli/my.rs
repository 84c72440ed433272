//! `diskatlas my`: what an archive has of one's own, and what may still be done with it. The key is enough; no account is needed.

use std::io::Write;

use clap::Subcommand;
use serde_json::{Value, json};

use super::archive::{Holder, Server, confirm};
use super::{Status, UsageError};
use crate::submit::command::Command;
use crate::terminal::say;
use crate::terminal::text::printable;

/// See and change your own runs at an archive
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Your key signs each request, so that no account is needed: call it as the user who measured, or name the key's file in DISKATLAS_KEY."
)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List all that your key signed, published or not, with the reasons
    Runs {
        #[command(flatten)]
        server: Server,
        /// Print JSON for a machine to read
        #[arg(long)]
        json: bool,
    },
    /// Take a run back, for good
    #[command(
        after_help = "A published run leaves a tombstone with the reason, and its entries in the publication log; its numbers and the signed file go. What others have copied, and releases made before, stay with them."
    )]
    Withdraw {
        #[command(flatten)]
        change: Change,
        /// What the tombstone says of the reason
        #[arg(long, value_parser = ["faulty", "mistake", "consent", "unstated"], default_value = "unstated")]
        reason: String,
        /// Don't ask
        #[arg(long)]
        yes: bool,
    },
    /// Give a run away under a licence that allows more
    #[command(after_help = "What was given away stays so: CC-BY-4.0 may become CC0-1.0, and not the other way.")]
    License {
        #[command(flatten)]
        change: Change,
        /// The wider licence
        #[arg(value_name = "LICENCE", value_parser = ["CC0-1.0", "CC-BY-4.0"])]
        license: String,
    },
    /// Name the batch of a run's drive, such as a lot or a rack
    Label {
        #[command(flatten)]
        change: Change,
        /// What you call the batch; empty for nothing
        #[arg(value_name = "BATCH")]
        label: String,
    },
}

#[derive(Debug, clap::Args)]
struct Change {
    /// The run's id, as `diskatlas my runs` lists it
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    server: Server,
    /// Print JSON for a machine to read
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    match &args.action {
        Action::Runs { server, json } => runs(&server.holder()?, *json, stdout),
        Action::Withdraw { change, reason, yes } => {
            let run = run_id(&change.run)?;
            confirm(&format!("Withdrawing the run {run}"), *yes)?;
            carry_out(change, Command::Withdraw { run_id: &run, reason }, stdout)
        }
        Action::License { change, license } => {
            carry_out(change, Command::License { run_id: &run_id(&change.run)?, license }, stdout)
        }
        Action::Label { change, label } => {
            let label = Some(label.trim()).filter(|label| !label.is_empty());
            if label.is_some_and(|label| label.chars().count() > 128) {
                return Err(UsageError("BATCH is longer than 128 characters".to_owned()).into());
            }
            carry_out(change, Command::Label { run_id: &run_id(&change.run)?, label }, stdout)
        }
    }
}

/// A run's id in the form in which archives have it; its page's address will do.
fn run_id(text: &str) -> Result<String, UsageError> {
    let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or(text);
    let id = last.parse::<uuid::Uuid>();
    id.map(|id| id.hyphenated().to_string())
        .map_err(|_| UsageError(format!("{text:?} is no run's id: `diskatlas my runs` lists those of your runs")))
}

fn carry_out(change: &Change, command: Command<'_>, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let row = change.server.holder()?.send(command)?;
    if change.json {
        writeln!(stdout, "{row}")?;
    } else {
        print(&row, stdout)?;
    }
    Ok(Status::Done)
}

fn runs(holder: &Holder, json: bool, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let (mut keys, mut rows, mut after) = (Value::Null, Vec::new(), None);
    loop {
        let mut page = holder.send(Command::Runs { after: after.as_deref() })?;
        keys = if keys.is_null() { page["keys"].take() } else { keys };
        rows.extend(page["results"].as_array_mut().map(std::mem::take).unwrap_or_default());
        match page["after"].as_str() {
            Some(next) if after.as_deref() != Some(next) => after = Some(next.to_owned()),
            _ => break,
        }
    }
    if json {
        writeln!(stdout, "{}", json!({"keys": keys, "results": rows}))?;
        return Ok(Status::Done);
    }
    say_keys(&keys);
    if rows.is_empty() {
        say!("{} has nothing that this key signed: {}", holder.endpoint.base(), holder.key.keyid());
    } else {
        writeln!(stdout, "{}", line(["RUN", "STATE", "CAME IN", "LICENCE", "DRIVE"]))?;
    }
    for row in &rows {
        print(row, stdout)?;
    }
    Ok(Status::Done)
}

/// Keys that followed each other are one holder's; a single one goes without saying.
fn say_keys(keys: &Value) {
    let keys = keys.as_array().filter(|keys| keys.len() > 1);
    for key in keys.into_iter().flatten() {
        let from = key["revoked_from"].as_str().map(|at| format!(" from {}", minute(at))).unwrap_or_default();
        say!("key {} {}{from}", word(&key["keyid"]), word(&key["status"]));
    }
}

fn print(row: &Value, stdout: &mut dyn Write) -> std::io::Result<()> {
    let came = minute(row["received_at"].as_str().unwrap_or_default());
    let [run, state, license, drive] = ["run_id", "state", "license", "drive"].map(|name| word(&row[name]));
    writeln!(stdout, "{}", line([&run, &state, &came, &license, &drive]))?;
    if row["state"] != "published" {
        writeln!(stdout, "    {}", word(&row["reason"]))?;
    }
    if row["run_id"].is_null() {
        writeln!(stdout, "    {}", word(&row["status_url"]))?;
    }
    if let Some(batch) = row["batch"].as_str() {
        writeln!(stdout, "    batch {}", printable(batch))?;
    }
    if row["after_revocation"] == true {
        writeln!(stdout, "    marked: it came in after its key was revoked")?;
    }
    Ok(())
}

fn line(cells: [&str; 5]) -> String {
    let [run, state, came, license, drive] = cells;
    format!("{run:<36}  {state:<11}  {came:<16}  {license:<9}  {drive}").trim_end().to_owned()
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| "-".to_owned(), printable)
}

/// `2026-01-02T03:04:05.123Z` as `2026-01-02 03:04`.
fn minute(instant: &str) -> String {
    printable(instant).chars().take(16).map(|one| if one == 'T' { ' ' } else { one }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_by_its_id_or_by_its_pages_address() {
        let id = "01a2066b-528d-7f0e-bfe5-f49a9b9d86ac";
        for text in [id, &id.to_uppercase(), &format!("https://archive.example/runs/{id}/")] {
            assert_eq!(run_id(text).unwrap(), id);
        }
        for text in ["", "7", "https://archive.example/runs/"] {
            assert!(run_id(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_row_shows_what_waits_and_why() {
        let row = json!({"run_id": "r", "state": "quarantined", "received_at": "2026-01-02T03:04:05.5Z", "license": "CC0-1.0",
            "drive": "ACME \u{1b}[2J", "reason": "Held for a person.", "batch": null, "after_revocation": true});
        let mut out = Vec::new();
        print(&row, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].contains("quarantined  2026-01-02 03:04  CC0-1.0    ACME  [2J"), "{text}");
        assert_eq!(lines[1..], ["    Held for a person.", "    marked: it came in after its key was revoked"]);
    }
}
