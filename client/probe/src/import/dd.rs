//! dd with its command: how long stretches of a drive took to read. Only the command says what was read, from where on, and whether
//! directly; those of GNU (in any language), of BSD and of busybox print bytes, seconds and a rate of the same transfer.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::json;

use super::figures::{Figure, nanoseconds};
use super::node::whole_drive;
use super::{ImportContext, Input, ToolOutput, entry, plain_lines, position_of, text_of};

/// What a shorter reading leaves open for its first access is more than a hundredth or two.
const SHORTEST_NS: u64 = 1_000_000_000;
const REMEDY: &str = "read a drive with: dd if=/dev/DISK of=/dev/null bs=1M count=4096 iflag=direct";

/// Whether it has what only dd prints.
pub fn is_output(text: &str) -> bool {
    plain_lines(text).any(|line| result(&line).is_some())
}

/// What one dd was asked for.
struct Command {
    source: String,
    request: u64,
    offset: u64,
    counted: Option<u64>,
    direct: bool,
}

pub fn import(input: &Input, about: &ImportContext<'_>) -> Result<ToolOutput, String> {
    let text = text_of(&input.bytes);
    let mut readings = Vec::new();
    let mut sources = BTreeSet::new();
    let mut left_out = Vec::new();
    for run in runs(&text) {
        let read =
            run.and_then(|(command, bytes, elapsed_ns)| Ok((reading(&command, bytes, elapsed_ns, about)?, command)));
        match read {
            Ok((reading, command)) => {
                sources.insert(command.source.clone());
                readings.push((reading, command));
            }
            Err(why) => left_out.push(why),
        }
    }
    if readings.is_empty() {
        let none = || {
            format!(
                "the one command of dd, which alone says what was read, is not in it; {REMEDY}, and give command and output"
            )
        };
        return Err(left_out.into_iter().next().unwrap_or_else(none));
    }
    of_one_measurement(&readings, &sources)?;
    Ok(carried(&readings, left_out, about))
}

/// Errors: what keeps the readings apart.
fn of_one_measurement(readings: &[(Reading, Command)], sources: &BTreeSet<String>) -> Result<(), String> {
    if sources.len() > 1 {
        let names: Vec<&str> = sources.iter().map(String::as_str).collect();
        return Err(format!(
            "it has readings of several drives ({}), and a run is of one; give those of each by themselves",
            names.join(", ")
        ));
    }
    let same =
        |pair: &[(Reading, Command)]| (pair[0].1.request, pair[0].1.direct) == (pair[1].1.request, pair[1].1.direct);
    if readings.windows(2).all(same) {
        return Ok(());
    }
    Err("its readings differ in bs or in iflag=direct and are not one measurement; give each by itself".to_owned())
}

fn carried(readings: &[(Reading, Command)], left_out: Vec<String>, about: &ImportContext<'_>) -> ToolOutput {
    let first = &readings[0].1;
    let mut taken = ToolOutput::default();
    taken.remarks.extend(left_out.into_iter().map(|why| format!("A result was left out: {why}.")));
    if !first.direct {
        taken.remarks.push("dd read through the kernel's page cache, without iflag=direct: read-ahead, copying and what the cache held are in its time.".to_owned());
    }
    taken.remarks.push("dd reads a stretch once: nothing says how far one reading may be trusted.".to_owned());
    let of =
        |position: &str| readings.iter().map(|(one, _)| one).filter(|one| one.position == position).collect::<Vec<_>>();
    let series = |position: &str| {
        let mine = of(position);
        let column = |pick: fn(&Reading) -> u64| mine.iter().map(|reading| pick(reading)).collect::<Vec<_>>();
        (!mine.is_empty()).then(|| {
            json!({
                "position": position,
                "offset_blocks": column(|reading| reading.offset_blocks),
                "length_blocks": column(|reading| reading.length_blocks),
                "elapsed_ns": column(|reading| reading.elapsed_ns),
            })
        })
    };
    let shortest_ns = readings.iter().map(|(reading, _)| reading.elapsed_ns).min().unwrap_or(SHORTEST_NS);
    let params = json!({
        "block_bytes": about.block_bytes(),
        "transfer_blocks": (first.request / about.block_bytes()).min(1_048_576),
        "sample_ns": shortest_ns.min(3_600_000_000_000),
        "samples_per_position": POSITIONS.iter().map(|position| of(position).len()).max().unwrap_or(1),
    });
    let elapsed_ns = readings.iter().map(|(reading, _)| reading.elapsed_ns).sum();
    let series = POSITIONS.iter().filter_map(|position| series(position)).collect();
    taken.benchmarks.push(entry("positional", params, series, elapsed_ns));
    taken
}

const POSITIONS: [&str; 3] = ["outer", "middle", "inner"];

