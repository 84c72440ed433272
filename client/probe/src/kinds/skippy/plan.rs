//! Where a region's series stand and how long they are: from what was seen there so far.

use std::fmt;

use serde::Serialize;

use crate::device::Geometry;
use crate::kinds::track;
use crate::session::guard_band::guard_blocks;
use crate::session::{Session, Stop, Suite};
use crate::stats::{Random, median, quantile, to_f64, to_u64};

/// All series of a region together stay within this share of the disk, so that they see one zone where they can.
const REGION_SHARE: u64 = 12;

/// Those between the three parts within this share: half of what lies between two of them.
const BETWEEN_SHARE: u64 = 40;

/// Boundaries between tracks that a constant series passes at first, and at most.
pub const TRACKS_FIRST: u64 = 100;
pub const TRACKS_MOST: u64 = 400;

/// A constant series is never longer than this, whatever its step.
const CONSTANT_STEPS_MOST: u64 = 6000;

/// A series of growing steps is never longer than this: a track of a megabyte in blocks of 512 bytes fits three times.
const STEPS_MOST: u64 = 8000;

/// A challenge asks for lanes whose first block leaves a drawn remainder when divided by this.
const LANE_STEP: u64 = 256;

/// Accesses of a series where time is short: a track of many blocks is then met at every second or third step.
const QUICK_ACCESSES_MOST: u64 = 800;

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Region {
    Outer,
    Middle,
    Inner,
    /// Elsewhere: in zones that the three may have missed.
    Between,
}

/// Where series are measured together.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Place {
    pub region: Region,
    /// Thousandths of the device's blocks that lie before it, of one between the three parts.
    pub position_permille: Option<u64>,
}

impl Place {
    pub const OUTER: Self = Self { region: Region::Outer, position_permille: None };
    /// The three that each series is measured at, in every variant.
    pub const PARTS: [Self; 3] = [
        Self::OUTER,
        Self { region: Region::Middle, position_permille: None },
        Self { region: Region::Inner, position_permille: None },
    ];

    /// Places evenly over the device, in as many zones as time allows: none for a quick look.
    pub fn between(suite: Suite) -> impl Iterator<Item = Self> {
        let apart = match suite {
            Suite::Quick => 1000,
            Suite::Standard => 100,
            Suite::Full | Suite::Day | Suite::Week => 50,
        };
        (apart..1000)
            .step_by(apart)
            // The middle part begins there.
            .filter(|&position| position != 500)
            .map(|position| Self { region: Region::Between, position_permille: Some(position as u64) })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position_permille {
            Some(position) => write!(f, "{} % of the device", to_f64(position) / 10.0),
            None => write!(f, "{} part", self.region),
        }
    }
}

/// What one place shows of the whole drive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    /// Tracks between two of the rarer boundaries, where a constant series showed them.
    pub cylinder_tracks: Option<u64>,
    /// About the minimum time to media, once a series has shown it.
    pub mtm_ns: Option<u64>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    Write,
    Read,
    Backward,
}

impl Variant {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Write => "writing",
            Self::Read => "reading",
            Self::Backward => "reading backwards",
        }
    }
}

/// What is known of a region, and which of its blocks are still fresh.
pub struct Layout {
    pub place: Place,
    pub rotation_ns: u64,
    /// Blocks of a track, roughly.
    pub track_blocks: u64,
    pub known: Known,
    quick: bool,
    first: u64,
    end: u64,
    lanes_used: u64,
    /// What is left of a lane's first block divided by [`LANE_STEP`], where a challenge asks for it.
    remainder: Option<u64>,
}

