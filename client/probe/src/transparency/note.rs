//! Signed heads: C2SP tlog-checkpoint in a C2SP signed-note, with an ed25519 key. Our own: it splits lines and calls the
//! verification that the probe has anyway.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest, Sha256};

use super::merkle::Hash;

/// The byte by which notes tell an ed25519 signature from others.
const ED25519: u8 = 1;
/// The same of a witness's cosignature with its time (C2SP tlog-cosignature).
const COSIGNATURE: u8 = 4;

#[derive(Debug, thiserror::Error, Eq, PartialEq)]
pub enum NoteError {
    #[error("{0:?} is not a verifier key: expected name+id+base64")]
    NotAKey(String),
    #[error("the head is not a signed checkpoint")]
    NotACheckpoint,
    #[error("the head is not signed by the key {0}")]
    NotSigned(String),
    #[error("the signature of the head is wrong")]
    WrongSignature,
}

/// A key with its name, `name+id+base64`.
#[derive(Clone, Debug)]
pub struct VerifierKey {
    pub name: String,
    id: [u8; 4],
    key: VerifyingKey,
}

impl VerifierKey {
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        Self::of_kind(text, ED25519)
    }

    /// A witness's key, whose signatures state the time.
    pub fn parse_cosigner(text: &str) -> Result<Self, NoteError> {
        Self::of_kind(text, COSIGNATURE)
    }

    fn of_kind(text: &str, kind: u8) -> Result<Self, NoteError> {
        let wrong = || NoteError::NotAKey(text.to_owned());
        let mut parts = text.trim().splitn(3, '+');
        let (Some(name), Some(id), Some(packed)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(wrong());
        };
        let packed = STANDARD.decode(packed).map_err(|_| wrong())?;
        let Some((first, raw)) = packed.split_first() else { return Err(wrong()) };
        if *first != kind {
            return Err(wrong());
        }
        let raw: &[u8; 32] = raw.try_into().map_err(|_| wrong())?;
        let key = VerifyingKey::from_bytes(raw).map_err(|_| wrong())?;
        let digest = Sha256::new().chain_update(name).chain_update([b'\n', kind]).chain_update(raw).finalize();
        let expected = [digest[0], digest[1], digest[2], digest[3]];
        if name.is_empty() || crate::report::keys::hex(&expected) != id {
            return Err(wrong());
        }
        Ok(Self { name: name.to_owned(), id: expected, key })
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Checkpoint {
    pub origin: String,
    pub size: u64,
    pub root: Hash,
}

pub fn open(note: &str, key: &VerifierKey) -> Result<Checkpoint, NoteError> {
    let (text, raw) = signed(note, key)?;
    let signature = Signature::from_slice(&raw).map_err(|_| NoteError::WrongSignature)?;
    key.key.verify_strict(text.as_bytes(), &signature).map_err(|_| NoteError::WrongSignature)?;
    parse(&text, key).ok_or(NoteError::NotACheckpoint)
}

/// When the witness cosigned a head, in seconds since 1970: it says that it saw no log of that name that contradicts it.
pub fn cosigned_at_s(note: &str, witness: &VerifierKey) -> Result<u64, NoteError> {
    let (text, raw) = signed(note, witness)?;
    let (at, raw) = raw.split_first_chunk::<8>().ok_or(NoteError::WrongSignature)?;
    let at_s = u64::from_be_bytes(*at);
    let signature = Signature::from_slice(raw).map_err(|_| NoteError::WrongSignature)?;
    let message = format!("cosignature/v1\ntime {at_s}\n{text}");
    witness.key.verify_strict(message.as_bytes(), &signature).map_err(|_| NoteError::WrongSignature)?;
    Ok(at_s)
}

/// The note's text, and the bytes of the signature by that key.
fn signed(note: &str, key: &VerifierKey) -> Result<(String, Vec<u8>), NoteError> {
    let (text, signatures) = note.rsplit_once("\n\n").ok_or(NoteError::NotACheckpoint)?;
    let found = signatures.lines().find_map(|line| signature_of(line, key));
    Ok((format!("{text}\n"), found.ok_or_else(|| NoteError::NotSigned(key.name.clone()))?))
}

fn signature_of(line: &str, key: &VerifierKey) -> Option<Vec<u8>> {
    let (name, packed) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
    let packed = STANDARD.decode(packed).ok()?;
    let (id, raw) = packed.split_first_chunk::<4>()?;
    (name == key.name && *id == key.id).then(|| raw.to_vec())
}

fn parse(text: &str, key: &VerifierKey) -> Option<Checkpoint> {
    let mut lines = text.lines();
    let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
    let is_number = size.bytes().all(|byte| byte.is_ascii_digit()) && (size == "0" || !size.starts_with('0'));
    (origin == key.name && is_number).then_some(())?;
    let root = STANDARD.decode(root).ok()?.try_into().ok()?;
    Some(Checkpoint { origin: origin.to_owned(), size: size.parse().ok()?, root })
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    pub fn signed(text: &str, name: &str, key: &SigningKey) -> (String, String) {
        let public = key.verifying_key().to_bytes();
        let digest = Sha256::new().chain_update(name).chain_update([b'\n', ED25519]).chain_update(public).finalize();
        let packed = [&digest[..4], &key.sign(text.as_bytes()).to_bytes()].concat();
        let vkey = format!(
            "{name}+{}+{}",
            crate::report::keys::hex(&digest[..4]),
            STANDARD.encode([&[ED25519][..], &public].concat())
        );
        (format!("{text}\n\u{2014} {name} {}\n", STANDARD.encode(packed)), vkey)
    }

    #[test]
    fn a_head_counts_only_with_the_signature_of_its_key() {
        let text = format!("archive.example/log\n7\n{}\n", STANDARD.encode([5; 32]));
        let key = SigningKey::from_bytes(&[3; 32]);
        let (note, vkey) = signed(&text, "archive.example/log", &key);
        let trusted = VerifierKey::parse(&vkey).unwrap();
        let head = open(&note, &trusted).unwrap();
        assert_eq!((head.size, head.root), (7, [5; 32]));
        assert_eq!(open(&note.replacen("\n7\n", "\n8\n", 1), &trusted), Err(NoteError::WrongSignature));
        let (_, other) = signed(&text, "archive.example/log", &SigningKey::from_bytes(&[4; 32]));
        let other = VerifierKey::parse(&other).unwrap();
        assert!(matches!(open(&note, &other), Err(NoteError::NotSigned(_))));
        assert_eq!(open("nothing", &trusted), Err(NoteError::NotACheckpoint));
    }

    #[test]
    fn a_witness_says_when_it_saw_a_head() {
        let text = format!("archive.example/log\n7\n{}\n", STANDARD.encode([5; 32]));
        let (note, _) = signed(&text, "archive.example/log", &SigningKey::from_bytes(&[3; 32]));
        let (witness, name) = (SigningKey::from_bytes(&[4; 32]), "witness.example/w1");
        let public = witness.verifying_key().to_bytes();
        let digest =
            Sha256::new().chain_update(name).chain_update([b'\n', COSIGNATURE]).chain_update(public).finalize();
        let message = format!("cosignature/v1\ntime 1679315147\n{text}");
        let at = 1_679_315_147_u64.to_be_bytes();
        let packed = [&digest[..4], &at, &witness.sign(message.as_bytes()).to_bytes()].concat();
        let cosigned = format!("{note}\u{2014} {name} {}\n", STANDARD.encode(packed));
        let id = crate::report::keys::hex(&digest[..4]);
        let vkey = format!("{name}+{id}+{}", STANDARD.encode([&[COSIGNATURE][..], &public].concat()));
        let key = VerifierKey::parse_cosigner(&vkey).unwrap();
        assert_eq!(cosigned_at_s(&cosigned, &key), Ok(1_679_315_147));
        assert_eq!(cosigned_at_s(&cosigned.replacen("\n7\n", "\n8\n", 1), &key), Err(NoteError::WrongSignature));
        assert!(matches!(cosigned_at_s(&note, &key), Err(NoteError::NotSigned(_))));
        assert!(VerifierKey::parse(&vkey).is_err(), "a witness's key signs no heads");
    }

    #[test]
    fn a_key_whose_id_is_not_its_own_is_refused() {
        let (_, vkey) = signed("", "archive.example/log", &SigningKey::from_bytes(&[3; 32]));
        assert!(VerifierKey::parse(&vkey).is_ok());
        let forged = vkey.replacen("archive", "another", 1);
        assert_eq!(VerifierKey::parse(&forged).unwrap_err(), NoteError::NotAKey(forged));
    }
}
