//! What commands share that talk to an archive: its address, patience, and what is said meanwhile.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::{UsageError, key};
use crate::report::keys::Key;
use crate::submit::clock::SystemClock;
use crate::submit::command::{self, Command};
use crate::submit::endpoint::Endpoint;
use crate::submit::http::Client;
use crate::submit::{Policy, Progress, Session, SubmitError};
use crate::terminal::say;

#[derive(Debug, clap::Args)]
pub struct Server {
    #[arg(long = "server", value_name = "URL", help = "Address of the archive, for example https://archive.example")]
    url: String,

    #[command(flatten)]
    patience: Patience,
}

/// How long, and how often, an archive is asked.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Patience {
    /// The longest to wait for one answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,

    /// How often to try again when the archive does not answer or is in trouble
    #[arg(long, value_name = "NUMBER", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=100))]
    retries: u32,
}

impl Server {
    /// The archive at an address, with the usual patience.
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), patience: Patience { timeout: 30, retries: 5 } }
    }

    /// The archive's address; says so where others can read what is sent there.
    /// Errors: [`UsageError`] when it makes no sense.
    pub fn endpoint(&self) -> anyhow::Result<Endpoint> {
        let endpoint = parse_server(&self.url)?;
        warn_if_exposed(&endpoint);
        Ok(endpoint)
    }

    pub fn client(&self) -> Client {
        self.patience.client()
    }

    pub fn policy(&self) -> Policy {
        self.patience.policy()
    }

    /// Opens the way for commands that this machine's key signs.
    /// Errors: an address that makes no sense, no key.
    pub fn holder(&self) -> anyhow::Result<Holder> {
        Ok(Holder::new(self.endpoint()?, key::load()?, self.patience))
    }
}

impl Patience {
    fn client(self) -> Client {
        Client::new(Duration::from_secs(self.timeout))
    }

    fn policy(self) -> Policy {
        Policy { retries: self.retries, ..Policy::default() }
    }
}

pub fn warn_if_exposed(endpoint: &Endpoint) {
    if endpoint.exposed {
        say!("warning: {} is plain http: others on the way can read what you send", endpoint.base());
    }
}

/// Checks an address before anything is measured for it.
/// Errors: [`UsageError`] when it makes no sense.
pub fn parse_server(server: &str) -> anyhow::Result<Endpoint> {
    Ok(Endpoint::parse(server).map_err(|error| UsageError(format!("--server: {error}")))?)
}

/// An archive, and the key by which it knows who asks.
pub struct Holder {
    pub endpoint: Endpoint,
    pub key: Key,
    client: Client,
    policy: Policy,
}

impl Holder {
    pub fn new(endpoint: Endpoint, key: Key, patience: Patience) -> Self {
        Self { endpoint, key, client: patience.client(), policy: patience.policy() }
    }

    /// Has a command carried out.
    /// Errors: those of [`command::send`], in words that name their cause already.
    pub fn send(&self, command: Command<'_>) -> anyhow::Result<Value> {
        let words = format!("asking {}", self.endpoint.base());
        self.with_session(&words, |session| command::send(session, &self.endpoint, &self.key, command))
    }

    /// Does something with the archive while `words` say what is waited for.
    /// Errors: those of `make`.
    pub fn with_session<T>(
        &self,
        words: &str,
        make: impl FnOnce(&mut Session<'_>) -> Result<T, SubmitError>,
    ) -> anyhow::Result<T> {
        let (mut clock, mut terminal) = (SystemClock::start(), Terminal::new());
        let mut session =
            Session { http: &self.client, clock: &mut clock, progress: &mut terminal, policy: self.policy };
        session.progress.waiting(words);
        let answer = make(&mut session);
        terminal.finish();
        answer.map_err(|error| anyhow::Error::msg(error.to_string()))
    }
}

/// Has a person confirm what can't be undone.
/// Errors: [`UsageError`] where they don't, or nobody can be asked.
pub fn confirm(what: &str, yes: bool) -> Result<(), UsageError> {
    if yes {
        return Ok(());
    }
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Err(UsageError(format!("{what} can't be undone, and nobody is here to ask: add --yes if it is meant")));
    }
    say!("{what} can't be undone. Type yes to go on:");
    let mut line = String::new();
    match stdin.read_line(&mut line) {
        Ok(_) if line.trim() == "yes" => Ok(()),
        _ => Err(UsageError("nothing was done".to_owned())),
    }
}

/// Lines on standard error, with a spinner below them on a terminal.
pub struct Terminal(Option<ProgressBar>);

impl Terminal {
    pub fn new() -> Self {
        Self(io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(
                ProgressStyle::with_template("{spinner} {msg} ({elapsed})").unwrap_or(ProgressStyle::default_spinner()),
            );
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        }))
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Terminal {
    fn line(&mut self, text: &str) {
        match &self.0 {
            Some(bar) => bar.suspend(|| say!("{text}")),
            None => say!("{text}"),
        }
    }

    fn waiting(&mut self, text: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(text.to_owned());
        }
    }
}
