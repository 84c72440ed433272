//! All kinds, in the order in which a run measures them. A kind that is not listed here does not exist.

use super::{Kind, positional, seeker, skippy, zoned};

pub static KINDS: [&dyn Kind; 4] = [&skippy::Skippy, &zoned::Zoned, &seeker::Seeker, &positional::Positional];

/// The kind of that slug.
#[must_use]
pub fn find(slug: &str) -> Option<&'static dyn Kind> {
    KINDS.into_iter().find(|kind| kind.slug() == slug)
}
