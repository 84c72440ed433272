//! What must hold before a single byte is written. The decision is a pure function over a [`Snapshot`].

pub mod confirm;
pub mod signatures;
pub mod snapshot;

pub use snapshot::{Node, Snapshot};

use crate::device::Writing;

/// Why nothing may be written: the fact and the remedy.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("{name} is read-only; measure with --writes none, or lift the flag (blockdev --setrw)")]
    ReadOnly { name: String },
    #[error("{name} is mounted at {mount_point}; unmount it first (umount {mount_point})")]
    Mounted { name: String, mount_point: String },
    #[error("{name} is used as swap; turn that off first (swapoff /dev/{name})")]
    Swap { name: String },
    #[error("{name} is held by {holder} ({kind}); stop that first")]
    Held { name: String, holder: String, kind: &'static str },
    #[error("{name} stands behind the loop device {holder}; detach that first (losetup -d /dev/{holder})")]
    LoopBacking { name: String, holder: String },
    #[error(
        "{name} can't be opened exclusively: another program, a file system or a volume holds it; see `lsblk` and `fuser`"
    )]
    NotExclusive { name: String },
    #[error(
        "{name} carries {what}, which --writes destroy would damage; use --writes preserve, or add --wipe if its content may go"
    )]
    Content { name: String, what: String },
    #[error(
        "the content of {name} could not be read, so it can't be told whether it is empty; add --wipe if it may go"
    )]
    ContentUnknown { name: String },
}

/// All reasons against writing; none for `Writing::Nothing`. `wipe` allows destroying content, never content in use.
pub fn refusals(snapshot: &Snapshot, writing: Writing, wipe: bool) -> Vec<Refusal> {
    if writing == Writing::Nothing {
        return Vec::new();
    }
    let mut found = Vec::new();
    if snapshot.read_only {
        found.push(Refusal::ReadOnly { name: snapshot.name.clone() });
    }
    for node in &snapshot.nodes {
        found.extend(node_refusals(node));
    }
    // What holds the disk has been named already where it is known; this catches what is not.
    if found.is_empty() && !snapshot.exclusive {
        found.push(Refusal::NotExclusive { name: snapshot.name.clone() });
    }
    if writing == Writing::Destroy && !wipe {
        found.extend(content_refusals(snapshot));
    }
    found
}

fn node_refusals(node: &Node) -> Vec<Refusal> {
    let name = || node.name.clone();
    let mounts = node.mount_points.iter().map(|point| Refusal::Mounted { name: name(), mount_point: point.clone() });
    let swap = node.swap.then(|| Refusal::Swap { name: name() });
    let held = node.holders.iter().map(|holder| Refusal::Held {
        name: name(),
        holder: holder.clone(),
        kind: holder_kind(holder),
    });
    let loops = node.loops.iter().map(|holder| Refusal::LoopBacking { name: name(), holder: holder.clone() });
    mounts.chain(swap).chain(held).chain(loops).collect()
}

fn content_refusals(snapshot: &Snapshot) -> Vec<Refusal> {
    let name = || snapshot.name.clone();
    let Some(signatures) = &snapshot.signatures else { return vec![Refusal::ContentUnknown { name: name() }] };
    let mut what: Vec<String> = signatures.iter().map(|one| (*one).to_owned()).collect();
    if snapshot.nodes.len() > 1 {
        what.push(format!("{} partitions", snapshot.nodes.len() - 1));
    }
    what.into_iter().map(|what| Refusal::Content { name: name(), what }).collect()
}

fn holder_kind(holder: &str) -> &'static str {
    const KINDS: [(&str, &str); 3] =
        [("md", "MD RAID"), ("dm-", "device-mapper: LVM, encryption or multipath"), ("bcache", "bcache")];
    let known = KINDS.into_iter().find(|(start, _)| holder.starts_with(start));
    known.map_or("another device on top of it", |(_, kind)| kind)
}

#[cfg(test)]
mod tests;
