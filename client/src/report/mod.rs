//! The run document and its envelope. Imports nothing else of ours.

pub mod check;
pub mod digest;
pub mod document;
pub mod envelope;
pub mod keys;
mod rules;
pub mod save;
mod schema;

use document::{PAYLOAD_TYPE, RunDocument};
use keys::Key;

/// Signs a run document: what comes back is the envelope as JSON, to be handed to [`save::save`].
///
/// # Errors
/// When the document holds a number that JSON can't carry (NaN or an infinity).
pub fn sign_document(document: &RunDocument, key: &Key) -> Result<Vec<u8>, serde_json::Error> {
    let payload = serde_json::to_vec(document)?;
    let mut bytes = serde_json::to_vec(&envelope::Envelope::sign(PAYLOAD_TYPE, &payload, key))?;
    bytes.push(b'\n');
    Ok(bytes)
}
