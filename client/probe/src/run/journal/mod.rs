//! A run's journal: one durable record per finished piece, so that a run goes on after Ctrl-C, a kill or a power cut.

mod file;
mod records;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;

use jiff::Timestamp;

use crate::identify::{Tree, host};
use crate::report::content::{Content, JsonText};
use crate::report::document::{Benchmark, Disturbance, Interruption, Probe};
use crate::report::json::Json;
use crate::session::{Journal, Piece};
use crate::terminal::say;

pub use file::{JournalError, JournalFile};
pub use records::{FORMAT, Header, Moment, Record};

/// A run as its journal knows it: what earlier processes measured of it, and the file that takes what comes.
pub struct RunJournal {
    pub header: Header,
    /// `None` where no journal can be kept.
    file: Option<JournalFile>,
    pieces: HashMap<(String, String), VecDeque<Piece>>,
    finished: HashMap<String, Benchmark>,
    /// Times at which the run was cut off. The last ones have no place yet: that is where it goes on.
    interruptions: Vec<Interruption>,
    /// The last record that an earlier process wrote, and in which boot.
    last: Option<(Moment, Option<String>)>,
    /// Whether anything was measured that would be lost.
    worth_keeping: bool,
    failing: bool,
}

/// Why a journal can't be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    File(#[from] JournalError),
    #[error("{0} holds no run: its first line is damaged, or it is no journal; measure anew with `diskatlas run`")]
    NoHeader(String),
    #[error(
        "{path} was written by diskatlas {theirs}, and this is {ours}: another version may measure differently, and would mix \
         what does not belong together; resume with that version, or remove the journal and measure anew"
    )]
    OtherVersion { path: String, theirs: String, ours: String },
}

impl RunJournal {
    /// A new run. Where `path` takes no journal, a warning says why and the run goes without.
    /// Errors: [`JournalError::Unfinished`] and [`JournalError::InUse`]: another run's journal is not overwritten.
    pub fn begin(path: &Path, header: Header) -> Result<Self, JournalError> {
        let mut journal = Self::new(header);
        match JournalFile::create(path) {
            Ok(file) => journal.file = Some(file),
            Err(error @ (JournalError::Unfinished(_) | JournalError::InUse(_))) => return Err(error),
            Err(error) => say!("warning: no journal can be kept, so that this run can't be resumed: {error}"),
        }
        let header = journal.header.clone();
        journal.write_line(&JsonText(&header));
        Ok(journal)
    }

    /// A run that was cut off, and the bytes of its journal that were damaged and don't count.
    pub fn load(path: &Path) -> Result<(Self, u64), LoadError> {
        let (file, lines) = JournalFile::open(path)?;
        let shown = || path.display().to_string();
        let mut places = lines.places.into_iter();
        let no_header = || LoadError::NoHeader(shown());
        let header = places.next().and_then(|place| io::read_to_string(file.line(place).ok()?).ok());
        let header = header.ok_or_else(no_header)?;
        check_version(&header, &shown())?;
        let header: Header = serde_json::from_str(&header).map_err(|_| no_header())?;
        let mut journal = Self::new(header);
        for place in places {
            let line = file.line(place).map_err(JournalError::io(path))?;
            // A checksum that fits and a record that doesn't: nothing writes that, and what follows is of no use.
            let Ok(record) = serde_json::from_reader(line) else { break };
            journal.replay(record);
        }
        journal.file = Some(file);
        Ok((journal, lines.dropped_bytes))
    }

    fn new(header: Header) -> Self {
        Self {
            header,
            file: None,
            pieces: HashMap::new(),
            finished: HashMap::new(),
            interruptions: Vec::new(),
            last: None,
            worth_keeping: false,
            failing: false,
        }
    }

    fn replay(&mut self, record: Record<'_>) {
        let moment = record.moment().clone();
        match record {
            Record::Began { boot_id, .. } => {
                if let Some((last, _)) = &self.last {
                    self.interruptions.push(Interruption { at: last.at.clone(), kind: None, piece: None });
                }
                self.last = Some((moment, boot_id));
                return;
            }
            Record::Piece { kind, name, piece, .. } => {
                self.goes_on_at(&kind, Some(&name));
                self.pieces.entry((kind, name)).or_default().push_back(piece.into_owned());
                self.worth_keeping = true;
            }
            Record::Finished { entry, .. } => {
                self.goes_on_at(entry.kind(), None);
                self.forget_values(entry.kind());
                self.finished.insert(entry.kind().to_owned(), entry.into_owned());
                self.worth_keeping = true;
            }
            Record::Stopped { .. } => {}
        }
        if let Some((last, _)) = &mut self.last {
            *last = moment;
        }
    }

    /// The entry of a finished kind has what its pieces measured; what disturbed them stands with the pieces alone.
    fn forget_values(&mut self, kind: &str) {
        let of_kind = self.pieces.iter_mut().filter(|((of, _), _)| of == kind);
        for piece in of_kind.flat_map(|(_, pieces)| pieces) {
            piece.value = Json::default();
        }
    }

    /// The interruptions that have no place yet were here.
    fn goes_on_at(&mut self, kind: &str, piece: Option<&str>) {
        for interruption in self.interruptions.iter_mut().filter(|interruption| interruption.kind.is_none()) {
            interruption.kind = Some(kind.to_owned());
            interruption.piece = piece.map(str::to_owned);
        }
    }

