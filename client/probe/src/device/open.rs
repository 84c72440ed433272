//! What a path has to be before it is opened, and why it could not be.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use rustix::io::Errno;

use super::Writing;

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("there is no device {0}; `diskatlas list` shows the disks of this machine")]
    NotFound(String),
    #[error("{0} is {1}, and only a raw block device can be measured; give a device such as /dev/sdb, or sim:NAME")]
    NotABlockDevice(String, &'static str),
    #[error(
        "no permission to {1} {0}; run as root (sudo), join the group `disk` (sudo usermod -aG disk $USER, then log in again), \
         or give the probe the capability CAP_DAC_OVERRIDE, and CAP_SYS_RAWIO where the kernel asks for it"
    )]
    Permission(String, &'static str),
    #[error(
        "{0} may not even be opened to {1} by root here: a container's device rules or a security module forbid it; run the probe \
         outside of it, or let it have the device"
    )]
    Forbidden(String, &'static str),
    #[error("{0} is in use and can't be opened exclusively; unmount it and stop what holds it (see `lsblk {0}`)")]
    Busy(String),
    #[error("{0} is read-only, so nothing can be written to it; measure with --writes none")]
    ReadOnly(String),
    #[error("{0} has no medium or a size of 0; attach it and try again")]
    Empty(String),
    #[error("{0} can't be opened: {1}")]
    Other(String, io::Error),
}

/// The canonical path of a device node: links such as /dev/disk/by-id/... resolved.
/// Errors: [`OpenError`] when there is no such thing, or it is not a block device.
pub fn resolve(path: &Path) -> Result<PathBuf, OpenError> {
    let name = path.display().to_string();
    check_type(path, &name)?;
    std::fs::canonicalize(path).map_err(|error| OpenError::Other(name, error))
}

pub(super) fn check_type(path: &Path, name: &str) -> Result<(), OpenError> {
    let stat = rustix::fs::stat(path).map_err(|error| open_error(name, error, Writing::Nothing))?;
    let what = match FileType::from_raw_mode(stat.st_mode) {
        FileType::BlockDevice => return Ok(()),
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a directory",
        FileType::CharacterDevice => "a character device",
        _ => "not a block device",
    };
    Err(OpenError::NotABlockDevice(name.to_owned(), what))
}

pub(super) fn open_error(name: &str, error: Errno, writing: Writing) -> OpenError {
    let name = name.to_owned();
    match error {
        Errno::NOENT | Errno::NODEV | Errno::NXIO | Errno::NOTDIR => OpenError::NotFound(name),
        Errno::ACCESS | Errno::PERM => {
            let what = if writing == Writing::Nothing { "read" } else { "write" };
            let root = rustix::process::geteuid().is_root();
            if root { OpenError::Forbidden(name, what) } else { OpenError::Permission(name, what) }
        }
        Errno::BUSY => OpenError::Busy(name),
        Errno::ROFS => OpenError::ReadOnly(name),
        Errno::NOMEDIUM => OpenError::Empty(name),
        other => OpenError::Other(name, other.into()),
    }
}
