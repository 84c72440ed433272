//! The machine around the disk: CPU, kernel, memory, load, from procfs.

use std::path::Path;

use super::tree::{self, Tree};

/// The processor's name; `None` where the kernel does not tell (many ARM machines).
pub fn cpu(tree: &Tree) -> Option<String> {
    let text = std::fs::read_to_string(tree.proc.join("cpuinfo")).ok()?;
    let line = text.lines().find(|line| line.starts_with("model name") || line.starts_with("Model"))?;
    tree::clean(line.split_once(':')?.1)
}

/// For example `Linux 6.1.0-18-amd64`.
pub fn kernel(tree: &Tree) -> Option<String> {
    tree::text(&tree.proc.join("sys/kernel/osrelease")).map(|release| format!("Linux {release}"))
}

pub fn memory_bytes(tree: &Tree) -> Option<u64> {
    let text = std::fs::read_to_string(tree.proc.join("meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Processes that were ready to run, averaged over the last minute.
pub fn load_average(tree: &Tree) -> Option<f64> {
    tree::text(&tree.proc.join("loadavg"))?.split(' ').next()?.parse().ok()
}

/// Which start of the machine this is; `None` where the kernel does not tell.
pub fn boot_id(tree: &Tree) -> Option<String> {
    tree::text(&tree.proc.join("sys/kernel/random/boot_id"))
}

/// How often this thread was taken off its core against its will.
pub fn involuntary_context_switches(tree: &Tree) -> Option<u64> {
    switches(&tree.proc.join("thread-self/status"))
}

fn switches(path: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?.trim().parse().ok()
}
