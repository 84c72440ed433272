//! Bytes at an aligned address, as `O_DIRECT` asks for, held in memory where the system allows.

/// What one entry of the list of pages spans where a system gives large pages.
const LARGE_PAGE: usize = 2 << 20;

/// A buffer that starts on a boundary. Grows only when told to.
pub struct Arena {
    storage: Vec<u8>,
    start: usize,
    length: usize,
    alignment: usize,
}

impl Arena {
    /// `alignment` is a power of two.
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
        // The kernel looks up and holds every page of a request's bytes: with many kept blocks that is as dear as a short
        // request itself, unless the pages are large.
        let large = length >= LARGE_PAGE;
        let alignment = if large { self.alignment.max(LARGE_PAGE) } else { self.alignment };
        self.storage = vec![0; length + alignment];
        self.start = self.storage.as_ptr().align_offset(alignment);
        self.length = length;
        if large {
            super::syscalls::ask_for_large_pages(&mut self.storage);
        }
        // A page that was swapped out would be fetched in the middle of a timed request. Refused where the limit on
        // locked memory is low: then the pages stay in memory for having just been touched.
        let _ = super::syscalls::lock_in_memory(&mut self.storage);
    }

    pub fn bytes(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.length]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, LARGE_PAGE};

    #[test]
    fn bytes_start_on_the_boundary_also_after_growing() {
        let mut arena = Arena::new(100, 4096);
        assert_eq!(arena.bytes().as_ptr().align_offset(4096), 0);
        arena.ensure(1 << 20);
        assert_eq!(arena.bytes().as_ptr().align_offset(4096), 0);
        assert_eq!(arena.bytes().len(), 1 << 20);
    }
    #[test]
    fn a_large_buffer_starts_where_a_large_page_may() {
        let mut arena = Arena::new(3 * LARGE_PAGE, 4096);
        assert_eq!(arena.bytes().as_ptr().align_offset(LARGE_PAGE), 0);
        assert_eq!(arena.bytes().len(), 3 * LARGE_PAGE);
        arena.bytes_mut().fill(7);
        assert!(arena.bytes().iter().all(|&byte| byte == 7));
    }
}
