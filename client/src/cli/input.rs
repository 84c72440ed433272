//! Reads what a person hands to a command: a file of limited size, or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, bail};

use crate::report::check::Checker;
use crate::report::envelope::MAX_ENVELOPE_BYTES;
use crate::text;

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
    Ok(Checker::new([
        ("skippy", include_str!("../../../server/benchmarks/skippy/schema/v1.json")),
        ("zoned", include_str!("../../../server/benchmarks/zoned/schema/v1.json")),
        ("seeker", include_str!("../../../server/benchmarks/seeker/schema/v1.json")),
    ])?)
}
