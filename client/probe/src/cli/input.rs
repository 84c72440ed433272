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
    let context = || format!("can't read {}", path.display());
    let source: Box<dyn Read> =
        if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path).with_context(context)?) };
    let mut bytes = Vec::new();
    source.take(MAX_ENVELOPE_BYTES + 1).read_to_end(&mut bytes).with_context(context)?;
    if bytes.len() as u64 > MAX_ENVELOPE_BYTES {
        let limit = text::bytes(MAX_ENVELOPE_BYTES);
        bail!(
            "{} is larger than {limit}, which no archive takes: measure fewer kinds at once (--only)",
            path.display()
        );
    }
    Ok(bytes)
}

/// A checker that knows the schemas of all kinds.
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
