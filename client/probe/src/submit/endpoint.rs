//! The address of an archive, as a person types it.

use std::net::IpAddr;

use ureq::http::Uri;

const SUBMISSIONS_PATH: &str = "/api/v1/submissions/";
const CHALLENGES_PATH: &str = "/api/v1/challenges/";
const LOGINS_PATH: &str = "/api/v1/logins/";
const COMMANDS_PATH: &str = "/api/v1/keys/me/";

/// An archive's address: scheme, host, port and the path it is mounted at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Endpoint {
    base: String,
    origin: String,
    /// Plain HTTP to another machine: who sits between can read the run and drop it, though not change it.
    pub exposed: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    #[error("{0:?} is not an address: expected something like https://archive.example")]
    NotAUrl(String),
    #[error("{0:?} has no scheme: write https://{0}")]
    NoScheme(String),
    #[error("{0:?} is neither http nor https")]
    Scheme(String),
}

impl Endpoint {
    /// Parses what stands behind `--server`: the archive's front page or the submission address itself.
    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let uri: Uri = text.parse().map_err(|_| EndpointError::NotAUrl(text.to_owned()))?;
        let host = uri.host().ok_or_else(|| EndpointError::NotAUrl(text.to_owned()))?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) => return Err(EndpointError::Scheme(text.to_owned())),
            None => return Err(EndpointError::NoScheme(text.to_owned())),
        };
        let address = text.split(['?', '#']).next().unwrap_or(text).trim_end_matches('/');
        let front_page = address.strip_suffix(SUBMISSIONS_PATH.trim_end_matches('/')).unwrap_or(address);
        let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
        Ok(Self {
            base: front_page.trim_end_matches('/').to_owned(),
            origin: format!("{}://{host}{port}", if secure { "https" } else { "http" }),
            exposed: !secure && !is_loopback(host),
        })
    }

    pub fn submissions_url(&self) -> String {
        format!("{}{SUBMISSIONS_PATH}", self.base)
    }

    pub fn challenges_url(&self) -> String {
        format!("{}{CHALLENGES_PATH}", self.base)
    }

    pub fn command_url(&self, action: &str) -> String {
        format!("{}{COMMANDS_PATH}{action}/", self.base)
    }

    pub fn login_url(&self, id: &str) -> String {
        format!("{}{LOGINS_PATH}{id}/", self.base)
    }

    /// Scheme, host and port: what a signed command names the archive by.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub fn base(&self) -> &str {
        &self.base
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || host.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> String {
        Endpoint::parse(text).unwrap().submissions_url()
    }

    #[test]
    fn the_front_page_and_the_submission_address_mean_the_same() {
        let expected = "https://archive.example/api/v1/submissions/";
        for text in [
            "https://archive.example",
            "https://archive.example/",
            "https://archive.example/api/v1/submissions",
            "https://archive.example/api/v1/submissions/",
        ] {
            assert_eq!(url(text), expected, "{text}");
        }
        assert_eq!(url("http://localhost:8000/atlas/"), "http://localhost:8000/atlas/api/v1/submissions/");
    }

    #[test]
    fn plain_http_is_exposed_unless_it_stays_on_the_machine() {
        for (text, exposed) in [
            ("https://archive.example", false),
            ("http://archive.example", true),
            ("http://127.0.0.1:8000", false),
            ("http://127.8.0.1", false),
            ("http://[::1]:8000", false),
            ("http://localhost:8000", false),
            ("http://localhost.example", true),
        ] {
            assert_eq!(Endpoint::parse(text).unwrap().exposed, exposed, "{text}");
        }
    }

    #[test]
    fn an_address_without_a_scheme_is_answered_with_one() {
        let error = Endpoint::parse("archive.example").unwrap_err().to_string();
        assert_eq!(error, "\"archive.example\" has no scheme: write https://archive.example");
    }

    #[test]
    fn other_schemes_and_other_words_are_refused() {
        assert!(matches!(Endpoint::parse("ftp://archive.example"), Err(EndpointError::Scheme(_))));
        for text in ["", "https://", "a b", "/api"] {
            assert!(matches!(Endpoint::parse(text), Err(EndpointError::NotAUrl(_))), "{text}");
        }
    }
}
