//! Puts a signed document on disk: whole or not at all, and somewhere else rather than nowhere.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::{env, process};

use super::content::Content;

/// Where a document came to lie.
#[derive(Debug)]
pub struct Saved {
    pub path: PathBuf,
    /// Why it is not where it was meant to be, if it is not: to be said to the contributor.
    pub instead_because: Option<SaveError>,
}

/// Why a file could not be written, with what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error(
        "the file system that holds {} is full, and {bytes} bytes are needed: free some space there, or name another place with -o",
        path.display()
    )]
    Full { path: PathBuf, bytes: u64 },
    #[error("no permission to write {}: name another place with -o", .0.display())]
    Forbidden(PathBuf),
    #[error("the folder of {} does not exist: make it, or name another place with -o", .0.display())]
    NoFolder(PathBuf),
    #[error("{} is a block device: a run document is a file, name one with -o", .0.display())]
    BlockDevice(PathBuf),
    #[error("{} is a folder: name a file in it with -o", .0.display())]
    Folder(PathBuf),
    #[error("can't write {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl SaveError {
    fn new(path: &Path, bytes: u64, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path, bytes },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Forbidden(path),
            io::ErrorKind::NotFound => Self::NoFolder(path),
            _ => Self::Io { path, source },
        }
    }
}

/// Writes `content` to `path`, and when that fails to the first folder that takes it: `$TMPDIR`, `/var/tmp`, `/tmp`, `$HOME`,
/// the memory file system. A measurement of hours is not lost to a full disk.
/// Errors: the error of `path` itself, when no other place took the content either.
pub fn save(path: &Path, content: &dyn Content) -> Result<Saved, SaveError> {
    save_or_fall_back(path, content, &fallback_folders())
}

/// What would keep [`save`] from writing `path`, before hours are spent on measuring. Leaves nothing behind.
pub fn preflight(path: &Path) -> Result<(), SaveError> {
    let target = Target::of(path)?;
    if let Target::File(path) = &target {
        let probe = temporary_name(path);
        create(&probe).map_err(|error| SaveError::new(path, 0, error))?;
        let _ = fs::remove_file(probe);
    }
    Ok(())
}

fn fallback_folders() -> Vec<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let fixed = |folder: &str| Some(PathBuf::from(folder));
    [variable("TMPDIR"), fixed("/var/tmp"), fixed("/tmp"), variable("HOME"), fixed("/dev/shm")]
        .into_iter()
        .flatten()
        .collect()
}

fn save_or_fall_back(path: &Path, content: &dyn Content, folders: &[PathBuf]) -> Result<Saved, SaveError> {
    let Err(error) = write(path, content) else {
        return Ok(Saved { path: path.to_owned(), instead_because: None });
    };
    for folder in folders {
        let other = free_name(folder, path);
        if write(&other, content).is_ok() {
            return Ok(Saved { path: other, instead_because: Some(error) });
        }
    }
    Err(error)
}

/// A name in `folder` that nothing has yet: what lies there under the same name may be another run's.
fn free_name(folder: &Path, path: &Path) -> PathBuf {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .filter(|name| name.contains('.'))
        .unwrap_or("diskatlas.run.json");
    let (stem, rest) = name.split_once('.').unwrap_or((name, "json"));
    let numbered = (1..10_000).map(|number| folder.join(format!("{stem}-{number}.{rest}")));
    let mut names = std::iter::once(folder.join(name)).chain(numbered);
    names.find(|name| fs::symlink_metadata(name).is_err()).unwrap_or_else(|| folder.join(name))
}

enum Target {
    /// A file, existing or not, with links followed: a link stays and what it points to is replaced.
    File(PathBuf),
    /// A pipe, a terminal, `/dev/stdout`: to be written to, never to be replaced.
    Stream(PathBuf),
}

