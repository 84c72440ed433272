//! `diskatlas plan`: what a run would do to a device and how long it should take. Opens nothing, measures nothing.

use std::io::Write;

use serde::Serialize;
use serde_json::json;

use super::choice::Choice;
use super::{Status, UsageError};
use crate::device::{Device, Geometry, Writing};
use crate::identify::Tree;
use crate::kinds::estimate::TYPICAL_ROTATION_NS;
use crate::kinds::{Cost, Kind};
use crate::run::target;
use crate::sim;
use crate::terminal::say;
use crate::terminal::text;

/// Show what a run would read and write, and how long it should take
///
/// Nothing is opened and nothing is measured. Times are estimates: what is known before a run is the size of the disk and what it says of its speed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A raw block device such as /dev/sdb, or a simulated drive such as sim:seagate-hawk
    device: String,

    #[command(flatten)]
    choice: Choice,

    /// Print JSON for a machine to read
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let kinds = args.choice.kinds();
    let facts = facts(&args.device)?;
    let settings = args.choice.settings();
    let costs: Vec<(&dyn Kind, Cost)> =
        kinds.into_iter().map(|kind| (kind, kind.cost(&facts.geometry, &settings, facts.rotation_ns))).collect();
    if args.json {
        write_json(args, &costs, stdout)?;
        return Ok(Status::Done);
    }
    say!("{}, {}", facts.name, text::bytes(facts.geometry.capacity_bytes));
    write!(stdout, "{}", table(&costs))?;
    for word in remarks(args.choice.writes, facts.turns, &costs) {
        say!("{word}");
    }
    Ok(Status::Done)
}

struct Facts {
    name: String,
    geometry: Geometry,
    rotation_ns: u64,
    /// What the kernel says; `None` where it says nothing.
    turns: Option<bool>,
}

fn facts(device: &str) -> anyhow::Result<Facts> {
    if let Some(spec) = device.strip_prefix("sim:") {
        let drive = sim::open(spec).map_err(|error| UsageError(error.to_string()))?;
        let identity = drive.identity();
        let name = format!("{} {} (simulated)", identity.vendor, identity.model);
        let rotation_ns = rotation_ns(Some(identity.rotation_rate_rpm));
        return Ok(Facts { name, geometry: drive.geometry(), rotation_ns, turns: Some(true) });
    }
    let disk = target::look_up(&Tree::machine(), device).map_err(super::run::usage_or_failure)?;
    let logical = disk.logical_block_bytes.unwrap_or(512);
    let geometry = Geometry::new(disk.capacity_bytes, logical, disk.physical_block_bytes.unwrap_or(logical));
    let words = [disk.vendor.as_deref(), disk.model.as_deref()];
    let said = words.into_iter().flatten().map(text::printable).collect::<Vec<_>>().join(" ");
    let said = if said.is_empty() { disk.path.display().to_string() } else { said };
    let name = disk.known_as().words().map_or(said, |words| text::printable(&words));
    let rotation_ns = rotation_ns(disk.rotation_rate_rpm);
    Ok(Facts { name, geometry, rotation_ns, turns: disk.kernel_says_rotational })
}

fn rotation_ns(rpm: Option<u32>) -> u64 {
    rpm.filter(|&rpm| rpm > 0).map_or(TYPICAL_ROTATION_NS, |rpm| 60_000_000_000 / u64::from(rpm))
}

fn sum(costs: &[(&dyn Kind, Cost)]) -> Cost {
    let of = |part: fn(&Cost) -> u64| costs.iter().map(|(_, cost)| part(cost)).sum();
    let (read_bytes, written_bytes) = (of(|cost| cost.read_bytes), of(|cost| cost.written_bytes));
    Cost { elapsed_ns: of(|cost| cost.elapsed_ns), read_bytes, written_bytes }
}

