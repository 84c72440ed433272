//! The state of a disk as far as it decides about writing, taken once, just before.

use std::path::Path;

use crate::identify::{Tree, mounts, tree};

/// The disk and its partitions, and who uses them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Snapshot {
    pub name: String,
    /// The kernel's read-only flag (`BLKROGET`).
    pub read_only: bool,
    /// The disk first, then its partitions.
    pub nodes: Vec<Node>,
    pub exclusive: bool,
    /// What stands on the disk; `None` where that could not be read.
    pub signatures: Option<Vec<&'static str>>,
}

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Node {
    pub name: String,
    pub mount_points: Vec<String>,
    pub swap: bool,
    /// Devices made of this one: LVM, MD, device-mapper, bcache.
    pub holders: Vec<String>,
    /// Loop devices whose backing file is this device.
    pub loops: Vec<String>,
}

/// Reads who uses the disk and its partitions. `read_only` follows sysfs; the caller adds what only an open can tell.
pub fn take(tree: &Tree, name: &str) -> Snapshot {
    let folder = tree.sys.join("block").join(name);
    let users = Users::read(tree);
    let mut nodes = vec![node(tree, &users, name, &folder)];
    for part in tree::names_in(&folder) {
        if folder.join(&part).join("partition").exists() {
            nodes.push(node(tree, &users, &part, &folder.join(&part)));
        }
    }
    let read_only = tree::number(&folder.join("ro")) == Some(1);
    Snapshot { name: name.to_owned(), read_only, nodes, exclusive: true, signatures: None }
}

struct Users {
    mounts: Vec<mounts::Mount>,
    swaps: Vec<String>,
    loops: Vec<(String, String)>,
}

impl Users {
    fn read(tree: &Tree) -> Self {
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let block = tree.sys.join("block");
        let loops = tree.block_devices().into_iter().filter_map(|name| {
            let backing = tree::text(&block.join(&name).join("loop/backing_file"))?;
            Some((name, backing))
        });
        Self {
            mounts: mounts::mountinfo(&read(&tree.proc.join("self/mountinfo"))),
            swaps: mounts::swaps(&read(&tree.proc.join("swaps"))),
            loops: loops.collect(),
        }
    }
}

fn node(tree: &Tree, users: &Users, name: &str, folder: &Path) -> Node {
    let numbers = tree::text(&folder.join("dev"));
    let is_this = |path: &str| refers_to(tree, path, name);
    let mounted = users.mounts.iter().filter(|mount| {
        numbers.as_deref() == Some(&format!("{}:{}", mount.major, mount.minor)) || is_this(&mount.source)
    });
    Node {
        name: name.to_owned(),
        mount_points: mounted.map(|mount| mount.mount_point.clone()).collect(),
        swap: users.swaps.iter().any(|path| is_this(path)),
        holders: tree::names_in(&folder.join("holders")),
        loops: users.loops.iter().filter(|(_, backing)| is_this(backing)).map(|(holder, _)| holder.clone()).collect(),
    }
}

/// Whether a path such as `/dev/disk/by-uuid/...` is the device of that name, its links followed.
fn refers_to(tree: &Tree, path: &str, name: &str) -> bool {
    let Some(relative) = path.strip_prefix("/dev/") else { return false };
    let below = tree.dev.join(relative);
    let real = std::fs::canonicalize(&below).unwrap_or(below);
    real.file_name().is_some_and(|last| last.to_string_lossy() == name)
}
