//! The run document and its envelope. Imports nothing else of ours.

pub mod document;
