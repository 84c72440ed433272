//! Values as a message repeats them.

use std::io;

use serde::Serialize;

/// Longer values are not repeated: a column may hold a million numbers, and a text markup.
const MAX_QUOTED_BYTES: usize = 80;

pub fn shortened(text: &str) -> String {
    text.chars().take(MAX_QUOTED_BYTES).collect()
}

/// Takes so many bytes and refuses the rest, so that a long value is not written out to see that it is long.
struct Short(Vec<u8>);

impl io::Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_QUOTED_BYTES {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn quoted(value: &impl Serialize) -> String {
    let mut short = Short(Vec::new());
    let written = serde_json::to_writer(&mut short, value).ok();
    written.and_then(|()| String::from_utf8(short.0).ok()).unwrap_or_else(|| "the value".to_owned())
}