impl Target {
    fn of(path: &Path) -> Result<Self, SaveError> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::File(path.to_owned())),
            Err(error) => return Err(SaveError::new(path, 0, error)),
        };
        match metadata.file_type() {
            kind if kind.is_block_device() => Err(SaveError::BlockDevice(path.to_owned())),
            kind if kind.is_dir() => Err(SaveError::Folder(path.to_owned())),
            kind if kind.is_file() => {
                fs::canonicalize(path).map(Self::File).map_err(|error| SaveError::new(path, 0, error))
            }
            _ => Ok(Self::Stream(path.to_owned())),
        }
    }
}

fn write(path: &Path, content: &dyn Content) -> Result<(), SaveError> {
    let written = match Target::of(path)? {
        Target::File(path) => replace(&path, content),
        Target::Stream(path) => {
            OpenOptions::new().write(true).open(path).and_then(|mut file| content.write_to(&mut file))
        }
    };
    written.map_err(|error| SaveError::new(path, content.length().unwrap_or(0), error))
}

/// Writes beside `path` and renames, so that a reader, or a power cut, sees the old file or the whole new one.
fn replace(path: &Path, content: &dyn Content) -> io::Result<()> {
    let temporary = temporary_name(path);
    let written = create(&temporary)
        .and_then(|mut file| content.write_to(&mut file).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written?;
    // The name itself is on disk only once its folder is. Some file systems can't sync a folder; the file is written.
    let _ = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
    Ok(())
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    folder_of(path).join(format!(".{name}.{}.part", process::id()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_saved_file_is_whole_and_nothing_else_lies_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.run.json");
        fs::write(&path, "an older and longer run").unwrap();
        let saved = save(&path, &b"new").unwrap();
        assert_eq!(saved.path, path);
        assert!(saved.instead_because.is_none());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a.run.json"]);
    }

    #[test]
    fn a_full_disk_costs_no_data_and_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let saved = save_or_fall_back(Path::new("/dev/full"), &b"hours", &[folder.path().to_owned()]).unwrap();
        assert_eq!(saved.path, folder.path().join("diskatlas.run.json"));
        assert_eq!(fs::read(&saved.path).unwrap(), b"hours");
        let words = saved.instead_because.unwrap().to_string();
        assert!(words.contains("/dev/full is full, and 5 bytes are needed: free some space"), "{words}");
    }

    #[test]
    fn the_fallback_never_replaces_another_run() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.run.json"), "another").unwrap();
        let nowhere = folder.path().join("missing/a.run.json");
        let saved = save_or_fall_back(&nowhere, &b"new", &[folder.path().to_owned()]).unwrap();
        assert_eq!(saved.path, folder.path().join("a-1.run.json"));
        assert!(matches!(saved.instead_because, Some(SaveError::NoFolder(_))));
        assert_eq!(fs::read(folder.path().join("a.run.json")).unwrap(), b"another");
    }

    #[test]
    fn when_no_place_takes_the_bytes_the_error_is_of_the_place_that_was_asked_for() {
        let error = save_or_fall_back(Path::new("/dev/full"), &b"x", &[PathBuf::from("/proc")]).unwrap_err();
        assert!(matches!(error, SaveError::Full { .. }), "{error}");
    }

    #[test]
    fn a_failed_write_leaves_the_older_file_and_no_part() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("taken")).unwrap();
        assert!(matches!(write(&folder.path().join("taken"), &b"x"), Err(SaveError::Folder(_))));
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn a_link_stays_a_link_and_its_target_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (link, file) = (folder.path().join("link"), folder.path().join("file"));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        save(&link, &b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }

    #[test]
    fn a_stream_is_written_to_and_not_replaced() {
        save(Path::new("/dev/null"), &b"x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn preflight_tells_of_a_missing_folder_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        assert!(preflight(&folder.path().join("a.run.json")).is_ok());
        assert!(names(folder.path()).is_empty());
        assert!(matches!(preflight(&folder.path().join("no/a.run.json")), Err(SaveError::NoFolder(_))));
    }
}
