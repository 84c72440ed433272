//! The probe on genuine block devices: loop devices on plain files. Skipped where the machine can't make them.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use diskatlas::device::open::OpenError;
use diskatlas::device::{AccessError, Device, Span};
use diskatlas::device::{Writing, raw::RawDisk};
use serde_json::Value;
use support::loops::Loop;

fn run(program: &str, arguments: &[&Path]) {
    let output = Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Refused with exit code 2 and those words, for preserving and destroying; not a byte is different afterwards.
fn assert_refused(device: &Loop, modes: &[&[&str]], words: &str) {
    let before = device.image();
    for mode in modes {
        let name = device.name();
        let output = device.probe(&[*mode, &["--confirm", &name, "--only", "skippy", "-o", "run.json"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{mode:?}: {said}");
        assert!(said.contains(words), "{mode:?}: {said}");
        assert!(!device.folder.path().join("run.json").exists());
    }
    assert!(device.image() == before, "bytes changed");
}

const WRITING: &[&[&str]] = &[&["--writes", "preserve"], &["--writes", "destroy"], &["--writes", "destroy", "--wipe"]];

#[test]
fn preserving_writes_the_same_bytes_back() {
    let Some(device) = Loop::new(&[]) else { return };
    let before = device.image();
    let mut disk = RawDisk::open(&device.device, Writing::Preserve, None).expect("an exclusive open");
    let blocks: Vec<u64> = (0..500).map(|index| index * 61 % disk.geometry().capacity_blocks()).collect();
    // One block each, and now and then more than the device takes in one piece.
    let long = disk.max_transfer_blocks() + 3;
    let span = |(index, &block): (usize, &u64)| Span { block, count: if index == 7 { long } else { 1 } };
    let spans: Vec<Span> = blocks.iter().enumerate().map(span).collect();
    disk.stage(&spans).expect("readable blocks");
    for index in 0..spans.len() {
        let timing = disk.write_timed(index).expect("a write");
        assert!(timing.latency_ns > 0);
    }
    drop(disk);
    assert!(device.image() == before, "bytes changed");
}

#[test]
fn destroying_writes_the_pattern_at_the_blocks_that_were_told_and_nowhere_else() {
    let Some(device) = Loop::new(&[]) else { return };
    let before = device.image();
    let mut disk = RawDisk::open(&device.device, Writing::Destroy, None).expect("an exclusive open");
    let size = disk.geometry().block_bytes as usize;
    disk.stage(&[Span { block: 7, count: 2 }, Span::single(3)]).expect("readable blocks");
    disk.write_timed(0).expect("a write");
    drop(disk);
    let after = device.image();
    assert!(after[7 * size..8 * size].starts_with(b"DiskAtls\x07"));
    assert!(after[8 * size..9 * size].starts_with(b"DiskAtls\x08"));
    assert!(after[..7 * size] == before[..7 * size] && after[9 * size..] == before[9 * size..]);
}

#[test]
fn a_disk_opened_for_reading_refuses_to_write() {
    let Some(device) = Loop::new(&[]) else { return };
    let mut disk = RawDisk::open(&device.device, Writing::Nothing, None).expect("an open");
    disk.stage(&[Span::single(3)]).expect("a readable block");
    assert!(!disk.writable());
    assert!(matches!(disk.write_timed(0), Err(AccessError::Gone { .. })));
}

#[test]
fn a_block_that_was_not_kept_is_not_written() {
    let Some(device) = Loop::new(&[]) else { return };
    let before = device.image();
    let mut disk = RawDisk::open(&device.device, Writing::Preserve, None).expect("an exclusive open");
    let beyond = disk.geometry().capacity_blocks() + 5;
    assert!(disk.stage(&[Span::single(3), Span::single(beyond)]).is_err());
    assert!(disk.write_timed(0).is_err());
    drop(disk);
    assert!(device.image() == before, "bytes changed");
}

#[test]
fn a_read_only_flag_is_seen_although_the_open_succeeds() {
    let Some(device) = Loop::new(&["--read-only"]) else { return };
    assert!(matches!(RawDisk::open(&device.device, Writing::Preserve, None), Err(OpenError::ReadOnly(_))));
    assert_refused(&device, WRITING, "read-only");
}

#[test]
fn a_mounted_disk_is_refused() {
    let Some(device) = Loop::new(&[]) else { return };
    run("mkfs.ext4", &[Path::new("-q"), &device.device]);
    let mount_point = device.folder.path().join("mnt");
    fs::create_dir(&mount_point).expect("the mount point");
    run("mount", &[&device.device, &mount_point]);
    let result = std::panic::catch_unwind(|| assert_refused(&device, WRITING, "is mounted at"));
    run("umount", &[&mount_point]);
    result.expect("refused");
}

#[test]
fn swap_is_refused() {
    let Some(device) = Loop::new(&[]) else { return };
    run("mkswap", &[&device.device]);
    let output = Command::new("swapon").arg(&device.device).output().expect("swapon");
    assert!(output.status.success(), "swapon: {}", String::from_utf8_lossy(&output.stderr));
    let result = std::panic::catch_unwind(|| assert_refused(&device, WRITING, "swap"));
    run("swapoff", &[&device.device]);
    result.expect("refused");
}

#[test]
fn the_disk_behind_another_loop_device_is_refused() {
    let Some(device) = Loop::new(&[]) else { return };
    let output = Command::new("losetup").args(["--find", "--show"]).arg(&device.device).output().expect("losetup");
    let upper = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let result = std::panic::catch_unwind(|| assert_refused(&device, WRITING, "stands behind the loop device"));
    run("losetup", &[Path::new("--detach"), &upper]);
    result.expect("refused");
}

#[test]
fn a_disk_that_another_program_holds_exclusively_is_refused() {
    let Some(device) = Loop::new(&[]) else { return };
    let holder = RawDisk::open(&device.device, Writing::Preserve, None).expect("an exclusive open");
    assert_refused(&device, WRITING, "exclusively");
    drop(holder);
}

#[test]
fn a_file_system_is_destroyed_only_with_wipe() {
    let Some(device) = Loop::new(&[]) else { return };
    run("mkfs.ext4", &[Path::new("-q"), &device.device]);
    assert_refused(&device, &[&["--writes", "destroy"]], "ext4");
    let output = device.probe(&["--writes", "destroy", "--wipe", "--confirm", &device.name(), "--only", "zoned"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_partition_table_is_destroyed_only_with_wipe() {
    let Some(device) = Loop::new(&[]) else { return };
    device.write_at(510, &[0x55, 0xAA]);
    assert_refused(&device, &[&["--writes", "destroy"]], "MBR");
}

#[test]
fn a_wrong_or_missing_confirmation_writes_nothing() {
    let Some(device) = Loop::new(&[]) else { return };
    let before = device.image();
    for confirm in [&["--confirm", "yes"][..], &[]] {
        let output = device.probe(&[&["--writes", "preserve", "--only", "skippy"], confirm].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("the device name") && said.contains("nothing was written"), "{said}");
    }
    assert!(device.image() == before, "bytes changed");
}

#[test]
fn a_device_that_does_not_turn_is_measured_where_that_makes_sense_and_the_rest_says_why_not() {
    let Some(device) = Loop::new(&[]) else { return };
    let output = device.probe(&["--json", "-o", "run.json", "--rotational", "yes"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let states: Vec<&str> = (0..3).map(|at| line["benchmarks"][at]["state"].as_str().expect("a state")).collect();
    assert_eq!(states, ["skipped", "measured", "skipped"]);
    let why = line["benchmarks"][0]["reason"].as_str().expect("a reason");
    assert!(why.contains("no rotation is seen"), "{why}");
}

/// Reads the device again and again, past the cache, as another program would; until the flag is set.
fn compete(device: &Path, ends: &AtomicBool) {
    let mut disk = RawDisk::open(device, Writing::Nothing, None).expect("an open");
    let blocks = disk.geometry().capacity_blocks();
    let mut block = 0;
    while !ends.load(Ordering::Relaxed) {
        disk.read_timed(block, 8).expect("a read");
        block = (block + 4801) % (blocks - 8);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn a_competing_reader_is_counted_and_what_it_met_is_measured_again() {
    let Some(device) = Loop::new(&[]) else { return };
    let ends = Arc::new(AtomicBool::new(false));
    let other = std::thread::spawn({
        let (path, ends) = (device.device.clone(), ends.clone());
        move || compete(&path, &ends)
    });
    let output = device.probe(&["--only", "seeker", "--rotational", "yes", "-o", "run.json"]);
    ends.store(true, Ordering::Relaxed);
    other.join().expect("the other reader");
    let disturbances = disturbances(&device);
    let sum = |name: &str| disturbances.iter().map(|piece| piece[name].as_u64().expect("a number")).sum::<u64>();
    assert!(sum("foreign_requests") > 20, "{disturbances:?} {}", String::from_utf8_lossy(&output.stderr));
    assert!(sum("disturbed_requests") > 0, "{disturbances:?}");
    assert!(disturbances.iter().any(|piece| piece["attempts"].as_u64() > Some(1)), "{disturbances:?}");
}

#[test]
fn the_probes_own_requests_are_not_taken_for_others() {
    let Some(device) = Loop::new(&[]) else { return };
    let output = device.probe(&["--only", "seeker,zoned,positional", "--rotational", "yes", "-o", "run.json"]);
    // A device that has just come up may be looked at by the system; that is over when the first kind begins.
    let foreign: Vec<Value> = disturbances(&device)
        .into_iter()
        .filter(|piece| piece["kind"] != "rotation" && piece["foreign_requests"].as_u64() > Some(0))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?} {}", String::from_utf8_lossy(&output.stderr));
}

/// What the document in run.json says of disturbed pieces.
fn disturbances(device: &Loop) -> Vec<Value> {
    let bytes = fs::read(device.folder.path().join("run.json")).expect("the document");
    let envelope: Value = serde_json::from_slice(&bytes).expect("JSON");
    let payload = STANDARD.decode(envelope["payload"].as_str().expect("a payload")).expect("base64");
    let document: Value = serde_json::from_slice(&payload).expect("JSON");
    document["conditions"]["disturbances"].as_array().cloned().unwrap_or_default()
}
