//! zcav of bonnie++: how far into the device, rate, and seconds for each block (zcav(8), and `printavg` of its source): GiB and MiB/s
//! from 1.03e on, MiB and KiB/s before. The block's size is not printed: it is the product of rate and time, a whole number of MiB.

use serde_json::json;

use super::figures::{Figure, time_of};
use super::node::whole_drive;
use super::{ImportContext, Input, ToolOutput, entry, plain_lines, text_of};

const MIB: u64 = 1 << 20;
/// A profile that does not reach both ends says nothing of the disk's.
const COVERED: f64 = 0.9;

/// Large blocks leave several sizes to rate and time alone.
const MOST_CANDIDATES: f64 = 64.0;

/// Where a block begins, how long it is, and how long it took.
type Region = (u64, u64, u64);

struct Row {
    mib: Figure,
    mib_per_s: Figure,
    seconds: Figure,
}

/// What the columns of a version count, in MiB.
#[derive(Clone, Copy)]
struct Columns {
    header: &'static str,
    position: f64,
    rate: f64,
    /// Whole numbers without what is behind their point, where others round.
    truncates_rate: bool,
}

const COLUMNS: [Columns; 2] = [
    Columns { header: "offset (GiB), MiB/s, time", position: 1024.0, rate: 1.0, truncates_rate: false },
    Columns { header: "K/s time", position: 1.0, rate: 1.0 / 1024.0, truncates_rate: true },
];

pub fn import(input: &Input, about: &ImportContext<'_>) -> Result<ToolOutput, String> {
    let mut taken = ToolOutput::default();
    let rows = rows(input, &mut taken)?;
    let block_mib = block_mib(&rows).ok_or_else(|| {
        format!(
            "the size of zcav's blocks does not follow from its {} rows (rate times time is one whole number of MiB in all of them); give the whole output, unchanged, of blocks of 16 MiB or more",
            rows.len()
        )
    })?;
    let regions = regions(&rows, block_mib, about)?;
    covers(&regions, about)?;
    taken.remarks.push(format!(
        "zcav prints rate and time of each block, which follow from one another for blocks of {block_mib} MiB: each time is the middle of what these allow."
    ));
    taken.remarks.push("zcav does not print whether it read or wrote (-w); these are taken for reads, which is what it does unless told otherwise.".to_owned());
    taken.remarks.push(
        "zcav reads through the kernel's page cache: read-ahead and copying of the kernel are in its times.".to_owned(),
    );
    let contiguous = regions.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0);
    let column = |pick: fn(&Region) -> u64| regions.iter().map(pick).collect::<Vec<_>>();
    let series = json!({
        "repeat": 0,
        "offset_blocks": column(|region| region.0),
        "length_blocks": column(|region| region.1),
        "elapsed_ns": column(|region| region.2),
    });
    let params = json!({
        "block_bytes": about.block_bytes(),
        "mode": if contiguous { "streaming" } else { "sampled" },
        "transfer_blocks": null,
    });
    let elapsed_ns = regions.iter().map(|region| region.2).sum();
    taken.benchmarks.push(entry("zoned", params, vec![series], elapsed_ns));
    Ok(taken)
}

fn rows(input: &Input, taken: &mut ToolOutput) -> Result<Vec<Row>, String> {
    let text = text_of(&input.bytes);
    let mut units = None;
    let mut over = false;
    let mut rows = Vec::new();
    for line in plain_lines(&text).filter(|line| !line.is_empty()) {
        if let Some(header) = line.strip_prefix("#block") {
            if units.is_some() {
                return Err("it holds several profiles; give each as a file of its own, and import one".to_owned());
            }
            let header = header.trim().trim_matches('"');
            let known = COLUMNS.iter().find(|columns| columns.header == header).copied();
            units = Some(known.ok_or_else(|| {
                format!("its columns are {line:?}, and only \"#block offset (GiB), MiB/s, time\" and \"#block K/s time\" of bonnie++'s zcav are known; give zcav's whole output")
            })?);
        } else if let Some(told) = line.strip_prefix("#loops:") {
            let (loops, version) = told.split_once(',').unwrap_or((told, ""));
            taken.tool_version = version.trim().strip_prefix("version:").map(|version| version.trim().to_owned());
            if loops.trim() != "1" {
                let loops: String = loops.trim().chars().take(8).collect();
                taken.remarks.push(format!("Each time is zcav's mean over {loops} passes."));
            }
        } else if line.starts_with('#') {
            if line.contains("++++") {
                taken.remarks.push("A block that zcav found too fast to time was left out.".to_owned());
            }
        } else if let Some(columns) = units {
            match (row(&line, columns), over) {
                (Some(row), false) => rows.push(row),
                (None, _) if !line.starts_with(|first: char| first.is_ascii_digit()) => over |= !rows.is_empty(),
                _ => {
                    return Err(format!("the line {line:?} is not as zcav prints it there; give its output unchanged"));
                }
            }
        } else {
            asked(&line)?;
        }
    }
    if rows.is_empty() || rows.len() > 1_000_000 {
        return Err(format!(
            "it has {} rows under a header of zcav (#block ...); give the whole output of zcav",
            rows.len()
        ));
    }
    Ok(rows)
}

