//! One invocation: opens a device, measures the kinds that were asked for and writes down what was seen.

mod caches;
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

use crate::device::Writing;
use crate::kinds::Kind;
use crate::report::document::Manufacture;
use crate::session::Settings;

/// What a person asked for, parsed and believed.
pub struct Request {
    /// A device's path, or `sim:` and a simulated drive.
    pub device: String,
    /// In the order in which they are measured.
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
}

/// How the document calls it.
pub const fn writing_name(writing: Writing) -> &'static str {
    match writing {
        Writing::Nothing => "none",
        Writing::Preserve => "preserve",
        Writing::Destroy => "destroy",
    }
}
