//! The read buffer: segments of what was read, one of which goes on filling while nobody asks (look-ahead).

use super::mechanics::Arm;
use super::model::Model;

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Sectors `first..end` are held.
    first: u64,
    end: u64,
    used: u64,
}

/// The segment that the head is filling, up to `limit`.
#[derive(Clone, Copy, Debug)]
struct Stream {
    segment: usize,
    /// When the sector before the segment's end had passed.
    at_ns: f64,
    limit: u64,
}

#[derive(Clone, Debug, Default)]
pub struct ReadBuffer {
    segments: Vec<Segment>,
    stream: Option<Stream>,
    uses: u64,
}

impl ReadBuffer {
    /// Lets the stream run until `until_ns` or its limit; the arm goes with it.
    pub fn advance(&mut self, model: &Model, arm: &mut Arm, until_ns: f64) {
        let Some(stream) = &mut self.stream else { return };
        let segment = &mut self.segments[stream.segment];
        while segment.end < stream.limit {
            let track = model.layout.track(segment.end);
            let arrived = stream.at_ns + model.travel_ns(*arm, &track, false);
            let start = arrived + model.wait_ns(track.angle(segment.end), arrived);
            let wanted = stream.limit.min(track.end()) - segment.end;
            let passed = if start + model.passing_ns(&track, wanted, start) <= until_ns {
                wanted
            } else {
                // A little more than what fits, or rounding would hold back the sector that ends right now.
                ((model.passed(&track, start, until_ns) + 1e-6).max(0.0) as u64).min(wanted)
            };
            if passed == 0 {
                break;
            }
            *arm = Arm { cylinder: track.cylinder, head: track.head };
            segment.end += passed;
            stream.at_ns = start + model.passing_ns(&track, passed, start);
            if passed < wanted {
                break;
            }
        }
        segment.first = segment.first.max(segment.end.saturating_sub(model.read_cache.segment_sectors));
    }

    /// The head is needed elsewhere.
    pub fn stop(&mut self) {
        self.stream = None;
    }

    /// The segment that holds `sector`, or whose stream is just about to read it, and its end.
    pub fn find(&self, sector: u64) -> Option<(usize, u64)> {
        let filling = |index, end| self.stream.is_some_and(|stream| stream.segment == index && end < stream.limit);
        let holds = |index: usize, segment: &Segment| {
            segment.first <= sector && (sector < segment.end || (sector == segment.end && filling(index, segment.end)))
        };
        let (index, segment) = self.segments.iter().enumerate().find(|(index, segment)| holds(*index, segment))?;
        Some((index, segment.end))
    }

    /// Whether all of `first..end` is held.
    pub fn holds(&self, first: u64, end: u64) -> bool {
        self.segments.iter().any(|segment| segment.first <= first && end <= segment.end)
    }

    /// Reads on from a segment's end up to `end`, not before `at_ns`, and returns when the last sector before it had
    /// passed. A stream that was to go further still is.
    pub fn read_on(&mut self, model: &Model, arm: &mut Arm, index: usize, end: u64, at_ns: f64) -> f64 {
        self.resume(index, end, at_ns);
        let further = self.stream.map_or(end, |stream| stream.limit);
        self.limit(end);
        self.advance(model, arm, f64::INFINITY);
        self.limit(further);
        self.stream.map_or(at_ns, |stream| stream.at_ns)
    }

    fn limit(&mut self, limit: u64) {
        if let Some(stream) = &mut self.stream {
            stream.limit = limit;
        }
    }

    /// Lets a segment fill up to `limit`. A stream that still runs goes on without a pause.
    pub fn resume(&mut self, index: usize, limit: u64, at_ns: f64) {
        self.uses += 1;
        let segment = &mut self.segments[index];
        segment.used = self.uses;
        let running = self.stream.filter(|stream| stream.segment == index && segment.end < stream.limit);
        let at_ns = running.map_or(at_ns, |stream| stream.at_ns);
        let limit = running.map_or(limit, |stream| limit.max(stream.limit));
        self.stream = Some(Stream { segment: index, at_ns, limit });
    }

    /// Puts `first..end`, just read, into the segment that was used longest ago, and lets it fill up to `limit`.
    pub fn fill(&mut self, model: &Model, first: u64, end: u64, limit: u64, at_ns: f64) {
        let index = if self.segments.len() < model.read_cache.segments {
            self.segments.push(Segment { first, end, used: 0 });
            self.segments.len() - 1
        } else {
            let oldest = self.segments.iter().enumerate().min_by_key(|(_, segment)| segment.used);
            let Some((index, _)) = oldest else { return };
            index
        };
        self.uses += 1;
        let kept = first.max(end.saturating_sub(model.read_cache.segment_sectors));
        self.segments[index] = Segment { first: kept, end, used: self.uses };
        self.stream = Some(Stream { segment: index, at_ns, limit });
    }

    /// What is written over is not held any longer.
    pub fn forget(&mut self, first: u64, end: u64) {
        self.stop();
        self.segments.retain(|segment| segment.end <= first || end <= segment.first);
    }
}