/// `$ zcav -c 1 /dev/sda3`: what it was asked for, where the session's text shows it.
fn asked(line: &str) -> Result<(), String> {
    let mut words = line.split_whitespace().skip_while(|word| word.rsplit('/').next() != Some("zcav"));
    if words.next().is_none() {
        return Ok(());
    }
    for word in words {
        if word == "-w" {
            return Err("zcav wrote (-w), and the kind has reads; give the output of a run without -w".to_owned());
        }
        if word.starts_with("/dev/") {
            whole_drive(word).map_err(|why| format!("{why}; measure the whole drive"))?;
        }
    }
    Ok(())
}

fn row(line: &str, columns: Columns) -> Option<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [at, speed, seconds] = words[..] else { return None };
    let mut rate = Figure::parse(speed)?;
    if columns.truncates_rate {
        rate.value += rate.half;
    }
    Some(Row {
        mib: Figure::parse(at)?.times(columns.position),
        mib_per_s: rate.times(columns.rate),
        seconds: Figure::parse(seconds)?,
    })
}

/// The one whole number of MiB that every row's rate and time allow, and of which every row's place is a multiple.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "bounded just before"
)]
fn block_mib(rows: &[Row]) -> Option<u64> {
    let product = |row: &Row, side: f64| {
        (row.mib_per_s.value + side * row.mib_per_s.half).max(0.0)
            * (row.seconds.value + side * row.seconds.half).max(0.0)
    };
    let low = rows.iter().map(|row| product(row, -1.0)).fold(0.0, f64::max).ceil();
    let high = rows.iter().map(|row| product(row, 1.0)).fold(f64::INFINITY, f64::min).floor();
    if !(1.0..=1_048_576.0).contains(&low) || high < low || high - low > MOST_CANDIDATES {
        return None;
    }
    let off = |row: &Row, block: f64| ((row.mib.value / block).round() * block - row.mib.value).abs();
    let fits = |block: &u64| rows.iter().all(|row| off(row, *block as f64) <= row.mib.half + 1e-3);
    let mut found = (low as u64..=high as u64).filter(fits);
    found.next().filter(|_| found.next().is_none())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "figures of seven digits"
)]
fn regions(rows: &[Row], block_mib: u64, about: &ImportContext<'_>) -> Result<Vec<Region>, String> {
    let mut regions: Vec<Region> = Vec::new();
    for row in rows {
        let number = (row.mib.value / block_mib as f64).round();
        let exact = number * block_mib as f64;
        let bytes = (block_mib * MIB) as f64;
        let elapsed_ns = time_of(bytes, row.seconds, row.mib_per_s, MIB as f64, 0.0);
        let place = number as u64 * block_mib * MIB / about.block_bytes();
        let after = regions.last().is_none_or(|last| place >= last.0 + last.1);
        let (Some(elapsed_ns), true, true) = (elapsed_ns, (exact - row.mib.value).abs() <= row.mib.half + 1e-3, after)
        else {
            return Err(format!(
                "the row at {} MiB does not fit blocks of {block_mib} MiB one after the other; give one pass of zcav, unchanged",
                row.mib.value
            ));
        };
        regions.push((place, block_mib * MIB / about.block_bytes(), elapsed_ns));
    }
    Ok(regions)
}

#[expect(clippy::cast_precision_loss, reason = "sizes of disks")]
fn covers(regions: &[Region], about: &ImportContext<'_>) -> Result<(), String> {
    let end = regions.last().map_or(0, |last| last.0 + last.1);
    if end > about.blocks() {
        return Err("it goes beyond the capacity of --identity; give the identity of the disk that was read".into());
    }
    let share = end as f64 / about.blocks() as f64;
    if regions[0].0 != 0 || share < COVERED {
        return Err(format!(
            "it covers the disk from block {} to {:.0} % of it; a profile needs the start and {:.0} %: measure the whole device",
            regions[0].0,
            100.0 * share,
            100.0 * COVERED
        ));
    }
    Ok(())
}
