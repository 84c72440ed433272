//! Measures disks with microbenchmarks and reports what it saw in a signed document.
//!
//! The rooms from the ground up, each of which uses only those before it (`tests/rooms.rs` holds them to it):
//! `report` is the document, `stats` and `terminal` what everyone prints and counts with, `identify` what a disk says of
//! itself, `device` what can be measured, `sim` devices that are worked out, `safety` what may not be overwritten,
//! `session` what a kind works with, `kinds` what is done to a device, `run` one invocation of them, `import` what other
//! tools measured, `submit` brings a document to an archive, `transparency` looks it up in the archive's log, and `cli`
//! is what a person types.

pub mod cli;
pub mod device;
pub mod identify;
pub mod import;
pub mod kinds;
pub mod report;
pub mod run;
pub mod safety;
pub mod session;
pub mod sim;
pub mod stats;
pub mod submit;
pub mod terminal;
pub mod transparency;
