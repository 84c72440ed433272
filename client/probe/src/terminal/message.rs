//! Words for the person at the terminal, on standard error.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Columns where nobody can say: a log.
const WIDTH_OF_A_LOG: u16 = 80;

pub fn width() -> u16 {
    rustix::termios::tcgetwinsize(io::stderr()).map_or(WIDTH_OF_A_LOG, |size| size.ws_col)
}

/// Prints a line on standard error. Unlike `eprintln!` it does not panic when nobody listens.
pub fn line(text: Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// `say!("{count} blocks")` prints a line for the person at the terminal, on standard error.
#[macro_export]
macro_rules! say {
    ($($arguments:tt)*) => { $crate::terminal::message::line(format_args!($($arguments)*)) };
}

pub use say;
