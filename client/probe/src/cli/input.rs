//! Reads what a person hands to a command: a file of limited size, or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, bail};

use crate::kinds::KINDS;
use crate::report::check::Checker;
use crate::report::envelope::MAX_ENVELOPE_BYTES;
use crate::terminal::text;

/// The bytes of an envelope; `-` is standard input.
pub fn read_envelope(path: &Path) -> anyhow::Result<Vec<u8>> {
    let beyond = ", which no archive takes: measure fewer kinds at once (--only)";
    if path == Path::new("-") {
        return read_from(io::stdin(), path, MAX_ENVELOPE_BYTES, beyond);
    }
    read_at_most(path, MAX_ENVELOPE_BYTES, beyond)
}

/// The bytes of a file of at most `limit` bytes; `beyond` says what is wrong with a larger one.
pub fn read_at_most(path: &Path, limit: u64, beyond: &str) -> anyhow::Result<Vec<u8>> {
    let file = File::open(path).with_context(|| format!("can't read {}", path.display()))?;
    read_from(file, path, limit, beyond)
}

fn read_from(source: impl Read, path: &Path, limit: u64, beyond: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit + 1).read_to_end(&mut bytes).with_context(|| format!("can't read {}", path.display()))?;
    if bytes.len() as u64 > limit {
        bail!("{} is larger than {}{beyond}", path.display(), text::bytes(limit));
    }
    Ok(bytes)
}

pub fn checker() -> anyhow::Result<Checker> {
    Ok(Checker::new(KINDS.iter().map(|kind| (kind.slug(), kind.declaration().schema)))?)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_kind_carries_the_schema_of_its_own_slug_and_version() {
        for kind in KINDS {
            let schema: Value = serde_json::from_str(kind.declaration().schema).unwrap();
            assert_eq!(schema["properties"]["kind"]["const"], kind.slug());
            assert_eq!(schema["properties"]["version"]["const"], kind.declaration().version);
        }
        assert!(checker().is_ok());
    }
}
