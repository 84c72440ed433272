//! Asking an archive for a challenge, before anything is measured.

use serde_json::Value;

use crate::report::document::RunChallenge;
use crate::submit::endpoint::Endpoint;
use crate::submit::http::Http;

/// The schema's bounds.
const NONCE_SHORTEST: usize = 16;
const NONCE_LONGEST: usize = 200;

/// Why a run goes without. Nothing was measured yet.
#[derive(Debug, thiserror::Error)]
pub enum ChallengeError {
    #[error("{0}")]
    NoAnswer(String),
    #[error("the archive answers {0} where challenges are; it may be too old to give any")]
    Refused(u16),
    #[error("the archive's answer holds no challenge")]
    Unreadable,
}

/// Asks an archive for a nonce of its own.
/// Errors: [`ChallengeError`] when it gives none.
pub fn fetch(http: &dyn Http, endpoint: &Endpoint) -> Result<RunChallenge, ChallengeError> {
    let answer = http.get(&endpoint.challenges_url()).map_err(|error| ChallengeError::NoAnswer(error.to_string()))?;
    if answer.status != 200 {
        return Err(ChallengeError::Refused(answer.status));
    }
    Ok(RunChallenge { nonce: nonce_in(&answer.body)? })
}

/// The nonce in an archive's answer.
/// Errors: [`ChallengeError::Unreadable`].
pub fn nonce_in(body: &[u8]) -> Result<String, ChallengeError> {
    let body: Value = serde_json::from_slice(body).map_err(|_| ChallengeError::Unreadable)?;
    let nonce = body["nonce"].as_str().filter(|nonce| (NONCE_SHORTEST..=NONCE_LONGEST).contains(&nonce.len()));
    nonce.map(str::to_owned).ok_or(ChallengeError::Unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::challenge::seed;
    use crate::submit::http::{HttpError, Response};

    /// Answers each request alike.
    struct Answers(u16, &'static str);

    impl Http for Answers {
        fn post(&self, _url: &str, _body: &[u8]) -> Result<Response, HttpError> {
            unreachable!("a challenge is fetched, not posted")
        }

        fn get(&self, url: &str) -> Result<Response, HttpError> {
            assert_eq!(url, "https://archive.example/api/v1/challenges/");
            Ok(Response { status: self.0, body: self.1.as_bytes().to_vec(), ..Response::default() })
        }
    }

    fn fetched(answers: &Answers) -> Result<RunChallenge, String> {
        let endpoint = Endpoint::parse("https://archive.example").unwrap();
        fetch(answers, &endpoint).map_err(|error| error.to_string())
    }

    #[test]
    fn a_nonce_of_the_archive_makes_the_seed_that_the_archive_makes_of_it() {
        let challenge =
            fetched(&Answers(200, r#"{"nonce": "sample-nonce-0001", "expires_at": "2026-01-02T03:04:05Z"}"#));
        // tests/server/plausibility/test_challenge.py has the same number.
        assert_eq!(seed(&challenge.unwrap()), SAMPLE_SEED);
    }

    const SAMPLE_SEED: u64 = 581_961_632_574_636_409;

    #[test]
    fn an_archive_that_gives_no_challenge_is_told_from_one_that_gives_nonsense() {
        assert_eq!(
            fetched(&Answers(404, "")).unwrap_err(),
            "the archive answers 404 where challenges are; it may be too old to give any"
        );
        for body in ["", "{}", r#"{"nonce": "short"}"#, r#"{"nonce": 7}"#] {
            assert_eq!(fetched(&Answers(200, body)).unwrap_err(), "the archive's answer holds no challenge");
        }
    }
}
