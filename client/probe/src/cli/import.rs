//! `diskatlas import`: what another tool measured, as a signed document that says so.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueHint;
use serde_json::json;

use super::run::{Answer, ResultOptions, save_document, summary};
use super::{Status, UsageError, input, load_or_create_key};
use crate::import::{self, ImportOptions, Input, LARGEST_FILE_BYTES, Tool};
use crate::report::document::{Benchmark, RunDocument};
use crate::report::json::Json;
use crate::report::save;
use crate::terminal::say;

/// Import what fio, hdparm, HD Tune, zcav, diskinfo, dd or ioping measured, as a signed run that says so
///
/// Nothing is measured and no disk is opened. The run names the tool and the SHA-256 of each file; archives show it apart from what the probe measured, and never average the two. Of the serial number in --identity only its digest is kept.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tool's output; for fio its JSON and, beside it, the logs of --`write_lat_log`; what smartctl printed may stand among them
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// Which drive it was: what `smartctl --json -x /dev/DISK` printed, or smartctl's text, or `diskinfo -v`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    identity: Option<PathBuf>,

    /// The drive's model, where --identity is missing or does not say it
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// The drive's capacity in bytes, where --identity is missing or does not say it
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(512..=9_007_199_254_740_991))]
    capacity: Option<u64>,

    /// The drive's logical blocks, where --identity is missing or does not say it
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(256..=1_048_576))]
    block_bytes: Option<u32>,

    /// Where the files are from, if somebody else published them: author, address, licence; it is published with the run
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,

    /// Which device of several in hdparm's output is meant, such as /dev/sdb
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,

    /// Whose output it is [default: seen from the files]
    #[arg(long, value_enum, value_name = "TOOL")]
    from: Option<Tool>,

    /// hdparm's --offset in GiB, where the output does not say it
    #[arg(long, value_name = "GIB")]
    offset: Option<u64>,

    /// Whether the disk rotates, instead of what --identity says
    #[arg(long, value_enum)]
    rotational: Option<Answer>,

    #[command(flatten)]
    result: ResultOptions,

    /// Say in JSON what was imported and where it lies
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let asked = ImportOptions {
        offset_gib: args.offset,
        device: args.device.clone(),
        model: args.model.as_deref().map(str::trim).filter(|model| !model.is_empty()).map(str::to_owned),
        capacity_bytes: args.capacity,
        block_bytes: args.block_bytes,
        source: args.source.clone(),
        rotational: args.rotational.map(|answer| answer == Answer::Yes),
        manufacture: args.result.manufactured.clone(),
        batch_label: args.result.checked_label()?,
        license: args.result.license.clone(),
    };
    let mut inputs = args.files.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut identity = args.identity.as_deref().map(read).transpose()?;
    if identity.is_none() && args.from.is_none() {
        (inputs, identity) = import::split(inputs).map_err(|error| UsageError(error.to_string()))?;
    }
    let tool = match args.from {
        Some(tool) => tool,
        None => Tool::of_all(&inputs).map_err(|error| UsageError(error.to_string()))?,
    };
    if args.offset.is_some() && tool != Tool::Hdparm {
        return Err(UsageError(
            "--offset is hdparm's, the others say themselves where they read; leave it out".to_owned(),
        )
        .into());
    }
    if let Some(output) = &args.result.output {
        save::preflight(output)?;
    }
    let document = import::document(tool, &inputs, identity.as_ref(), &asked)?;
    check(&document)?;
    let output = args.result.output_or_default(&document.run_id);
    let file = save_document(&output, &document, &load_or_create_key()?)?;
    report(args, &document, &file, stdout)?;
    Ok(Status::Done)
}

fn read(path: &Path) -> anyhow::Result<Input> {
    let beyond = ", which no output of these tools needs; give the tool's own file";
    let bytes = input::read_at_most(path, LARGEST_FILE_BYTES, beyond)?;
    Ok(Input { name: path.display().to_string(), bytes })
}

/// Nothing is signed that an archive would refuse.
pub fn check(document: &RunDocument) -> anyhow::Result<()> {
    let violations = input::checker()?.check(&Json::of(document)?);
    match violations.first() {
        None => Ok(()),
        Some(first) => {
            anyhow::bail!("these files make no document that keeps to the schemas: {first}; report it with the files")
        }
    }
}

fn report(args: &Args, document: &RunDocument, file: &Path, stdout: &mut dyn Write) -> anyhow::Result<()> {
    let imported = document.imported.as_ref();
    for remark in imported.map(|imported| imported.remarks.as_slice()).unwrap_or_default() {
        say!("{remark}");
    }
    let kinds: Vec<&str> = document.benchmarks.iter().map(Benchmark::kind).collect();
    say!("imported as {}, of a {}", kinds.join(", "), document.device.model);
    if args.json {
        let benchmarks: Vec<_> = document.benchmarks.iter().map(summary).collect();
        let line = json!({"file": file, "run_id": document.run_id, "imported": imported, "benchmarks": benchmarks});
        writeln!(stdout, "{line}")?;
    } else {
        writeln!(stdout, "{}", file.display())?;
        say!("signed: diskatlas submit {} --server URL", file.display());
    }
    Ok(())
}
