//! DSSE v1 envelopes with exactly one ed25519 signature.
//!
//! What is signed is the payload's bytes in the pre-authentication encoding, so no canonical JSON is needed.
//! The format is <https://github.com/secure-systems-lab/dsse>, protocol.md and envelope.md.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use ed25519_dalek::{Signature as Ed25519Signature, VerifyingKey};
use serde::{Deserialize, Serialize};

use super::content::Content;
use super::document::PAYLOAD_TYPE;
use super::keys::{self, ALGORITHM, Key};

/// The largest envelope that the probe reads: the archive's limit after decompression.
pub const MAX_ENVELOPE_BYTES: u64 = 64 * 1024 * 1024;

/// An envelope as it stands in a file, whose payload stays where it was read. Unknown members are ignored, as DSSE
/// asks of its readers.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Envelope<'a> {
    #[serde(rename = "payloadType")]
    pub payload_type: String,
    /// Standard base64 with padding.
    #[serde(borrow)]
    pub payload: Cow<'a, str>,
    pub signatures: Vec<Signature>,
}

#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Signature {
    /// Lower-case hex SHA-256 of the raw public key.
    pub keyid: String,
    /// Standard base64 with padding of 64 bytes.
    pub sig: String,
    /// `ed25519:` and the base64 of the raw public key; absent where the reader is expected to know the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key: Option<String>,
}

/// What a correct signature vouches for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verified {
    /// The pre-authentication encoding, which ends with the payload.
    signed: Vec<u8>,
    payload_from: usize,
    pub keyid: String,
    pub public_key: String,
}

impl Verified {
    pub fn payload(&self) -> &[u8] {
        &self.signed[self.payload_from..]
    }
}

/// Why bytes are not an envelope that can be trusted. Each says what was found and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    #[error(
        "the JSON ends in the middle of a value (line {line}, column {column}): the file is truncated, fetch or copy it again"
    )]
    Truncated { line: usize, column: usize },
    #[error("not JSON: {0}")]
    NotJson(serde_json::Error),
    #[error("not a DSSE envelope: {0}; an envelope has payloadType, payload and signatures")]
    NotAnEnvelope(String),
    #[error("a bare run document without its envelope: send the file that `diskatlas run` wrote")]
    BareDocument,
    #[error("unknown payload type {0:?}: expected {PAYLOAD_TYPE:?}")]
    UnknownPayloadType(String),
    #[error("{member} is not standard base64 with padding: {source}")]
    BadBase64 { member: &'static str, source: base64::DecodeError },
    #[error("{0} signatures: expected exactly one")]
    SignatureCount(usize),
    #[error("unknown key algorithm {0:?}: expected {ALGORITHM:?}")]
    UnknownKeyAlgorithm(String),
    #[error("the envelope carries no public_key, so its signature can't be checked offline")]
    NoPublicKey,
    #[error("public_key is not an ed25519 key: {0}")]
    BadPublicKey(String),
    #[error("keyid {found:?} does not belong to the public key: expected {expected:?}")]
    KeyidMismatch { found: String, expected: String },
    #[error("sig has {0} bytes: an ed25519 signature has 64")]
    SignatureLength(usize),
    #[error("wrong signature: payload, payload type or signature were changed after signing, or another key signed")]
    WrongSignature,
}

/// What stands before the payload in the DSSE v1 pre-authentication encoding, which is what is signed.
fn encoding_header(payload_type: &str, payload_length: u64) -> String {
    format!("DSSEv1 {} {payload_type} {payload_length} ", payload_type.len())
}

/// A signed envelope with a line feed at the end, as JSON. Its payload is written anew
/// whenever it is needed, and never stands in memory as a whole.
pub struct Sealed<'a> {
    head: String,
    payload: Box<dyn Content + 'a>,
    tail: String,
}

/// Signs `payload` in two passes over it.
/// Errors: when the payload can't be written.
pub fn seal<'a>(payload_type: &str, payload: impl Content + 'a, key: &Key) -> io::Result<Sealed<'a>> {
    let header = encoding_header(payload_type, payload.length()?);
    let sig = key.sign_written(|out| {
        out.write_all(header.as_bytes())?;
        payload.write_to(out)
    })?;
    let signature = serde_json::to_string(&Signature::of(&sig, key))?;
    Ok(Sealed {
        head: format!("{{\"payloadType\":{},\"payload\":\"", serde_json::to_string(payload_type)?),
        payload: Box::new(payload),
        tail: format!("\",\"signatures\":[{signature}]}}\n"),
    })
}

