//! What a person reads: lines on standard error, numbers with their units, the bar, the numbers and drawings of a run.

pub mod message;
pub mod overview;
pub mod progress;
pub mod summary;
pub mod text;

pub use message::say;