#[derive(Clone, Copy)]
struct Reading {
    position: &'static str,
    offset_blocks: u64,
    length_blocks: u64,
    elapsed_ns: u64,
}

type Operands = Vec<(String, String)>;
type Run = Result<(Command, u64, u64), String>;

/// Each command with its result, in the order in which they stand, or why it stands for no reading.
fn runs(text: &str) -> Vec<Run> {
    let mut found = Vec::new();
    let mut open: Option<(Operands, Vec<(u64, u64)>)> = None;
    for line in plain_lines(text) {
        if let Some(operands) = operands(&line) {
            found.extend(open.replace((operands, Vec::new())).and_then(closed));
        } else if let Some(result) = result(&line) {
            match open.as_mut() {
                Some((_, results)) => results.push(result),
                None => found.push(Err(format!(
                    "the one command of dd, which alone says what was read, is not above its result; {REMEDY}, and give command and output"
                ))),
            }
        }
    }
    found.extend(open.and_then(closed));
    found
}

/// `status=progress` prints one result after the other; the last one is dd's. A command without a result was stopped, or typed again.
fn closed((operands, results): (Operands, Vec<(u64, u64)>)) -> Option<Run> {
    let (bytes, elapsed_ns) = results.last().copied()?;
    let progress = operands.iter().any(|(key, value)| key == "status" && value == "progress");
    let grows = results.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1);
    if results.len() > 1 && !(progress && grows) {
        let why = "several results of dd stand below one command; give each command with its own output";
        return Some(Err(why.to_owned()));
    }
    Some(command(&operands).map(|command| (command, bytes, elapsed_ns)))
}

/// What changes nothing of a reading, or is looked at.
const OPERANDS: [&str; 9] = ["if", "of", "bs", "ibs", "count", "skip", "iflag", "conv", "status"];
const FLAGS: [&str; 7] = ["direct", "fullblock", "nocache", "sync", "dsync", "skip_bytes", "count_bytes"];

fn command(operands: &[(String, String)]) -> Result<Command, String> {
    let option = |name: &str| operands.iter().rev().find_map(|(key, value)| (key == name).then_some(value.as_str()));
    let source = option("if").ok_or_else(|| format!("dd read no device; {REMEDY}"))?;
    if ["/dev/zero", "/dev/urandom", "/dev/random"].contains(&source) {
        return Err(format!("it wrote (dd if={source}), and the kind has reads; {REMEDY}"));
    }
    whole_drive(source).map_err(|why| format!("{why}; {REMEDY}"))?;
    if option("of") != Some("/dev/null") {
        return Err(format!("dd wrote what it read elsewhere, which is in its time; {REMEDY}"));
    }
    let flags: Vec<&str> = option("iflag").map(|flags| flags.split(',').collect()).unwrap_or_default();
    let strange = operands.iter().map(|(key, _)| key.as_str()).find(|key| !OPERANDS.contains(key));
    if let Some(name) = strange.or_else(|| flags.iter().copied().find(|flag| !FLAGS.contains(flag))) {
        return Err(format!("what its operand {name} does to a reading is not known here; {REMEDY}"));
    }
    let number = |name: &str, otherwise: Option<u64>| option(name).map_or(otherwise, size);
    let wrong = || {
        "the size of its requests (bs), their count or its start (skip) is no number; give the command unchanged"
            .to_owned()
    };
    let request = number("bs", number("ibs", Some(512))).filter(|size| *size > 0).ok_or_else(wrong)?;
    let unit = |flag: &str| if flags.contains(&flag) { 1 } else { request };
    let skip = number("skip", Some(0)).ok_or_else(wrong)?;
    let counted = match option("count") {
        Some(text) => Some(size(text).ok_or_else(wrong)?.saturating_mul(unit("count_bytes"))),
        None => None,
    };
    Ok(Command {
        source: source.to_owned(),
        request,
        offset: skip.saturating_mul(unit("skip_bytes")),
        counted,
        direct: flags.contains(&"direct"),
    })
}

fn reading(command: &Command, bytes: u64, elapsed_ns: u64, about: &ImportContext<'_>) -> Result<Reading, String> {
    let (block, offset) = (about.block_bytes(), command.offset);
    let other = command.counted.is_some_and(|counted| counted != bytes);
    if other || !bytes.is_multiple_of(block) || !offset.is_multiple_of(block) || command.request < block {
        return Err("its result is not what its command asked for; give command and output of one dd".to_owned());
    }
    if offset.saturating_add(bytes) > about.device.capacity_bytes {
        return Err(
            "it read beyond the capacity of --identity; give the identity of the drive that was read".to_owned()
        );
    }
    if elapsed_ns < SHORTEST_NS {
        return Err(format!("it took less than a second, too little to time; {REMEDY}"));
    }
    if bytes > about.device.capacity_bytes / 10 {
        return Err(format!(
            "it read {} % of the drive in one go, where a place's rate is asked for; read a tenth at most (count=)",
            bytes.saturating_mul(100) / about.device.capacity_bytes
        ));
    }
    let position = position_of(offset, about.device.capacity_bytes).ok_or(
        "it read neither at the start, nor the middle, nor the end of the drive; the kind has no other places",
    )?;
    Ok(Reading { position, offset_blocks: offset / block, length_blocks: bytes / block, elapsed_ns })
}

