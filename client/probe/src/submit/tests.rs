use std::io;

use super::fake::{FakeClock, FakeHttp, Told};
use super::*;

const ACCEPTED: &str =
    r#"{"id": "7", "digest": "d", "state": "received", "status_url": "http://a/status", "run_url": "http://a/run"}"#;

type Answer = Result<Response, HttpError>;

impl Response {
    fn new(status: u16, body: &str) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }
}

fn refused() -> HttpError {
    HttpError::Connection(io::ErrorKind::ConnectionRefused.into())
}

/// What one submission came to, with all it did on the way.
struct Outcome {
    result: Result<Accepted, SubmitError>,
    requests: Vec<(String, Vec<u8>)>,
    slept: Vec<f64>,
    lines: Vec<String>,
}

fn submit(answers: impl IntoIterator<Item = Answer>) -> Outcome {
    let http = FakeHttp::new(answers);
    let (mut clock, mut told) = (FakeClock { jitter: 1.0, ..FakeClock::default() }, Told::default());
    let mut session = Session { http: &http, clock: &mut clock, progress: &mut told, policy: Policy::default() };
    let result = send(&mut session, &Endpoint::parse("http://localhost").unwrap(), b"envelope");
    let slept = clock.slept.iter().map(Duration::as_secs_f64).collect();
    Outcome { result, requests: http.requests.into_inner(), slept, lines: told.lines }
}

#[test]
fn an_envelope_is_posted_compressed_and_the_answers_addresses_come_back() {
    let outcome = submit([Ok(Response::new(202, ACCEPTED))]);
    let accepted = outcome.result.unwrap();
    assert_eq!((accepted.state.as_str(), accepted.run_url.as_deref()), ("received", Some("http://a/run")));
    let (request, body) = &outcome.requests[0];
    assert_eq!(request, "POST http://localhost/api/v1/submissions/");
    assert_eq!(zstd::bulk::decompress(body, 100).unwrap(), b"envelope");
    assert!(outcome.slept.is_empty());
}

