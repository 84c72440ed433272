//! Small text files below a root: sysfs and procfs, or a captured copy.

use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct Tree {
    pub sys: PathBuf,
    pub proc: PathBuf,
    pub dev: PathBuf,
    /// What lives as long as the machine is up.
    pub run: PathBuf,
}

impl Tree {
    pub fn machine() -> Self {
        Self { sys: "/sys".into(), proc: "/proc".into(), dev: "/dev".into(), run: "/run".into() }
    }

    /// A captured copy, with `sys`, `proc`, `dev` and `run` below `root`.
    pub fn below(root: &Path) -> Self {
        Self { sys: root.join("sys"), proc: root.join("proc"), dev: root.join("dev"), run: root.join("run") }
    }

    /// Names of all block devices, partitions left out, sorted.
    pub fn block_devices(&self) -> Vec<String> {
        names_in(&self.sys.join("block"))
    }
}

/// The trimmed text of a file as a device or the kernel says it, control characters left out; `None` for an empty one.
pub fn text(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    clean(&String::from_utf8_lossy(&bytes))
}

/// Words without the padding and the control characters that devices put around them; at most 256 characters, as in the
/// run document.
pub fn clean(text: &str) -> Option<String> {
    let words: String = text.chars().filter(|letter| !letter.is_control()).take(256).collect();
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

pub fn number(path: &Path) -> Option<u64> {
    text(path)?.parse().ok()
}

/// The entries of a folder, sorted; none where there is no such folder.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
