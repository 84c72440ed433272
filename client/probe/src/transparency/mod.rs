//! The archive's publication log: whether it holds a run, and whether it goes on from what was seen of it before.
//!
//! The archive is not trusted with anything here but its answers: every hash is computed anew.

pub mod known_head;
pub mod merkle;
pub mod note;
pub mod offline;
#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::submit::answer::Problem;
use crate::submit::http::{Http, HttpError, Response};
use known_head::KnownHead;
use merkle::{Hash, is_consistent, is_included, leaf_hash};
use note::{Checkpoint, NoteError, VerifierKey};

const LEAF_VERSION: &str = "diskatlas-log/v1";

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("{0}")]
    Refused(String),
    #[error("the archive's answer at {0} is not what a publication log says")]
    NotALog(String),
    #[error(transparent)]
    Note(#[from] NoteError),
    #[error(
        "the log's key is {now}, and it was {before} when this machine saw it last. Ask the archive why; if you \
         trust the new one, name it with --log-key"
    )]
    OtherKey { now: String, before: String },
    #[error("the log has {now} leaves, and had {before} when this machine saw it last: something was taken back")]
    Shrunk { now: u64, before: u64 },
    #[error("the log does not go on from the head that this machine saw before: what it held was changed")]
    Inconsistent,
    #[error(
        "the archive showed somebody else a log of {other} leaves that is not the one of {now} that it shows here. Both heads are signed: keep them, and tell others"
    )]
    SplitView { now: u64, other: u64 },
    #[error("the log does not hold these bytes: the archive has not published them")]
    NotLogged,
    #[error("the log holds the run {0}, but with other bytes than this file's: fetch the run's envelope")]
    OtherBytes(String),
    #[error("the proof for leaf {0} does not lead to the signed head")]
    WrongProof(u64),
    #[error("leaf {0} says something else than was asked for")]
    OtherLeaf(u64),
}

/// A leaf, as the archive tells it; its bytes are made from it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Leaf {
    pub index: u64,
    pub kind: String,
    pub digest: String,
    pub run_id: String,
    pub at: String,
    pub version: String,
}

impl Leaf {
    fn bytes(&self) -> Vec<u8> {
        let Self { kind, digest, run_id, at, .. } = self;
        format!("{LEAF_VERSION}\n{kind}\n{digest}\n{run_id}\n{at}\n").into_bytes()
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct LogProof {
    pub origin: String,
    pub size: u64,
    pub verifier_key: String,
    /// Everything that the log says of the file: publication first, then withdrawal.
    pub leaves: Vec<Leaf>,
    /// Leaves of the head seen before, which the present one is proved to go on from.
    pub goes_on_from: Option<u64>,
    #[serde(skip)]
    pub seen: Option<KnownHead>,
}

impl LogProof {
    /// Whether the last word on the file is that it is published.
    pub fn is_published(&self) -> bool {
        self.leaves.last().is_some_and(|leaf| leaf.kind == "published")
    }
}

/// Asks the archive at `server` (without a slash at its end) for head and proofs of the envelope with `digest`, and checks them.
/// Errors: [`LogError`]: nothing is shown, and what is remembered should stay as it is.
pub fn check(
    http: &dyn Http,
    server: &str,
    digest: &str,
    run_id: Option<&str>,
    key: Option<&str>,
    seen: Option<&KnownHead>,
) -> Result<LogProof, LogError> {
    let log = Log { http, server };
    let (checkpoint, known) = log.head(key, seen)?;
    let goes_on_from = log.consistency(&checkpoint, seen)?;
    let leaves = log.leaves(&checkpoint, digest, run_id)?;
    Ok(LogProof {
        size: checkpoint.size,
        origin: checkpoint.origin,
        verifier_key: known.verifier_key.clone(),
        leaves,
        goes_on_from,
        seen: Some(known),
    })
}

/// What watching a log showed.
#[derive(Clone, Debug, Serialize)]
pub struct Watched {
    pub origin: String,
    pub size: u64,
    pub verifier_key: String,
    /// Leaves of the head seen before, which the present one is proved to go on from.
    pub goes_on_from: Option<u64>,
    /// Leaves of the head that somebody else was shown, which is proved to be of the same log.
    pub agrees_with: Option<u64>,
    #[serde(skip)]
    pub seen: KnownHead,
}

/// Asks for the log's head and has it proved to go on from the one seen before, and to be of one log with a head (a signed
/// note) that somebody else was shown. Errors: [`LogError`], `SplitView` where those two contradict each other.
pub fn watch(
    http: &dyn Http,
    server: &str,
    key: Option<&str>,
    seen: Option<&KnownHead>,
    shown_elsewhere: Option<&str>,
) -> Result<Watched, LogError> {
    let log = Log { http, server };
    let (now, known) = log.head(key, seen)?;
    let goes_on_from = log.consistency(&now, seen)?;
    let agrees_with = match shown_elsewhere {
        None => None,
        Some(note) => {
            let other = note::open(note, &VerifierKey::parse(&known.verifier_key)?)?;
            let (first, second) = if other.size <= now.size { (&other, &now) } else { (&now, &other) };
            if !log.is_one(first, second)? {
                return Err(LogError::SplitView { now: now.size, other: other.size });
            }
            Some(other.size)
        }
    };
    let verifier_key = known.verifier_key.clone();
    Ok(Watched { origin: now.origin, size: now.size, verifier_key, goes_on_from, agrees_with, seen: known })
}

/// The head that the archive shows with what witnesses signed under it: a signed note, of which nothing is checked yet.
/// Errors: [`LogError`] where it shows none.
pub fn head_cosigned(http: &dyn Http, server: &str) -> Result<String, LogError> {
    let url = format!("{server}/api/v1/log/cosigned");
    let answer = http.get(&url)?;
    if answer.status != 200 {
        return Err(refused(&url, &answer));
    }
    String::from_utf8(answer.body).map_err(|_| LogError::NotALog(url))
}

struct Log<'a> {
    http: &'a dyn Http,
    server: &'a str,
}

impl Log<'_> {
    fn get(&self, path: &str) -> Result<Value, LogError> {
        let url = format!("{}/api/v1/{path}", self.server);
        let answer = self.http.get(&url)?;
        parsed(url, &answer)
    }

