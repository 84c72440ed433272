//! The archive's answers as files, one for each, so that a machine without a network checks what one with a network saved.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use crate::submit::http::{Http, HttpError, Response};

/// More than any answer of a log.
const LARGEST_BYTES: u64 = 4 << 20;

/// What stands at an address of the log: `log.json`, `leaves.json`, `inclusion-<leaf>.json` or `consistency-<first>.json`. The file
/// is the answer as it came, so one fetched with any other program does as well.
fn file_name(url: &str) -> Option<String> {
    let (_, path) = url.split_once("/api/v1/log/")?;
    let (place, query) = path.split_once('?').unwrap_or((path, ""));
    let number = |name: &str| {
        let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
        (!value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())).then_some(value)
    };
    match place {
        "" => Some("log.json".to_owned()),
        "leaves/" if query.starts_with("digest=") => Some("leaves.json".to_owned()),
        "proofs/inclusion" => Some(format!("inclusion-{}.json", number("leaf")?)),
        "proofs/consistency" => Some(format!("consistency-{}.json", number("first")?)),
        _ => None,
    }
}

pub struct SavedAnswers(pub PathBuf);

impl Http for SavedAnswers {
    fn post(&self, _url: &str, _body: &[u8]) -> Result<Response, HttpError> {
        Err(HttpError::Permanent("nothing is sent without a network".to_owned()))
    }

    fn get(&self, url: &str) -> Result<Response, HttpError> {
        let Some(name) = file_name(url) else {
            // Which other bytes a run was published with is a question for the archive itself.
            return Ok(Response { status: 200, body: br#"{"results": []}"#.to_vec(), ..Response::default() });
        };
        let path = self.0.join(&name);
        let missing = |error: std::io::Error| {
            let place = path.display();
            HttpError::Permanent(format!(
                "can't read {place} ({error}): it holds what {url} answers; fetch it on a machine with a network"
            ))
        };
        let length = fs::metadata(&path).map_err(missing)?.len();
        if length > LARGEST_BYTES {
            return Err(HttpError::Permanent(format!(
                "{} is larger than {LARGEST_BYTES} bytes, which no answer is",
                path.display()
            )));
        }
        Ok(Response { status: 200, body: fs::read(&path).map_err(missing)?, ..Response::default() })
    }
}

/// Asks an archive and keeps every good answer, to be written once all of them are true.
pub struct RecordingHttp<'a> {
    http: &'a dyn Http,
    kept: RefCell<Vec<(String, Vec<u8>)>>,
}

impl<'a> RecordingHttp<'a> {
    pub fn new(http: &'a dyn Http) -> Self {
        Self { http, kept: RefCell::default() }
    }

    /// Writes the answers into `folder`, which is made where it is missing.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        self.kept.borrow().iter().try_for_each(|(name, body)| fs::write(folder.join(name), body))
    }
}

impl Http for RecordingHttp<'_> {
    fn post(&self, url: &str, body: &[u8]) -> Result<Response, HttpError> {
        self.http.post(url, body)
    }

    fn get(&self, url: &str) -> Result<Response, HttpError> {
        let answer = self.http.get(url)?;
        if let Some(name) = file_name(url).filter(|_| answer.status == 200) {
            self.kept.borrow_mut().push((name, answer.body.clone()));
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_of_a_log_has_a_file_and_no_other_has() {
        let of = |path: &str| file_name(&format!("https://archive.example/api/v1/log/{path}"));
        assert_eq!(of("").as_deref(), Some("log.json"));
        assert_eq!(of("leaves/?digest=ab").as_deref(), Some("leaves.json"));
        assert_eq!(of("proofs/inclusion?leaf=3&size=9").as_deref(), Some("inclusion-3.json"));
        assert_eq!(of("proofs/consistency?first=4&second=9").as_deref(), Some("consistency-4.json"));
        assert_eq!(of("proofs/inclusion?leaf=../x&size=9"), None);
        assert_eq!(of("leaves/?run=ab"), None);
    }
}
