//! An archive and a clock that tests script.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use super::Progress;
use super::clock::Clock;
use super::http::{Http, HttpError, Response};

/// Answers from a list, in order, and keeps what it was asked.
#[derive(Default)]
pub struct FakeHttp {
    answers: RefCell<VecDeque<Result<Response, HttpError>>>,
    pub requests: RefCell<Vec<(String, Vec<u8>)>>,
}

impl FakeHttp {
    pub fn new(answers: impl IntoIterator<Item = Result<Response, HttpError>>) -> Self {
        Self { answers: RefCell::new(answers.into_iter().collect()), requests: RefCell::default() }
    }

    fn answer(&self, request: (String, Vec<u8>)) -> Result<Response, HttpError> {
        self.requests.borrow_mut().push(request);
        self.answers.borrow_mut().pop_front().expect("one request more than the test foresaw")
    }
}

impl Http for FakeHttp {
    fn post(&self, url: &str, body: &[u8]) -> Result<Response, HttpError> {
        self.answer((format!("POST {url}"), body.to_vec()))
    }

    fn get(&self, url: &str) -> Result<Response, HttpError> {
        self.answer((format!("GET {url}"), Vec::new()))
    }
}

/// Time that passes only by sleeping.
#[derive(Default)]
pub struct FakeClock {
    pub slept: Vec<Duration>,
    pub jitter: f64,
}

impl Clock for FakeClock {
    fn now(&self) -> Duration {
        self.slept.iter().sum()
    }

    fn sleep(&mut self, duration: Duration) {
        self.slept.push(duration);
    }

    fn jitter(&mut self) -> f64 {
        self.jitter
    }
}

#[derive(Default)]
pub struct Told {
    pub lines: Vec<String>,
    pub waiting: Vec<String>,
}

impl Progress for Told {
    fn line(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    fn waiting(&mut self, text: &str) {
        self.waiting.push(text.to_owned());
    }
}
