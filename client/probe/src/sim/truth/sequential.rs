//! What a host gets that reads on and on, the next request as soon after the one before as the simulated host can:
//! measured on the model itself.
//!
//! A drive that reads ahead enough gives what its medium brings. One that does not loses turns between requests, the
//! more of them the shorter they are and the later the host asks again.

use std::ops::Range;
use std::sync::Arc;

use super::super::drive::HOST_THINK_NS;
use super::super::engine::{Engine, Request};
use super::super::layout::Order;
use super::super::model::Model;
use super::super::noise::Noise;
use super::Truth;

/// Requests of each size as the kinds use them: 64 KiB (ACCESS), 1 MiB (ZONED) and 2 MiB (POSITIONAL).
const SIZES: [(&str, u64); 3] = [("64KiB", 64 << 10), ("1MiB", 1 << 20), ("2MiB", 2 << 20)];

/// The first requests only find the medium.
const LEAD: u64 = 8;

const TRACKS_FEWEST: u64 = 2000;

/// Places in a zone, and requests from each, that show whether a drive has one rate or falls into one of several: about
/// as many requests as the kinds make in a row.
const STARTS: u64 = 64;
const REQUESTS_FROM_START: u64 = 32;

/// Read for the mean of a noise's delays: 40,000 of the shortest requests, and of longer ones, which a delay matters less
/// to, fewer.
const BYTES_WITH_NOISE: u64 = 40_000 * SIZES[0].1;

impl Truth {
    /// With what a host gets that reads on and on, whose requests `noise` delays.
    #[must_use]
    pub fn with_sequential(mut self, model: &Model, noise: &Noise) -> Self {
        let model = Arc::new(model.clone());
        for zone in &mut self.zones {
            let rate = |bytes| sequential_mb_s(&model, zone.first_block, zone.last_block + 1, bytes, noise.clone());
            zone.sequential_mb_s = SIZES.map(|(name, bytes)| (name, rate(bytes))).into();
            let (first, end) = (zone.first_block, zone.last_block + 1);
            let range = |bytes| range_mb_s(&model, first, end, bytes, noise);
            zone.sequential_range_mb_s = SIZES.map(|(name, bytes)| (name, range(bytes))).into();
        }
        self
    }
}

/// A round of a serpentine drive may be long, and a part of it that long tells the rate as well.
const REQUESTS_MOST: u64 = 100_000;

/// MB/s from the sector `first` on, as far as `end`, with the delays of `noise`.
fn sequential_mb_s(model: &Arc<Model>, first: u64, end: u64, bytes: u64, noise: Noise) -> f64 {
    let blocks = length(model, first, bytes, noise.is_off());
    rate_mb_s(model, first..end, first, (bytes, blocks), noise)
}

/// The least and the most MB/s of a few dozen requests that begin at places all over a zone.
fn range_mb_s(model: &Arc<Model>, first: u64, end: u64, bytes: u64, noise: &Noise) -> [f64; 2] {
    let blocks = REQUESTS_FROM_START * bytes / u64::from(model.physical_block_bytes);
    let starts = (0..STARTS).map(|index| first + (end - first) * index / STARTS);
    let rates = starts.map(|start| rate_mb_s(model, first..end, start, (bytes, blocks), noise.clone()));
    rates.fold([f64::INFINITY, 0.0], |[low, high], rate| [low.min(rate), high.max(rate)])
}

