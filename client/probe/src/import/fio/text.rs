//! fio's normal text (fio 2 and 3) and its terse lines (version 3 and later), as the members that its JSON has for the same: one reader goes on
//! from all. Neither says which device was used nor whether directly: the command above it has to, and must not contradict it.
//! Latencies in milliseconds are left out, since half of one is several per cent of a disk's.

use std::sync::LazyLock;

use regex_lite::{Captures, Regex};
use serde_json::{Map, Value, json};

use super::super::plain_lines;
use super::options::bytes;

const REMEDY: &str = "give the command together with what it printed, or run fio with --output-format=json+";

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// `job: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) ..., ioengine=libaio, iodepth=1`; fio 2 has `bs=4K-4K/4K-4K/4K-4K`.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(.+): \(g=(\d+)\): rw=(\w+), bs=(?:\(R\) )?([0-9.]+[KMG]?i?B?)-([0-9.]+[KMG]?i?B?)[/,].*ioengine=(\w+), iodepth=(\d+)$",
    )
});
static VERSION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^fio-[23]\.[0-9][0-9A-Za-z.-]*$"));
static RESULT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(.+): \(groupid=(\d+), jobs=(\d+)\): err= *(\d+)\b"));
static SIDE_3: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(read|write): IOPS=[0-9.]+[kM]?, BW=[^(]+\([^)]+\)\([^/)]+/(\d+)msec\)"));
static SIDE_2: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(read|write) ?: io=[0-9.]+[KMGT]?i?B, bw=.*runt= *(\d+)msec$"));
static CLAT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^clat \((nsec|usec|msec)\): min= *([0-9]+), max= *([0-9]+), avg= *([0-9.]+), stdev= *([0-9.]+)$")
});
static PERCENTILES: LazyLock<Regex> = LazyLock::new(|| pattern(r"^clat percentiles \((nsec|usec|msec)\):$"));
static PERCENTILE: LazyLock<Regex> = LazyLock::new(|| pattern(r"([0-9.]+)th=\[ *([0-9]+)\]"));
static ISSUED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^issued(?: rwts?)? *: total=(?:r=)?(\d+)[,/](?:w=)?(\d+)[,/](?:d=)?(\d+)(?:,\d+)?,? short=(?:r=)?(\d+)[,/](?:w=)?(\d+)",
    )
});
/// Terse lines begin with the version of their form; version 2 has no version of fio.
static TERSE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:[345];fio-[23]|2;[^;]+;[0-9]+;[0-9]+;)"));
static DISK: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(\S+): ios=\d+/\d+,"));

/// Whether this is fio's normal or terse text.
pub fn is_text(text: &str) -> bool {
    plain_lines(text).any(|line| RESULT.is_match(&line) || TERSE.is_match(&line))
}

/// Errors: why the text stands for no job, as a sentence.
pub fn parse(text: &str) -> Result<Value, String> {
    let lines: Vec<String> = joined(text);
    let terse: Vec<&String> = lines.iter().filter(|line| TERSE.is_match(line)).collect();
    if terse.iter().any(|line| line.starts_with("2;")) {
        return Err(
            "its terse lines are of version 2, which names no version of fio; run fio with --terse-version=3, or better with --output-format=json+".to_owned(),
        );
    }
    let mut commands = lines.iter().filter_map(|line| command(line));
    let (Some(options), None) = (commands.next(), commands.next()) else {
        return Err(format!(
            "fio's text says neither which device was used nor whether directly, and the one command that does is not above it; {REMEDY}"
        ));
    };
    let options = options?;
    let job = match terse[..] {
        [] => normal(&lines, &options)?,
        [line] if !lines.iter().any(|line| RESULT.is_match(line)) => terse_job(line, &options)?,
        _ => return Err(several()),
    };
    Ok(job)
}

fn several() -> String {
    format!("it holds the results of several jobs, whose text can't be told apart for sure; {REMEDY}")
}

fn cut(what: &str) -> String {
    format!("its text lacks {what}: somebody cut or changed it; {REMEDY}")
}

/// Lines, those that end with a backslash together with the next.
fn joined(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for line in plain_lines(text) {
        let line = line.trim().to_owned();
        let ends = line.strip_suffix('\\').map(str::trim_end);
        let part = ends.unwrap_or(&line).to_owned();
        match found.last_mut().filter(|_| open) {
            Some(last) => *last = format!("{last} {part}"),
            None => found.push(part),
        }
        open = ends.is_some();
    }
    found
}

/// Options of the command line alone, which say how to print.
const OF_PRINTING: [&str; 8] =
    ["output-format", "output", "minimal", "terse-version", "append-terse", "eta", "eta-newline", "name"];

/// The options of a line that calls fio. Errors: why they don't say what was measured.
fn command(line: &str) -> Option<Result<Map<String, Value>, String>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "fio" || word.ends_with("/fio"))?;
    let given = &words[at + 1..];
    if !given.iter().any(|word| word.starts_with("--")) {
        return None;
    }
    Some(options(given))
}

