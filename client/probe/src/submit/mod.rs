//! Brings an envelope to an archive over HTTP and follows it until it is published.
//!
//! The requests go through [`http::Http`] and time through [`clock::Clock`], so that tests neither sleep nor open sockets.

pub mod answer;
pub mod challenge;
pub mod clock;
pub mod command;
pub mod endpoint;
pub mod http;
pub mod login;

#[cfg(test)]
pub(crate) mod fake;

use std::io::{self, Write};
use std::time::Duration;

pub use answer::{Accepted, Problem, Status};

use crate::terminal::text::printable;
use answer::Event;

use clock::Clock;
use endpoint::Endpoint;
use http::{Http, HttpError, Response};

/// Level 3 is zstd's own default: columns of integers in base64 shrink to a fraction, higher levels gain little.
const ZSTD_LEVEL: i32 = 3;

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
const PAUSE_GROWTH: f64 = 1.5;

pub trait Progress {
    /// Something happened that is worth a line.
    fn line(&mut self, text: &str);
    /// What is being waited for just now; replaces what was said before.
    fn waiting(&mut self, text: &str);
}

pub struct Session<'a> {
    pub http: &'a dyn Http,
    pub clock: &'a mut dyn Clock,
    pub progress: &'a mut dyn Progress,
    pub policy: Policy,
}

/// Why an envelope did not arrive, or its state could not be asked for.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The archive read the envelope and refused it: sending it again would not help.
    #[error("the archive refused it: {0}")]
    Refused(Problem),
    #[error("the archive answered {status} ({}){}", count(*attempts), detail(problem.as_ref()))]
    Unavailable { status: u16, attempts: u32, problem: Option<Problem> },
    #[error("the archive asks to come back in {} s (it is busy, or you have sent a lot)", .0.as_secs())]
    ComeBackLater(Duration),
    #[error("{source} ({})", count(*attempts))]
    Unreachable { source: HttpError, attempts: u32 },
    #[error("the archive has moved to {0}: name that address with --server")]
    Moved(String),
    #[error("{url} answered {status} with something other than DiskAtlas says: is it the address of an archive?")]
    NotAnArchive { url: String, status: u16 },
    #[error("the envelope can't be compressed: {0}")]
    Compression(io::Error),
    #[error("no final state after {} s; the archive goes on by itself, look at {status_url}", waited.as_secs())]
    StillWaiting { waited: Duration, status_url: String },
}

fn count(attempts: u32) -> String {
    if attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") }
}

fn detail(problem: Option<&Problem>) -> String {
    problem.map(|problem| format!(": {problem}")).unwrap_or_default()
}

/// Sends an envelope. The same bytes twice are one submission, so that a retry after a lost answer does no harm.
/// Errors: [`SubmitError`]. After `Refused` the envelope needs a change, after the others it may be sent later as it
/// is.
pub fn send(session: &mut Session<'_>, endpoint: &Endpoint, envelope: &[u8]) -> Result<Accepted, SubmitError> {
    let body = compress(envelope).map_err(SubmitError::Compression)?;
    let url = endpoint.submissions_url();
    let response = session.request(|http| http.post(&url, &body))?;
    let strange = SubmitError::NotAnArchive { url, status: response.status };
    match response.status {
        200..=202 => Accepted::parse(&response.body).ok_or(strange),
        _ => Err(unsuccessful(response, strange)),
    }
}

/// Room is made as the compressed bytes come, a quarter of the envelope; the frame says how long that was.
fn compress(envelope: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), ZSTD_LEVEL)?;
    encoder.set_pledged_src_size(Some(envelope.len() as u64))?;
    encoder.include_contentsize(true)?;
    encoder.write_all(envelope)?;
    encoder.finish()
}

/// The error for an answer that is neither a success nor worth another attempt.
fn unsuccessful(response: Response, strange: SubmitError) -> SubmitError {
    match (response.status, response.location) {
        (300..=399, Some(location)) => SubmitError::Moved(location),
        _ => Problem::parse(&response.body).map_or(strange, SubmitError::Refused),
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub retries: u32,
    pub first_pause: Duration,
    pub longest_pause: Duration,
    /// A `Retry-After` beyond this ends the attempts: a person would not sit and wait for it.
    pub longest_retry_after: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            retries: 5,
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
            longest_retry_after: Duration::from_secs(300),
        }
    }
}

