//! The contributor's ed25519 key: made once, kept in a file that only its owner can read.

use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::{env, fmt};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign_byupdate};
use ed25519_dalek::{SignatureError, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256, Sha512};

use super::content::DigestWriter;

/// Names the file whose key is used, instead of the one in the configuration folder.
pub const PATH_VARIABLE: &str = "DISKATLAS_KEY";
/// What the text form of an ed25519 public key begins with.
pub const ALGORITHM: &str = "ed25519";
const HEADER: &str = "diskatlas-secret-key-v1";

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("there is no key at {}: make one with `diskatlas key new`", .0.display())]
    Missing(PathBuf),
    #[error(
        "{} already holds a key, and what it signed can't be signed again without it: keep it, or replace it with --force",
        .0.display()
    )]
    Exists(PathBuf),
    #[error(
        "{} does not hold a DiskAtlas key (one line, `{HEADER} ed25519 <base64>`): give another file in {PATH_VARIABLE}, \
         or make a new key with `diskatlas key new --force`",
        .0.display()
    )]
    NotAKey(PathBuf),
    #[error("neither {PATH_VARIABLE} nor XDG_CONFIG_HOME nor HOME is set: name a key file in {PATH_VARIABLE}")]
    NoPlace,
    #[error("the system gives no random numbers to make a key from: {0}")]
    NoRandomness(getrandom::Error),
    #[error("key file {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// A secret key. Its `Debug` form shows the public half only.
pub struct Key(SigningKey);

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Key").field(&self.keyid()).finish()
    }
}

impl Key {
    /// Makes a key from the system's random numbers.
    pub fn generate() -> Result<Self, KeyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(KeyError::NoRandomness)?;
        Ok(Self::from_seed(seed))
    }

    /// The key that belongs to a 32-byte seed (RFC 8032, section 5.1.5).
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self(SigningKey::from_bytes(&seed))
    }

    pub fn keyid(&self) -> String {
        keyid(&self.0.verifying_key())
    }

    /// `ed25519:` and the base64 of the 32 bytes.
    pub fn public_key(&self) -> String {
        format!("{ALGORITHM}:{}", STANDARD.encode(self.0.verifying_key().as_bytes()))
    }

    #[cfg(test)]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        ed25519_dalek::Signer::sign(&self.0, message).to_bytes()
    }

    /// Signs the message that `write` writes (RFC 8032, pure ed25519), without holding it. `write`
    /// is called twice and writes the same bytes each time; otherwise the signature fits nothing.
    /// Errors: what `write` said.
    pub fn sign_written(&self, write: impl Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<[u8; 64]> {
        let problem = Cell::new(None);
        let message = |hasher: &mut Sha512| {
            write(&mut DigestWriter(hasher)).map_err(|error| {
                problem.set(Some(error));
                SignatureError::new()
            })
        };
        let secret = ExpandedSecretKey::from(self.0.as_bytes());
        raw_sign_byupdate(&secret, message, &self.0.verifying_key())
            .map(|signature| signature.to_bytes())
            .map_err(|error| problem.take().unwrap_or_else(|| io::Error::other(error.to_string())))
    }

    fn to_line(&self) -> String {
        format!("{HEADER} {ALGORITHM} {}\n", STANDARD.encode(self.0.as_bytes()))
    }

    fn from_line(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let (header, algorithm, seed) = (words.next()?, words.next()?, words.next()?);
        let seed: [u8; 32] = STANDARD.decode(seed).ok()?.try_into().ok()?;
        (header == HEADER && algorithm == ALGORITHM && words.next().is_none()).then(|| Self::from_seed(seed))
    }
}

/// Lower-case hex SHA-256 of the raw public key: the name of a key.
pub fn keyid(public_key: &VerifyingKey) -> String {
    hex(&Sha256::digest(public_key.as_bytes()))
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        text.extend([byte >> 4, byte & 0xf].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0')));
        text
    })
}

/// Where the key is: `DISKATLAS_KEY`, else `diskatlas/key` in the XDG configuration folder.
/// Errors: [`KeyError::NoPlace`] when the environment names neither.
pub fn path() -> Result<PathBuf, KeyError> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = variable(PATH_VARIABLE) {
        return Ok(path);
    }
    // The XDG base directory specification: a relative path there is to be ignored.
    let folder = variable("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let folder = folder.or_else(|| variable("HOME").map(|home| home.join(".config")));
    Ok(folder.ok_or(KeyError::NoPlace)?.join("diskatlas/key"))
}

