//! The two requests that a submission needs, and the edge where they become real.

use std::error::Error;
use std::io;
use std::time::Duration;

use jiff::Timestamp;
use ureq::http::{HeaderMap, header};

/// More than any answer of an archive; a larger body is not one.
const MAX_ANSWER_BYTES: u64 = 4 * 1024 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// 16 MiB, the archive's limit, at a quarter of a megabit per second.
const SEND_TIMEOUT: Duration = Duration::from_secs(540);

#[derive(Clone, Debug, Default)]
pub struct Response {
    pub status: u16,
    pub location: Option<String>,
    pub retry_after: Option<Duration>,
    pub body: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("the archive did not answer in time")]
    Timeout,
    #[error("no connection to the archive: {0}")]
    Connection(io::Error),
    /// Another attempt would end the same: a name that does not resolve, a certificate that does not fit.
    #[error("{0}")]
    Permanent(String),
}

impl HttpError {
    pub fn is_temporary(&self) -> bool {
        !matches!(self, Self::Permanent(_))
    }
}

pub trait Http {
    /// Posts a zstd-compressed envelope.
    /// Errors: [`HttpError`] when no answer came.
    fn post(&self, url: &str, body: &[u8]) -> Result<Response, HttpError>;

    fn get(&self, url: &str) -> Result<Response, HttpError>;
}

/// HTTP and HTTPS with the web's root certificates. Heeds `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
pub struct Client(ureq::Agent);

impl Client {
    /// `answer_timeout` is how long the archive may take from the end of the request to its answer.
    pub fn new(answer_timeout: Duration) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirected POST would become a GET; where the archive moved to is said instead.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_resolve(Some(CONNECT_TIMEOUT))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_send_body(Some(SEND_TIMEOUT))
            .timeout_recv_response(Some(answer_timeout))
            .timeout_recv_body(Some(answer_timeout))
            .user_agent(concat!("diskatlas/", env!("CARGO_PKG_VERSION")))
            .accept("application/json, application/problem+json")
            .build();
        Self(config.new_agent())
    }
}

impl Http for Client {
    fn post(&self, url: &str, body: &[u8]) -> Result<Response, HttpError> {
        let request = self.0.post(url).header(header::CONTENT_TYPE, "application/json");
        read(request.header(header::CONTENT_ENCODING, "zstd").send(body))
    }

    fn get(&self, url: &str) -> Result<Response, HttpError> {
        read(self.0.get(url).call())
    }
}

fn read(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Response, HttpError> {
    let mut answer = answer.map_err(no_answer)?;
    let headers = answer.headers();
    let location = text(headers, &header::LOCATION).map(str::to_owned);
    let retry_after = text(headers, &header::RETRY_AFTER).and_then(|text| parse_retry_after(text, Timestamp::now()));
    let body = answer.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec().map_err(no_answer)?;
    Ok(Response { status: answer.status().as_u16(), location, retry_after, body })
}

fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Seconds or a date (RFC 9110, section 10.2.3).
fn parse_retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

fn no_answer(error: ureq::Error) -> HttpError {
    match error {
        ureq::Error::Timeout(_) => HttpError::Timeout,
        ureq::Error::Io(error) => match certificate_problem(&error) {
            Some(problem) => HttpError::Permanent(problem),
            None => HttpError::Connection(error),
        },
        ureq::Error::ConnectionFailed => HttpError::Connection(io::ErrorKind::NotConnected.into()),
        // An answer that breaks off or makes no sense may be a server that restarts.
        ureq::Error::Protocol(error) => HttpError::Connection(io::Error::other(error)),
        ureq::Error::HostNotFound => HttpError::Permanent("the archive's name is not known: check --server".to_owned()),
        other => HttpError::Permanent(other.to_string()),
    }
}

/// The TLS layer hands its refusals over as I/O errors.
fn certificate_problem(error: &io::Error) -> Option<String> {
    let is_tls = error.get_ref().and_then(|inner| (inner as &(dyn Error + 'static)).downcast_ref::<rustls::Error>());
    is_tls.map(|error| format!("no secure connection to the archive: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date() {
        let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        assert_eq!(parse_retry_after("120", now), Some(Duration::from_secs(120)));
        assert_eq!(parse_retry_after("Fri, 02 Jan 2026 03:04:35 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(parse_retry_after("Fri, 02 Jan 2026 03:04:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(parse_retry_after("soon", now), None);
    }
}
