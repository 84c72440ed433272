//! Asks for a submission's state until it is final.

use std::time::Duration;

use super::answer::Event;
use super::{Accepted, Session, Status, SubmitError, unsuccessful};
use crate::terminal::text::printable;

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
const PAUSE_GROWTH: f64 = 1.5;

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
            session.progress.line(&describe(event));
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

fn describe(event: &Event) -> String {
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
