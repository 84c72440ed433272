//! The journal's file: lines that are durable once written, and of which a torn or damaged end is told from the rest.
//!
//! A line is sixteen hex digits, a space and JSON. The digits are the start of the SHA-256 of the digits of the line
//! before it (none before the first) and the JSON: a line that was lost, changed or only half written ends what counts.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::mem;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};

use crate::report::content::{Content, DigestWriter};

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
    waiting: Vec<Vec<u8>>,
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
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }
}

/// Where the lines of a journal stand that count, and what comes after them.
#[derive(Debug)]
pub struct Lines {
    pub places: Vec<LineRange>,
    /// Bytes after the last line that counts: of a line that was being written, or of damaged ones.
    pub dropped_bytes: u64,
}

/// The JSON of one line.
#[derive(Clone, Copy, Debug)]
pub struct LineRange {
    offset: u64,
    length: u64,
}

impl JournalFile {
    /// Makes a journal that only its owner can read.
    /// Errors: [`JournalError`], also where there is one of that name already.
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
    pub fn open(path: &Path) -> Result<(Self, Lines), JournalError> {
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(JournalError::Missing(path.to_owned()));
            }
            other => other.map_err(JournalError::io(path))?,
        };
        lock(&file, path)?;
        let scan = Scan::of(&file).map_err(JournalError::io(path))?;
        let total = file.metadata().map_err(JournalError::io(path))?.len();
        let lines = Lines { places: scan.places, dropped_bytes: total.saturating_sub(scan.length) };
        Ok((Self::new(file, path, scan.length, scan.checksum), lines))
    }

    /// The JSON of a line: one of a finished kind may hold millions of numbers, and is read bit by bit.
    pub fn line(&self, place: LineRange) -> io::Result<impl BufRead> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(place.offset))?;
        Ok(BufReader::new(file.take(place.length)))
    }

    fn new(file: File, path: &Path, length: u64, checksum: String) -> Self {
        Self { file, path: path.to_owned(), length, checksum, waiting: Vec::new() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line, and those before it that did not fit then; they are durable when this succeeds. After a failure
    /// the file holds what it held before, and the line waits for the next call.
    pub fn append(&mut self, json: &dyn Content) -> io::Result<()> {
        let mut waiting = mem::take(&mut self.waiting);
        let written = self.write(waiting.iter().map(|line| line as &dyn Content).chain([json]));
        if written.is_err() {
            let _ = self.file.set_len(self.length);
            waiting.push(json.to_vec()?);
            self.waiting = waiting;
        }
        (self.length, self.checksum) = written?;
        Ok(())
    }

    /// Answers with the length and the checksum that the file has then.
    fn write<'a>(&self, lines: impl Iterator<Item = &'a dyn Content>) -> io::Result<(u64, String)> {
        // What stands after the lines that count is cut off first, so that no mixture of old and new can count.
        self.file.set_len(self.length)?;
        let mut out = BufWriter::new(&self.file);
        out.seek(SeekFrom::Start(self.length))?;
        let mut checksum = self.checksum.clone();
        for line in lines {
            checksum = checksum_of(&checksum, line)?;
            write!(out, "{checksum} ")?;
            line.write_to(&mut out)?;
            out.write_all(b"\n")?;
        }
        let length = out.stream_position()?;
        out.flush()?;
        self.file.sync_data()?;
        Ok((length, checksum))
    }

    /// Puts another handle in the place of the file's: one that can't be written stands for a full file system.
    #[cfg(test)]
    pub fn replace_for_test(&mut self, file: File) -> File {
        std::mem::replace(&mut self.file, file)
    }

    /// Takes the file away.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(&self.path)?;
        sync_folder(&self.path);
        Ok(())
    }
}

/// The lines up to the first that is not as it was written, their length in bytes and the last one's checksum.
#[derive(Default)]
struct Scan {
    places: Vec<LineRange>,
    length: u64,
    checksum: String,
}

impl Scan {
    fn of(file: &File) -> io::Result<Self> {
        let (mut scan, mut reader) = (Self::default(), BufReader::new(file));
        while let Some((place, checksum)) = scan.next_line(&mut reader)? {
            scan.places.push(place);
            scan.length = place.offset + place.length + 1;
            scan.checksum = checksum;
        }
        Ok(scan)
    }

    /// The next line, if it is whole and its checksum follows from the one before.
    fn next_line(&self, reader: &mut impl BufRead) -> io::Result<Option<(LineRange, String)>> {
        let mut stated = Vec::with_capacity(CHECKSUM_DIGITS + 1);
        reader.take(CHECKSUM_DIGITS as u64 + 1).read_to_end(&mut stated)?;
        let mut place = LineRange { offset: self.length + stated.len() as u64, length: 0 };
        let mut digest = Sha256::new().chain_update(&self.checksum);
        loop {
            let bytes = reader.fill_buf()?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(bytes.len());
            digest.update(&bytes[..taken]);
            place.length += taken as u64;
            reader.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                break;
            }
        }
        let checksum = digits(digest);
        let fits = stated.strip_suffix(b" ") == Some(checksum.as_bytes());
        Ok(fits.then_some((place, checksum)))
    }
}

fn checksum_of(before: &str, json: &dyn Content) -> io::Result<String> {
    let mut digest = Sha256::new().chain_update(before);
    json.write_to(&mut DigestWriter(&mut digest))?;
    Ok(digits(digest))
}

fn digits(digest: Sha256) -> String {
    let bytes = digest.finalize();
    bytes.iter().take(CHECKSUM_DIGITS / 2).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
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
