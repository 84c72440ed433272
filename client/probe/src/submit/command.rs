//! Requests that the holder of a key signs: an archive needs no account to know whose runs they are about.
//!
//! The contract is `server/core/schema/command-v1.json`. A command names the archive, so that no other one can use it, and a
//! fresh nonce of that archive, so that nobody sends it again. Each attempt is therefore signed anew.

use std::io;

use serde_json::{Value, json};

use crate::report::content::{Content, JsonText};
use crate::report::envelope::seal;
use crate::report::keys::Key;

use super::challenge::nonce_in;
use super::endpoint::Endpoint;
use super::http::{Http, HttpError, Response};
use super::{Session, SubmitError, compress, unsuccessful};

pub const COMMAND_TYPE: &str = "application/vnd.diskatlas.command+json";

#[derive(Clone, Copy, Debug)]
pub enum Command<'a> {
    /// A page of what the holder's keys signed, after a submission of the page before.
    Runs {
        after: Option<&'a str>,
    },
    Withdraw {
        run_id: &'a str,
        reason: &'a str,
    },
    License {
        run_id: &'a str,
        license: &'a str,
    },
    Label {
        run_id: &'a str,
        label: Option<&'a str>,
    },
    /// Have the key wait for the account of whoever approves it.
    Login {
        name: Option<&'a str>,
    },
    Revoke {
        keyid: &'a str,
        from: Option<&'a str>,
    },
    /// The new key signs too: nobody is given a key that is not theirs.
    Rotate {
        successor: &'a Key,
    },
}

impl Command<'_> {
    fn action(self) -> &'static str {
        match self {
            Self::Runs { .. } => "runs",
            Self::Withdraw { .. } => "withdraw",
            Self::License { .. } => "license",
            Self::Label { .. } => "label",
            Self::Login { .. } => "login",
            Self::Revoke { .. } => "revoke",
            Self::Rotate { .. } => "rotate",
        }
    }

    /// The members of the statement that are the command's own.
    fn members(self, key: &Key, archive: &str, nonce: &str) -> io::Result<Value> {
        Ok(match self {
            Self::Runs { after } => json!({"after": after}),
            Self::Withdraw { run_id, reason } => json!({"run_id": run_id, "reason": reason}),
            Self::License { run_id, license } => json!({"run_id": run_id, "license": license}),
            Self::Label { run_id, label } => json!({"run_id": run_id, "label": label}),
            Self::Login { name } => json!({"name": name}),
            Self::Revoke { keyid, from } => json!({"keyid": keyid, "from": from}),
            Self::Rotate { successor } => {
                let agreed = signed("succeed", json!({"keyid": key.keyid()}), successor, archive, nonce)?;
                json!({"successor": serde_json::from_slice::<Value>(&agreed)?})
            }
        })
    }

    fn envelope(self, key: &Key, archive: &str, nonce: &str) -> io::Result<Vec<u8>> {
        signed(self.action(), self.members(key, archive, nonce)?, key, archive, nonce)
    }
}

fn signed(action: &str, mut members: Value, key: &Key, archive: &str, nonce: &str) -> io::Result<Vec<u8>> {
    for (name, value) in [("schema", "command/v1"), ("action", action), ("archive", archive), ("nonce", nonce)] {
        members[name] = json!(value);
    }
    seal(COMMAND_TYPE, JsonText(&members), key)?.to_vec()
}

/// Has an archive carry a command out, and gives its answer.
/// Errors: [`SubmitError`]; nothing was done then, unless the answer alone was lost.
pub fn send(
    session: &mut Session<'_>,
    endpoint: &Endpoint,
    key: &Key,
    command: Command<'_>,
) -> Result<Value, SubmitError> {
    let url = endpoint.command_url(command.action());
    let response = session.request(|http| attempt(http, endpoint, &url, key, command))?;
    let strange = SubmitError::NotAnArchive { url, status: response.status };
    match response.status {
        200 => serde_json::from_slice(&response.body).map_err(|_| strange),
        _ => Err(unsuccessful(response, strange)),
    }
}