fn table(costs: &[(&dyn Kind, Cost)]) -> String {
    let row =
        |name: &str, time: &str, reads: &str, writes: &str| format!("{name:<12} {time:>12} {reads:>10} {writes:>10}\n");
    let line = |name: &str, cost: Cost| {
        if cost.elapsed_ns == 0 {
            return row(name, "-", "-", "-");
        }
        let moved = |count: u64| if count == 0 { "-".to_owned() } else { text::bytes(count) };
        row(name, &text::about(cost.elapsed_ns), &moved(cost.read_bytes), &moved(cost.written_bytes))
    };
    let mut page = row("kind", "takes about", "reads", "writes");
    for &(kind, cost) in costs {
        page += &line(kind.slug(), cost);
    }
    page + &line("total", sum(costs))
}

fn remarks(writes: Writing, turns: Option<bool>, costs: &[(&dyn Kind, Cost)]) -> Vec<String> {
    let mut words = Vec::new();
    let idle: Vec<&str> = costs.iter().filter(|(_, cost)| cost.elapsed_ns == 0).map(|(kind, _)| kind.slug()).collect();
    if !idle.is_empty() && writes == Writing::Nothing {
        words.push(format!("Not measured without writing: {}. Add --writes preserve.", idle.join(", ")));
    }
    if turns == Some(false) && costs.iter().any(|(kind, _)| kind.declaration().needs_rotation) {
        words.push("The kernel takes this device to be one that does not rotate. If a quick test agrees, what needs rotation is skipped.".to_owned());
    }
    words.push(
        match writes {
            Writing::Nothing => "Nothing is written: the disk is opened read-only.",
            Writing::Preserve => "What is written is what stood there before. Have a backup: a power cut in the middle of a write can damage a block.",
            Writing::Destroy => "The content of the disk is lost.",
        }
        .to_owned(),
    );
    words
}

fn write_json(args: &Args, costs: &[(&dyn Kind, Cost)], stdout: &mut dyn Write) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Entry {
        kind: &'static str,
        #[serde(flatten)]
        cost: Cost,
    }
    let kinds: Vec<Entry> = costs.iter().map(|&(kind, cost)| Entry { kind: kind.slug(), cost }).collect();
    let plan = json!({"device": args.device, "suite": args.choice.suite().name(), "kinds": kinds, "total": sum(costs)});
    serde_json::to_writer_pretty(&mut *stdout, &plan)?;
    writeln!(stdout)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn plan(words: &[&str]) -> String {
        let line = Line::try_parse_from(["plan"].iter().chain(words)).unwrap_or_else(|error| panic!("{error}"));
        let mut stdout = Vec::new();
        execute(&line.args, &mut stdout).expect("a plan");
        String::from_utf8(stdout).expect("text")
    }

    #[test]
    fn the_total_is_the_sum_of_the_kinds() {
        let text = plan(&["sim:seagate-hawk", "--suite", "standard", "--writes", "preserve", "--json"]);
        let plan: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let kinds = plan["kinds"].as_array().expect("kinds");
        for field in ["elapsed_ns", "read_bytes", "written_bytes"] {
            let sum: u64 = kinds.iter().map(|kind| kind[field].as_u64().expect("a number")).sum();
            assert_eq!(plan["total"][field], sum, "{field}");
            assert!(sum > 0, "{field}");
        }
        assert_eq!(plan["suite"], "standard");
    }

    #[test]
    fn without_writes_the_plan_writes_nothing() {
        let text = plan(&["sim:seagate-hawk", "--suite", "full", "--json"]);
        let plan: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(plan["total"]["written_bytes"], 0);
    }

    #[test]
    fn a_person_sees_a_line_for_each_kind_and_the_total() {
        let text = plan(&["sim:modern-20tb", "--only", "skippy,seeker"]);
        let first: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(first, ["kind", "skippy", "seeker", "total"]);
    }

    #[test]
    fn what_is_destroyed_is_said() {
        let words = remarks(Writing::Destroy, Some(true), &[]).join(" ");
        assert!(words.contains("lost"), "{words}");
    }
}
