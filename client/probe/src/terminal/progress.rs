//! How far a run is: a bar on a terminal, plain lines otherwise. Drawn between series only.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::say;
use super::text;
use crate::stats::to_u64;

/// Lines for a log come at most this often.
const LINE_EVERY: Duration = Duration::from_secs(5);

pub enum Display {
    Bar { bar: ProgressBar, started: Instant },
    Lines { last: Option<Instant> },
}

impl Display {
    pub fn new() -> Self {
        if !io::stderr().is_terminal() {
            return Self::Lines { last: None };
        }
        // No steady tick: a thread that draws would draw in the middle of a sample.
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3} % {msg}") {
            bar.set_style(style);
        }
        Self::Bar { bar, started: Instant::now() }
    }

    /// `remaining` is what the whole run still takes, roughly.
    pub fn show(&mut self, what: &str, remaining: Duration) {
        let line =
            format!("{what}, about {} left", text::about(u64::try_from(remaining.as_nanos()).unwrap_or(u64::MAX)));
        match self {
            Self::Bar { bar, started } => {
                let spent = started.elapsed().as_secs_f64();
                let total = (spent + remaining.as_secs_f64()).max(f64::MIN_POSITIVE);
                bar.set_message(line);
                bar.set_position(to_u64(1000.0 * spent / total));
            }
            Self::Lines { last } => {
                if last.is_none_or(|last| last.elapsed() >= LINE_EVERY) {
                    say!("{line}");
                    *last = Some(Instant::now());
                }
            }
        }
    }

    pub fn warn(&self, problem: &str) {
        match self {
            Self::Bar { bar, .. } => bar.suspend(|| say!("warning: {problem}")),
            Self::Lines { .. } => say!("warning: {problem}"),
        }
    }

    pub fn finish(&mut self) {
        if let Self::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }
}

impl Default for Display {
    fn default() -> Self {
        Self::new()
    }
}
