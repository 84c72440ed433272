//! What a process that was killed left switched: a file for each disk whose caches do not stand where they stood.
//!
//! It is written before the first switch and removed once everything is back. The process that switches holds a lock on
//! it, so that a file without one tells of a process that is gone. The folder is emptied at boot, and a disk forgets its
//! switches when it loses power; over a reboot the run's journal knows.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::identify::pages::CacheStates;

/// Which disk, and how its caches stood before, those that were switched.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
struct Content {
    unit: Option<String>,
    /// The number that the kernel gives to no other disk until it is started anew.
    sequence: Option<u64>,
    #[serde(flatten)]
    before: CacheStates,
}

#[derive(Debug)]
pub struct CacheRestoreState {
    path: PathBuf,
    content: Content,
    held: Option<File>,
}

impl CacheRestoreState {
    /// That of the disk that the kernel calls `name`, whose digest is `unit`; `folder` is the machine's `/run`. A disk
    /// without a digest is the same one as long as its number is.
    pub fn open(folder: &Path, name: &str, unit: Option<String>, sequence: Option<u64>) -> Self {
        let path = path(folder, name);
        let same = |left: &Content| left.unit == unit && (unit.is_some() || left.sequence == sequence);
        let content = left_behind(&path).filter(same);
        Self { path, content: content.unwrap_or(Content { unit, sequence, ..Content::default() }), held: None }
    }

    /// Whether there may be something to say of the disk: its digest is slow on purpose and not asked for in vain.
    pub fn exists(folder: &Path, name: &str) -> bool {
        path(folder, name).exists()
    }

    /// How write cache and look-ahead stood before they were switched, by this process or one that is gone.
    pub const fn before(&self) -> CacheStates {
        self.content.before
    }

    /// A cache is about to be switched that stood so. What an earlier process found counts more: that one found it untouched.
    ///
    /// A file that can't be written costs nobody the run: the journal tells the same to whoever resumes it.
    pub fn about_to_switch(&mut self, before: CacheStates) {
        for (which, was) in before.known() {
            self.content.before.get_mut(which).get_or_insert(was);
        }
        let Ok(text) = serde_json::to_vec(&self.content) else { return };
        if self.held.is_none() {
            self.held = hold(&self.path);
        }
        if let Some(file) = &self.held {
            let _ = file.write_all_at(&text, 0).and_then(|()| file.set_len(text.len() as u64));
        }
    }

    /// Everything stands as it stood.
    pub fn clear(&mut self) {
        self.content.before = CacheStates::default();
        let _ = fs::remove_file(&self.path);
        self.held = None;
    }
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join("diskatlas").join(format!("{name}.switched"))
}

fn hold(path: &Path) -> Option<File> {
    fs::create_dir_all(path.parent()?).ok()?;
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

/// What stands in a file that nobody holds.
fn left_behind(path: &Path) -> Option<Content> {
    let mut file = File::open(path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockShared).ok()?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(write: Option<bool>, look_ahead: Option<bool>) -> CacheStates {
        CacheStates { write, look_ahead }
    }

    #[test]
    fn what_a_process_left_is_known_once_it_is_gone_and_to_the_same_disk_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |word: &str| CacheRestoreState::open(folder.path(), "sdb", Some(word.to_owned()), Some(7));
        let mut first = open("one");
        assert!(!CacheRestoreState::exists(folder.path(), "sdb"));
        first.about_to_switch(states(Some(true), None));
        assert_eq!(open("one").before(), states(None, None), "the first one is at work");
        drop(first);
        assert!(CacheRestoreState::exists(folder.path(), "sdb"));
        assert_eq!(open("one").before(), states(Some(true), None));
        assert_eq!(open("another").before(), states(None, None));
    }

    #[test]
    fn a_disk_without_a_serial_number_is_known_by_the_kernels_number_for_it_and_not_by_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |sequence| CacheRestoreState::open(folder.path(), "sdb", None, Some(sequence));
        open(7).about_to_switch(states(Some(true), None));
        assert_eq!(open(7).before(), states(Some(true), None));
        assert_eq!(open(8).before(), states(None, None), "another disk that has the name now");
    }

    #[test]
    fn what_the_first_process_found_counts_until_everything_is_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || CacheRestoreState::open(folder.path(), "sdb", Some("one".to_owned()), Some(7));
        open().about_to_switch(states(Some(true), None));
        let mut second = open();
        second.about_to_switch(states(Some(false), Some(false)));
        drop(second);
        let mut third = open();
        assert_eq!(third.before(), states(Some(true), Some(false)));
        third.clear();
        assert!(!CacheRestoreState::exists(folder.path(), "sdb"));
    }

    #[test]
    fn a_file_that_says_nothing_or_can_not_be_made_is_no_obstacle() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("diskatlas/sdb.switched");
        fs::create_dir_all(place.parent().expect("a folder")).expect("the folder");
        fs::write(&place, "{").expect("the file");
        assert_eq!(CacheRestoreState::open(folder.path(), "sdb", None, None).before(), states(None, None));
        let mut nowhere = CacheRestoreState::open(&place, "sdb", None, None);
        nowhere.about_to_switch(states(Some(true), None));
        nowhere.clear();
    }
}
