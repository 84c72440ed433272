//! What a disk says of itself: parsers over bytes and readers, system calls only at the edge.
//!
//! All that comes from sysfs and procfs is read below two roots, so that tests hand in captured trees.

pub mod disk;
pub mod host;
pub mod mounts;
mod name_tables;
pub mod names;
pub mod pages;
pub mod processors;
pub mod route;
pub mod tree;

pub use disk::{DeviceInfo, Disk};
pub use names::DriveName;
pub use tree::Tree;
