//! Whole runs of the probe on the named simulated drives, in virtual time.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use diskatlas::device::Device;
use diskatlas::sim::{self, Truth};
use serde_json::Value;

fn probe(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskatlas"));
    command.current_dir(folder).env("DISKATLAS_KEY", folder.join("key"));
    command
}

/// Runs the probe, checks that `verify` accepts what it saved, and gives the document.
fn run(device: &str, arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let output =
        probe(folder.path()).args(["run", device, "-o", "run.json"]).args(arguments).output().expect("the probe");
    assert!(output.status.success(), "{device}: {}", String::from_utf8_lossy(&output.stderr));
    let verified = probe(folder.path()).args(["verify", "run.json"]).output().expect("the probe");
    assert!(verified.status.success(), "{device}: {}", String::from_utf8_lossy(&verified.stdout));
    document(&folder.path().join("run.json"))
}

/// The document inside an envelope.
fn document(file: &Path) -> Value {
    let envelope: Value = serde_json::from_slice(&std::fs::read(file).expect("the file")).expect("JSON");
    let payload = STANDARD.decode(envelope["payload"].as_str().expect("a payload")).expect("base64");
    serde_json::from_slice(&payload).expect("JSON")
}

fn benchmark<'a>(document: &'a Value, kind: &str) -> &'a Value {
    let all = document["benchmarks"].as_array().expect("benchmarks");
    all.iter().find(|one| one["kind"] == kind).expect("the kind's entry")
}

fn series<'a>(document: &'a Value, kind: &str) -> &'a Vec<Value> {
    benchmark(document, kind)["samples"]["series"].as_array().expect("series")
}

fn column(series: &Value, name: &str) -> Vec<u64> {
    series[name].as_array().expect("a column").iter().map(|value| value.as_u64().expect("an integer")).collect()
}

fn truth(name: &str) -> Truth {
    let drive = sim::open(name).expect("the drive");
    let capacity = drive.geometry().capacity_blocks();
    sim::truth(drive.model(), &[("outer", 0), ("middle", capacity / 2), ("inner", capacity - capacity / 100)])
}

#[test]
fn every_named_drive_gives_a_signed_document_that_keeps_to_the_schemas() {
    for name in sim::names() {
        let document = run(&format!("sim:{name}"), &["--writes", "preserve", "--repeats", "1"]);
        assert_eq!(document["provenance"], "simulated", "{name}");
        assert_eq!(document["device"]["rotational"]["source"], "simulated", "{name}");
        assert_eq!(document["conditions"]["interrupted"], false, "{name}");
        for kind in ["skippy", "zoned", "seeker", "bandwidth"] {
            assert!(benchmark(&document, kind).get("skipped").is_none(), "{name}: {}", benchmark(&document, kind));
        }
    }
}

#[test]
fn the_rotation_estimate_is_within_half_a_percent_on_every_named_drive_under_heavy_noise() {
    for name in sim::names() {
        let document = run(&format!("sim:{name},noise=heavy"), &["--only", "skippy", "--repeats", "1"]);
        let params = &benchmark(&document, "skippy")["params"];
        #[allow(clippy::cast_precision_loss, reason = "a turn has fewer nanoseconds than a float has digits")]
        let estimate = params["rotation_estimate_ns"].as_u64().expect("an estimate") as f64 / 1e6;
        let error = (estimate / truth(name).rotation_period_ms - 1.0).abs();
        assert!(error < 0.005, "{name}: {estimate} ms is off by {error}");
    }
}

