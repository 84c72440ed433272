//! A challenge: an archive's nonce from which a run's random places follow, so that it can't have been measured before.
//!
//! The archive draws the same places again: `server/benchmarks/challenge.py`.

use sha2::{Digest, Sha256};

use crate::report::document::RunChallenge;

/// Separates this use of SHA-256 from every other; the archive's reader has the same bytes.
const DOMAIN: &[u8] = b"diskatlas-challenge-v1\n";

/// Where the random places of a run under the challenge come from.
pub fn seed(challenge: &RunChallenge) -> u64 {
    let digest = Sha256::new().chain_update(DOMAIN).chain_update(challenge.nonce.as_bytes()).finalize();
    digest.iter().take(8).rev().fold(0, |seed, &byte| seed << 8 | u64::from(byte))
}
