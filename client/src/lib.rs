//! Measures disks with microbenchmarks and reports what it saw in a signed document.
//!
//! `device` is what can be measured, `benchmarks` is what is done to it, `report` is what is said about it,
//! `submit` brings it to an archive and `cli` is what a person types.

pub mod benchmarks;
pub mod cli;
pub mod device;
pub mod drawing;
pub mod identify;
pub mod import;
pub mod log;
pub mod report;
pub mod run;
pub mod safety;
pub mod sim;
pub mod submit;
pub mod text;