    /// Writes down that this process begins to measure, on a device whose clock says `device_ns`. Answers with what
    /// has to be added to that clock so that the run's own goes on from where it was.
    pub fn began(&mut self, tree: &Tree, device_ns: u64) -> i64 {
        let boot_id = host::boot_id(tree);
        let mut offset_ns = 0;
        if let Some((last, boot)) = &self.last {
            self.interruptions.push(Interruption { at: last.at.clone(), kind: None, piece: None });
            if *boot != boot_id {
                let wanted = last.clock_ns.saturating_add(nanoseconds_since(&last.at));
                offset_ns = wanted.cast_signed().wrapping_sub(device_ns.cast_signed());
            }
        }
        let moment = Moment::now(device_ns.wrapping_add_signed(offset_ns));
        self.write(&Record::Began { moment, boot_id });
        offset_ns
    }

    /// Where the clock of a device without a boot of its own has to be set to.
    pub fn last_clock_ns(&self) -> u64 {
        self.last.as_ref().map_or(0, |(moment, _)| moment.clock_ns)
    }

    /// The entry of a kind that an earlier process finished.
    pub fn recall_finished(&mut self, kind: &str) -> Option<Benchmark> {
        self.finished.remove(kind)
    }

    /// What disturbed the pieces of a kind that an earlier process measured.
    pub fn disturbances(&self, kind: &str) -> Vec<Disturbance> {
        let of_kind = self.pieces.iter().filter(|((of, _), _)| of == kind);
        let said = of_kind.flat_map(|(_, pieces)| pieces).filter_map(|piece| piece.disturbance.clone());
        said.map(|one| Disturbance { kind: kind.to_owned(), ..one }).collect()
    }

    /// Nanoseconds that finished pieces of an unfinished kind took.
    pub fn elapsed_ns(&self, kind: &str) -> u64 {
        let of_kind = self.pieces.iter().filter(|((of, _), _)| of == kind);
        of_kind.flat_map(|(_, pieces)| pieces).map(|piece| piece.elapsed_ns).sum()
    }

    pub fn finish_kind(&mut self, entry: &Benchmark, clock_ns: u64) {
        let moment = Moment::now(clock_ns);
        self.pieces.retain(|(kind, _), _| kind != entry.kind());
        self.goes_on_at(entry.kind(), None);
        self.worth_keeping = true;
        self.write(&Record::Finished { moment, entry: Cow::Borrowed(entry) });
    }

    /// The run ends before it is through.
    pub fn stopped(&mut self, clock_ns: u64) {
        self.write(&Record::Stopped { moment: Moment::now(clock_ns) });
    }

    pub fn interruptions(&self) -> Vec<Interruption> {
        self.interruptions.clone()
    }

    /// The journal's file, where it is there and holds something that would be lost with it.
    pub fn resumable(&self) -> Option<&Path> {
        self.file.as_ref().filter(|_| self.worth_keeping && !self.failing).map(JournalFile::path)
    }

    /// Takes the file away: the document has all of it, or there is nothing in it.
    pub fn remove(self) {
        if let Some(file) = self.file {
            let path = file.path().to_owned();
            if let Err(error) = file.remove() {
                say!("warning: {} is of no more use and can't be removed: {error}", path.display());
            }
        }
    }

    fn write(&mut self, record: &Record<'_>) {
        self.write_line(&JsonText(record));
    }

    /// A journal that can't be written costs nobody the run: the line waits, and the person is told once.
    fn write_line(&mut self, line: &dyn Content) {
        let Some(file) = &mut self.file else { return };
        match file.append(line) {
            Ok(()) if self.failing => say!("the journal is complete again"),
            Ok(()) => {}
            Err(_) if self.failing => return,
            Err(error) => {
                say!(
                    "warning: {} can't be written ({error}): the run goes on, but what is measured from here on is lost if it is cut \
                     off; free some space there, and the journal catches up",
                    file.path().display()
                );
                self.failing = true;
                return;
            }
        }
        self.failing = false;
    }
}

/// The part of the journal that belongs to one kind.
pub struct KindJournal<'a> {
    pub journal: &'a mut RunJournal,
    pub kind: &'a str,
}

impl Journal for KindJournal<'_> {
    fn recall(&mut self, name: &str) -> Option<Piece> {
        let key = (self.kind.to_owned(), name.to_owned());
        let known = self.journal.pieces.get_mut(&key).and_then(VecDeque::pop_front);
        if known.is_none() {
            self.journal.goes_on_at(self.kind, Some(name));
        }
        known
    }

    fn record(&mut self, name: &str, piece: &Piece) {
        self.journal.worth_keeping = true;
        self.journal.write(&Record::Piece {
            moment: Moment::now(piece.ended_ns),
            kind: self.kind.to_owned(),
            name: name.to_owned(),
            piece: Cow::Borrowed(piece),
        });
    }
}

/// The version is looked at before the rest: another one's header may look different.
fn check_version(header: &str, path: &str) -> Result<(), LoadError> {
    let value: serde_json::Value = serde_json::from_str(header).map_err(|_| LoadError::NoHeader(path.to_owned()))?;
    let words = |version: &serde_json::Value, commit: &serde_json::Value| {
        let commit = commit.as_str().map(|commit| format!(" (commit {commit})")).unwrap_or_default();
        format!("{}{commit}", version.as_str().unwrap_or("of an unknown version"))
    };
    let probe = Probe::this();
    let theirs = words(&value["probe"]["version"], &value["probe"]["commit"]);
    let ours = words(&probe.version.into(), &probe.commit.into());
    if theirs != ours || value["format"] != FORMAT {
        return Err(LoadError::OtherVersion { path: path.to_owned(), theirs, ours });
    }
    Ok(())
}

/// By the wall clock; nothing where it was set back.
fn nanoseconds_since(at: &str) -> u64 {
    let then: Option<Timestamp> = at.parse().ok();
    then.map_or(0, |then| Timestamp::now().duration_since(then).as_nanos().max(0).try_into().unwrap_or(u64::MAX))
}