/// The operands of a line that calls dd, a redirection to `/dev/null` as its `of`.
fn operands(line: &str) -> Option<Operands> {
    let mut words = line.split_whitespace().skip_while(|word| word.rsplit(['/', '#', '$']).next() != Some("dd"));
    words.next()?;
    let mut found = Vec::new();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let word = word.trim_matches(['"', '\'', '`']);
        if matches!(word, "|" | "||" | "&&" | ";" | "2>&1" | "&") {
            break;
        }
        if word == ">/dev/null" || (word == ">" && words.peek() == Some(&"/dev/null")) {
            found.push(("of".to_owned(), "/dev/null".to_owned()));
        } else if let Some((key, value)) = word.split_once('=') {
            let value = value.trim_end_matches([';', ')']);
            found.push((key.to_owned(), value.trim_matches(['"', '\'']).to_owned()));
        }
    }
    found.iter().any(|(key, _)| key == "if").then_some(found)
}

/// GNU in any language: `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.12345 s, 210 MB/s`, in German `... Bytes (...) kopiert, 5,12 s, ...`;
/// busybox: `524288000 bytes (500.0MB) copied, 4.248445 seconds, 117.7MB/s`.
static COPIED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^([0-9]+) ?[^0-9()（）,]*[(（][^()（）]*[)）][^0-9()（）,]*[,，] ?([0-9]+(?:[.,][0-9]+)?) ?(?:s|с|秒|seconds?|Sekunden)[,，] ?([0-9]+(?:[.,][0-9]+)?) ?([kKMGT]?i?B)/[sсc秒]$",
    )
    .expect("a pattern")
});
/// BSD and macOS: `1073741824 bytes transferred in 5.123456 secs (209577533 bytes/sec)`.
static TRANSFERRED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^([0-9]+) bytes transferred in ([0-9]+(?:[.,][0-9]+)?) secs? \(([0-9]+(?:[.,][0-9]+)?) (bytes)/sec\)$")
        .expect("a pattern")
});

/// Bytes and nanoseconds of a line that agrees with itself.
fn result(line: &str) -> Option<(u64, u64)> {
    let found = COPIED.captures(line).or_else(|| TRANSFERRED.captures(line))?;
    let bytes: u64 = found[1].parse().ok().filter(|bytes| *bytes > 0)?;
    let seconds = Figure::parse(&found[2]).or_else(|| long_figure(&found[2]))?;
    let rate: f64 = found[3].replace(',', ".").parse().ok()?;
    let power = match &found[4] {
        "bytes" | "B" => 0,
        unit => i32::try_from("kMGT".find(unit.replace('K', "k").get(..1)?)? + 1).ok()?,
    };
    // busybox means 2^10 where it prints kB.
    #[expect(clippy::cast_precision_loss, reason = "a check to one in twenty")]
    let near = |base: f64| (rate * base.powi(power) * seconds.value / bytes as f64 - 1.0).abs() < 0.05;
    nanoseconds(seconds.value * 1e9).filter(|_| near(1000.0) || near(1024.0)).map(|elapsed_ns| (bytes, elapsed_ns))
}

/// Seconds of up to nine places.
fn long_figure(text: &str) -> Option<Figure> {
    let (whole, part) = text.split_once(['.', ','])?;
    (whole.len() <= 7 && (8..=9).contains(&part.len())).then_some(())?;
    Some(Figure { value: format!("{whole}.{part}").parse().ok()?, half: 0.0 })
}

/// `512`, `64k`, `1M`, and `1MB` of 10^6 bytes, as dd(1) has them; `x` multiplies.
fn size(text: &str) -> Option<u64> {
    text.split('x').try_fold(1u64, |product, part| product.checked_mul(factor(part)?))
}

fn factor(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|character: char| !character.is_ascii_digit());
    let unit = match &text[digits.len()..] {
        "" | "c" => 1,
        "w" => 2,
        "b" => 512,
        "kB" | "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        "k" | "K" | "KiB" => 1 << 10,
        "m" | "M" | "MiB" => 1 << 20,
        "g" | "G" | "GiB" => 1 << 30,
        "T" | "TiB" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}
