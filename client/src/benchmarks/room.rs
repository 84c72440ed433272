//! Room for what is measured, made before it is.

/// An empty vector with room for so many, whose pages are there: the kernel hands out a page when it is first written to,
/// which would otherwise be between two requests.
#[must_use]
pub fn room<T: Clone>(count: usize, filler: T) -> Vec<T> {
    let mut room = Vec::with_capacity(count);
    room.resize(count, filler);
    room.clear();
    room
}
