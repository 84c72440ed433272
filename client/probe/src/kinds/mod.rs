//! The registry of benchmark kinds, one folder each: a kind that is not listed here does not exist.

pub mod columns;
pub mod estimate;
pub mod rotation;
pub mod track;

mod chain;
mod contract;
mod transfer;

mod access;
mod bandwidth;
mod buffer;
mod fluctuation;
mod positional;
mod random_io;
mod seeker;
mod skippy;
mod sync_write;
mod temperature;
mod zoned;

#[cfg(test)]
mod tests;

pub use contract::{Cost, Declaration, Kind, Measurement, Samples};

use crate::report::document::Measured;
use crate::terminal::overview::Overview;

/// All kinds, in the order in which a run measures them.
pub static KINDS: &[&dyn Kind] = &[
    &skippy::Skippy,
    &zoned::Zoned,
    &seeker::Seeker,
    &bandwidth::Bandwidth,
    &fluctuation::Fluctuation,
    &temperature::Temperature,
    &buffer::Buffer,
    &positional::Positional,
    &sync_write::SyncWrite,
    &random_io::RandomIo,
    &access::Access,
];

pub fn find(slug: &str) -> Option<&'static dyn Kind> {
    KINDS.iter().copied().find(|kind| kind.slug() == slug)
}

/// What a person should see of an entry at once; nothing where this probe does not know its kind.
pub fn overview(entry: &Measured, capacity_bytes: u64) -> Overview {
    find(&entry.kind).map(|kind| kind.overview(entry, capacity_bytes)).unwrap_or_default()
}