#[test]
fn skippy_passes_a_full_track_beyond_the_edge_and_two_cylinders_in_every_part() {
    for name in sim::names() {
        let truth = truth(name);
        let document = run(&format!("sim:{name}"), &["--only", "skippy", "--writes", "preserve"]);
        for (region, local) in &truth.local {
            let here = |one: &&Value| one["region"] == region.as_str() && one["variant"] == "backward";
            let increasing = series(&document, "skippy").iter().filter(here).find(|one| one["pattern"] == "increasing");
            let steps = column(increasing.expect("a series"), "step_blocks").len() as u64;
            let track = local.blocks_per_track;
            assert!(steps > track * 105 / 100, "{name} {region}: {steps} steps over tracks of {track}");
            if truth.layout == "surface_serpentine" {
                continue;
            }
            let cylinder = track * u64::from(truth.surfaces);
            let most = series(&document, "skippy").iter().filter(|one| one["region"] == region.as_str()).map(|one| {
                let offsets = column(one, "offset_blocks");
                offsets[0].abs_diff(offsets[offsets.len() - 1])
            });
            let most = most.max().expect("series");
            assert!(most > 3 * cylinder, "{name} {region}: {most} blocks show no two cylinders of {cylinder}");
        }
    }
}

/// Cells as first and last block, by position.
fn cells(series: &Value) -> Vec<(u64, u64)> {
    let (offsets, lengths) = (column(series, "offset_blocks"), column(series, "length_blocks"));
    let mut cells: Vec<(u64, u64)> = Vec::new();
    for (place, group) in column(series, "group").into_iter().enumerate() {
        if group == cells.len() as u64 {
            cells.push((offsets[place], 0));
        }
        cells.last_mut().expect("groups count up from 0").1 = offsets[place] + lengths[place];
    }
    cells
}

#[test]
fn a_drive_whose_heads_differ_is_measured_in_cells_that_close_in_on_its_boundaries_within_ten_minutes() {
    // With the default noise a step between two zones now and then stays unseen: of five noise seeds the least gave 20 of 23.
    for (noise, least) in [("off", 22), ("default", 18)] {
        let truth = truth("modern-20tb");
        let document = run(&format!("sim:modern-20tb,noise={noise}"), &["--only", "zoned"]);
        let minutes = benchmark(&document, "zoned")["elapsed_ns"].as_u64().expect("a time") / 60_000_000_000;
        assert!(minutes < 10, "{noise}: {minutes} minutes");
        let cells = cells(&series(&document, "zoned")[0]);
        // Neighbours that start close together stand on both sides of it. A cell that straddles it differs from both by less
        // than they do from each other, so that the last halvings may be missing.
        let closest = truth.capacity_blocks / 512 + 2 * 256;
        let closed_in = truth.zones[1..].iter().filter(|zone| {
            let beside = |pair: &[(u64, u64)]| pair[0].0 <= zone.first_block && zone.first_block <= pair[1].1;
            cells.windows(2).any(|pair| beside(pair) && pair[1].0 - pair[0].0 <= closest)
        });
        let (found, all) = (closed_in.count(), truth.zones.len() - 1);
        assert!(found >= least, "{noise}: {found} of {all} boundaries");
    }
}

#[test]
fn sampled_zones_bracket_the_true_boundaries() {
    for name in ["ibm-ultrastar-xp", "ibm-9zx", "micropolis-3391", "samsung-hd103sj", "seagate-st2000nm0001"] {
        let truth = truth(name);
        let document = run(&format!("sim:{name}"), &["--only", "zoned", "--repeats", "1"]);
        let offsets = column(&series(&document, "zoned")[0], "offset_blocks");
        let length = column(&series(&document, "zoned")[0], "length_blocks")[0];
        let limit = truth.capacity_blocks / 2048 + 3 * length;
        let boundaries: Vec<u64> = truth.zones.iter().skip(1).map(|zone| zone.first_block).collect();
        let bracketed = boundaries.iter().filter(|&&boundary| {
            // In a region that was read, or between two that stand close together.
            let after = offsets.partition_point(|&offset| offset + length <= boundary);
            let inside = after < offsets.len() && offsets[after] <= boundary;
            let beside = after > 0 && after < offsets.len() && offsets[after] + length - offsets[after - 1] <= limit;
            inside || beside
        });
        let (found, all) = (bracketed.count(), boundaries.len());
        assert!(found * 10 >= all * 8, "{name}: {found} of {all} boundaries are located to {limit} blocks");
    }
}

