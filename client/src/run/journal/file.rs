//! The journal's file: lines that are durable once written, and of which a torn or damaged end is told from the rest.
//!
//! A line is sixteen hex digits, a space and JSON. The digits are the start of the SHA-256 of the digits of the line
//! before it (none before the first) and the JSON: a line that was lost, changed or only half written ends what counts.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};

const CHECKSUM_DIGITS: usize = 16;

/// A journal that is open for more lines, and locked: one process at a time goes on with a run.
#[derive(Debug)]
pub struct JournalFile {
    file: File,
    path: PathBuf,
    /// Bytes that count, and the checksum of the last line of them.
    length: u64,
    checksum: String,
    /// Lines that did not fit yet, oldest first.
    waiting: Vec<String>,
}

/// Why there is no journal to write to, or to read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{} is the journal of a run that was cut off: go on with `diskatlas resume {}`, or remove it and measure anew", .0.display(), .0.display())]
    Unfinished(PathBuf),
    #[error("{} is in use: another probe is measuring this run; wait for it, or end it first", .0.display())]
    InUse(PathBuf),
    #[error("there is no journal {}: nothing is left to resume there; a journal lies beside the file that `diskatlas run` writes, and is removed when all is measured", .0.display())]
    Missing(PathBuf),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl JournalError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }
}

/// The lines of a journal that count, as JSON, and what comes after them.
#[derive(Debug)]
pub struct Lines {
    pub lines: Vec<String>,
    /// Bytes after the last line that counts: of a line that was being written, or of damaged ones.
    pub dropped_bytes: u64,
}

impl JournalFile {
    /// Makes a journal that only its owner can read.
    ///
    /// # Errors
    /// [`JournalError`], also where there is one of that name already.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let file = match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(JournalError::Unfinished(path.to_owned()));
            }
            other => other.map_err(JournalError::io(path))?,
        };
        lock(&file, path)?;
        sync_folder(path);
        Ok(Self::new(file, path, 0, String::new()))
    }

    /// Opens a journal and reads what counts of it. Nothing is changed before the first [`JournalFile::append`].
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn open(path: &Path) -> Result<(Self, Lines), JournalError> {
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(JournalError::Missing(path.to_owned()));
            }
            other => other.map_err(JournalError::io(path))?,
        };
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(JournalError::io(path))?;
        let (lines, length, checksum) = valid_lines(&bytes);
        let dropped_bytes = bytes.len() as u64 - length;
        Ok((Self::new(file, path, length, checksum), Lines { lines, dropped_bytes }))
    }

    fn new(file: File, path: &Path, length: u64, checksum: String) -> Self {
        Self { file, path: path.to_owned(), length, checksum, waiting: Vec::new() }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line, and those before it that did not fit then; they are durable when this succeeds. After a failure
    /// the file holds what it held before, and the line waits for the next call.
    ///
    /// # Errors
    /// What the file system said.
    pub fn append(&mut self, json: String) -> io::Result<()> {
        self.waiting.push(json);
        let mut text = String::new();
        let mut checksum = self.checksum.clone();
        for json in &self.waiting {
            checksum = checksum_of(&checksum, json);
            text.push_str(&checksum);
            text.push(' ');
            text.push_str(json);
            text.push('\n');
        }
        // What stands after the lines that count is cut off first, so that no mixture of old and new can count.
        let written = self
            .file
            .set_len(self.length)
            .and_then(|()| self.file.seek(SeekFrom::Start(self.length)))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += text.len() as u64;
        self.checksum = checksum;
        self.waiting.clear();
        Ok(())
    }

    /// Puts another handle in the place of the file's: one that can't be written stands for a full file system.
    #[cfg(test)]
    pub fn replace_for_test(&mut self, file: File) -> File {
        std::mem::replace(&mut self.file, file)
    }

    /// Takes the file away.
    ///
    /// # Errors
    /// What the file system said.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)?;
        sync_folder(&self.path);
        Ok(())
    }
}

/// The lines up to the first that is not as it was written, their length in bytes and the last one's checksum.
fn valid_lines(bytes: &[u8]) -> (Vec<String>, u64, String) {
    let (mut lines, mut length, mut checksum) = (Vec::new(), 0, String::new());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let Some(json) = line_of(line, &checksum) else { break };
        checksum = checksum_of(&checksum, json);
        length += line.len() as u64;
        lines.push(json.to_owned());
    }
    (lines, length, checksum)
}

/// The JSON of a whole line whose checksum follows from the one before.
fn line_of<'a>(line: &'a [u8], before: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (stated, json) = text.split_once(' ')?;
    (stated == checksum_of(before, json)).then_some(json)
}

fn checksum_of(before: &str, json: &str) -> String {
    let digest = Sha256::new().chain_update(before).chain_update(json).finalize();
    digest.iter().take(CHECKSUM_DIGITS / 2).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => Err(JournalError::InUse(path.to_owned())),
        // A file system without locks has no two probes at the same run either, as far as anyone can tell.
        _ => Ok(()),
    }
}

/// The name itself is on disk only once its folder is. Some file systems can't sync a folder; the file is written.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
