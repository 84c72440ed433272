//! What a kind is to the probe.
//!
//! A kind is handed a [`Session`] (a device, the settings, a place for errors) and answers with a [`Measurement`]:
//! its parameters, its samples, and what ended it early if anything did. Whatever ends it, the samples stay.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::device::Geometry;
use crate::report::document::Measured;
use crate::report::json::Json;
use crate::session::{Session, Settings, Stop, Suite};
use crate::terminal::overview::Overview;

/// One benchmark: what it does to a device and how it writes that down. Kinds know nothing of each other.
pub trait Kind: Sync {
    fn declaration(&self) -> Declaration;

    /// What `run` will roughly take and move, for the plan and the progress line.
    fn cost(&self, geometry: &Geometry, settings: &Settings, rotation_ns: u64) -> Cost;

    /// How the device's caches have to stand while it runs. The run puts them there before and back afterwards.
    fn caches(&self, _settings: &Settings) -> CacheRequirements {
        CacheRequirements::default()
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

    /// Whether a suite asks for this kind.
    fn part_of(&self, suite: Suite) -> bool {
        self.declaration().suites.contains(&suite)
    }
}

impl fmt::Debug for dyn Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.slug())
    }
}

/// What a kind says of itself.
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
    /// The suites that ask for it.
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
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Cost {
    /// Device time.
    pub elapsed_ns: u64,
    pub read_bytes: u64,
    /// 0 where nothing may be written.
    pub written_bytes: u64,
}

/// `None`: as it stands.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct CacheRequirements {
    pub write: Option<bool>,
    pub look_ahead: Option<bool>,
}

/// What a kind saw.
pub struct Measurement {
    /// Or why there are no samples at all, as a sentence.
    pub result: Result<Samples, String>,
    /// Why the kind ended before it was through, or `None`.
    pub stop: Option<Stop>,
}

impl Measurement {
    /// The series that were measured; `why` where there is none.
    pub fn of<S: Serialize>(params: &impl Serialize, series: Vec<S>, stop: Option<Stop>, why: &str) -> Self {
        if series.is_empty() {
            return Self::nothing(why, stop);
        }
        Self { result: Ok(Samples::of(params, series)), stop }
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

impl Samples {
    /// `series` one by one: each is let go of once it is packed, so that all of them never stand in memory twice.
    fn of<S: Serialize>(params: &impl Serialize, series: Vec<S>) -> Self {
        let packed = series.into_iter().map(|one| Json::of(&one).expect("numbers and texts always serialise"));
        let list = Json::List(packed.collect());
        let params = serde_json::to_value(params).expect("numbers and texts always serialise");
        Self { params, samples: Json::Object([("series".to_owned(), list)].into()) }
    }
}
