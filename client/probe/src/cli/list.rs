//! `diskatlas list`: the disks of this machine and whether each may be measured.

use std::io::Write;

use serde_json::json;

use super::Status;
use crate::device::Writing;
use crate::device::passthrough::{Bus, CacheRestoreState};
use crate::device::raw::RawDisk;
use crate::identify::{Disk, Tree};
use crate::report::document::CacheSetting;
use crate::run::target::digest_of;
use crate::safety::{self, Snapshot, signatures, snapshot};

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
        let list: Vec<_> = rows.iter().map(Row::to_json).collect();
        writeln!(stdout, "{}", serde_json::to_string_pretty(&list)?)?;
    } else {
        print_table(&rows, stdout)?;
    }
    Ok(Status::Done)
}

/// A disk, and what stands against each way of measuring it; nothing there means that it may be.
struct Row {
    disk: Disk,
    read: Vec<String>,
    preserve: Vec<String>,
    destroy: Vec<String>,
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
                )));
            }
        }
        Err(error) => {
            read.push(error.to_string());
            // That the content is unknown too goes without saying.
            snapshot.signatures = Some(Vec::new());
        }
    }
    let against = |writing| read.iter().cloned().chain(reasons(&snapshot, writing)).collect();
    let (preserve, destroy) = (against(Writing::Preserve), against(Writing::Destroy));
    Some(Row { disk, read, preserve, destroy })
}

fn reasons(snapshot: &Snapshot, writing: Writing) -> Vec<String> {
    safety::refusals(snapshot, writing, false).iter().map(ToString::to_string).collect()
}

impl Row {
    fn to_json(&self) -> serde_json::Value {
        let disk = &self.disk;
        // The serial number is this machine's own business, but whether there is one decides what is asked for.
        json!({
            "device": disk.path,
            "vendor": disk.vendor,
            "model": disk.model,
            "firmware": disk.firmware,
            "has_serial": disk.serial.is_some(),
            "capacity_bytes": disk.capacity_bytes,
            "logical_block_bytes": disk.logical_block_bytes,
            "physical_block_bytes": disk.physical_block_bytes,
            "interface": disk.interface,
            "kernel_says_rotational": disk.kernel_says_rotational,
            "rotation_rate_rpm": disk.rotation_rate_rpm,
            "form_factor": disk.form_factor,
            "has_wwn": disk.has_wwn,
            "link_speed_bits_per_s": disk.link_speed_bits_per_s,
            "link_speed_supported_bits_per_s": disk.link_speed_supported_bits_per_s,
            "bridge": disk.bridge,
            "hba": disk.hba,
            "write_cache": disk.caches.write,
            "look_ahead": disk.caches.look_ahead,
            "temperature_celsius": disk.temperature_celsius,
            "manufactured": disk.manufactured.map(|made| json!({"year": made.year, "week": made.week})),
            "scheduler": disk.scheduler,
            "controller": disk.controller,
            "notes": disk.notes,
            "read": {"allowed": self.read.is_empty(), "reasons": self.read},
            "preserve": {"allowed": self.preserve.is_empty(), "reasons": self.preserve},
            "destroy": {"allowed": self.destroy.is_empty(), "reasons": self.destroy},
        })
    }
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
        setting.current.map(|on| format!("{name} {}{fixed}", if on { "on" } else { "off" }))
    };
    let write = on_off("write cache", disk.caches.write);
    lines.push(joined(&[write, on_off("look-ahead", disk.caches.look_ahead)]));
    let link = disk.link_speed_bits_per_s.map(|speed| format!("link {}", crate::terminal::text::bits_per_s(speed)));
    let slower =
        disk.link_speed_supported_bits_per_s.filter(|&most| disk.link_speed_bits_per_s.is_some_and(|now| now < most));
    let slower = slower.map(|most| format!("below the {} it could run at", crate::terminal::text::bits_per_s(most)));
    lines.push(joined(&[link, slower, disk.controller.as_ref().map(|controller| format!("controller {controller}"))]));
    if let Some(bridge) = &disk.bridge {
        let names = [&bridge.vendor, &bridge.product, &bridge.driver].map(Clone::clone);
        let ids = bridge.usb_vendor_id.as_ref().zip(bridge.usb_product_id.as_ref());
        let ids = ids.map(|(vendor, product)| format!("{vendor}:{product}"));
        lines.push(format!("USB bridge {}", joined(&[&[ids][..], &names[..]].concat())));
    }
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
        let word = |against: &[String]| if against.is_empty() { "yes" } else { "no" };
        let (device, size) = (disk.path.display().to_string(), crate::terminal::text::bytes(disk.capacity_bytes));
        let answers = [word(&row.read), word(&row.preserve), word(&row.destroy)];
        let [read, preserve, destroy] = answers;
        writeln!(stdout, "{}", line([&device, model, &size, &disk.interface, turns, read, preserve, destroy]))?;
        for detail in details(disk) {
            writeln!(stdout, "    {}", crate::terminal::text::printable(&detail))?;
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
    for reason in row.read.iter().chain(&row.preserve).chain(&row.destroy) {
        if !seen.contains(&reason) {
            seen.push(reason);
        }
    }
    seen
}