/// Requests of so many bytes until so many blocks are read, from `start` on; behind the end of the zone, from its first.
fn rate_mb_s(model: &Arc<Model>, zone: Range<u64>, start: u64, request: (u64, u64), mut noise: Noise) -> f64 {
    let (bytes, blocks) = request;
    let sector_bytes = u64::from(model.physical_block_bytes);
    let (ratio, count) = (model.blocks_per_sector(), bytes / sector_bytes);
    let blocks = blocks.div_ceil(count) * count;
    let mut engine = Engine::new(Arc::clone(model));
    let (mut now_ns, mut taken_ns, mut read, mut at) = (0.0, 0.0, 0, start);
    let mut lead = LEAD;
    while read < blocks {
        if at + count > zone.end {
            if at == zone.start {
                break;
            }
            (at, lead) = (zone.start, LEAD);
        }
        let (before_ns, asked_ns) = (now_ns, now_ns + HOST_THINK_NS as f64);
        now_ns = (engine.serve(asked_ns, Request::read(at * ratio, count * ratio)) + noise.delay_ns()).round();
        at += count;
        if lead > 0 {
            lead -= 1;
        } else {
            read += count;
            taken_ns += now_ns - before_ns;
        }
    }
    (read * sector_bytes) as f64 / taken_ns * 1e3
}

/// Sectors of whole rounds of boundaries, so that each sort comes as often as it does.
fn length(model: &Model, first: u64, bytes: u64, quiet: bool) -> u64 {
    let heads = u64::from(model.layout.heads());
    let round = match model.layout.order() {
        Order::SurfaceSerpentine { cylinders } => 2 * heads * u64::from(cylinders),
        Order::Cylinder | Order::CylinderSerpentine => 2 * heads,
    };
    let track = model.layout.track(first).sectors;
    let delayed = if quiet { 0 } else { BYTES_WITH_NOISE };
    let enough = (delayed / u64::from(model.physical_block_bytes)).max(TRACKS_FEWEST * track);
    let most = REQUESTS_MOST * bytes / u64::from(model.physical_block_bytes);
    (enough.div_ceil(round * track) * round * track).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::sim::{NoiseLevel, SimulatedDrive, open};

    fn outer_mb_s(name: &str, bytes: u64, level: NoiseLevel) -> f64 {
        let model = Arc::new(open(name).expect("the drive").model().clone());
        let end = super::super::truth(&model, &[]).zones[0].last_block + 1;
        sequential_mb_s(&model, 0, end, bytes, Noise::new(level, 1))
    }

    #[test]
    fn a_drive_that_reads_ahead_gives_a_host_what_its_medium_brings() {
        let drive = open("ibm-ultrastar-xp").expect("the drive");
        let medium = super::super::truth(drive.model(), &[]).zones[0].bandwidth_mb_s;
        let ratio = outer_mb_s("ibm-ultrastar-xp", 1 << 20, NoiseLevel::Off) / medium;
        assert!((ratio - 1.0).abs() < 0.005, "{ratio}");
    }

    #[test]
    fn a_host_that_asks_late_gets_less_by_short_requests_and_as_much_by_long_ones() {
        let kept = |bytes| {
            let rate = |level| outer_mb_s("ibm-ultrastar-xp", bytes, level);
            rate(NoiseLevel::Heavy) / rate(NoiseLevel::Off)
        };
        let (short, long) = (kept(64 << 10), kept(1 << 20));
        assert!(short < 0.99, "{short}");
        assert!(long > 0.995, "{long}");
    }

    #[test]
    fn the_truth_asks_when_the_host_does() {
        let mut model = open("ibm-ultrastar-xp").expect("the drive").model().clone();
        // Slower than the medium, so that each request takes what it takes and no turn hides the host's part.
        model.command.bus_ns_per_byte = 500.0;
        let model = Arc::new(model);
        let (mut drive, mut at, count) = (SimulatedDrive::new(Arc::clone(&model), NoiseLevel::Off, 1), 0, 128);
        let mut read_on = |requests| {
            let before_ns = drive.now_ns();
            for _ in 0..requests {
                drive.read_timed(at, count).expect("a read");
                at += u64::from(count);
            }
            drive.now_ns() - before_ns
        };
        read_on(LEAD);
        let met = 1000.0 * 65_536.0 / read_on(1000) as f64 * 1e3;
        let told = rate_mb_s(&model, 0..1 << 20, 0, (65_536, 128_000), Noise::new(NoiseLevel::Off, 1));
        assert!((told / met - 1.0).abs() < 1e-9, "{told} instead of {met} MB/s");
    }
}
