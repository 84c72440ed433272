//! Waiting until somebody has decided in a browser whose key this is (RFC 8628, whose words the answers use).

use std::time::Duration;

use serde::Deserialize;

use super::endpoint::Endpoint;
use super::{Session, SubmitError, unsuccessful};

/// The bounds in which an archive may say how often it is asked.
const PAUSES_S: std::ops::RangeInclusive<u64> = 1..=60;
/// Longer than any code lasts.
const LONGEST: Duration = Duration::from_secs(3600);

/// What a person does next.
#[derive(Clone, Debug, Deserialize)]
pub struct Login {
    pub id: uuid::Uuid,
    pub user_code: String,
    pub verification_uri: String,
    pub verification_uri_complete: String,
    #[serde(default)]
    pub interval: u64,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Pending,
    Approved,
    Denied,
    Expired,
}

#[derive(Deserialize)]
struct Answer {
    state: Decision,
}

/// Asks until it is decided, or the code has expired.
/// Errors: [`SubmitError`].
pub fn wait(session: &mut Session<'_>, endpoint: &Endpoint, login: &Login) -> Result<Decision, SubmitError> {
    let pause = Duration::from_secs(login.interval.clamp(*PAUSES_S.start(), *PAUSES_S.end()));
    let url = endpoint.login_url(&login.id.to_string());
    let started = session.clock.now();
    loop {
        session.clock.sleep(pause);
        let response = session.request(|http| http.get(&url))?;
        let strange = SubmitError::NotAnArchive { url: url.clone(), status: response.status };
        let decision = match response.status {
            200 => serde_json::from_slice::<Answer>(&response.body).map_err(|_| strange)?.state,
            _ => return Err(unsuccessful(response, strange)),
        };
        if decision != Decision::Pending {
            return Ok(decision);
        }
        if session.clock.now().saturating_sub(started) > LONGEST {
            return Ok(Decision::Expired);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::submit::Policy;
    use crate::submit::fake::{FakeClock, FakeHttp, Told};
    use crate::submit::http::Response;

    fn decided(states: &[&str], interval: u64) -> (Decision, Vec<Duration>) {
        let answer = |state: &&str| {
            Ok(Response { status: 200, body: format!(r#"{{"state": "{state}"}}"#).into(), ..Response::default() })
        };
        let http = FakeHttp::new(states.iter().map(answer).collect::<Vec<_>>());
        let (mut clock, mut told) = (FakeClock::default(), Told::default());
        let mut session = Session { http: &http, clock: &mut clock, progress: &mut told, policy: Policy::default() };
        let login = Login {
            id: uuid::Uuid::nil(),
            user_code: String::new(),
            verification_uri: String::new(),
            verification_uri_complete: String::new(),
            interval,
        };
        let decision = wait(&mut session, &Endpoint::parse("http://localhost").unwrap(), &login).unwrap();
        let expected = "GET http://localhost/api/v1/logins/00000000-0000-0000-0000-000000000000/";
        assert!(http.requests.borrow().iter().all(|(request, _)| request == expected));
        (decision, clock.slept)
    }

    #[test]
    fn it_is_asked_at_the_archives_pace_until_it_is_decided() {
        let (decision, slept) = decided(&["pending", "pending", "approved"], 5);
        assert_eq!((decision, slept), (Decision::Approved, vec![Duration::from_secs(5); 3]));
        assert_eq!(decided(&["denied"], 0).1, [Duration::from_secs(1)]);
        assert_eq!(decided(&["expired"], 9999).1, [Duration::from_secs(60)]);
    }

    #[test]
    fn nobody_waits_for_ever() {
        assert_eq!(decided(&["pending"; 70], 60).0, Decision::Expired);
    }
}
