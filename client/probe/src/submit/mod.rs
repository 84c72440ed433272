//! Brings an envelope to an archive over HTTP and follows it until it is published.
//!
//! The requests go through [`http::Http`] and time through [`clock::Clock`], so that tests neither sleep nor open sockets.

pub mod answer;
pub mod clock;
pub mod endpoint;
mod follow;
pub mod http;
mod retry;

#[cfg(test)]
pub(crate) mod fake;

use std::io::{self, Write};
use std::time::Duration;

pub use answer::{Accepted, Problem, Status};
pub use follow::follow;
pub use retry::Policy;

use clock::Clock;
use endpoint::Endpoint;
use http::{Http, HttpError, Response};

/// Level 3 is zstd's own default: columns of integers in base64 shrink to a fraction, higher levels gain little.
const ZSTD_LEVEL: i32 = 3;

/// What is told to the person who waits.
pub trait Progress {
    /// Something happened that is worth a line.
    fn line(&mut self, text: &str);
    /// What is being waited for just now; replaces what was said before.
    fn waiting(&mut self, text: &str);
}

/// What the requests are made with.
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
    #[error("the archive answered {status} ({}){}", count(*attempts), words(problem.as_ref()))]
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

fn words(problem: Option<&Problem>) -> String {
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

#[cfg(test)]
mod tests;
