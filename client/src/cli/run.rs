//! `diskatlas run`: measures one device and writes a signed run document.

use std::io::Write;
use std::path::PathBuf;

use super::Status;

/// Measure a disk and write a signed run document
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A raw block device such as /dev/sdb, or a simulated drive such as sim:seagate-hawk
    pub device: String,

    /// Where the signed document goes
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

pub fn execute(_args: &Args, _stdout: &mut dyn Write) -> anyhow::Result<Status> {
    Ok(Status::Failed)
}
