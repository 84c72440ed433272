//! Each refusal by itself, and captured trees.

use std::fs;
use std::path::Path;

use super::*;
use crate::identify::Tree;

fn free() -> Snapshot {
    Snapshot {
        name: "sdb".into(),
        read_only: false,
        nodes: vec![Node { name: "sdb".into(), ..Node::default() }],
        exclusive: true,
        signatures: Some(Vec::new()),
    }
}

fn with_partition(node: Node) -> Snapshot {
    let mut snapshot = free();
    snapshot.nodes.push(Node { name: "sdb1".into(), ..node });
    snapshot
}

/// Refused for preserving and for destroying alike, `--wipe` or not, and never for reading.
fn assert_always_refused(snapshot: &Snapshot, words: &str) {
    for (writing, wipe) in [(Writing::Preserve, false), (Writing::Destroy, false), (Writing::Destroy, true)] {
        let texts: Vec<String> = refusals(snapshot, writing, wipe).iter().map(ToString::to_string).collect();
        assert!(texts.iter().any(|text| text.contains(words)), "{writing:?}, wipe {wipe}: {texts:?}");
    }
    assert_eq!(refusals(snapshot, Writing::Nothing, false), []);
}

#[test]
fn a_disk_that_nobody_uses_may_be_written() {
    assert_eq!(refusals(&free(), Writing::Preserve, false), []);
    assert_eq!(refusals(&free(), Writing::Destroy, false), []);
}

#[test]
fn a_read_only_disk_is_refused() {
    assert_always_refused(&Snapshot { read_only: true, ..free() }, "read-only");
}

#[test]
fn a_mounted_partition_is_refused_with_its_mount_point() {
    let node = Node { mount_points: vec!["/home".into()], ..Node::default() };
    assert_always_refused(&with_partition(node), "sdb1 is mounted at /home");
}

#[test]
fn swap_is_refused() {
    assert_always_refused(&with_partition(Node { swap: true, ..Node::default() }), "sdb1 is used as swap");
}

#[test]
fn a_member_of_a_raid_or_a_volume_is_refused_and_the_holder_named() {
    let node = Node { holders: vec!["md127".into()], ..Node::default() };
    assert_always_refused(&with_partition(node), "held by md127 (MD RAID)");
    let node = Node { holders: vec!["dm-3".into()], ..Node::default() };
    assert_always_refused(&with_partition(node), "held by dm-3 (device-mapper");
}

#[test]
fn the_device_behind_a_loop_device_is_refused() {
    let node = Node { loops: vec!["loop7".into()], ..Node::default() };
    assert_always_refused(&with_partition(node), "behind the loop device loop7");
}

#[test]
fn a_disk_that_cannot_be_opened_exclusively_is_refused() {
    assert_always_refused(&Snapshot { exclusive: false, ..free() }, "exclusively");
}

#[test]
fn destroying_content_takes_wipe_and_preserving_it_does_not() {
    let snapshot = Snapshot { signatures: Some(vec!["an XFS file system"]), ..free() };
    let texts: Vec<String> = refusals(&snapshot, Writing::Destroy, false).iter().map(ToString::to_string).collect();
    assert!(texts[0].contains("an XFS file system") && texts[0].contains("--wipe"), "{texts:?}");
    assert_eq!(refusals(&snapshot, Writing::Destroy, true), []);
    assert_eq!(refusals(&snapshot, Writing::Preserve, false), []);
}

#[test]
fn partitions_alone_take_wipe_too_and_so_does_a_disk_that_could_not_be_looked_at() {
    assert_eq!(refusals(&with_partition(Node::default()), Writing::Destroy, false).len(), 1);
    let blind = Snapshot { signatures: None, ..free() };
    assert!(matches!(refusals(&blind, Writing::Destroy, false)[..], [Refusal::ContentUnknown { .. }]));
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
    fs::write(path, text).expect("the file");
}

fn machine() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    put(root, "sys/block/sdb/size", "2048\n");
    put(root, "sys/block/sdb/dev", "8:16\n");
    put(root, "sys/block/sdb/sdb1/partition", "1\n");
    put(root, "sys/block/sdb/sdb1/dev", "8:17\n");
    put(root, "sys/block/sdb/sdb2/partition", "2\n");
    put(root, "sys/block/sdb/sdb2/dev", "8:18\n");
    put(root, "proc/self/mountinfo", "");
    put(root, "proc/swaps", "Filename Type Size Used Priority\n");
    folder
}

