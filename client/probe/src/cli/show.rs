//! `diskatlas show`: what a file holds and what would be sent, for the person who decides whether to send it.

use std::fmt::{Display, Write as _};
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;

use super::{Status, input};
use crate::identify::DriveName;
use crate::report::document::{
    Benchmark, Bridge, CacheSetting, Conditions, DeviceReport, Host, Imported, Measured, Provenance, RunDocument,
};
use crate::report::envelope::{Envelope, Verified};
use crate::report::json::Json;
use crate::terminal::say;
use crate::terminal::text::{self, on_off};

/// Show what a file holds, and so what would be sent
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file that `diskatlas run` wrote, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print the signed document itself, byte for byte
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    let context = || args.file.display().to_string();
    let bytes = input::read_envelope(&args.file)?;
    let verified = Envelope::parse(&bytes).and_then(|envelope| envelope.verify()).with_context(context)?;
    drop(bytes);
    if args.json {
        stdout.write_all(verified.payload())?;
        writeln!(stdout)?;
        return Ok(Status::Done);
    }
    let value: Json = serde_json::from_slice(verified.payload()).with_context(context)?;
    let violations = input::checker()?.check(&value).len() as u64;
    drop(value);
    let document: RunDocument = serde_json::from_slice(verified.payload()).with_context(context)?;
    write!(stdout, "{}", describe(&document, &verified))?;
    if violations > 0 {
        let violations = text::count(violations, "violation");
        say!(
            "warning: {violations} of the schemas, an archive would refuse it: see diskatlas verify {}",
            args.file.display()
        );
    }
    Ok(Status::Done)
}

fn describe(document: &RunDocument, verified: &Verified) -> String {
    let mut page = Page::default();
    page.section("Run");
    page.row("run", &document.run_id);
    page.row("created", &document.created_at);
    page.row("probe", format!("{} for {}", document.probe.version, document.probe.target));
    page.row(
        "provenance",
        match document.provenance {
            Provenance::Probe => "measured on a real device",
            Provenance::Simulated => "simulated: never counted among measured drives",
            Provenance::Imported => "imported: never counted among what the probe measured",
        },
    );
    page.row("licence", document.license.as_deref().map_or(NO_LICENCE.to_owned(), licence));
    if let Some(imported) = &document.imported {
        describe_import(&mut page, imported);
    }
    describe_device(&mut page, &document.device);
    describe_host(&mut page, &document.host);
    describe_conditions(&mut page, &document.conditions);
    page.section("Benchmarks");
    for benchmark in &document.benchmarks {
        describe_benchmark(&mut page, benchmark);
    }
    if document.imported.is_some() {
        describe_read(&mut page, document);
    }
    page.section("Signature");
    page.row("key", format!("ed25519 {}", verified.keyid));
    page.row("meaning", "who signs this is the same as who signs your other runs; no name is sent");
    page.section("Stays on this machine");
    page.line("the serial number and the WWN (only the unit digest above stands for them),");
    page.line("the secret key, the names of users, hosts, files and networks, and all that is stored on the device");
    page.text
}

fn describe_import(page: &mut Page, imported: &Imported) {
    page.section("Imported from");
    page.row("tool", imported.tool_version.as_ref().unwrap_or(&imported.tool));
    page.optional("written", imported.measured_at.as_ref());
    page.optional("from", imported.source.as_ref());
    for file in &imported.files {
        page.row(&file.format, format!("{} bytes, SHA-256 {}", text::grouped(file.size_bytes), file.sha256));
    }
    for remark in &imported.remarks {
        page.line(&text::printable(remark));
    }
}

