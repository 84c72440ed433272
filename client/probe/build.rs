//! Tells the probe what it was built for and from which commit: a run document states both.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DISKATLAS_COMMIT");
    let target = env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=DISKATLAS_TARGET={target}");
    let commit = env::var("DISKATLAS_COMMIT").ok().filter(|text| is_commit(text)).or_else(commit_from_git);
    println!("cargo::rustc-env=DISKATLAS_COMMIT_OR_UNKNOWN={}", commit.as_deref().unwrap_or("unknown"));
}

/// The checked-out commit; `None` without git, outside a repository (a source archive) or without a commit.
fn commit_from_git() -> Option<String> {
    // The log of the checked-out branch changes with each commit; a linked work tree has its own.
    let head_log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&head_log).exists() {
        println!("cargo::rerun-if-changed={head_log}");
    }
    git(&["rev-parse", "HEAD"]).filter(|text| is_commit(text))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 7..=64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
