//! Genuine block devices for tests: loop devices on plain files. Skipped where the machine can't make them.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process::{Command, Output};

const BYTES: usize = 16 << 20;

/// A loop device on a file of its own, detached at the end.
pub struct Loop {
    pub folder: tempfile::TempDir,
    pub device: PathBuf,
}

impl Loop {
    /// `None`, with the reason said, where this machine has no loop devices or the test may not make one.
    pub fn new(options: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("disk.img");
        let bytes: Vec<u8> = (0..BYTES).map(|at| u8::try_from(at / 512 % 251).unwrap_or(0)).collect();
        fs::write(&file, bytes).expect("the image");
        let output = Command::new("losetup").args(["--find", "--show"]).args(options).arg(&file).output();
        let reason = match output {
            Ok(output) if output.status.success() => {
                let device = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
                return Some(Self { folder, device });
            }
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            Err(error) => format!("losetup: {error}"),
        };
        let _ = writeln!(std::io::stderr(), "skipped: no loop device can be made here ({reason})");
        assert!(std::env::var_os("DISKATLAS_STRICT").is_none_or(|strict| strict.is_empty()), "skipped: {reason}");
        None
    }

    pub fn image(&self) -> Vec<u8> {
        // Through the device, so that nothing waits in its cache.
        let mut bytes = Vec::new();
        let mut file = fs::File::open(&self.device).expect("the device");
        file.read_to_end(&mut bytes).expect("its bytes");
        bytes
    }

    pub fn write_at(&self, offset: u64, bytes: &[u8]) {
        let mut file = fs::OpenOptions::new().write(true).open(&self.device).expect("the device");
        file.seek(SeekFrom::Start(offset)).expect("the place");
        file.write_all(bytes).expect("the bytes");
        file.sync_all().expect("the bytes on the device");
    }

    pub fn probe(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diskatlas"));
        command.current_dir(self.folder.path()).env("DISKATLAS_KEY", self.folder.path().join("key"));
        command.arg("run").arg(&self.device).args(arguments).output().expect("the probe")
    }

    pub fn name(&self) -> String {
        self.device.file_name().expect("a name").to_string_lossy().into_owned()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.device).status();
    }
}