#[test]
fn a_disk_whose_heads_differ_is_sampled_evenly_and_densely_where_noise_hides_their_order() {
    let document = run("sim:modern-20tb,noise=heavy", &["--only", "zoned", "--repeats", "1"]);
    let offsets = column(&series(&document, "zoned")[0], "offset_blocks");
    let widest = offsets.windows(2).map(|pair| pair[1] - pair[0]).max().expect("regions");
    assert!(widest < truth("modern-20tb").capacity_blocks / 200, "{widest} blocks between two regions");
}

#[test]
fn a_whole_run_on_a_20_tb_drive_takes_minutes() {
    let document = run("sim:modern-20tb", &[]);
    for (kind, minutes) in [("skippy", 5), ("zoned", 10), ("seeker", 5)] {
        let elapsed = benchmark(&document, kind)["elapsed_ns"].as_u64().expect("a time");
        assert!(elapsed < minutes * 60_000_000_000, "{kind} takes {} s", elapsed / 1_000_000_000);
    }
}

#[test]
fn the_same_drive_and_seed_give_the_same_samples() {
    let once = run("sim:ibm-9zx,seed=7", &["--only", "seeker,skippy"]);
    let again = run("sim:ibm-9zx,seed=7", &["--only", "skippy,seeker"]);
    assert_eq!(once["benchmarks"], again["benchmarks"]);
    let other = run("sim:ibm-9zx,seed=8", &["--only", "seeker,skippy"]);
    assert_ne!(once["benchmarks"], other["benchmarks"]);
}

#[test]
fn a_disk_said_not_to_rotate_skips_what_needs_rotation_and_says_why() {
    let document = run("sim:ibm-9zx", &["--rotational", "no"]);
    for kind in ["skippy", "seeker"] {
        let why = benchmark(&document, kind)["skipped"].as_str().expect("a reason");
        assert!(why.contains("--rotational no"), "{why}");
    }
    assert!(benchmark(&document, "zoned").get("samples").is_some());
    assert_eq!(document["device"]["rotational"]["source"], "user");
}

fn refused(arguments: &[&str], code: i32, words: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let output = probe(folder.path()).args(arguments).output().expect("the probe");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains(words), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?} wrote to stdout");
}

#[test]
fn what_makes_no_sense_is_a_usage_error_that_says_what_to_do() {
    refused(&["run", "/dev/no-such-disk"], 2, "diskatlas list");
    refused(&["run", "sim:no-such-drive"], 2, "seagate-hawk");
    refused(&["run", "Cargo.toml"], 2, "no device");
    refused(&["run", "/dev/null"], 2, "a character device");
    refused(&["run", "/tmp"], 2, "a directory");
    refused(&["run", "sim:ibm-9zx", "--only", "skippy,nonsense"], 2, "skippy, zoned, seeker");
    refused(&["run", "sim:ibm-9zx", "--wipe"], 2, "--writes destroy");
    refused(&["run", "sim:ibm-9zx", "--manufactured", "2024-07"], 2, "2024-W07");
    refused(&["run", "sim:ibm-9zx", "-o", "no/such/folder/run.json"], 1, "no/such/folder");
}

#[test]
fn a_regular_file_is_not_measured() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    refused(&["run", &file.path().display().to_string()], 2, "a regular file");
}

#[test]
fn json_says_where_the_document_lies_and_what_was_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["run", "sim:ibm-9zx", "--only", "seeker", "--json", "-o", "here.json"];
    let output = probe(folder.path()).args(arguments).output().expect("the probe");
    let line: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert_eq!(line["file"], "here.json");
    assert_eq!(line["benchmarks"][0]["state"], "measured");
}