fn snapshot_of(folder: &tempfile::TempDir) -> Snapshot {
    snapshot::take(&Tree::below(folder.path()), "sdb")
}

#[test]
fn a_mount_is_found_by_its_device_numbers() {
    let folder = machine();
    put(folder.path(), "proc/self/mountinfo", "36 35 8:17 / /srv rw - ext4 /dev/root rw\n");
    assert_eq!(snapshot_of(&folder).nodes[1].mount_points, ["/srv"]);
}

#[test]
fn a_btrfs_mount_with_made_up_numbers_is_found_by_its_source_through_links() {
    let folder = machine();
    put(folder.path(), "dev/sdb2", "");
    fs::create_dir_all(folder.path().join("dev/disk/by-uuid")).expect("the folder");
    std::os::unix::fs::symlink("../../sdb2", folder.path().join("dev/disk/by-uuid/abc")).expect("the link");
    put(folder.path(), "proc/self/mountinfo", "36 35 0:42 /@ /data rw - btrfs /dev/disk/by-uuid/abc rw\n");
    assert_eq!(snapshot_of(&folder).nodes[2].mount_points, ["/data"]);
}

#[test]
fn swap_holders_loops_and_the_read_only_flag_are_found() {
    let folder = machine();
    put(folder.path(), "proc/swaps", "Filename Type Size Used Priority\n/dev/sdb2 partition 1 0 -2\n");
    put(folder.path(), "sys/block/sdb/sdb1/holders/dm-0/x", "");
    put(folder.path(), "sys/block/loop4/loop/backing_file", "/dev/sdb\n");
    put(folder.path(), "sys/block/sdb/ro", "1\n");
    let snapshot = snapshot_of(&folder);
    assert!(snapshot.read_only && snapshot.nodes[2].swap);
    assert_eq!(snapshot.nodes[1].holders, ["dm-0"]);
    assert_eq!(snapshot.nodes[0].loops, ["loop4"]);
}

#[test]
fn each_kind_of_content_is_recognised_where_it_stands() {
    let end = signatures::TAIL_BYTES;
    let in_tail = [("a GPT", end - 512, b"EFI PART".as_slice()), ("MD RAID", end - 65_536, &[0xFC, 0x4E, 0x2B, 0xA9])];
    for (what, offset, magic) in in_tail {
        let mut tail = vec![0; end];
        tail[offset..offset + magic.len()].copy_from_slice(magic);
        let found = signatures::find(&vec![0; signatures::HEAD_BYTES], &tail);
        assert!(found.iter().any(|one| one.contains(what)), "{what}: {found:?}");
    }
    let in_head = [
        ("MBR", 510, [0x55, 0xAA].as_slice()),
        ("GPT", 512, b"EFI PART"),
        ("ext4", 0x438, &[0x53, 0xEF]),
        ("btrfs", 0x1_0040, b"_BHRfS_M"),
        ("LVM", 536, b"LVM2 001"),
        ("LUKS", 0, b"LUKS\xba\xbe"),
        ("swap", 4086, b"SWAPSPACE2"),
        ("ISO", 32_769, b"CD001"),
        ("ZFS", 131_072 + 4096, &[0x0C, 0xB1, 0xBA, 0, 0, 0, 0, 0]),
    ];
    for (what, offset, magic) in in_head {
        let mut head = vec![0; signatures::HEAD_BYTES];
        head[offset..offset + magic.len()].copy_from_slice(magic);
        let found = signatures::find(&head, &[]);
        assert!(found.iter().any(|one| one.contains(what)), "{what}: {found:?}");
    }
}

#[test]
fn an_empty_disk_carries_nothing_and_short_reads_do_no_harm() {
    assert!(signatures::find(&vec![0; signatures::HEAD_BYTES], &vec![0; signatures::TAIL_BYTES]).is_empty());
    assert!(signatures::find(&[0x55; 100], &[]).is_empty());
}
