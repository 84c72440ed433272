//! What a run that was cut off finds when it begins again.

use std::fs;

use super::*;
use crate::report::document::{Host, RunDocument};
use crate::session::fake::Fake;

const SAMPLE: &str = include_str!("../../../tests/data/sample.document.json");

fn report() -> DeviceReport {
    serde_json::from_str::<RunDocument>(SAMPLE).expect("the sample").device
}

fn target(fake: Fake) -> Target {
    Target {
        device: Box::new(fake),
        report: report(),
        host: Host::default(),
        provenance: Provenance::Probe,
        kernel_name: None,
        look_ahead: None,
        left_behind: Vec::new(),
    }
}

#[test]
fn a_cache_that_a_killed_run_left_switched_is_put_back_and_that_is_said() {
    let mut target = target(Fake { delays_writes: false, ..Fake::default() });
    let said = restore_caches(&mut target, CacheStates { write: Some(true), look_ahead: Some(true) });
    assert_eq!(target.device.cache(Cache::Write), Some(true));
    assert!(said.len() == 1 && said[0].contains("write cache") && said[0].contains("on again"), "{said:?}");
    assert!(restore_caches(&mut target, CacheStates { write: Some(true), look_ahead: None }).is_empty());
}

#[test]
fn devices_differ_by_model_size_and_unit_and_not_by_what_a_run_changes() {
    let before = report();
    let changed = |change: fn(&mut DeviceReport)| {
        let mut now = report();
        change(&mut now);
        difference(&before, &now)
    };
    assert_eq!(changed(|now| now.temperature_celsius = Some(61)), None);
    assert_eq!(changed(|now| now.write_cache.current = Some(false)), None);
    assert!(changed(|now| now.model = "OTHER".to_owned()).is_some_and(|words| words.contains("OTHER")));
    assert!(changed(|now| now.capacity_bytes += 512).is_some());
    assert!(changed(|now| now.unit_digest = Some("0".repeat(64))).is_some_and(|words| words.contains("another unit")));
}

/// A machine with a disk of that serial number under each of the names.
fn machine(disks: &[(&str, &str)]) -> (tempfile::TempDir, Tree) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, serial) in disks {
        let block = folder.path().join("sys/block").join(name);
        fs::create_dir_all(block.join("device")).expect("a folder");
        for (file, text) in [("size", "2048"), ("device/model", "SAMPLE DISK"), ("device/serial", serial)] {
            fs::write(block.join(file), text).expect("a file");
        }
        fs::create_dir_all(folder.path().join("dev")).expect("a folder");
        fs::write(folder.path().join("dev").join(name), "").expect("a node");
    }
    let tree = Tree::below(folder.path());
    (folder, tree)
}

fn header_of(tree: &Tree, name: &str) -> Header {
    let disk = Disk::read(tree, name).expect("the disk");
    let device = DeviceReport {
        model: "SAMPLE DISK".to_owned(),
        vendor: None,
        interface: "unknown".to_owned(),
        capacity_bytes: disk.capacity_bytes,
        unit_digest: target::digest_of(&disk),
        ..report()
    };
    let request = Request {
        device: String::new(),
        kinds: Vec::new(),
        writing: crate::device::Writing::Nothing,
        wipe: false,
        rotational: None,
        settings: crate::session::Settings::default(),
        license: None,
        batch_label: None,
        manufacture: None,
        challenge: None,
    };
    Header { device, asked: request.clone(), ..header(&mut target(Fake::default()), &request, tree) }
}

#[test]
fn a_disk_is_found_by_its_serial_number_wherever_it_is_attached_now() {
    let (_before, tree) = machine(&[("sdb", "SAMPLE-1")]);
    let header = header_of(&tree, "sdb");
    let (_after, tree) = machine(&[("sdb", "SAMPLE-2"), ("sdc", "SAMPLE-1")]);
    let found = find(&tree.dev.join("sdb").display().to_string(), &header, &tree).expect("the disk");
    assert!(found.ends_with("/sdc"), "{found}");
    let (_gone, tree) = machine(&[("sdb", "SAMPLE-2")]);
    let error = find(&tree.dev.join("sdb").display().to_string(), &header, &tree).expect_err("another disk");
    assert!(error.to_string().contains("SAMPLE DISK) is not attached"), "{error}");
}

#[test]
fn a_disk_without_a_serial_number_is_looked_for_only_where_it_was() {
    let (_folder, tree) = machine(&[("sdb", ""), ("sdc", "")]);
    let header = header_of(&tree, "sdb");
    assert_eq!(header.device.unit_digest, None);
    assert_eq!(find("/dev/sdq", &header, &tree).expect("the path"), "/dev/sdq");
}
