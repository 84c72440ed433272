//! One invocation: opens a device, measures the kinds that were asked for and writes down what was seen.

mod caches;
pub mod challenge;
mod conditions;
#[cfg(feature = "simtool")]
mod fault_injection;
pub mod journal;
pub mod measure;
mod monitor;
pub mod priority;
pub mod signals;
mod simulated;
pub mod start;
pub mod target;

use serde::{Deserialize, Serialize};

use crate::device::Writing;
use crate::kinds::Kind;
use crate::report::document::{Manufacture, RunChallenge};
use crate::session::Settings;
use crate::sim;

/// Of 64 random bits so many are left: a document's numbers hold 53.
const UNUSED_BITS: u32 = 11;

/// What a person asked for, parsed and believed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Request {
    /// A device's path, or `sim:` and a simulated drive.
    pub device: String,
    /// In the order in which they are measured.
    #[serde(with = "slugs")]
    pub kinds: Vec<&'static dyn Kind>,
    pub writing: Writing,
    pub wipe: bool,
    /// Overrides what the kernel says and what the timing shows.
    pub rotational: Option<bool>,
    pub settings: Settings,
    /// `None`: nothing is given away yet.
    pub license: Option<String>,
    pub batch_label: Option<String>,
    pub manufacture: Option<Manufacture>,
    /// `None` where the run was not asked for by an archive.
    #[serde(default)]
    pub challenge: Option<RunChallenge>,
}

impl Request {
    /// Settles where random places come from: what an archive asked for; else a simulated drive's own seed, so that its
    /// run is the same again; else the system's random numbers, so that runs do not share the chance of one draw.
    pub fn settle_places(&mut self, challenge: Option<RunChallenge>) {
        let asked_for = challenge.as_ref().map(challenge::seed);
        let own = match self.device.strip_prefix("sim:") {
            Some(spec) => sim::seed(spec).ok(),
            None => getrandom::u64().ok().map(|bits| bits >> UNUSED_BITS),
        };
        self.settings.seed = asked_for.or(own).unwrap_or(self.settings.seed);
        self.settings.challenge_seed = asked_for;
        self.challenge = challenge;
    }
}

/// Kinds as a journal has them.
mod slugs {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::kinds::{self, Kind};

    pub fn serialize<S: Serializer>(kinds: &[&'static dyn Kind], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(kinds.iter().map(|kind| kind.slug()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'static dyn Kind>, D::Error> {
        let kind = |slug: &String| kinds::find(slug).ok_or_else(|| D::Error::custom(format!("unknown kind {slug:?}")));
        Vec::<String>::deserialize(deserializer)?.iter().map(kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed_of(device: &str, challenge: Option<&str>) -> u64 {
        let mut request = Request {
            device: device.to_owned(),
            kinds: Vec::new(),
            writing: Writing::Nothing,
            wipe: false,
            rotational: None,
            settings: Settings::default(),
            license: None,
            batch_label: None,
            manufacture: None,
            challenge: None,
        };
        request.settle_places(challenge.map(|nonce| RunChallenge { nonce: nonce.to_owned() }));
        request.settings.seed
    }

    #[test]
    fn two_runs_of_disks_have_places_of_their_own() {
        assert_ne!(seed_of("/dev/sdb", None), seed_of("/dev/sdb", None));
    }

    #[test]
    fn a_simulated_drives_seed_is_that_of_its_places_too() {
        assert_eq!(seed_of("sim:hp-97560,noise=off,seed=7", None), 7);
        assert_eq!(seed_of("sim:hp-97560", None), 1);
    }

    #[test]
    fn what_an_archive_asked_for_goes_before_both() {
        let asked_for = seed_of("/dev/sdb", Some("a"));
        assert_eq!(asked_for, seed_of("sim:hp-97560,seed=7", Some("a")));
        assert_ne!(asked_for, seed_of("/dev/sdb", Some("b")));
    }
}
