//! Where the bytes of a served drive are: a sparse file, so that only what was written takes room.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::Context;

/// The drive's bytes; never written ones read as zeros.
#[derive(Debug)]
pub struct Store(File);

impl Store {
    /// Opens or makes the file and gives it the drive's size. Without a path the file has no name and ends with the process.
    pub fn open(path: Option<&Path>, capacity_bytes: u64) -> anyhow::Result<Self> {
        let unnamed = std::env::temp_dir().join(format!("diskatlas-simtool-{}.disk", std::process::id()));
        let chosen = path.unwrap_or(&unnamed);
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let what =
            || format!("can't use {} for the drive's bytes; choose another place with --store", chosen.display());
        let file = options.open(chosen).with_context(what)?;
        if path.is_none() {
            fs::remove_file(chosen).with_context(what)?;
        }
        let size = file.metadata().with_context(what)?.len();
        anyhow::ensure!(
            size == 0 || size == capacity_bytes,
            "{} has {size} bytes and the drive {capacity_bytes}; choose another file with --store",
            chosen.display()
        );
        file.set_len(capacity_bytes).with_context(|| {
            format!("{} can't hold {capacity_bytes} bytes, even sparsely; choose another file system", chosen.display())
        })?;
        Ok(Self(file))
    }

    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(bytes, offset)
    }

    pub fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }
}
