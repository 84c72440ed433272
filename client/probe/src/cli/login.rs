//! `diskatlas login`: binds the key to an account, by a code that somebody who is signed in approves in a browser.

use std::io::Write;

use serde_json::json;

use super::archive::{Holder, Patience, parse_server, warn_if_exposed};
use super::{Status, UsageError, load_or_create_key};
use crate::submit::command::Command;
use crate::submit::login::{self, Decision, Login};
use crate::terminal::say;
use crate::terminal::text::printable;

/// Bind your key to your account at an archive
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Shows a code and an address. Open the address in any browser, on any machine, sign in, compare code and key, and approve. No password is typed here, and no token is kept: the key itself is what your account gets."
)]
pub struct Args {
    #[arg(value_name = "URL", help = "Address of the archive, for example https://archive.example")]
    url: String,

    /// What the key is called on your account's page
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    patience: Patience,

    /// Print JSON for a machine to read
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let name = args.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    if name.is_some_and(|name| name.chars().count() > 60) {
        return Err(UsageError("--name is longer than 60 characters".to_owned()).into());
    }
    let endpoint = parse_server(&args.url)?;
    warn_if_exposed(&endpoint);
    let holder = Holder::new(endpoint, load_or_create_key()?, args.patience);
    let answer = holder.send(Command::Login { name })?;
    let login: Login = serde_json::from_value(answer)
        .map_err(|error| anyhow::anyhow!("{} answered with something else: {error}", holder.endpoint.base()))?;
    say_next(&login, &holder.key.keyid());
    let words = "waiting for your browser; Ctrl-C ends it";
    let decision = holder.with_session(words, |session| login::wait(session, &holder.endpoint, &login))?;
    conclude(decision, &holder, args.json, stdout)
}

fn say_next(login: &Login, keyid: &str) {
    say!("Open this address, sign in, and approve if it shows the same code and key:");
    say!("  {}", printable(&login.verification_uri_complete));
    say!("  code  {}", printable(&login.user_code));
    say!("  key   {keyid}");
    say!("Without a link: type the code at {}", printable(&login.verification_uri));
}

fn conclude(decision: Decision, holder: &Holder, json: bool, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let keyid = holder.key.keyid();
    let approved = decision == Decision::Approved;
    if json {
        writeln!(stdout, "{}", json!({"keyid": keyid, "approved": approved}))?;
    } else if approved {
        writeln!(stdout, "bound to your account at {}: {keyid}", holder.endpoint.base())?;
    }
    match decision {
        Decision::Denied => say!("refused in the browser; the key is of no account, as before"),
        Decision::Pending | Decision::Expired => say!("nobody approved it in time; call diskatlas login again"),
        Decision::Approved => {}
    }
    Ok(if approved { Status::Done } else { Status::Failed })
}
