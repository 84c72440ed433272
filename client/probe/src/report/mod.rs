//! The run document and its envelope. Imports nothing else of ours.

pub mod check;
pub mod content;
pub mod digest;
pub mod document;
pub mod envelope;
pub mod json;
pub mod keys;
mod rules;
pub mod save;
mod schema;

use std::io;

use content::JsonText;
use document::{PAYLOAD_TYPE, RunDocument};
use envelope::Sealed;
use keys::Key;

/// Signs a run document: what comes back is the envelope as JSON, to be handed to [`save::save`].
/// Errors: when the document can't be written as JSON.
pub fn sign_document<'a>(document: &'a RunDocument, key: &Key) -> io::Result<Sealed<'a>> {
    envelope::seal(PAYLOAD_TYPE, JsonText(document), key)
}