#[test]
fn an_interrupted_run_saves_and_signs_what_was_measured_and_exits_with_1() {
    let folder = tempfile::tempdir().expect("a folder");
    // A day of virtual time: long enough to be interrupted in the middle on any machine.
    let arguments = ["run", "sim:modern-20tb", "--zoned", "streaming", "--only", "skippy,zoned", "-o", "run.json"];
    let mut child = probe(folder.path()).args(arguments).stderr(Stdio::piped()).spawn().expect("the probe");
    let lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
    let mut said = Vec::new();
    for line in lines {
        let line = line.expect("text");
        if line.contains("zoned: ") && !said.iter().any(|earlier: &String| earlier.contains("zoned: ")) {
            let pid = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a signal");
        }
        said.push(line);
    }
    assert_eq!(child.wait().expect("an end").code(), Some(1), "{said:?}");
    assert!(said.iter().any(|line| line.contains("interrupted")), "{said:?}");
    let verified = probe(folder.path()).args(["verify", "run.json"]).output().expect("the probe");
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    let document = document(&folder.path().join("run.json"));
    assert_eq!(document["conditions"]["interrupted"], true);
    assert!(benchmark(&document, "skippy").get("samples").is_some());
}

#[test]
fn no_kind_is_measured_while_the_drive_writes_what_an_earlier_one_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("collects.toml");
    // As many long writes as there are slots wait in a cache that can't be switched off.
    let drive = include_str!("../src/sim/drives/samsung-hd103sj.toml")
        .replace("changeable = true", "changeable = false")
        .replace("buffer_kib", "# buffer_kib")
        .replace("in_one_pass", "# in_one_pass");
    std::fs::write(&file, drive).expect("the drive's file");
    let options = ["--only", "sync_write,access", "--suite", "quick", "--writes", "preserve", "--confirm=ects"];
    let document = run(&format!("sim:{}", file.display()), &options);
    let random = series(&document, "access").iter().find(|one| one["pattern"] == "random").expect("random reads");
    let longest_ns = column(random, "elapsed_ns").into_iter().max().expect("a read");
    assert!(longest_ns < 100_000_000, "a read took {longest_ns} ns");
}

/// Device time of all kinds of a suite together as a run took it, and as the plan expects it, in seconds.
fn suite_seconds(device: &str, suite: &str, writes: &str) -> (f64, f64) {
    let seconds = |kinds: &Value| -> f64 {
        let kinds = kinds.as_array().expect("kinds");
        kinds.iter().filter_map(|kind| kind["elapsed_ns"].as_f64()).sum::<f64>() / 1e9
    };
    let document = run(device, &["--suite", suite, "--writes", writes]);
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["plan", device, "--suite", suite, "--writes", writes, "--json"];
    let plan: Value = serde_json::from_slice(&probe(folder.path()).args(arguments).output().expect("the probe").stdout)
        .expect("JSON");
    (seconds(&document["benchmarks"]), seconds(&plan["kinds"]))
}

/// A plan knows the size of a disk and its turn, not its interface or its buffer.
const PLAN_WITHIN: f64 = 1.5;

fn assert_near(taken: f64, planned: f64, what: &str) {
    let times = (taken / planned).max(planned / taken);
    assert!(times < PLAN_WITHIN, "{what}: {taken:.0} s, and the plan said {planned:.0} s");
}

#[test]
fn a_quick_run_of_any_drive_ends_within_three_minutes_with_and_without_writes_and_about_as_planned() {
    for name in diskatlas::sim::names() {
        for writes in ["none", "preserve"] {
            let what = format!("{name}, {writes}");
            let (taken, planned) = suite_seconds(&format!("sim:{name}"), "quick", writes);
            assert!((30.0..178.0).contains(&taken) && planned < 180.0, "{what}: {taken} s, planned {planned} s");
            assert_near(taken, planned, &what);
        }
    }
}

#[test]
fn a_standard_run_of_a_20_tb_drive_ends_within_twenty_minutes_with_and_without_writes() {
    for writes in ["none", "preserve"] {
        let (taken, planned) = suite_seconds("sim:modern-20tb", "standard", writes);
        assert!((300.0..1200.0).contains(&taken), "{writes}: {taken} s");
        assert_near(taken, planned, writes);
    }
}
