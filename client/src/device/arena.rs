//! Bytes at an aligned address, as `O_DIRECT` asks for, held in memory where the system allows.

/// A buffer that starts on a boundary. Grows only when told to.
pub struct Arena {
    storage: Vec<u8>,
    start: usize,
    length: usize,
    alignment: usize,
}

impl Arena {
    /// `alignment` is a power of two.
    #[must_use]
    pub fn new(length: usize, alignment: usize) -> Self {
        let mut arena = Self { storage: Vec::new(), start: 0, length: 0, alignment };
        arena.ensure(length);
        arena
    }

    /// Makes room for `length` bytes; what stood there may be lost.
    pub fn ensure(&mut self, length: usize) {
        if length <= self.length && !self.storage.is_empty() {
            return;
        }
        self.storage = vec![0; length + self.alignment];
        self.start = self.storage.as_ptr().align_offset(self.alignment);
        self.length = length;
        // A page that was swapped out would be fetched in the middle of a timed request. Refused where the limit on
        // locked memory is low: then the pages stay in memory for having just been touched.
        let _ = super::edge::lock_in_memory(&mut self.storage);
    }

    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.length]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::Arena;

    #[test]
    fn bytes_start_on_the_boundary_also_after_growing() {
        let mut arena = Arena::new(100, 4096);
        assert_eq!(arena.bytes().as_ptr().align_offset(4096), 0);
        arena.ensure(1 << 20);
        assert_eq!(arena.bytes().as_ptr().align_offset(4096), 0);
        assert_eq!(arena.bytes().len(), 1 << 20);
    }
}
