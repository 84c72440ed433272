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
    /// Lets random places follow from what an archive asked for, if it did.
    pub fn accept_challenge(&mut self, challenge: Option<RunChallenge>) {
        if let Some(challenge) = &challenge {
            self.settings.seed = challenge::seed(challenge);
            self.settings.challenge_seed = Some(self.settings.seed);
        }
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