fn options(words: &[&str]) -> Result<Map<String, Value>, String> {
    let unclear = |what: &str| Err(format!("its command {what}; {REMEDY}"));
    let mut found = Map::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        if matches!(*word, "|" | ">" | ">>" | "2>&1" | "&&" | ";") {
            break;
        }
        let Some(option) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
            return unclear("names a file of jobs, or something that is not understood");
        };
        let (name, value) = if let Some((name, value)) = option.split_once('=') {
            (name, value.to_owned())
        } else {
            let value = words.next_if(|word| !word.starts_with('-') && !matches!(**word, "|" | ">" | ">>" | "&&"));
            (option, value.map(|value| (*value).to_owned()).unwrap_or_default())
        };
        let value = value.trim_matches(['"', '\'']).to_owned();
        if value.contains(['"', '\'', '$', '`']) {
            return unclear("holds quotes or variables");
        }
        if found.insert(name.to_owned(), Value::String(value)).is_some() {
            return unclear(&format!("gives --{name} twice"));
        }
    }
    let name = found.get("name").cloned();
    found.retain(|name, _| !OF_PRINTING.contains(&name.as_str()));
    match name {
        Some(name) => {
            found.insert("name".to_owned(), name);
            Ok(found)
        }
        None => unclear("has no --name"),
    }
}

fn option<'a>(options: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| options.get(*name)).and_then(Value::as_str)
}

/// What was printed has to be of this very command.
fn same(options: &Map<String, Value>, names: &[&str], otherwise: &str, printed: &str) -> Result<(), String> {
    let asked = option(options, names).unwrap_or(otherwise);
    if asked == printed {
        return Ok(());
    }
    Err(format!("its command has {}={asked}, and what stands below is of {printed}; {REMEDY}", names[0]))
}

fn one<'t>(lines: &'t [String], pattern: &Regex, what: &str) -> Result<Captures<'t>, String> {
    let mut found = lines.iter().filter_map(|line| pattern.captures(line));
    match (found.next(), found.next()) {
        (Some(found), None) => Ok(found),
        (None, _) => Err(cut(what)),
        _ => Err(several()),
    }
}

fn normal(lines: &[String], options: &Map<String, Value>) -> Result<Value, String> {
    let header = one(lines, &HEADER, "the line that names rw, bs, ioengine and iodepth")?;
    let version = lines.iter().find(|line| VERSION.is_match(line)).ok_or_else(|| cut("fio's version"))?;
    let result = one(lines, &RESULT, "the line of the job's result")?;
    let issued = one(lines, &ISSUED, "the line \"issued rwts\" at its end")?;
    for name in [&header[1], &result[1]] {
        same(options, &["name"], "", name)?;
    }
    same(options, &["rw", "readwrite"], "read", &header[3])?;
    same(options, &["iodepth"], "1", &header[7])?;
    let engine = option(options, &["ioengine"]).ok_or_else(|| format!("its command has no --ioengine; {REMEDY}"))?;
    same(options, &["ioengine"], engine, &header[6])?;
    let asked = bytes(option(options, &["bs", "blocksize"]).unwrap_or("4k"));
    let printed = |at: usize| bytes(&header[at].replace(".0", ""));
    if asked.is_none() || printed(4) != asked || printed(5) != asked {
        return Err(format!("its command asks for other requests than the {} that it printed; {REMEDY}", &header[4]));
    }
    same(options, &["numjobs"], "1", &result[3])?;
    let device = option(options, &["filename"]).and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    if lines.iter().filter_map(|line| DISK.captures(line)).any(|disk| &disk[1] != device) {
        return Err(format!("its disk statistics are of another device than its command's; {REMEDY}"));
    }
    let number = |at: usize| issued[at].parse::<u64>().map_err(|_| cut("whole counts of requests"));
    if number(4)? + number(5)? > 0 {
        return Err("some of its requests were short, which no kind carries".to_owned());
    }
    let mut job = json!({
        "jobname": &result[1],
        "groupid": 0,
        "error": result[4].parse::<u64>().unwrap_or(1),
        "job options": options,
    });
    for (name, total) in [("read", number(1)?), ("write", number(2)?)] {
        job[name] = side(lines, name, total)?;
    }
    Ok(json!({"fio version": version, "jobs": [job]}))
}

