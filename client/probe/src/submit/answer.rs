//! What the archive says: an accepted submission, its status, or an RFC 9457 problem.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::terminal::text::printable;

/// `202`: the archive has the envelope and does not lose it any more.
#[derive(Clone, Debug, Deserialize)]
pub struct Accepted {
    pub state: String,
    pub status_url: String,
    /// `None` for bytes that came before and were rejected: they have no run.
    pub run_url: Option<String>,
    /// The answer as it came, for `--json`.
    #[serde(skip)]
    pub json: Value,
}

impl Accepted {
    pub fn parse(body: &[u8]) -> Option<Self> {
        let json: Value = serde_json::from_slice(body).ok()?;
        Some(Self { json: json.clone(), ..serde_json::from_value(json).ok()? })
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Status {
    pub state: String,
    pub queue_position: Option<u64>,
    pub run_url: Option<String>,
    #[serde(default)]
    pub benchmarks: Vec<BenchmarkState>,
    #[serde(default)]
    pub events: Vec<Event>,
    /// The answer as it came, for `--json`.
    #[serde(skip)]
    pub json: Value,
}

#[derive(Clone, Debug, Deserialize)]
pub struct BenchmarkState {
    pub kind: String,
    pub state: String,
    #[serde(default)]
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    #[serde(default)]
    pub at: Option<String>,
    pub state: String,
    #[serde(default)]
    pub reason: Option<String>,
}

impl Status {
    pub fn parse(body: &[u8]) -> Option<Self> {
        let json: Value = serde_json::from_slice(body).ok()?;
        Some(Self { json: json.clone(), ..serde_json::from_value(json).ok()? })
    }

    /// Whether nothing more happens without a person.
    pub fn is_final(&self) -> bool {
        matches!(self.state.as_str(), "published" | "rejected" | "quarantined" | "withdrawn" | "failed")
    }

    pub fn is_published(&self) -> bool {
        self.state == "published"
    }
}

/// `application/problem+json`: what the archive has against a submission.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Problem {
    pub title: String,
    pub detail: String,
    pub errors: Vec<ProblemError>,
    /// Where the state of a refused submission stands, if the archive keeps one.
    pub status_url: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ProblemError {
    pub path: String,
    pub message: String,
}

impl Problem {
    /// `None` for a body that is no problem document, such as a proxy's own page.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let problem: Self = serde_json::from_slice(body).ok()?;
        (!problem.title.is_empty() || !problem.detail.is_empty()).then_some(problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (title, detail) = (printable(&self.title), printable(&self.detail));
        let separator = if title.is_empty() || detail.is_empty() { "" } else { ": " };
        write!(formatter, "{title}{separator}{detail}")?;
        for error in &self.errors {
            let path = if error.path.is_empty() { "/" } else { &error.path };
            write!(formatter, "\n  {}: {}", printable(path), printable(&error.message))?;
        }
        if let Some(status_url) = &self.status_url {
            write!(formatter, "\n  see {}", printable(status_url))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_title_detail_and_one_line_for_each_error() {
        let body = br#"{"type": "/problems/schema/", "title": "Not a valid run", "status": 422, "detail": "2 places are wrong.",
            "errors": [{"path": "/device/model", "message": "too long"}, {"path": "", "message": "no run_id"}]}"#;
        let text = Problem::parse(body).unwrap().to_string();
        assert_eq!(text, "Not a valid run: 2 places are wrong.\n  /device/model: too long\n  /: no run_id");
    }

    #[test]
    fn a_proxys_own_page_is_no_problem_document() {
        assert!(Problem::parse(b"<html>Bad Gateway</html>").is_none());
        assert!(Problem::parse(b"{}").is_none());
    }

    #[test]
    fn the_archives_words_cannot_steer_the_terminal() {
        let body = br#"{"title": "\u001b[2Jgone", "detail": "a\nb"}"#;
        assert_eq!(Problem::parse(body).unwrap().to_string(), " [2Jgone: a b");
    }

    #[test]
    fn a_status_is_final_when_nothing_more_happens_without_a_person() {
        let status = |state: &str| Status::parse(format!(r#"{{"state": "{state}"}}"#).as_bytes()).unwrap();
        for state in ["published", "rejected", "quarantined"] {
            assert!(status(state).is_final(), "{state}");
        }
        for state in ["received", "verified", "validated", "extracted"] {
            assert!(!status(state).is_final(), "{state}");
        }
    }
}
