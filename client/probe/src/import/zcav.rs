//! zcav of bonnie++: GiB into the device, MiB/s, and seconds for each block (zcav(8), and `printavg` of its source). The block's size
//! is not printed: it is the product of rate and time, a whole number of MiB.

use serde_json::json;

use super::figures::{Figure, time_of};
use super::{ImportContext, Input, ToolOutput, entry};

const MIB: u64 = 1 << 20;
/// A profile that does not reach both ends says nothing of the disk's.
const COVERED: f64 = 0.9;

/// Where a block begins, how long it is, and how long it took.
type Region = (u64, u64, u64);

struct Row {
    gib: Figure,
    rate: Figure,
    seconds: Figure,
}

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
        "zcav prints MiB/s and milliseconds for each block, which follow from one another for blocks of {block_mib} MiB: each time is the middle of what these allow."
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
    let text = String::from_utf8_lossy(&input.bytes);
    let mut known = false;
    let mut rows = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(header) = line.strip_prefix("#block") {
            if header.trim() != "offset (GiB), MiB/s, time" {
                return Err(format!(
                    "its columns are {line:?}, and only \"#block offset (GiB), MiB/s, time\" is known, as bonnie++ 1.03e and later print it; measure with such a version"
                ));
            }
            known = true;
        } else if let Some(loops) = line.strip_prefix("#loops:") {
            taken.remarks.push(format!(
                "Each time is zcav's mean over {} passes.",
                loops.trim().chars().take(8).collect::<String>()
            ));
        } else if line.starts_with('#') {
            if line.contains("++++") {
                taken.remarks.push("A block that zcav found too fast to time was left out.".to_owned());
            }
        } else if known {
            let words: Vec<&str> = line.split_whitespace().collect();
            let row = match words[..] {
                [gib, rate, seconds] => Figure::parse(gib).zip(Figure::parse(rate)).zip(Figure::parse(seconds)),
                _ => None,
            };
            let wrong = || format!("the line {line:?} is not as zcav prints it; give its output unchanged");
            let ((gib, rate), seconds) = row.ok_or_else(wrong)?;
            rows.push(Row { gib, rate, seconds });
        }
    }
    if rows.is_empty() || rows.len() > 1_000_000 {
        return Err(format!(
            "it has {} rows under \"#block offset (GiB), MiB/s, time\"; give the whole output of zcav",
            rows.len()
        ));
    }
    Ok(rows)
}

/// The one whole number of MiB that every row's rate and time allow.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded just before")]
fn block_mib(rows: &[Row]) -> Option<u64> {
    let product = |row: &Row, side: f64| {
        (row.rate.value + side * row.rate.half).max(0.0) * (row.seconds.value + side * row.seconds.half).max(0.0)
    };
    let low = rows.iter().map(|row| product(row, -1.0)).fold(0.0, f64::max).ceil();
    let high = rows.iter().map(|row| product(row, 1.0)).fold(f64::INFINITY, f64::min).floor();
    ((1.0..=1_048_576.0).contains(&low) && (low - high).abs() < 0.5).then_some(low as u64)
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
        let number = (row.gib.value * 1024.0 / block_mib as f64).round();
        let exact = number * block_mib as f64 / 1024.0;
        let bytes = (block_mib * MIB) as f64;
        let elapsed_ns = time_of(bytes, row.seconds, row.rate, MIB as f64, 0.0);
        let place = number as u64 * block_mib * MIB / about.block_bytes();
        let after = regions.last().is_none_or(|last| place >= last.0 + last.1);
        let (Some(elapsed_ns), true, true) = (elapsed_ns, (exact - row.gib.value).abs() <= row.gib.half + 1e-6, after)
        else {
            return Err(format!(
                "the row at {} GiB does not fit blocks of {block_mib} MiB one after the other; give one pass of zcav, unchanged",
                row.gib.value
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