/// One direction: from its line on to the next line of such a kind.
fn side(lines: &[String], name: &str, total: u64) -> Result<Value, String> {
    let of = |line: &&String| {
        let found = SIDE_3.captures(line).or_else(|| SIDE_2.captures(line));
        found.map(|found| (found[1].to_owned(), found[2].to_owned()))
    };
    let starts: Vec<(usize, String, String)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| of(&line).map(|(direction, runtime)| (at, direction, runtime)))
        .collect();
    let mut mine = starts.iter().filter(|(_, direction, _)| direction == name);
    let (Some((at, _, runtime)), None) = (mine.next(), mine.next()) else {
        let fits = total == 0 && !starts.iter().any(|(_, direction, _)| direction == name);
        return if fits { Ok(json!({"total_ios": 0, "runtime": 0})) } else { Err(cut(&format!("its {name}s"))) };
    };
    let end = starts.iter().map(|(other, ..)| *other).find(|other| other > at).unwrap_or(lines.len());
    let mut value = json!({"total_ios": total, "runtime": runtime.parse::<u64>().map_err(|_| cut("how long it ran"))?});
    let own = &lines[at + 1..end];
    if let Ok(clat) = one(own, &CLAT, "latencies") {
        value["clat_ns"] = latencies(own, &clat).unwrap_or(Value::Null);
    }
    Ok(value)
}

/// `None` where they are too coarse.
fn latencies(lines: &[String], clat: &Captures<'_>) -> Option<Value> {
    let unit = |name: &str| match name {
        "nsec" => Some(1),
        "usec" => Some(1000),
        _ => None,
    };
    let factor = unit(&clat[1])?;
    let number = |text: &str| text.parse::<u64>().ok()?.checked_mul(factor);
    #[expect(clippy::cast_precision_loss, reason = "1 or 1000")]
    let real = |text: &str| text.parse::<f64>().ok().map(|value| value * factor as f64);
    let at = lines.iter().position(|line| PERCENTILES.is_match(line))?;
    let factor = unit(&PERCENTILES.captures(&lines[at])?[1])?;
    let mut percentiles = Map::new();
    for line in lines[at + 1..].iter().take_while(|line| PERCENTILE.is_match(line)) {
        for found in PERCENTILE.captures_iter(line) {
            percentiles.insert(found[1].to_owned(), json!(found[2].parse::<u64>().ok()?.checked_mul(factor)?));
        }
    }
    Some(json!({
        "min": number(&clat[2])?,
        "max": number(&clat[3])?,
        "mean": real(&clat[4])?,
        "stddev": real(&clat[5])?,
        "rounded": true,
        "percentile": percentiles,
    }))
}

// ---- Terse: fields by their place, as fio(1) lists them for version 3; 4 adds trims, and 5 the samples of rates, too.

const REST_FIELDS: usize = 34;

fn terse_job(line: &str, options: &Map<String, Value>) -> Result<Value, String> {
    let fields: Vec<&str> = line.split(';').collect();
    let (sides, side_fields) = match fields[0] {
        "3" => (2, 41),
        "4" => (3, 41),
        _ => (3, 47),
    };
    let all = 5 + sides * side_fields + REST_FIELDS;
    if fields.len() < all {
        return Err(cut("fields of its terse line"));
    }
    same(options, &["name"], "", fields[2])?;
    let device = option(options, &["filename"]).and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    if fields.get(all).is_some_and(|name| *name != device) {
        return Err(format!("its disk statistics are of another device than its command's; {REMEDY}"));
    }
    let request = bytes(option(options, &["bs", "blocksize"]).unwrap_or("4k")).filter(|size| size.is_multiple_of(1024));
    let request = request.ok_or("fio's terse lines count KiB, of which its requests are no multiple")?;
    let mut job = json!({
        "jobname": fields[2],
        "groupid": 0,
        "error": fields[4].parse::<u64>().map_err(|_| cut("its error code"))?,
        "job options": options,
    });
    for (name, at) in [("read", 5), ("write", 5 + side_fields)] {
        job[name] = terse_side(&fields[at..at + side_fields], request).ok_or_else(|| cut("whole fields"))?;
    }
    Ok(json!({"fio version": fields[1], "jobs": [job]}))
}

/// Latencies are whole microseconds; KiB, rate and time have to agree.
fn terse_side(fields: &[&str], request: u64) -> Option<Value> {
    let number = |at: usize| fields[at].parse::<u64>().ok();
    let real = |at: usize| fields[at].parse::<f64>().ok();
    let (kib, rate, runtime) = (number(0)?, number(1)?, number(3)?);
    let moved = kib.checked_mul(1024).filter(|moved| moved.is_multiple_of(request))?;
    #[expect(clippy::cast_precision_loss, reason = "a check to one in twenty")]
    let agrees = kib == 0 || (rate as f64 * runtime as f64 / 1000.0 / kib as f64 - 1.0).abs() < 0.05;
    let mut percentiles = Map::new();
    for field in &fields[12..32] {
        let (percent, latency) = field.split_once("%=")?;
        percentiles.insert(percent.to_owned(), json!(latency.parse::<u64>().ok()?));
    }
    agrees.then_some(json!({
        "total_ios": moved / request,
        "runtime": runtime,
        "clat": {
            "min": number(8)?,
            "max": number(9)?,
            "mean": real(10)?,
            "stddev": real(11)?,
            "rounded": true,
            "percentile": percentiles,
        },
    }))
}
