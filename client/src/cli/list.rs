//! `diskatlas list`: the disks of this machine and whether each may be measured.

use std::io::Write;

use super::Status;

/// List the disks of this machine, and whether each may be measured
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON for a machine to read
    #[arg(long)]
    pub json: bool,
}

pub fn execute(_args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    writeln!(stdout, "[]")?;
    Ok(Status::Done)
}
