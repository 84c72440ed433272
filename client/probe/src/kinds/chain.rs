//! A chain of single-block accesses, one right after the other: what SKIPPY and SEEKER are made of.

use crate::device::request::Action;
use crate::device::{Span, Timing};
use crate::session::{Session, Stop, preallocate};

/// After so many unreadable blocks a series that wants to write is given up: the place is no good.
const UNREADABLE_BLOCKS_GIVEN_UP: usize = 8;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    Read,
    Write,
}

/// A timing and the mark of a disturbance; `None` where the access failed, and at the access after that: where the head
/// stood is then unknown.
pub type Marked = Option<(Timing, u8)>;

/// Accesses `blocks` in order. Nothing is allocated, printed or locked between two of them. `out[k]` belongs to
/// `blocks[k]`, and is shorter when the chain was stopped.
///
/// Writing first keeps what stands at all blocks. Blocks that can't be read are then not written.
pub fn run_chain(session: &mut Session<'_>, blocks: &[u64], access: Access, out: &mut Vec<Marked>) -> Result<(), Stop> {
    let mut taken = preallocate(blocks.len(), None);
    let end = match access {
        Access::Read => {
            let reads: Vec<Action> = blocks.iter().map(|&block| Action::Read(Span::single(block))).collect();
            session.chain(&reads, &mut taken)
        }
        Access::Write => stage_readable(session, blocks).and_then(|writes| write_all(session, &writes, &mut taken)),
    };
    let marks = session.disturbed(&taken);
    let mut previous_failed = false;
    for (timing, mark) in taken.into_iter().zip(marks) {
        out.push(timing.filter(|_| !previous_failed).map(|timing| (timing, mark)));
        previous_failed = timing.is_none();
    }
    end
}

/// Writes one after the other, but for those that can't be.
fn write_all(
    session: &mut Session<'_>,
    writes: &[Option<Action>],
    taken: &mut Vec<Option<Timing>>,
) -> Result<(), Stop> {
    for stretch in writes.chunk_by(|one, next| one.is_some() == next.is_some()) {
        let actions: Vec<Action> = stretch.iter().copied().flatten().collect();
        if actions.is_empty() {
            taken.extend(stretch.iter().map(|_| None));
        }
        session.chain(&actions, taken)?;
    }
    Ok(())
}

/// Keeps the blocks that can be read; for each position of the chain what to write, or `None`.
fn stage_readable(session: &mut Session<'_>, blocks: &[u64]) -> Result<Vec<Option<Action>>, Stop> {
    let mut kept = blocks.to_vec();
    kept.sort_unstable();
    kept.dedup();
    for _ in 0..UNREADABLE_BLOCKS_GIVEN_UP {
        match session.stage(&kept)? {
            None => {
                let write = |block| kept.binary_search(block).ok().map(Action::Write);
                return Ok(blocks.iter().map(write).collect());
            }
            Some(bad) => kept.retain(|&block| block != bad),
        }
    }
    Ok(vec![None; blocks.len()])
}
