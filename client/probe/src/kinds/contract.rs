//! What a kind is to the probe.
//!
//! A kind is handed a [`Session`] (a device, the settings, a place for errors) and answers with a [`Measurement`]:
//! its parameters, its samples, and what ended it early if anything did. Whatever ends it, the samples stay.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::device::{CacheStates, Geometry};
use crate::report::document::Measured;
use crate::report::json::Json;
use crate::session::{Session, Settings, Stop, Suite};
use crate::terminal::overview::Overview;

/// One benchmark: what it does to a device and how it writes that down. Kinds know nothing of each other.
pub trait Kind: Sync {
    fn declaration(&self) -> Declaration;

    /// What `run` will roughly take and move, for the plan and the progress line.
    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost;

    /// How the device's caches have to stand while it runs; `None`: as they stand. The run puts them there before and back afterwards.
    fn caches(&self, _settings: &Settings) -> CacheStates {
        CacheStates::default()
    }

    /// What a person should see of an entry of this kind at once, without any extraction.
    fn overview(&self, _entry: &Measured, _capacity_bytes: u64) -> Overview {
        Overview::default()
    }

    /// Measures. Never fails: what was measured before a stop is in the answer.
    fn run(&self, session: &mut Session<'_>) -> Measurement;

    fn slug(&self) -> &'static str {
        self.declaration().slug
    }

    fn part_of(&self, suite: Suite) -> bool {
        self.declaration().suites.contains(&suite)
    }
}

impl fmt::Debug for dyn Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.slug())
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The slug that also names the folders, the JSON `kind` and the database value.
    pub slug: &'static str,
    /// Version of the schema that `run`'s parameters and samples follow.
    pub version: u32,
    /// Text of that schema: the file that the archive publishes.
    pub schema: &'static str,
    /// Whether its samples mean nothing on a device that does not turn.
    pub needs_rotation: bool,
    pub suites: &'static [Suite],
}

impl Declaration {
    /// As most kinds are: of the first version, on any device, in all suites but those that take a day or a week.
    pub const fn new(slug: &'static str, schema: &'static str) -> Self {
        let suites = &[Suite::Quick, Suite::Standard, Suite::Full];
        Self { slug, version: 1, schema, needs_rotation: false, suites }
    }
}

/// What a kind takes. An estimate: nothing is known of the device but its size, and perhaps its turn.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Cost {
    pub elapsed_ns: u64,
    pub read_bytes: u64,
    /// 0 where nothing may be written.
    pub written_bytes: u64,
}

pub struct Measurement {
    /// Or why there are no samples at all, as a sentence.
    pub result: Result<Samples, String>,
    /// Why the kind ended before it was through, or `None`.
    pub stop: Option<Stop>,
}

impl Measurement {
    /// The series that were measured; `why` where there is none. They are packed one by one and let go of, so that all
    /// of them never stand in memory twice.
    ///
    /// # Panics
    /// When one can't be written as JSON: numbers and texts always can.
    pub fn of<S: Serialize>(params: Value, series: Vec<S>, end: Result<(), Stop>, why: &str) -> Self {
        if series.is_empty() {
            return Self::nothing(why, end.err());
        }
        let packed = series.into_iter().map(|one| Json::of(&one).expect("numbers and texts always serialise"));
        let samples = Json::Object([("series".to_owned(), Json::List(packed.collect()))].into());
        Self { result: Ok(Samples { params, samples }), stop: end.err() }
    }

    pub fn nothing(why: &str, stop: Option<Stop>) -> Self {
        Self { result: Err(why.to_owned()), stop }
    }
}

/// The two parts of a run document's entry that only the kind knows.
#[derive(Debug)]
pub struct Samples {
    pub params: Value,
    pub samples: Json,
}
