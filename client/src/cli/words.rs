//! Words for the person at the terminal, on standard error.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Prints a line on standard error. Unlike `eprintln!` it does not panic when nobody listens.
pub fn line(text: Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// `say!("{count} blocks")` prints a line for the person at the terminal, on standard error.
#[macro_export]
macro_rules! say {
    ($($arguments:tt)*) => { $crate::cli::words::line(format_args!($($arguments)*)) };
}

pub use say;
