//! Requests one right after the other, with nothing in between that can wait.

use super::{Session, Stop};
use crate::device::Timing;
use crate::device::request::Action;

/// An empty vector with room for so many, whose pages are there: the kernel hands out a page when it is first written to,
/// which would otherwise be between two requests.
pub fn preallocate<T: Clone>(count: usize, filler: T) -> Vec<T> {
    let mut room = Vec::with_capacity(count);
    room.resize(count, filler);
    room.clear();
    room
}

impl Session<'_> {
    /// Makes the requests in order, each as soon as the one before is through, and appends what they took to `out`:
    /// `None` where the medium failed, which is then on record. Fewer than were asked for when the run has to end.
    pub fn chain(&mut self, actions: &[Action], out: &mut Vec<Option<Timing>>) -> Result<(), Stop> {
        let mut timings = preallocate(actions.len(), Timing { start_ns: 0, latency_ns: 0 });
        let mut left = actions;
        while !left.is_empty() {
            self.check_interrupt()?;
            timings.clear();
            let result = self.device.chain(left, &self.interrupt.0, &mut timings);
            left = &left[timings.len()..];
            for &timing in &timings {
                out.push(self.settle_timing(Ok(timing), "")?);
            }
            if let (Err(error), Some((failed, behind))) = (result, left.split_first()) {
                out.push(self.settle_timing(Err(error), operation_name(*failed))?);
                left = behind;
            }
        }
        Ok(())
    }
}

fn operation_name(action: Action) -> &'static str {
    match action {
        Action::Read(_) => "read",
        Action::Write(_) => "write",
    }
}
