//! A chain of single-block accesses, one right after the other: what SKIPPY and SEEKER are made of.

use super::{Session, Stop};
use crate::device::Timing;

/// After so many unreadable blocks a series that wants to write is given up: the place is no good.
const UNREADABLE_BLOCKS_GIVEN_UP: usize = 8;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    Read,
    Write,
}

/// What came of a chain. `timings[k]` belongs to `blocks[k]`; shorter than the chain when it was stopped.
pub struct Walk {
    /// `None` where the access failed, and at the access after that: where the head stood is then unknown.
    pub timings: Vec<Option<Timing>>,
    pub stop: Option<Stop>,
}

/// Accesses `blocks` in order. Nothing is allocated, printed or locked between two of them.
///
/// Writing first keeps what stands at all blocks. Blocks that can't be read are then not written.
pub fn walk(session: &mut Session<'_>, blocks: &[u64], access: Access) -> Walk {
    let timings = Vec::with_capacity(blocks.len());
    match access {
        Access::Read => walk_reading(session, blocks, timings),
        Access::Write => match keep_readable(session, blocks) {
            Ok(indices) => walk_writing(session, &indices, timings),
            Err(stop) => Walk { timings, stop: Some(stop) },
        },
    }
}

fn walk_reading(session: &mut Session<'_>, blocks: &[u64], mut timings: Vec<Option<Timing>>) -> Walk {
    let mut previous_failed = false;
    for &block in blocks {
        match session.read(block, 1) {
            Ok(timing) => {
                timings.push(timing.filter(|_| !previous_failed));
                previous_failed = timing.is_none();
            }
            Err(stop) => return Walk { timings, stop: Some(stop) },
        }
    }
    Walk { timings, stop: None }
}

fn walk_writing(session: &mut Session<'_>, indices: &[Option<usize>], mut timings: Vec<Option<Timing>>) -> Walk {
    let mut previous_failed = false;
    for index in indices {
        let result = index.map_or(Ok(None), |index| session.write(index));
        match result {
            Ok(timing) => {
                timings.push(timing.filter(|_| !previous_failed));
                previous_failed = timing.is_none();
            }
            Err(stop) => return Walk { timings, stop: Some(stop) },
        }
    }
    Walk { timings, stop: None }
}

/// Keeps the blocks that can be read; for each position of the chain the index to write, or `None`.
fn keep_readable(session: &mut Session<'_>, blocks: &[u64]) -> Result<Vec<Option<usize>>, Stop> {
    let mut kept = blocks.to_vec();
    kept.sort_unstable();
    kept.dedup();
    for _ in 0..UNREADABLE_BLOCKS_GIVEN_UP {
        match session.keep(&kept)? {
            None => return Ok(blocks.iter().map(|block| kept.binary_search(block).ok()).collect()),
            Some(bad) => kept.retain(|&block| block != bad),
        }
    }
    Ok(vec![None; blocks.len()])
}
