//! `diskatlas list`: the disks of this machine and whether each may be measured.

use std::io::Write;

use serde::Serialize;

use super::Status;
use crate::device::Writing;
use crate::device::passthrough::{Bus, CacheRestoreState};
use crate::device::raw::RawDisk;
use crate::identify::{Disk, DriveName, Tree};
use crate::report::document::CacheSetting;
use crate::run::target::digest_of;
use crate::safety::{self, Snapshot, signatures, snapshot};
use crate::terminal::text;

/// List the disks of this machine, and whether each may be measured
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON for a machine to read
    #[arg(long)]
    pub json: bool,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let tree = Tree::machine();
    let names = tree.block_devices().into_iter().filter(|name| Disk::is_measurable_kind(&tree, name));
    let rows: Vec<Row> = names.filter_map(|name| row(&tree, &name)).collect();
    if args.json {
        writeln!(stdout, "{}", serde_json::to_string_pretty(&serde_json::to_value(&rows)?)?)?;
    } else {
        print_table(&rows, stdout)?;
    }
    Ok(Status::Done)
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    disk: Disk,
    known_as: DriveName,
    read: Verdict,
    preserve: Verdict,
    destroy: Verdict,
}

#[derive(Serialize)]
struct Verdict {
    allowed: bool,
    reasons: Vec<String>,
}

impl Verdict {
    fn new(reasons: Vec<String>) -> Self {
        Self { allowed: reasons.is_empty(), reasons }
    }

    fn word(&self) -> &'static str {
        if self.allowed { "yes" } else { "no" }
    }
}

fn row(tree: &Tree, name: &str) -> Option<Row> {
    let mut disk = Disk::read(tree, name)?;
    let mut snapshot = snapshot::take(tree, name);
    let mut read = Vec::new();
    // Looking is not writing: the device is opened read-only here, and its exclusiveness is not tried.
    match RawDisk::open(&disk.path, Writing::Nothing, disk.max_request_bytes) {
        Ok(mut device) => {
            snapshot.signatures = signatures::look(&mut device);
            disk.take(device.ask(Bus::of(&disk.interface)));
            if CacheRestoreState::exists(&tree.run, name) {
                disk.notes.extend(device.restore_caches_after_kill(CacheRestoreState::open(
                    &tree.run,
                    name,
                    digest_of(&disk),
                    disk.sequence,
                )));
            }
        }
        Err(error) => {
            read.push(error.to_string());
            // That the content is unknown too goes without saying.
            snapshot.signatures = Some(Vec::new());
        }
    }
    let against = |writing| Verdict::new(read.iter().cloned().chain(reasons(&snapshot, writing)).collect());
    let (preserve, destroy) = (against(Writing::Preserve), against(Writing::Destroy));
    Some(Row { known_as: disk.known_as(), disk, read: Verdict::new(read), preserve, destroy })
}

fn reasons(snapshot: &Snapshot, writing: Writing) -> Vec<String> {
    safety::refusals(snapshot, writing, false).iter().map(ToString::to_string).collect()
}

/// What else the disk says, in lines below its own: how it is reached, its caches, its temperature.
fn details(disk: &Disk) -> Vec<String> {
    let mut lines = Vec::new();
    let rpm = disk.rotation_rate_rpm.map(|rpm| format!("{rpm} rpm"));
    let made = disk.manufactured.map(|made| format!("made {} week {}", made.year, made.week));
    let temperature = disk.temperature_celsius.map(|celsius| format!("{celsius} \u{b0}C"));
    let firmware = disk.firmware.as_ref().map(|firmware| format!("firmware {firmware}"));
    lines.push(joined(&[firmware, rpm, disk.form_factor.clone(), made, temperature]));
    let on_off = |name: &str, setting: CacheSetting| {
        let fixed = if setting.changeable == Some(false) { " (fixed)" } else { "" };
        setting.current.map(|on| format!("{name} {}{fixed}", text::on_off(on)))
    };
    let write = on_off("write cache", disk.caches.write);
    lines.push(joined(&[write, on_off("look-ahead", disk.caches.look_ahead)]));
    let link = disk.link_speed_bits_per_s.map(|speed| format!("link {}", text::bits_per_s(speed)));
    let slower =
        disk.link_speed_supported_bits_per_s.filter(|&most| disk.link_speed_bits_per_s.is_some_and(|now| now < most));
    let slower = slower.map(|most| format!("below the {} it could run at", text::bits_per_s(most)));
    lines.push(joined(&[link, slower, disk.controller.as_ref().map(|controller| format!("controller {controller}"))]));
    lines.extend(disk.bridge.as_ref().map(|bridge| format!("USB bridge {}", bridge.words().join(", "))));
    lines.extend(disk.notes.iter().cloned());
    lines.retain(|line| !line.is_empty());
    lines
}

fn joined(words: &[Option<String>]) -> String {
    words.iter().flatten().cloned().collect::<Vec<_>>().join(", ")
}

fn print_table(rows: &[Row], stdout: &mut dyn Write) -> std::io::Result<()> {
    if rows.is_empty() {
        return writeln!(stdout, "no disks found; sim:NAME measures a simulated one");
    }
    let line = |cells: [&str; 8]| {
        let [device, model, size, bus, turns, read, preserve, destroy] = cells;
        format!("{device:<14} {model:<28} {size:>9}  {bus:<8} {turns:<8} {read:<4} {preserve:<8} {destroy}")
    };
    writeln!(stdout, "{}", line(["DEVICE", "MODEL", "SIZE", "BUS", "ROTATES", "READ", "PRESERVE", "DESTROY"]))?;
    for row in rows {
        let disk = &row.disk;
        let names = [disk.vendor.as_deref(), disk.model.as_deref()];
        let model = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let model = if model.is_empty() { "-" } else { &model };
        let turns = match disk.kernel_says_rotational {
            Some(true) => "yes",
            Some(false) => "not said",
            None => "-",
        };
        let (device, size) = (disk.path.display().to_string(), text::bytes(disk.capacity_bytes));
        let [read, preserve, destroy] = [&row.read, &row.preserve, &row.destroy].map(Verdict::word);
        writeln!(stdout, "{}", line([&device, model, &size, &disk.interface, turns, read, preserve, destroy]))?;
        for detail in row.known_as.words().into_iter().chain(details(disk)) {
            writeln!(stdout, "    {}", text::printable(&detail))?;
        }
        for reason in distinct(row) {
            writeln!(stdout, "    {reason}")?;
        }
    }
    Ok(())
}

/// Each reason once, in the order in which they stand in the way.
fn distinct(row: &Row) -> Vec<&String> {
    let mut seen: Vec<&String> = Vec::new();
    for reason in row.read.reasons.iter().chain(&row.preserve.reasons).chain(&row.destroy.reasons) {
        if !seen.contains(&reason) {
            seen.push(reason);
        }
    }
    seen
}