impl Layout {
    /// Measures the length of a track; `None` where the timing does not show it.
    pub fn find(session: &mut Session<'_>, place: Place, rotation_ns: u64, known: Known) -> Result<Option<Self>, Stop> {
        let geometry = session.geometry();
        let capacity = geometry.capacity_blocks();
        let probe_at = match place.region {
            Region::Outer => capacity / 256,
            Region::Middle => capacity / 2,
            Region::Inner => capacity - capacity / 256,
            Region::Between => begin(capacity, place),
        };
        let track_blocks = session.whole_piece(&format!("{place}, length of a track"), |session| {
            track::estimate_blocks(session, probe_at, rotation_ns)
        })?;
        let Some(track_blocks) = track_blocks else { return Ok(None) };
        let mut layout = Self {
            place,
            rotation_ns,
            track_blocks,
            known,
            quick: session.settings.suite == Suite::Quick,
            first: 0,
            end: capacity,
            lanes_used: 0,
            remainder: session.settings.challenge_seed.map(|seed| Random(seed).draw() % LANE_STEP),
        };
        // Both directions of reading with fresh blocks for each repeat, one place for all writes, the constant series.
        let (lanes, tracks) = match place.region {
            Region::Between => (1, layout.tracks_between()),
            _ => (2 * u64::from(session.settings.repeats) + 2, 2 * TRACKS_MOST),
        };
        let steps = layout.steps();
        let wanted = lanes * (steps * steps / 2 + steps + track_blocks) + tracks * track_blocks;
        (layout.first, layout.end) = bounds(&geometry, place, session.writable(), wanted);
        Ok(Some(layout))
    }

    /// Takes the minimum time to media from a series: the shortest latencies, but for the few that a cache answered.
    /// The longest of several variants counts, as a cache that answers all of one variant shows none.
    pub fn learn_mtm(&mut self, latencies: &[u64]) {
        self.known.mtm_ns = self.known.mtm_ns.max(Some(quantile(latencies, 0.02)));
    }

    /// Blocks that pass under the head in the minimum time to media and a fiftieth of a turn: just above the edge.
    pub fn edge_blocks(&self) -> Option<u64> {
        let blocks =
            to_f64(self.known.mtm_ns? + self.rotation_ns / 50) * to_f64(self.track_blocks) / to_f64(self.rotation_ns);
        Some(to_u64(blocks.ceil()).max(1))
    }

    /// Steps that pass the first edge and one full track beyond it, and two cylinders where their size is known.
    pub fn steps(&self) -> u64 {
        let track = to_f64(self.track_blocks);
        let edge = self.edge_blocks().map_or(0.4 * track, to_f64).min(track);
        let one_track = 1.08 * track + edge + 8.0;
        // n steps cover n * n / 2 blocks.
        let cylinders = self.known.cylinder_tracks.map_or(0.0, |tracks| (2.0 * 2.5 * to_f64(tracks) * track).sqrt());
        let room = (to_f64(self.end - self.first)).sqrt();
        to_u64(one_track.max(cylinders).min(room)).min(STEPS_MOST)
    }

    /// The steps of a growing series, from 0 on: all of them, or evenly as many as time allows.
    pub fn growing(&self) -> Vec<u64> {
        let steps = self.steps();
        let apart = if self.quick { steps.div_ceil(QUICK_ACCESSES_MOST).max(1) } else { 1 };
        (0..steps).step_by(usize::try_from(apart).unwrap_or(1)).collect()
    }

    /// The step of a constant series. Forward it stands just above the edge. Backward the head has a track less the
    /// step to go, less the gap at a boundary: a third of a turn is left for that gap, so that no turn is missed.
    pub fn constant_step(&self, variant: Variant) -> u64 {
        let edge = self.edge_blocks().unwrap_or(self.track_blocks / 3);
        match variant {
            Variant::Backward => (self.track_blocks * 2 / 3).saturating_sub(edge).max(self.track_blocks / 5).max(1),
            Variant::Read | Variant::Write => edge,
        }
    }

    pub fn constant_count(&self, step: u64, tracks: u64) -> u64 {
        let room = (self.end - self.first) / 2 / (step + 1);
        let most = if self.quick { QUICK_ACCESSES_MOST } else { CONSTANT_STEPS_MOST };
        (tracks * self.track_blocks / (step + 1)).min(most).min(room).max(1)
    }