/// Reads the key at `path`.
/// Errors: [`KeyError`]: missing, unreadable, or not a key.
pub fn load(path: &Path) -> Result<Key, KeyError> {
    let text = fs::read_to_string(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => KeyError::Missing(path.to_owned()),
        io::ErrorKind::InvalidData => KeyError::NotAKey(path.to_owned()),
        _ => KeyError::Io { path: path.to_owned(), source },
    })?;
    Key::from_line(&text).ok_or_else(|| KeyError::NotAKey(path.to_owned()))
}

/// Whether others than the owner can read the key file, for a warning.
pub fn exposed(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

/// Makes a new key and stores it at `path` with mode 0600; folders on the way get mode 0700.
/// Errors: [`KeyError::Exists`] when there is a file and `replace` is not set; [`KeyError::Io`].
pub fn create(path: &Path, replace: bool) -> Result<Key, KeyError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => KeyError::Exists(path.to_owned()),
        _ => KeyError::Io { path: path.to_owned(), source },
    };
    let key = Key::generate()?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    }
    if replace
        && let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(failed(error));
    }
    // `create_new` refuses what exists in the same step, so that two probes started at once can't replace each other's.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    let written = file.write_all(key.to_line().as_bytes()).and_then(|()| file.sync_all());
    written.inspect_err(|_| drop(fs::remove_file(path))).map_err(failed)?;
    Ok(key)
}

/// Reads the key at `path`, or makes one there: a first run needs no preparation. Says whether it was made.
/// Errors: [`KeyError`], other than [`KeyError::Missing`].
pub fn load_or_create(path: &Path) -> Result<(Key, bool), KeyError> {
    match load(path) {
        Err(KeyError::Missing(_)) => match create(path, false) {
            Err(KeyError::Exists(_)) => load(path).map(|key| (key, false)),
            created => created.map(|key| (key, true)),
        },
        loaded => loaded.map(|key| (key, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyid_is_the_sha_256_of_the_raw_public_key() {
        // RFC 8032, section 7.1, test 1; the digest by `xxd -r -p | sha256sum`.
        let seed = [
            0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49,
            0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
        ];
        let key = Key::from_seed(seed);
        assert_eq!(key.public_key(), "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
        assert_eq!(key.keyid(), "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9");
    }

    #[test]
    fn a_created_key_is_private_and_loads_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/key");
        let key = create(&path, false).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!exposed(&path));
        assert_eq!(load(&path).unwrap().keyid(), key.keyid());
    }

    #[test]
    fn an_existing_key_is_replaced_only_when_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let first = create(&path, false).unwrap();
        assert!(matches!(create(&path, false), Err(KeyError::Exists(_))));
        assert_eq!(load(&path).unwrap().keyid(), first.keyid());
        let second = create(&path, true).unwrap();
        assert_ne!(second.keyid(), first.keyid());
    }

    #[test]
    fn a_first_use_makes_the_key_and_a_second_one_finds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let (first, made) = load_or_create(&path).unwrap();
        let (second, made_again) = load_or_create(&path).unwrap();
        assert!(made && !made_again);
        assert_eq!(first.keyid(), second.keyid());
    }

    #[test]
    fn a_file_that_holds_something_else_is_refused_and_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let seed = STANDARD.encode([7; 32]);
        for other in
            [format!("{HEADER} rsa {seed}\n"), format!("key ed25519 {seed}\n"), format!("{HEADER} ed25519 AAAA\n")]
        {
            fs::write(&path, &other).unwrap();
            assert!(matches!(load_or_create(&path), Err(KeyError::NotAKey(_))), "{other}");
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
        }
    }

    #[test]
    fn the_debug_form_of_a_key_shows_no_secret() {
        let key = Key::from_seed([7; 32]);
        let secret = STANDARD.encode([7; 32]);
        assert!(!format!("{key:?}").contains(&secret));
        assert!(format!("{key:?}").contains(&key.keyid()));
    }
}