#[test]
fn a_server_in_trouble_is_tried_again_ever_later() {
    let outcome = submit([
        Ok(Response::new(500, "")),
        Ok(Response::new(503, "")),
        Err(HttpError::Timeout),
        Err(refused()),
        Ok(Response::new(202, ACCEPTED)),
    ]);
    assert!(outcome.result.is_ok());
    assert_eq!(outcome.slept, [1.0, 2.0, 4.0, 8.0]);
    assert_eq!(outcome.lines[0], "attempt 1 of 6: the archive answered 500; next attempt in 1.0 s");
    assert!(outcome.lines[2].contains("did not answer in time"), "{:?}", outcome.lines);
    let bodies: Vec<_> = outcome.requests.iter().map(|(_, body)| body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

#[test]
fn after_the_last_attempt_the_archives_own_words_are_kept() {
    let outcome = submit((0..6).map(|_| Ok(Response::new(500, r#"{"title": "Broken", "detail": "Try tomorrow."}"#))));
    let words = outcome.result.unwrap_err().to_string();
    assert_eq!(words, "the archive answered 500 (6 attempts): Broken: Try tomorrow.");
    assert_eq!(outcome.slept, [1.0, 2.0, 4.0, 8.0, 16.0]);
}

#[test]
fn jitter_halves_a_pause_at_most() {
    let policy = Policy::default();
    assert_eq!(policy.pause(3, 0.0), Duration::from_secs(2));
    assert_eq!(policy.pause(3, 0.5), Duration::from_secs(3));
    assert_eq!(policy.pause(100, 1.0), policy.longest_pause);
}

#[test]
fn a_client_error_is_told_and_never_repeated() {
    let body =
        r#"{"title": "Not a run", "detail": "1 place is wrong.", "errors": [{"path": "/device", "message": "bad"}]}"#;
    let outcome = submit([Ok(Response::new(422, body))]);
    assert_eq!(outcome.requests.len(), 1);
    let words = outcome.result.unwrap_err().to_string();
    assert_eq!(words, "the archive refused it: Not a run: 1 place is wrong.\n  /device: bad");
}

#[test]
fn too_many_requests_waits_as_long_as_it_was_asked_to() {
    let outcome = submit([
        Ok(Response { retry_after: Some(Duration::from_secs(45)), ..Response::new(429, "") }),
        Ok(Response::new(202, ACCEPTED)),
    ]);
    assert!(outcome.result.is_ok());
    assert_eq!(outcome.slept, [45.0]);
}

#[test]
fn a_wait_that_no_person_would_sit_through_ends_the_attempts() {
    let outcome = submit([Ok(Response { retry_after: Some(Duration::from_secs(3600)), ..Response::new(429, "") })]);
    assert!(matches!(outcome.result, Err(SubmitError::ComeBackLater(wait)) if wait.as_secs() == 3600));
    assert!(outcome.slept.is_empty());
}

#[test]
fn a_permanent_failure_is_not_repeated() {
    let outcome = submit([Err(HttpError::Permanent("bad certificate".to_owned()))]);
    assert_eq!(outcome.result.unwrap_err().to_string(), "bad certificate (1 attempt)");
}

#[test]
fn a_redirect_names_the_new_address() {
    let moved = Response { location: Some("https://b/".to_owned()), ..Response::new(301, "") };
    let outcome = submit([Ok(moved)]);
    assert!(matches!(outcome.result, Err(SubmitError::Moved(place)) if place == "https://b/"));
}

#[test]
fn a_page_that_is_no_archive_is_called_so() {
    for (status, body) in [(404, "<html>"), (202, "{}"), (200, "hello")] {
        let outcome = submit([Ok(Response::new(status, body))]);
        assert!(matches!(outcome.result, Err(SubmitError::NotAnArchive { .. })), "{status}");
    }
}

/// Follows a submission through `answers`, for at most 100 s.
fn follow_through(answers: impl IntoIterator<Item = Answer>) -> (Result<Status, SubmitError>, Told, Vec<f64>) {
    let http = FakeHttp::new(answers);
    let (mut clock, mut told) = (FakeClock::default(), Told::default());
    let mut session = Session { http: &http, clock: &mut clock, progress: &mut told, policy: Policy::default() };
    let accepted = Accepted::parse(ACCEPTED.as_bytes()).unwrap();
    let result = follow(&mut session, &accepted, Duration::from_secs(100));
    assert!(http.requests.borrow().iter().all(|(request, _)| request == "GET http://a/status"));
    let slept = clock.slept.iter().map(Duration::as_secs_f64).collect();
    (result, told, slept)
}

#[test]
fn each_state_is_told_once_with_its_reason_until_the_last() {
    let first =
        r#"{"state": "received", "queue_position": 3, "events": [{"at": "t0", "state": "received", "reason": ""}]}"#;
    let last = r#"{"state": "rejected", "queue_position": null, "events": [{"at": "t0", "state": "received", "reason": ""},
        {"at": "t1", "state": "rejected", "reason": "It repeats run 7."}]}"#;
    let (result, told, slept) =
        follow_through([Ok(Response::new(200, first)), Ok(Response::new(200, first)), Ok(Response::new(200, last))]);
    assert_eq!(result.unwrap().state, "rejected");
    assert_eq!(told.lines, ["t0 received", "t1 rejected: It repeats run 7."]);
    assert_eq!(told.waiting, ["received, place 3 in the queue", "received, place 3 in the queue"]);
    assert_eq!(slept, [0.5, 0.75]);
}

#[test]
fn an_archive_that_stumbles_while_it_is_followed_is_asked_again() {
    let (result, told, _) = follow_through([
        Ok(Response::new(502, "")),
        Err(refused()),
        Ok(Response::new(200, r#"{"state": "published"}"#)),
    ]);
    assert!(result.unwrap().is_published());
    assert_eq!(told.lines.len(), 2);
}

#[test]
fn following_ends_at_its_limit_and_says_where_to_look() {
    let (result, _, slept) = follow_through((0..100).map(|_| Ok(Response::new(200, r#"{"state": "validated"}"#))));
    let words = result.unwrap_err().to_string();
    assert_eq!(words, "no final state after 100 s; the archive goes on by itself, look at http://a/status");
    assert!((slept.iter().sum::<f64>() - 100.0).abs() < 1e-6);
}
