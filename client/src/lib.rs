//! Measures disks with microbenchmarks and reports what it saw in a signed document.
//!
//! `device` is what can be measured, `benchmarks` is what is done to it, `report` is what is said about it.

pub mod benchmarks;
pub mod device;
pub mod identify;
pub mod report;
pub mod sim;
