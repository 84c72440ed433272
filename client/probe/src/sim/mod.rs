//! The mechanical model of a disk in virtual time.
//!
//! A drive is one TOML file (`drives/`): `file` reads it, `validate` checks every field and makes a `Model`, `Engine` serves
//! requests on it and `SimulatedDrive` puts it behind the `Device` trait. Angles are in turns, times inside the model
//! in `f64` nanoseconds (exact to 0.02 ns after a day) and integers at the interface.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the model turns sector numbers below 2^53 into nanoseconds and back; every conversion is in that range"
)]

mod burst;
mod cache;
mod catalog;
mod drive;
mod engine;
mod file;
mod layout;
mod mechanics;
mod model;
mod noise;
mod queue;
mod truth;
mod validate;
mod variation;
mod write_buffer;

pub use catalog::{SimError, names, open, seed};
pub use drive::SimulatedDrive;
pub use engine::{Engine, Operation, Request};
pub use layout::{Layout, Order, Track};
pub use model::{Identity, Model, Scheduler, WriteCacheState};
pub use noise::{Noise, NoiseLevel};
pub use queue::{CommandQueue, ServedCommand};
pub use truth::{PhaseSweep, Truth, phase_sweep, truth};
