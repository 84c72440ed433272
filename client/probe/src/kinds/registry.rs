//! All kinds, in the order in which a run measures them. A kind that is not listed here does not exist.

use super::{
    Kind, access, bandwidth, buffer, fluctuation, positional, random_io, seeker, skippy, sync_write, temperature, zoned,
};
use crate::report::document::Measured;
use crate::terminal::overview::Overview;

pub static KINDS: [&dyn Kind; 11] = [
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

/// The kind of that slug.
pub fn find(slug: &str) -> Option<&'static dyn Kind> {
    KINDS.into_iter().find(|kind| kind.slug() == slug)
}

/// What a person should see of an entry at once; nothing where this probe does not know its kind.
pub fn overview(entry: &Measured, capacity_bytes: u64) -> Overview {
    find(&entry.kind).map(|kind| kind.overview(entry, capacity_bytes)).unwrap_or_default()
}