impl Content for Sealed<'_> {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        out.write_all(self.head.as_bytes())?;
        let mut base64 = EncoderWriter::new(&mut out, &STANDARD);
        self.payload.write_to(&mut base64)?;
        base64.finish()?;
        drop(base64);
        out.write_all(self.tail.as_bytes())?;
        out.flush()
    }
}

impl Signature {
    fn of(sig: &[u8; 64], key: &Key) -> Self {
        Self { keyid: key.keyid(), sig: STANDARD.encode(sig), public_key: Some(key.public_key()) }
    }
}

impl<'a> Envelope<'a> {
    /// Reads an envelope from bytes that nobody vouches for.
    /// Errors: [`EnvelopeError`]: truncated, not JSON, or not an envelope.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, EnvelopeError> {
        serde_json::from_slice(bytes).map_err(|error| match error.classify() {
            serde_json::error::Category::Eof => EnvelopeError::Truncated { line: error.line(), column: error.column() },
            serde_json::error::Category::Data if is_run_document(bytes) => EnvelopeError::BareDocument,
            serde_json::error::Category::Data => EnvelopeError::NotAnEnvelope(error.to_string()),
            _ => EnvelopeError::NotJson(error),
        })
    }

    /// Checks the payload type and the signature, and gives the payload that the signature vouches for.
    /// Errors: [`EnvelopeError`] says which part is wrong.
    pub fn verify(&self) -> Result<Verified, EnvelopeError> {
        if self.payload_type != PAYLOAD_TYPE {
            return Err(EnvelopeError::UnknownPayloadType(self.payload_type.clone()));
        }
        let [signature] = self.signatures.as_slice() else {
            return Err(EnvelopeError::SignatureCount(self.signatures.len()));
        };
        let public_key = signature.public_key.as_deref().ok_or(EnvelopeError::NoPublicKey)?;
        let verifying_key = parse_public_key(public_key)?;
        let keyid = keys::keyid(&verifying_key);
        if signature.keyid != keyid {
            return Err(EnvelopeError::KeyidMismatch { found: signature.keyid.clone(), expected: keyid });
        }
        // The payload is decoded to where it is verified: one of a long run has tens of millions of bytes.
        let mut signed = encoding_header(&self.payload_type, decoded_length(&self.payload)).into_bytes();
        let payload_from = signed.len();
        STANDARD
            .decode_vec(self.payload.as_bytes(), &mut signed)
            .map_err(|source| EnvelopeError::BadBase64 { member: "payload", source })?;
        let sig = decode("sig", &signature.sig)?;
        let sig = sig.as_slice().try_into().map_err(|_| EnvelopeError::SignatureLength(sig.len()))?;
        // The strict form also refuses keys of small order, for which one signature fits many messages.
        verifying_key
            .verify_strict(&signed, &Ed25519Signature::from_bytes(sig))
            .map_err(|_| EnvelopeError::WrongSignature)?;
        Ok(Verified { signed, payload_from, keyid, public_key: public_key.to_owned() })
    }
}

/// Parses `ed25519:<base64>`.
/// Errors: [`EnvelopeError`] says what is wrong with it.
pub fn parse_public_key(text: &str) -> Result<VerifyingKey, EnvelopeError> {
    let (algorithm, base64) = text.split_once(':').unwrap_or((text, ""));
    if algorithm != ALGORITHM {
        return Err(EnvelopeError::UnknownKeyAlgorithm(algorithm.to_owned()));
    }
    let bytes = decode("public_key", base64)?;
    let bytes = bytes
        .as_slice()
        .try_into()
        .map_err(|_| EnvelopeError::BadPublicKey(format!("{} bytes, expected 32", bytes.len())))?;
    VerifyingKey::from_bytes(bytes).map_err(|error| EnvelopeError::BadPublicKey(error.to_string()))
}

/// Bytes that padded base64 stands for, where it is valid.
fn decoded_length(base64: &str) -> u64 {
    let padding = base64.bytes().rev().take_while(|&byte| byte == b'=').count();
    (base64.len() / 4 * 3).saturating_sub(padding) as u64
}

fn decode(member: &'static str, text: &str) -> Result<Vec<u8>, EnvelopeError> {
    STANDARD.decode(text).map_err(|source| EnvelopeError::BadBase64 { member, source })
}

fn is_run_document(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Header {
        schema: String,
    }
    serde_json::from_slice::<Header>(bytes).is_ok_and(|header| header.schema.starts_with("run/"))
}

#[cfg(test)]
mod tests;
