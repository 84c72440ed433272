//! Development tool: lists the simulated drives, prints what is true of one, serves one as a file in real time, or drives a device for a benchmark.

mod bench;
mod outliers;
mod pacing;
mod serve;
mod store;
mod usage;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use clap::{Parser, Subcommand};
use diskatlas::device::Device;
use diskatlas::sim::{self, Model, Truth};

#[derive(Debug, Parser)]
#[command(name = "diskatlas-simtool", version, max_term_width = 100)]
/// Simulated drives: what there is, what is true of them, and one as a real file for tests.
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Names the simulated drives.
    List,
    /// Says what is true of a drive; the accuracy table compares with it.
    Truth(TruthArgs),
    /// Serves a drive as the file MOUNTPOINT/disk in real time, until Ctrl-C or unmounting.
    Mount(MountArgs),
    /// Drives a block device as the probe does and says what that took, as JSON.
    Bench(bench::BenchArgs),
}

#[derive(Debug, clap::Args)]
struct TruthArgs {
    /// A drive's name or the path of its .toml file.
    name: String,
    /// The whole truth as JSON.
    #[arg(long)]
    json: bool,
    /// First block of the outer region.
    #[arg(long, value_name = "BLOCK", default_value_t = 0)]
    outer: u64,
    /// First block of the middle region; half of the capacity where left out.
    #[arg(long, value_name = "BLOCK")]
    middle: Option<u64>,
    /// First block of the inner region; nine tenths of the capacity where left out.
    #[arg(long, value_name = "BLOCK")]
    inner: Option<u64>,
}

#[derive(Debug, clap::Args)]
struct MountArgs {
    /// A drive as after `sim:`, for example `ibm-ultrastar-xp` or `my.toml,seed=3`. Noise is off unless asked for.
    name: String,
    /// An empty directory.
    mountpoint: PathBuf,
    /// Keeps the bytes in this sparse file; made if missing. A file that is gone afterwards where left out.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Model seconds per second: 2 turns the drive twice as fast.
    #[arg(long, default_value_t = 1.0)]
    time_scale: f64,
    /// A bad spot: requests that touch these bytes fail with an I/O error.
    #[arg(long, value_name = "OFFSET:LENGTH", value_parser = serve::parse_span)]
    fail_at: Option<serve::Span>,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::List => list(&mut io::stdout().lock()),
        Command::Truth(args) => truth(&args, &mut io::stdout().lock()),
        Command::Mount(args) => serve::mount(&args),
        Command::Bench(args) => bench::bench(&args, &mut io::stdout().lock()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(1)
        }
    }
}

fn list(out: &mut impl Write) -> anyhow::Result<()> {
    for name in sim::names() {
        let drive = sim::open(name)?;
        let (identity, bytes) = (drive.identity(), drive.geometry().capacity_bytes);
        let gigabytes = format!("{}.{:02}", bytes / 1_000_000_000, bytes / 10_000_000 % 100);
        writeln!(out, "{name:<22} {gigabytes:>9} GB  {} {}", identity.vendor, identity.model)?;
    }
    Ok(())
}

fn truth(args: &TruthArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let drive = sim::open(&args.name)?;
    let model = drive.model();
    let capacity = model.capacity_sectors;
    let middle = args.middle.unwrap_or(capacity / 2);
    let inner = args.inner.unwrap_or(capacity / 10 * 9);
    for start in [args.outer, middle, inner] {
        ensure!(start < capacity, "block {start} is not on a drive of {capacity} blocks; choose a smaller one");
    }
    let truth = sim::truth(model, &[("outer", args.outer), ("middle", middle), ("inner", inner)]);
    if args.json {
        let truth = truth.with_sequential(model, drive.noise());
        serde_json::to_writer_pretty(&mut *out, &truth)?;
        writeln!(out)?;
        return Ok(());
    }
    write_words(model, &truth, out)
}

fn write_words(model: &Model, truth: &Truth, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{} ({} {})", truth.drive, model.identity.vendor, model.identity.model)?;
    writeln!(out, "rotation {:.4} ms ({} rpm), layout {}", truth.rotation_period_ms, truth.rpm.round(), truth.layout)?;
    writeln!(out, "{} surfaces, {} cylinders, {} zones", truth.surfaces, truth.cylinders, truth.zones.len())?;
    writeln!(out, "{} blocks of {} bytes", truth.capacity_blocks, truth.block_bytes)?;
    writeln!(out, "MTM {:.3} ms reading, {:.3} ms writing", truth.mtm_ms.read, truth.mtm_ms.write)?;
    let seek = [truth.seek_minimum_ms, truth.seek_average_ms, truth.seek_full_stroke_ms].map(|seek| seek.write);
    writeln!(out, "seeks (writing) {:.2} ms least, {:.2} ms average, {:.2} ms full stroke", seek[0], seek[1], seek[2])?;
    for (region, local) in &truth.local {
        writeln!(
            out,
            "{region:>6}: {} sectors per track, gaps {} ms (head) and {} ms (cylinder)",
            local.phys_sectors_per_track,
            local.track_skew_ms.map_or("no".to_owned(), |gap| format!("{gap:.3}")),
            local.cylinder_skew_ms.map_or("no".to_owned(), |gap| format!("{gap:.3}")),
        )?;
    }
    Ok(())
}
