//! What is taken for granted of a disk before anything is measured: for plans and for how much to ask for, never for a
//! result.

use crate::device::Geometry;
use crate::stats::{to_f64, to_u64};

/// A turn where none is known: that of a disk of 7200 rpm.
pub const TYPICAL_ROTATION_NS: u64 = 8_333_333;

/// No disk's mean rate is much above this, however large it is.
const FASTEST_BYTES_PER_US: f64 = 170.0;

/// Of a disk of 10^9 bytes.
const SMALL_BYTES_PER_US: f64 = 4.5;

/// Nanoseconds of a byte on the medium, from the size of the disk alone.
///
/// A disk grows by denser tracks and by more of them, and only the first makes it faster: the rate goes about with the
/// root of the capacity. Disks from 1 GB to 2 TB are within a factor of two of it, unless their interface is slower.
pub fn byte_ns(geometry: &Geometry) -> f64 {
    let bytes_per_us = SMALL_BYTES_PER_US * (to_f64(geometry.capacity_bytes) / 1e9).sqrt();
    1000.0 / bytes_per_us.clamp(1.0, FASTEST_BYTES_PER_US)
}

pub fn bytes_ns(geometry: &Geometry, bytes: u64) -> u64 {
    to_u64(to_f64(bytes) * byte_ns(geometry))
}

/// What is read in that time, at most the whole disk.
pub fn bytes_in(geometry: &Geometry, elapsed_ns: u64) -> u64 {
    to_u64(to_f64(elapsed_ns) / byte_ns(geometry)).min(geometry.capacity_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_disk_is_taken_to_be_faster_up_to_what_disks_reach() {
        let rate = |capacity_bytes| 1000.0 / byte_ns(&Geometry::new(capacity_bytes, 512, 512));
        assert!((4.0..5.0).contains(&rate(1_000_000_000)));
        assert!((130.0..150.0).contains(&rate(1_000_000_000_000)));
        assert!((169.0..171.0).contains(&rate(20_000_000_000_000)));
    }
}