fn attempt(
    http: &dyn Http,
    endpoint: &Endpoint,
    url: &str,
    key: &Key,
    command: Command<'_>,
) -> Result<Response, HttpError> {
    let challenge = http.get(&endpoint.challenges_url())?;
    if challenge.status != 200 {
        return Ok(challenge);
    }
    let nonce = nonce_in(&challenge.body).map_err(|error| HttpError::Permanent(error.to_string()))?;
    let body = command.envelope(key, endpoint.origin(), &nonce).and_then(|envelope| compress(&envelope));
    http.post(url, &body.map_err(|error| HttpError::Permanent(error.to_string()))?)
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::*;
    use crate::submit::Policy;
    use crate::submit::fake::{FakeClock, FakeHttp, Told};

    const NONCE: &str = r#"{"nonce": "sample-nonce-0001"}"#;

    fn answer(status: u16, body: &str) -> Response {
        Response { status, body: body.into(), ..Response::default() }
    }

    /// What became of a command, and the statements that were posted. The default answer is none at all.
    fn sent(
        command: Command<'_>,
        answers: impl IntoIterator<Item = Response>,
    ) -> (Result<Value, SubmitError>, Vec<Value>) {
        let http = FakeHttp::new(
            answers.into_iter().map(|one| if one.status == 0 { Err(HttpError::Timeout) } else { Ok(one) }),
        );
        let (mut clock, mut told) = (FakeClock::default(), Told::default());
        let mut session = Session { http: &http, clock: &mut clock, progress: &mut told, policy: Policy::default() };
        let endpoint = Endpoint::parse("https://archive.example:8443/atlas/").unwrap();
        let result = send(&mut session, &endpoint, &Key::from_seed([7; 32]), command);
        let requests = http.requests.into_inner();
        let posted = requests.iter().filter(|(line, _)| line.starts_with("POST"));
        (result, posted.map(|(_, body)| statement(&zstd::bulk::decompress(body, 16 * 1024).unwrap())).collect())
    }

    fn statement(envelope: &[u8]) -> Value {
        let envelope: Value = serde_json::from_slice(envelope).unwrap();
        assert_eq!(envelope["payloadType"], COMMAND_TYPE);
        serde_json::from_slice(&STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn a_command_names_archive_and_nonce_and_its_answer_comes_back() {
        let command = Command::Withdraw { run_id: "r", reason: "faulty" };
        let (result, posted) = sent(command, [answer(200, NONCE), answer(200, r#"{"state": "withdrawn"}"#)]);
        assert_eq!(result.unwrap()["state"], "withdrawn");
        let expected = json!({"schema": "command/v1", "action": "withdraw", "run_id": "r", "reason": "faulty",
            "archive": "https://archive.example:8443", "nonce": "sample-nonce-0001"});
        assert_eq!(posted, [expected]);
    }

    #[test]
    fn another_attempt_is_signed_under_another_nonce() {
        let second = r#"{"nonce": "sample-nonce-0002"}"#;
        let answers = [
            answer(503, ""),
            answer(200, NONCE),
            Response::default(),
            answer(200, second),
            answer(200, r#"{"results": []}"#),
        ];
        let (result, posted) = sent(Command::Runs { after: None }, answers);
        assert!(result.is_ok());
        let nonces: Vec<_> = posted.iter().map(|statement| statement["nonce"].clone()).collect();
        assert_eq!(nonces, ["sample-nonce-0001", "sample-nonce-0002"]);
    }

    #[test]
    fn the_new_key_agrees_to_follow_this_one() {
        let successor = Key::from_seed([8; 32]);
        let (result, posted) = sent(Command::Rotate { successor: &successor }, [answer(200, NONCE), answer(200, "{}")]);
        assert!(result.is_ok());
        let inner = &posted[0]["successor"];
        assert_eq!(inner["signatures"][0]["keyid"], successor.keyid());
        let agreed = statement(inner.to_string().as_bytes());
        assert_eq!(agreed["keyid"], Key::from_seed([7; 32]).keyid());
        assert_eq!((&agreed["action"], &agreed["nonce"]), (&json!("succeed"), &posted[0]["nonce"]));
    }

    #[test]
    fn a_refusal_and_an_archive_without_challenges_are_told_apart() {
        let refusal = r#"{"title": "Revoked key", "detail": "Make a new one."}"#;
        let (result, _) = sent(Command::Runs { after: None }, [answer(200, NONCE), answer(403, refusal)]);
        assert_eq!(result.unwrap_err().to_string(), "the archive refused it: Revoked key: Make a new one.");
        let (result, _) = sent(Command::Runs { after: None }, [answer(200, "{}")]);
        assert!(matches!(result, Err(SubmitError::Unreachable { source: HttpError::Permanent(_), .. })));
    }
}
