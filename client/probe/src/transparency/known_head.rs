//! What was seen of a log before: its key and its last head, one file for each archive.
//!
//! Without it, an archive that takes something back could show everybody a new log.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::report::keys::hex;

/// The key and the head, both in the form in which the archive gave them.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct KnownHead {
    pub server: String,
    pub verifier_key: String,
    pub checkpoint: String,
}

/// `diskatlas/log` in the XDG state folder; `None` where the environment names no place.
pub fn folder() -> Option<PathBuf> {
    let variable = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    Some(state?.join("diskatlas/log"))
}

/// Errors: what the file system says; a file that holds something else is `InvalidData`.
pub fn load(folder: &Path, server: &str) -> io::Result<Option<KnownHead>> {
    match fs::read(file(folder, server)) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(io::Error::from),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces what is remembered, whole or not at all.
pub fn store(folder: &Path, seen: &KnownHead) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let path = file(folder, &seen.server);
    let new = path.with_extension("new");
    fs::write(&new, serde_json::to_vec_pretty(seen)?)?;
    fs::rename(new, path)
}

fn file(folder: &Path, server: &str) -> PathBuf {
    folder.join(format!("{}.json", &hex(&Sha256::digest(server))[..16]))
}