    /// The head that the archive shows, signed by the key that is trusted.
    fn head(&self, key: Option<&str>, seen: Option<&KnownHead>) -> Result<(Checkpoint, KnownHead), LogError> {
        let head = self.get("log/")?;
        let offered = text(&head, "verifier_key")?;
        let trusted = key.or(seen.map(|seen| seen.verifier_key.as_str())).unwrap_or(offered);
        if key.is_none() && trusted != offered {
            return Err(LogError::OtherKey { now: offered.to_owned(), before: trusted.to_owned() });
        }
        let note = text(&head, "checkpoint")?;
        let checkpoint = note::open(note, &VerifierKey::parse(trusted)?)?;
        let known =
            KnownHead { server: self.server.to_owned(), verifier_key: trusted.to_owned(), checkpoint: note.to_owned() };
        Ok((checkpoint, known))
    }

    /// Whether the log of the first head begins that of the second, as the archive has to prove.
    fn is_one(&self, first: &Checkpoint, second: &Checkpoint) -> Result<bool, LogError> {
        if first.size == second.size {
            return Ok(first.root == second.root);
        }
        if first.size == 0 {
            return Ok(true);
        }
        let path = format!("log/proofs/consistency?first={}&second={}", first.size, second.size);
        let url = format!("{}/api/v1/{path}", self.server);
        let answer = self.http.get(&url)?;
        if matches!(answer.status, 400 | 404) {
            // It does not have so many leaves, it says: what it showed somebody else is no part of this log.
            return Ok(false);
        }
        let proof = hashes(&parsed(url, &answer)?, "proof")?;
        Ok(is_consistent(first.size, second.size, &first.root, &second.root, &proof))
    }

    fn consistency(&self, now: &Checkpoint, seen: Option<&KnownHead>) -> Result<Option<u64>, LogError> {
        let Some(seen) = seen else { return Ok(None) };
        let before = note::open(&seen.checkpoint, &VerifierKey::parse(&seen.verifier_key)?)?;
        if before.size > now.size {
            return Err(LogError::Shrunk { now: now.size, before: before.size });
        }
        if before.size == now.size {
            return if before.root == now.root { Ok(Some(before.size)) } else { Err(LogError::Inconsistent) };
        }
        let path = format!("log/proofs/consistency?first={}&second={}", before.size, now.size);
        let proof = hashes(&self.get(&path)?, "proof")?;
        if before.size > 0 && !is_consistent(before.size, now.size, &before.root, &now.root, &proof) {
            return Err(LogError::Inconsistent);
        }
        Ok(Some(before.size))
    }

    fn leaves(&self, head: &Checkpoint, digest: &str, run_id: Option<&str>) -> Result<Vec<Leaf>, LogError> {
        let found = self.listed(&format!("log/leaves/?digest={digest}"))?;
        // A leaf that was added after the head is not proved by it.
        let found: Vec<_> = found.into_iter().filter(|leaf| leaf.index < head.size).collect();
        if found.is_empty() {
            return Err(match run_id {
                Some(run) if !self.listed(&format!("log/leaves/?run={run}"))?.is_empty() => {
                    LogError::OtherBytes(run.to_owned())
                }
                _ => LogError::NotLogged,
            });
        }
        for leaf in &found {
            if leaf.digest != digest || leaf.version != LEAF_VERSION || run_id.is_some_and(|run| run != leaf.run_id) {
                return Err(LogError::OtherLeaf(leaf.index));
            }
            let path = format!("log/proofs/inclusion?leaf={}&size={}", leaf.index, head.size);
            let proof = hashes(&self.get(&path)?, "proof")?;
            if !is_included(leaf.index, head.size, &leaf_hash(&leaf.bytes()), &proof, &head.root) {
                return Err(LogError::WrongProof(leaf.index));
            }
        }
        Ok(found)
    }

    fn listed(&self, path: &str) -> Result<Vec<Leaf>, LogError> {
        let answer = self.get(path)?;
        serde_json::from_value(answer["results"].clone()).map_err(|_| LogError::NotALog(path.to_owned()))
    }
}

fn parsed(url: String, answer: &Response) -> Result<Value, LogError> {
    if answer.status != 200 {
        return Err(refused(&url, answer));
    }
    serde_json::from_slice(&answer.body).map_err(|_| LogError::NotALog(url))
}

fn refused(url: &str, answer: &Response) -> LogError {
    let problem = Problem::parse(&answer.body).map_or_else(|| format!("status {}", answer.status), |it| it.to_string());
    LogError::Refused(format!("{url}: {problem}"))
}

fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, LogError> {
    value[name].as_str().ok_or_else(|| LogError::NotALog(name.to_owned()))
}

fn hashes(value: &Value, name: &str) -> Result<Vec<Hash>, LogError> {
    let wrong = || LogError::NotALog(name.to_owned());
    let list = value[name].as_array().ok_or_else(wrong)?;
    let decode = |one: &Value| STANDARD.decode(one.as_str()?).ok()?.try_into().ok();
    list.iter().map(|one| decode(one).ok_or_else(wrong)).collect()
}
