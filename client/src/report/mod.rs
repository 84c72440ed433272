//! The run document and its envelope. Imports nothing else of ours.

pub mod check;
pub mod digest;
pub mod document;
pub mod envelope;
pub mod json;
pub mod keys;
mod rules;
pub mod save;
mod schema;

use document::{PAYLOAD_TYPE, RunDocument};
use keys::Key;

/// Counts bytes, so that room for them can be made at once: a long run's document has tens of millions.
struct Length(usize);

impl std::io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Signs a run document: what comes back is the envelope as JSON, to be handed to [`save::save`].
///
/// # Errors
/// When the document holds a number that JSON can't carry (NaN or an infinity).
pub fn sign_document(document: &RunDocument, key: &Key) -> Result<Vec<u8>, serde_json::Error> {
    let mut measure = Length(0);
    serde_json::to_writer(&mut measure, document)?;
    envelope::seal(PAYLOAD_TYPE, measure.0, |out| serde_json::to_writer(out, document), key)
}