    /// First block of the next `span` blocks, fresh ones while the region has them.
    ///
    /// Reads take fresh blocks each time, as the drive's cache may hold the ones before.
    pub fn next_lane(&mut self, span: u64) -> u64 {
        let room = (self.end - self.first).saturating_sub(span + 1).max(1);
        let at = if self.place.region == Region::Inner {
            self.end - span.min(self.end - self.first) - self.lanes_used % room
        } else {
            self.first + self.lanes_used % room
        };
        // A little apart, so that series don't meet the boundaries at the same steps.
        self.lanes_used += span + 1 + Random(self.lanes_used).between(0, self.track_blocks);
        let last = self.end.saturating_sub(span).max(self.first);
        let at = at.clamp(self.first, last);
        self.remainder.map_or(at, |remainder| {
            self.lanes_used += LANE_STEP;
            let behind = at + (remainder + LANE_STEP - at % LANE_STEP) % LANE_STEP;
            let room = self.first..=last;
            // Inner lanes follow each other outwards, so that what comes next begins before this one.
            let inwards = self.place.region != Region::Inner && room.contains(&behind);
            let before = behind.saturating_sub(LANE_STEP);
            if !inwards && behind > at && room.contains(&before) { before } else { behind.min(last) }
        })
    }

    /// Boundaries that the only constant series of a place between the parts passes: five of the rarer ones.
    pub fn tracks_between(&self) -> u64 {
        self.known.cylinder_tracks.map_or(TRACKS_FIRST, |tracks| (5 * tracks).clamp(TRACKS_FIRST, TRACKS_MOST))
    }

    pub fn variant_ns(&self, repeats: u32) -> u64 {
        let steps = self.growing().len() as u64 * u64::from(repeats) + TRACKS_FIRST * 5;
        steps * self.rotation_ns * 3 / 4
    }

    /// Takes the size of a cylinder from a constant series: the rarer of two sizes of spikes, if it comes regularly.
    pub fn learn_cylinder(&mut self, offsets: &[u64], latencies: &[u64]) -> bool {
        let found = rare_spacing(offsets, latencies, self.rotation_ns);
        let tracks = found.map(|blocks| to_u64(to_f64(blocks) / to_f64(self.track_blocks)).max(1));
        self.known.cylinder_tracks = self.known.cylinder_tracks.max(tracks);
        tracks.is_some()
    }
}

/// The first block of a place between the parts.
fn begin(capacity: u64, place: Place) -> u64 {
    capacity / 1000 * place.position_permille.unwrap_or(0)
}

fn bounds(geometry: &Geometry, place: Place, writing: bool, wanted: u64) -> (u64, u64) {
    let capacity = geometry.capacity_blocks();
    let edge = if writing { guard_blocks(geometry) } else { 0 };
    let share = if place.region == Region::Between { BETWEEN_SHARE } else { REGION_SHARE };
    let size = wanted.min(capacity.saturating_sub(2 * edge) / share);
    match place.region {
        Region::Outer => (edge, edge + size),
        Region::Middle => (capacity / 2, capacity / 2 + size),
        Region::Inner => (capacity.saturating_sub(edge + size), capacity.saturating_sub(edge)),
        Region::Between => (begin(capacity, place), begin(capacity, place) + size),
    }
}

/// Where a latency stands out, and by how much.
type Spike = (u64, u64);

/// Blocks between the rarer spikes; `None` unless there are two sizes of spikes and the rarer come regularly, thrice.
fn rare_spacing(offsets: &[u64], latencies: &[u64], rotation_ns: u64) -> Option<u64> {
    let base = median(latencies);
    let spikes: Vec<Spike> = offsets
        .iter()
        .zip(latencies)
        .filter(|&(_, &latency)| (rotation_ns / 100..rotation_ns * 9 / 10).contains(&latency.abs_diff(base)))
        .map(|(&offset, &latency)| (offset, latency.abs_diff(base)))
        .collect();
    let mut sizes: Vec<u64> = spikes.iter().map(|spike| spike.1).collect();
    sizes.sort_unstable();
    let split = sizes.windows(2).max_by_key(|pair| pair[1] - pair[0]).filter(|pair| pair[1] - pair[0] > pair[0] / 5)?;
    let (large, small): (Vec<Spike>, Vec<Spike>) = spikes.into_iter().partition(|spike| spike.1 >= split[1]);
    let rare = if large.len() <= small.len() { large } else { small };
    let spacings: Vec<u64> = rare.windows(2).map(|pair| pair[1].0.abs_diff(pair[0].0)).collect();
    let typical = median(&spacings);
    let regular = spacings.iter().filter(|&&spacing| spacing.abs_diff(typical) < typical / 5).count();
    (spacings.len() >= 2 && regular * 4 >= spacings.len() * 3).then_some(typical)
}
