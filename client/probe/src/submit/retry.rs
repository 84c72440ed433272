//! Attempts that grow further apart, where another attempt can help.

use std::time::Duration;

use super::http::{Http, HttpError, Response};
use super::{Problem, Session, SubmitError};

/// How often and how far apart.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// Attempts after the first.
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
    pub(super) fn pause(&self, failed: u32, jitter: f64) -> Duration {
        let doubled = self.first_pause.saturating_mul(2u32.saturating_pow(failed.saturating_sub(1)));
        doubled.min(self.longest_pause).mul_f64(0.5 + 0.5 * jitter)
    }
}

impl Session<'_> {
    /// Makes a request until it is answered with something that another attempt would not change.
    pub(super) fn request(
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
