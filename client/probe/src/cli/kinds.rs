//! `diskatlas kinds`: the benchmarks that this probe knows, so that the archive's contract test can compare registries.

use std::io::Write;

use serde_json::json;

use super::Status;
use crate::kinds::KINDS;

/// List the benchmark kinds that this probe knows
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON for a machine to read
    #[arg(long)]
    pub json: bool,
}

pub fn execute(args: &Args, stdout: &mut dyn Write) -> anyhow::Result<Status> {
    if args.json {
        let kinds: Vec<_> =
            KINDS.iter().map(|kind| json!({"slug": kind.slug(), "version": kind.declaration().version})).collect();
        serde_json::to_writer(&mut *stdout, &kinds)?;
        writeln!(stdout)?;
    } else {
        for kind in KINDS {
            writeln!(stdout, "{}", kind.slug())?;
        }
    }
    Ok(Status::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(json: bool) -> String {
        let mut stdout = Vec::new();
        execute(&Args { json }, &mut stdout).expect("a vector takes all");
        String::from_utf8(stdout).expect("slugs are text")
    }

    #[test]
    fn every_registered_kind_is_listed_with_its_schemas_version() {
        let kinds: Vec<serde_json::Value> = serde_json::from_str(&output(true)).expect("it is JSON");
        let slugs: Vec<&str> = kinds.iter().filter_map(|kind| kind["slug"].as_str()).collect();
        assert_eq!(slugs, output(false).lines().collect::<Vec<_>>());
        assert!(slugs.contains(&"skippy"), "{slugs:?}");
        assert!(kinds.iter().all(|kind| kind["version"].as_u64() >= Some(1)));
    }
}
