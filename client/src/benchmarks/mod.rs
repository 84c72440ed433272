//! One folder per benchmark kind; only `registry` names them.
//!
//! A kind is handed a [`Session`] (a device, the settings, a place for errors) and answers with a [`Measurement`]:
//! its parameters, its samples, and what ended it early if anything did. Whatever ends it, the samples stay.

pub mod registry;
pub mod rotation;

mod seeker;
mod session;
mod skippy;
pub mod stats;
pub mod track;
mod walk;
mod zoned;

#[cfg(test)]
pub mod fake;
#[cfg(test)]
mod rotation_tests;

use serde_json::Value;

use crate::device::Geometry;

pub use session::{Interrupt, Notes, Progress, Quiet, Session, Settings, Stop, ZonedMode};

/// One benchmark: what it does to a device and how it writes that down. Kinds know nothing of each other.
pub trait Kind: Sync {
    /// The slug that also names the folders, the JSON `kind` and the database value.
    fn slug(&self) -> &'static str;

    /// Version of the schema that `run`'s parameters and samples follow.
    fn version(&self) -> u32;

    /// Text of that schema: the file that the archive publishes.
    fn schema(&self) -> &'static str;

    /// Whether its samples mean nothing on a device that does not turn.
    fn needs_rotation(&self) -> bool;

    /// Nanoseconds of device time that `run` will roughly take: good enough for a progress line.
    fn estimate_ns(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> u64;

    /// Measures. Never fails: what was measured before a stop is in the answer.
    fn run(&self, session: &mut Session<'_>) -> Measurement;
}

/// What a kind saw.
pub struct Measurement {
    pub result: Result<Samples, Nothing>,
    /// Why the kind ended before it was through, or `None`.
    pub stop: Option<Stop>,
}

/// The two parts of a run document's entry that only the kind knows.
#[derive(Debug)]
pub struct Samples {
    pub params: Value,
    pub samples: Value,
}

/// Why a kind has no samples at all, as a sentence.
#[derive(Debug)]
pub struct Nothing(pub String);
