//! How much each part of ACCESS measures.

use crate::session::Suite;

/// What HD Tune and HD Tach read at a time.
pub const TRANSFER_BYTES: u32 = 65_536;

/// The Maxtor document's Table 2, in hundredths of a per cent of the disk.
pub const POSITIONS: [u64; 9] = [275, 1525, 2775, 4025, 5275, 6525, 7775, 9025, 10_000];

/// Sizes of the requests that the buffer is to answer; the first is a single block.
pub const BURST_BYTES: [u32; 5] = [0, 8192, 16_384, 32_768, 65_536];

/// The shortest stretch that is looked for in the buffer, in requests of one block.
pub const SMALLEST_BUFFER_BYTES: u64 = 16_384;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Plan {
    pub random_reads: u32,
    /// Rates evenly over the disk, both ends included.
    pub spread: u32,
    /// How long each rate is measured; the request under way at that moment is its last.
    pub sample_ns: u64,
    pub burst_reads: u32,
    pub largest_buffer_bytes: u64,
    /// How often each length is looked for in the buffer.
    pub buffer_tries: u32,
}

impl Plan {
    pub fn new(suite: Suite) -> Self {
        match suite {
            Suite::Quick => Self {
                random_reads: 100,
                spread: 17,
                sample_ns: 80_000_000,
                burst_reads: 50,
                largest_buffer_bytes: 16 << 20,
                buffer_tries: 3,
            },
            Suite::Standard => Self {
                random_reads: 500,
                spread: 33,
                sample_ns: 300_000_000,
                burst_reads: 200,
                largest_buffer_bytes: 128 << 20,
                buffer_tries: 3,
            },
            Suite::Full | Suite::Day | Suite::Week => Self {
                random_reads: 2000,
                spread: 129,
                sample_ns: 1_000_000_000,
                burst_reads: 1000,
                largest_buffer_bytes: 1 << 30,
                buffer_tries: 5,
            },
        }
    }

    /// Rates that are measured.
    pub fn samples(&self) -> u64 {
        u64::from(self.spread) + POSITIONS.len() as u64
    }
}
