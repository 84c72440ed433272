//! Ctrl-C, Ctrl-\, a closed terminal and a polite request to end: all of them end the run after the sample that is under way.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::session::Interrupt;

/// An interrupt that those signals raise from now on.
/// Errors: when the system refuses the handler.
pub fn listen() -> io::Result<Interrupt> {
    let interrupt = Interrupt::default();
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
        signal_hook::flag::register(signal, interrupt.0.clone())?;
    }
    Ok(interrupt)
}