fn describe_device(page: &mut Page, device: &DeviceReport) {
    page.section("Device");
    page.row("vendor", or_unknown(device.vendor.as_ref()));
    page.row("model", &device.model);
    let known = DriveName::of(device.vendor.as_deref().unwrap_or_default(), &device.model);
    page.optional("that is", known.words());
    page.row("firmware", or_unknown(device.firmware.as_ref()));
    let exact = text::grouped(device.capacity_bytes);
    page.row("capacity", format!("{} ({exact} bytes)", text::bytes(device.capacity_bytes)));
    let (logical, physical) = (device.logical_block_bytes, device.physical_block_bytes);
    let used = format!("measured in blocks of {} bytes ({})", device.block_bytes, device.block_bytes_source);
    page.row("blocks", format!("{logical} bytes logical, {physical} physical; {used}"));
    let turns = if device.rotational.value { "turns" } else { "does not turn" };
    page.row("rotation", format!("{turns} (source: {})", device.rotational.source));
    page.optional("rated speed", device.rotation_rate_rpm.map(|rpm| format!("{rpm} rpm")));
    page.optional("form factor", device.form_factor.as_ref());
    page.optional("shingled tracks", device.shingled.as_ref());
    let arms = device.access_ranges.len();
    page.optional("actuators", (arms > 1).then(|| format!("{arms}, each with a part of the blocks")));
    page.row("interface", &device.interface);
    let link = device.link_speed_bits_per_s.map(|speed| format!("{} bit/s", text::grouped(speed)));
    let most = device.link_speed_supported_bits_per_s.filter(|most| Some(*most) != device.link_speed_bits_per_s);
    let most = most.map(|most| format!(", of {} bit/s that it could run at", text::grouped(most))).unwrap_or_default();
    page.optional("link speed", link.map(|link| link + &most));
    page.optional("USB bridge", device.bridge.as_ref().map(bridge));
    page.optional("write cache", cache(device.write_cache));
    page.optional("look-ahead", cache(device.look_ahead));
    let manufacture = device.manufacture.as_ref();
    page.optional(
        "made",
        manufacture.map(|made| format!("{} week {} (source: {})", made.year, made.week, made.source)),
    );
    page.optional("batch label", device.batch_label.as_ref());
    page.optional("temperature", device.temperature_celsius.map(|celsius| format!("{celsius} \u{b0}C")));
    let digest = device.unit_digest.as_deref().unwrap_or("none: the device tells no serial number");
    page.row("unit digest", digest);
}

fn describe_host(page: &mut Page, host: &Host) {
    page.section("Host");
    page.row("processor", or_unknown(host.cpu.as_ref()));
    page.row("kernel", or_unknown(host.kernel.as_ref()));
    page.optional("memory", host.memory_bytes.map(text::bytes));
    page.optional("controller", host.controller.as_ref());
    let link = host.hba.as_ref().and_then(|hba| hba.link_speed_bits_per_s);
    page.optional("its link", link.map(|speed| format!("{} bit/s", text::grouped(speed))));
    page.optional("scheduler", host.scheduler.as_ref());
}

fn describe_conditions(page: &mut Page, conditions: &Conditions) {
    page.section("Conditions");
    page.row("writes", &conditions.writes);
    page.change("write cache", conditions.write_cache_before.map(on_off), conditions.write_cache_during.map(on_off));
    page.optional("  afterwards", conditions.write_cache_after.map(on_off));
    page.change("look-ahead", conditions.look_ahead_before.map(on_off), conditions.look_ahead_during.map(on_off));
    page.optional("  afterwards", conditions.look_ahead_after.map(on_off));
    page.optional("foreign I/O", conditions.foreign_requests.map(|count| text::count(count, "request")));
    page.optional("load", conditions.load_average_1min);
    let celsius = |value: Option<i32>| value.map(|celsius| format!("{celsius} \u{b0}C"));
    let (before, after) = (conditions.temperature_before_celsius, conditions.temperature_after_celsius);
    page.change("temperature", celsius(before), celsius(after));
    if conditions.interrupted {
        page.row("interrupted", "yes: ended before it was through");
    }
}