impl Policy {
    /// The pause after the `failed`th attempt (from 1): doubling, half of it by chance.
    fn pause(&self, failed: u32, jitter: f64) -> Duration {
        let doubled = self.first_pause.saturating_mul(2u32.saturating_pow(failed.saturating_sub(1)));
        doubled.min(self.longest_pause).mul_f64(0.5 + 0.5 * jitter)
    }
}

impl Session<'_> {
    /// Makes a request until it is answered with something that another attempt would not change.
    fn request(
        &mut self,
        mut make: impl FnMut(&dyn Http) -> Result<Response, HttpError>,
    ) -> Result<Response, SubmitError> {
        let attempts = self.policy.retries + 1;
        let mut attempt = 1;
        loop {
            let outcome = make(self.http);
            if !worth_another(&outcome) {
                return outcome.map_err(|source| SubmitError::Unreachable { source, attempts: attempt });
            }
            let asked = outcome.as_ref().ok().and_then(|response| response.retry_after);
            if let Some(asked) = asked.filter(|asked| *asked > self.policy.longest_retry_after) {
                return Err(SubmitError::ComeBackLater(asked));
            }
            if attempt == attempts {
                return Err(gave_up(outcome, attempts));
            }
            let pause = self.policy.pause(attempt, self.clock.jitter()).max(asked.unwrap_or_default());
            let what = describe(&outcome);
            self.progress.line(&format!(
                "attempt {attempt} of {attempts}: {what}; next attempt in {:.1} s",
                pause.as_secs_f64()
            ));
            self.clock.sleep(pause);
            attempt += 1;
        }
    }
}

/// The server's own trouble and a full house pass; what a client did wrong does not.
fn worth_another(outcome: &Result<Response, HttpError>) -> bool {
    match outcome {
        Ok(response) => response.status == 429 || (500..=599).contains(&response.status),
        Err(error) => error.is_temporary(),
    }
}

fn describe(outcome: &Result<Response, HttpError>) -> String {
    match outcome {
        Ok(response) => format!("the archive answered {}", response.status),
        Err(error) => error.to_string(),
    }
}

fn gave_up(outcome: Result<Response, HttpError>, attempts: u32) -> SubmitError {
    match outcome {
        Ok(response) => {
            SubmitError::Unavailable { status: response.status, attempts, problem: Problem::parse(&response.body) }
        }
        Err(source) => SubmitError::Unreachable { source, attempts },
    }
}

/// Follows a submission to `published`, `rejected` or `quarantined`, for at most `limit`. Tells each state and its reason as it comes.
/// Errors: [`SubmitError::StillWaiting`] after `limit`; others when the archive can't be asked. The submission itself
/// is safe by then.
pub fn follow(session: &mut Session<'_>, accepted: &Accepted, limit: Duration) -> Result<Status, SubmitError> {
    let started = session.clock.now();
    let mut told = 0;
    let mut pause = FIRST_PAUSE;
    loop {
        let status = ask(session, &accepted.status_url)?;
        for event in status.events.iter().skip(told) {
            session.progress.line(&describe_event(event));
        }
        told = told.max(status.events.len());
        if status.is_final() {
            return Ok(status);
        }
        let waited = session.clock.now().saturating_sub(started);
        if waited >= limit {
            return Err(SubmitError::StillWaiting { waited, status_url: accepted.status_url.clone() });
        }
        session.progress.waiting(&waiting_for(&status));
        session.clock.sleep(pause.min(limit.saturating_sub(waited)));
        pause = pause.mul_f64(PAUSE_GROWTH).min(LONGEST_PAUSE);
    }
}

fn ask(session: &mut Session<'_>, url: &str) -> Result<Status, SubmitError> {
    let response = session.request(|http| http.get(url))?;
    let strange = SubmitError::NotAnArchive { url: url.to_owned(), status: response.status };
    match response.status {
        200 => Status::parse(&response.body).ok_or(strange),
        _ => Err(unsuccessful(response, strange)),
    }
}

fn describe_event(event: &Event) -> String {
    let at = event.at.as_deref().map(|at| format!("{at} ")).unwrap_or_default();
    let reason = event.reason.as_deref().filter(|reason| !reason.is_empty());
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    printable(&format!("{at}{}{reason}", event.state))
}

fn waiting_for(status: &Status) -> String {
    let place = status.queue_position.filter(|place| *place > 0);
    let place = place.map(|place| format!(", place {place} in the queue")).unwrap_or_default();
    printable(&format!("{}{place}", status.state))
}

#[cfg(test)]
mod tests;
