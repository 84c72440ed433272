//! What is written without standing in memory as a whole: a run's document has tens of millions of bytes.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use sha2::Digest;

/// Something that can be written as often as it is needed, and is the same bytes each time.
pub trait Content {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Bytes that [`Content::write_to`] writes.
    /// Errors: what can't be written can't be counted either.
    fn length(&self) -> io::Result<u64> {
        let mut count = Count(0);
        self.write_to(&mut count)?;
        Ok(count.0)
    }

    fn to_vec(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes)?;
        Ok(bytes)
    }
}

impl<T: AsRef<[u8]>> Content for T {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.as_ref())
    }
}

pub struct JsonText<'a, T>(pub &'a T);

impl<T: Serialize> Content for JsonText<'_, T> {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        // It comes number by number.
        let mut out = BufWriter::new(out);
        serde_json::to_writer(&mut out, self.0)?;
        out.flush()
    }
}

struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub struct DigestWriter<'a, D>(pub &'a mut D);

impl<D: Digest> Write for DigestWriter<'_, D> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