fn describe_benchmark(page: &mut Page, benchmark: &Benchmark) {
    match benchmark {
        Benchmark::Skipped { kind, skipped } => page.row(kind, format!("not measured: {skipped}")),
        Benchmark::Measured(measured) => {
            let (series, samples) = count_samples(measured);
            let (series, samples) = (text::count(series, "series"), text::count(samples, "sample"));
            let errors = measured.errors.len() as u64;
            let errors = if errors > 0 { format!(", {}", text::count(errors, "medium error")) } else { String::new() };
            let time = text::duration(measured.elapsed_ns);
            page.row(&measured.kind, format!("{samples} in {series}, {time} of device time{errors}"));
            if let Some(caches) = &measured.caches {
                let state = |on: Option<bool>| on.map_or("unknown", on_off);
                let (write, ahead) = (state(caches.write), state(caches.look_ahead));
                let instead = caches.instead.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
                page.row("", format!("with write cache {write}, look-ahead {ahead}{instead}"));
            }
        }
    }
}

/// The numbers that were read, series by series. It goes by the names of columns, which mean the same in every kind.
#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn describe_read(page: &mut Page, document: &RunDocument) {
    page.section("Read from the files");
    let block_bytes = f64::from(document.device.block_bytes);
    for benchmark in &document.benchmarks {
        let Benchmark::Measured(measured) = benchmark else { continue };
        for series in measured.samples["series"].items() {
            let word = |name: &str| series[name].as_str().unwrap_or_default().to_owned();
            let words = [word("position"), word("variant"), word("pattern")].join(" ");
            let name = if words.trim().is_empty() { &measured.kind } else { words.trim() };
            let number = |name: &str| series[name].as_u64().map(|number| number as f64);
            let column =
                |name: &str| series[name].as_column().map(|column| column.iter().map(|one| one as f64).sum::<f64>());
            if let Some(stated) = series["stated"].as_object() {
                for (name, value) in stated {
                    page.row(name, value.as_str().unwrap_or_default());
                }
            } else if let Some(((requests, elapsed_ns), at_once)) =
                number("requests").zip(number("elapsed_ns")).zip(number("concurrency"))
            {
                let rate = requests / elapsed_ns * 1e9;
                let bytes = number("request_blocks").unwrap_or_default() * block_bytes;
                page.row(
                    name,
                    format!("{requests} requests of {bytes} bytes, {at_once} under way: {rate:.2} a second"),
                );
                for side in ["reads", "writes"] {
                    page.optional(side, latencies(&series[side]));
                }
            } else if let Some((blocks, elapsed_ns)) = column("length_blocks").zip(column("elapsed_ns")) {
                let rate = blocks * block_bytes / elapsed_ns * 1e3;
                let places = series["length_blocks"].list_length().unwrap_or(0) as u64;
                page.row(name, format!("{}, {rate:.1} MB/s on average", text::count(places, "sample")));
            } else {
                let writes = series["latency_ns"].list_length().unwrap_or(0) as u64;
                page.row(name, text::count(writes, "request"));
            }
        }
    }
}

/// Mean and ends of the latencies of a side, and the median where the tool printed it.
#[expect(clippy::cast_precision_loss, reason = "shown with two digits behind the point")]
fn latencies(side: &Json) -> Option<String> {
    let ms = |value: &Json| value.as_u64().map(|value| value as f64 / 1e6);
    let summary = &side["summary"];
    let buckets = side["requests"].as_column().map(|column| column.iter().map(|one| one as f64).sum::<f64>());
    let requests = summary["requests"].as_u64().map(|count| count as f64).or(buckets)?;
    let (total, least, most) = (ms(&side["total_ns"])?, ms(&side["minimum_ns"])?, ms(&side["maximum_ns"])?);
    let shares = summary["per_million"].as_column();
    let half = shares.and_then(|shares| shares.iter().position(|share| share == 500_000));
    let median = half.and_then(|at| summary["percentile_ns"].as_column()?.iter().nth(at));
    let median = median.map(|median| format!(", median {:.2} ms", median as f64 / 1e6)).unwrap_or_default();
    Some(format!("mean {:.2} ms{median}, {least:.2} to {most:.2} ms", total / requests))
}

/// Series, and the length of their columns together.
fn count_samples(measured: &Measured) -> (u64, u64) {
    let series = measured.samples["series"].items();
    let length = |series: &Json| {
        let members = series.as_object().into_iter().flat_map(|members| members.values());
        members.filter_map(Json::list_length).max().unwrap_or(0) as u64
    };
    (series.len() as u64, series.iter().map(length).sum())
}

const NO_LICENCE: &str = "none yet: nothing is given away, and diskatlas submit asks before it sends";

fn bridge(bridge: &Bridge) -> String {
    let reached = match &bridge.pass_through {
        Some(command) => format!("the disk behind it answers to {command}"),
        None => "the disk behind it can't be asked".to_owned(),
    };
    [bridge.words(), vec![reached]].concat().join(", ")
}

/// The states of a cache's switch that are known.
fn cache(setting: CacheSetting) -> Option<String> {
    let CacheSetting { current, changeable, default, saved } = setting;
    let fixed = changeable.map(|changeable| if changeable { "changeable" } else { "fixed" }.to_owned());
    let known = [
        current.map(|on| on_off(on).to_owned()),
        fixed,
        default.map(|on| format!("{} by default", on_off(on))),
        saved.map(|on| format!("saved as {}", on_off(on))),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    (!known.is_empty()).then(|| known.join(", "))
}

fn licence(identifier: &str) -> String {
    match identifier {
        "CC0-1.0" => "CC0-1.0: anyone may use the data for anything".to_owned(),
        "CC-BY-4.0" => "CC-BY-4.0: anyone may use the data for anything and names the contributor's key".to_owned(),
        other => other.to_owned(),
    }
}

fn or_unknown(text: Option<&String>) -> &str {
    text.map_or("unknown", String::as_str)
}

/// Sections of aligned rows. Every value may come from a stranger's file.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn section(&mut self, title: &str) {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.text, "{gap}{title}");
    }

    fn row(&mut self, name: &str, value: impl Display) {
        let _ = writeln!(self.text, "  {:<12} {}", text::printable(name), text::printable(&value.to_string()));
    }

    fn optional(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.row(name, value);
        }
    }

    fn change(&mut self, name: &str, before: Option<impl Display>, then: Option<impl Display>) {
        match (before, then) {
            (None, None) => {}
            (before, then) => {
                let text = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
                let (before, then) = (before.map(|v| v.to_string()), then.map(|v| v.to_string()));
                self.row(
                    name,
                    if before == then { text(before) } else { format!("{}, then {}", text(before), text(then)) },
                );
            }
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::content::Content;
    use crate::report::keys::Key;
    use crate::report::sign_document;

    const SAMPLE: &str = include_str!("../../tests/data/sample.document.json");

    fn page(change: impl FnOnce(&mut RunDocument)) -> String {
        let mut document: RunDocument = serde_json::from_str(SAMPLE).unwrap();
        change(&mut document);
        let bytes = sign_document(&document, &Key::from_seed([7; 32])).unwrap().to_vec().unwrap();
        let verified = Envelope::parse(&bytes).unwrap().verify().unwrap();
        describe(&document, &verified)
    }

    #[test]
    fn the_page_says_what_is_sent_and_what_is_not() {
        insta::assert_snapshot!(page(|_| {}));
    }

    #[test]
    fn a_skipped_kind_shows_its_reason() {
        let reason = "the device does not turn".to_owned();
        let text =
            page(|document| document.benchmarks.push(Benchmark::Skipped { kind: "other".to_owned(), skipped: reason }));
        assert!(text.contains("\n  other        not measured: the device does not turn\n"), "{text}");
    }

    #[test]
    fn a_model_name_cannot_steer_the_terminal() {
        let text = page(|document| document.device.model = "\u{1b}[2JX".to_owned());
        assert!(text.contains("model         [2JX\n"), "{text}");
    }
}
