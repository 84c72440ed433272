//! What is true of a simulated drive, read from the model itself: for tests and for the accuracy table only.

mod sequential;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::drive::HOST_THINK_NS;
use super::engine::{Engine, Operation, Request};
use super::layout::{Order, Track, Zone};
use super::mechanics::Arm;
use super::model::{Model, Temperature};
use super::variation::{ColdWrites, Spindle, Unsteady};

/// Blocks are device blocks (`block_bytes`), LBAs are sectors of 512 bytes, MB are 10^6 bytes.
#[derive(Clone, Debug, Serialize)]
pub struct Truth {
    pub drive: String,
    pub rotation_period_ms: f64,
    pub rpm: f64,
    pub surfaces: u16,
    pub cylinders: u32,
    pub block_bytes: u32,
    pub capacity_blocks: u64,
    pub capacity_sectors: u64,
    /// `cylinder`, `cylinder_serpentine` or `surface_serpentine`.
    pub layout: String,
    pub write_cache: bool,
    /// What the interface can carry.
    pub bus_mb_s: f64,
    /// What the host lets pass between an answer and its next request.
    pub host_think_ms: f64,
    /// The longest request that the read buffer still answers when it is made again: a segment without its look-ahead.
    pub buffer_hit_bytes: u64,
    pub zones: Vec<ZoneTruth>,
    pub mean_bandwidth_mb_s: f64,
    /// Overheads before and after, without the transfer of the sector.
    pub mtm_ms: ReadWrite,
    pub transfer_ms: f64,
    pub head_switch_mechanical_ms: ReadWrite,
    pub one_cylinder_seek_ms: ReadWrite,
    pub seek_curve: Vec<SeekPoint>,
    /// From block 0 to here, by equal steps of the capacity.
    pub seek_by_block: Vec<SeekPoint>,
    pub seek_minimum_ms: ReadWrite,
    /// Over all pairs of blocks.
    pub seek_average_ms: ReadWrite,
    pub seek_full_stroke_ms: ReadWrite,
    /// The sensor's course, and what the medium's rate does with it and by itself.
    pub temperature: Option<Temperature>,
    pub cold_writes: Option<ColdWrites>,
    pub unsteady: Option<Unsteady>,
    /// Around the rotation period above.
    pub spindle: Option<Spindle>,
    /// By region: `outer`, `middle`, `inner`.
    pub local: BTreeMap<String, Local>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReadWrite {
    pub read: f64,
    pub write: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct ZoneTruth {
    pub first_block: u64,
    pub last_block: u64,
    pub first_lba: u64,
    pub last_lba: u64,
    pub first_cylinder: u32,
    /// Addressed blocks on a track, the mean over heads where they differ.
    pub blocks_per_track: f64,
    /// Physical, in device blocks and in 512-byte sectors.
    pub sectors_per_track: f64,
    pub sectors_per_track_512: f64,
    pub sectors_per_track_by_head: Vec<u32>,
    /// Of an endless sequential read: the medium with its skews, or the bus.
    pub bandwidth_mb_s: f64,
    pub bus_limited: bool,
    /// What a host gets that reads on and on, by the size of its requests; empty until it is asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sequential_mb_s: BTreeMap<&'static str, f64>,
    /// The least and the most of it, by where in the zone it begins.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sequential_range_mb_s: BTreeMap<&'static str, [f64; 2]>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct SeekPoint {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<u64>,
    pub cylinders: u32,
    pub read_ms: f64,
    pub write_ms: f64,
}

/// What SKIPPY meets from a start on, over the next tracks.
#[derive(Clone, Debug, Serialize)]
pub struct Local {
    pub start_block: u64,
    pub start_lba: u64,
    pub phys_sectors_per_track: u32,
    pub blocks_per_track: u64,
    /// Times from the end of one track's last sector to the start of the next one's first: skew and spares.
    /// `H`: the head changes, `C`: the next cylinder, `B`: the next serpentine band.
    pub boundaries: BTreeMap<String, usize>,
    pub track_skew_ms: Option<f64>,
    pub cylinder_skew_ms: Option<f64>,
    pub track_skew_sectors: Option<f64>,
    pub cylinder_skew_sectors: Option<f64>,
    pub tracks_between_cylinder_switches: Vec<usize>,
    pub phase_sweep_write: PhaseSweep,
    pub phase_sweep_read_nocache: PhaseSweep,
}

/// Reads the truth from the model; `starts` are the regions' first device blocks.
pub fn truth(model: &Model, starts: &[(&str, u64)]) -> Truth {
    let ratio = u64::from(model.physical_block_bytes) / 512;
    let zones = zones(model, ratio);
    let whole: f64 = zones.iter().map(|zone| (zone.last_block + 1 - zone.first_block) as f64).sum();
    let slowness = zones.iter().map(|z| (z.last_block + 1 - z.first_block) as f64 / whole / z.bandwidth_mb_s);
    let command = &model.command;
    let last = model.layout.cylinders() - 1;
    Truth {
        drive: model.name.clone(),
        rotation_period_ms: model.rotation_ns / 1e6,
        rpm: 60e9 / model.rotation_ns,
        surfaces: model.layout.heads(),
        cylinders: model.layout.cylinders(),
        block_bytes: model.physical_block_bytes,
        capacity_blocks: model.capacity_sectors,
        capacity_sectors: model.capacity_sectors * ratio,
        layout: layout_name(model.layout.order()).to_owned(),
        write_cache: model.write_cache.enabled,
        bus_mb_s: 1e3 / command.bus_ns_per_byte,
        host_think_ms: HOST_THINK_NS as f64 / 1e6,
        buffer_hit_bytes: buffer_hit_bytes(model),
        mean_bandwidth_mb_s: 1.0 / slowness.sum::<f64>(),
        zones,
        mtm_ms: ReadWrite {
            read: (command.read_before_ns + command.read_after_ns) / 1e6,
            write: (command.write_before_ns + command.write_after_ns) / 1e6,
        },
        transfer_ms: model.rotation_ns / 1e6 / f64::from(model.layout.track(0).slots),
        head_switch_mechanical_ms: with_settle(model, model.seek.head_switch_ns),
        one_cylinder_seek_ms: with_settle(model, model.seek.one_cylinder_ns),
        seek_curve: distances(last).map(|d| seek_point(model, None, d)).collect(),
        seek_by_block: seek_by_block(model),
        seek_minimum_ms: with_settle(model, model.seek.seek_ns(1)),
        seek_average_ms: with_settle(model, average_seek_ns(model)),
        seek_full_stroke_ms: with_settle(model, model.seek.seek_ns(last)),
        temperature: model.temperature,
        cold_writes: model.cold_writes,
        unsteady: model.unsteady,
        spindle: model.spindle,
        local: starts.iter().map(|(region, start)| ((*region).to_owned(), local(model, *start, ratio))).collect(),
    }
}

fn layout_name(order: Order) -> &'static str {
    match order {
        Order::Cylinder => "cylinder",
        Order::CylinderSerpentine => "cylinder_serpentine",
        Order::SurfaceSerpentine { .. } => "surface_serpentine",
    }
}

fn buffer_hit_bytes(model: &Model) -> u64 {
    let cache = &model.read_cache;
    let held = if cache.segments > 0 { cache.segment_sectors.saturating_sub(cache.look_ahead_sectors) } else { 0 };
    held * u64::from(model.physical_block_bytes)
}

fn with_settle(model: &Model, read_ns: f64) -> ReadWrite {
    ReadWrite { read: read_ns / 1e6, write: (read_ns + model.seek.write_settle_ns) / 1e6 }
}

fn seek_point(model: &Model, block: Option<u64>, cylinders: u32) -> SeekPoint {
    let time = with_settle(model, model.seek.seek_ns(cylinders));
    let settled = if cylinders == 0 { time.read } else { time.write };
    SeekPoint { block, cylinders, read_ms: time.read, write_ms: settled }
}

/// 1, 2, 3, ... about ten to a decade, and the full stroke.
fn distances(last: u32) -> impl Iterator<Item = u32> {
    let grow = |d: &u32| Some((d + 1).max((f64::from(*d) * 1.26).round() as u32));
    std::iter::successors(Some(1_u32), grow).take_while(move |d| *d < last).chain([last])
}

fn seek_by_block(model: &Model) -> Vec<SeekPoint> {
    let blocks = (0..=200_u64).map(|step| u128::from(model.capacity_sectors - 1) * u128::from(step) / 200);
    blocks.map(|block| block as u64).map(|b| seek_point(model, Some(b), model.layout.track(b).cylinder)).collect()
}

fn average_seek_ns(model: &Model) -> f64 {
    const POINTS: u64 = 400;
    let slice = model.capacity_sectors / POINTS;
    let cylinders: Vec<u32> = (0..POINTS).map(|at| model.layout.track(at * slice + slice / 2).cylinder).collect();
    let pairs = cylinders.iter().flat_map(|a| cylinders.iter().map(|b| a.abs_diff(*b)));
    pairs.map(|distance| model.seek.seek_ns(distance)).sum::<f64>() / (POINTS * POINTS) as f64
}

fn zones(model: &Model, ratio: u64) -> Vec<ZoneTruth> {
    let inside = model.layout.zones().filter(|(first, _, _)| *first < model.capacity_sectors);
    inside.map(|(first, cylinder, zone)| zone_truth(model, first, cylinder, zone, ratio)).collect()
}

fn zone_truth(model: &Model, first: u64, first_cylinder: u32, zone: &Zone, ratio: u64) -> ZoneTruth {
    let end = (first + zone.sectors()).min(model.capacity_sectors);
    let slots = zone.slots.iter().map(|slots| f64::from(*slots)).sum::<f64>() / zone.slots.len() as f64;
    let medium = medium_mb_s(model, first, end);
    let bus = 1e3 / model.command.bus_ns_per_byte;
    ZoneTruth {
        first_block: first,
        last_block: end - 1,
        first_lba: first * ratio,
        last_lba: end * ratio - 1,
        first_cylinder,
        blocks_per_track: slots - f64::from(zone.spares_per_track),
        sectors_per_track: slots,
        sectors_per_track_512: slots * ratio as f64,
        sectors_per_track_by_head: zone.slots.clone(),
        bandwidth_mb_s: medium.min(bus),
        bus_limited: bus < medium,
        sequential_mb_s: BTreeMap::new(),
        sequential_range_mb_s: BTreeMap::new(),
    }
}

/// Reads whole tracks in a row, enough for every sort of boundary to come as often as it does.
fn medium_mb_s(model: &Model, first: u64, end: u64) -> f64 {
    let per_round = match model.layout.order() {
        Order::SurfaceSerpentine { cylinders } => u64::from(cylinders),
        Order::Cylinder | Order::CylinderSerpentine => 8,
    };
    let (mut next, mut tracks, mut time_ns) = (first, 0, 0.0);
    while next < end && tracks < per_round * u64::from(model.layout.heads()) {
        let track = model.layout.track(next);
        time_ns += track.sectors as f64 / f64::from(track.slots) * model.rotation_ns;
        if track.end() < end {
            time_ns += switch_ns(model, &track);
        }
        next = track.end();
        tracks += 1;
    }
    (next - first) as f64 * f64::from(model.physical_block_bytes) / time_ns * 1e3
}

/// What a sequential read loses at a track's end: the gap, and turns where the arm needs longer than that.
fn switch_ns(model: &Model, track: &Track) -> f64 {
    let next = model.layout.track(track.end());
    let arm = Arm { cylinder: track.cylinder, head: track.head };
    let travel = model.travel_ns(arm, &next, false);
    let gap = gap_turns(track, &next) * model.rotation_ns;
    gap + ((travel - gap) / model.rotation_ns).ceil().max(0.0) * model.rotation_ns
}

/// From the end of a track's last sector to the start of the next one's first, in turns.
fn gap_turns(track: &Track, next: &Track) -> f64 {
    let end = track.start_angle + track.sectors as f64 / f64::from(track.slots);
    (next.start_angle - end).rem_euclid(1.0)
}

fn local(model: &Model, start: u64, ratio: u64) -> Local {
    let mut track = model.layout.track(start);
    let (slots, blocks_per_track) = (track.slots, model.layout.track_sectors(start));
    let (mut boundaries, mut runs, mut run) = (BTreeMap::<String, usize>::new(), Vec::new(), 0);
    let (mut head_gap, mut cylinder_gap) = (None, None);
    for _ in 0..=5 * usize::from(model.layout.heads()) {
        if track.end() >= model.capacity_sectors {
            break;
        }
        let next = model.layout.track(track.end());
        if (next.cylinder, next.head) == (track.cylinder, track.head) {
            track = next;
            continue;
        }
        let gap = gap_turns(&track, &next);
        run += 1;
        let sort = match next.cylinder.abs_diff(track.cylinder) {
            0 => "H",
            1 => "C",
            _ => "B",
        };
        *boundaries.entry(format!("{sort} gap {:.3} ms", gap * model.rotation_ns / 1e6)).or_default() += 1;
        match sort {
            "H" => head_gap = head_gap.or(Some(gap)),
            "C" => cylinder_gap = cylinder_gap.or(Some(gap)),
            _ => {}
        }
        if sort != "H" {
            runs.push(run);
            run = 0;
        }
        track = next;
    }
    let ms = |gap: Option<f64>| gap.map(|gap| gap * model.rotation_ns / 1e6);
    let sectors = |gap: Option<f64>| gap.map(|gap| gap * f64::from(slots));
    Local {
        start_block: start,
        start_lba: start * ratio,
        phys_sectors_per_track: slots,
        blocks_per_track,
        boundaries,
        track_skew_ms: ms(head_gap),
        cylinder_skew_ms: ms(cylinder_gap),
        track_skew_sectors: sectors(head_gap),
        cylinder_skew_sectors: sectors(cylinder_gap),
        tracks_between_cylinder_switches: runs,
        phase_sweep_write: phase_sweep(model, start, Operation::Write),
        phase_sweep_read_nocache: phase_sweep(model, start, Operation::Read),
    }
}

/// Host delays over one turn.
const DELAYS: u32 = 1500;

/// What the shortest of all latencies are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseSweep {
    /// MTM and the transfer of one sector.
    pub min_latency_same_track_ms: f64,
    /// `None` where no boundary of this sort follows the start within a few cylinders.
    pub head_switch_extra_ms: Option<f64>,
    pub cylinder_switch_extra_ms: Option<f64>,
}

/// Sweeps around the physical sector `start`, with caches off.
pub fn phase_sweep(model: &Model, start: u64, operation: Operation) -> PhaseSweep {
    let mut bare = model.clone();
    bare.read_cache.segments = 0;
    bare.read_cache.look_ahead_sectors = 0;
    bare.write_cache.enabled = false;
    let bare = Arc::new(bare);
    let track = model.layout.track(start);
    let same = shortest_ns(&bare, track.first_sector, track.end() - 1, operation);
    let extra =
        |pair: Option<(u64, u64)>| pair.map(|(from, to)| (shortest_ns(&bare, from, to, operation) - same) / 1e6);
    PhaseSweep {
        min_latency_same_track_ms: same / 1e6,
        head_switch_extra_ms: extra(boundary(model, start, false)),
        cylinder_switch_extra_ms: extra(boundary(model, start, true)),
    }
}

fn shortest_ns(model: &Arc<Model>, from: u64, to: u64, operation: Operation) -> f64 {
    let ratio = model.blocks_per_sector();
    let request = |sector: u64| Request { operation, block: sector * ratio, count: ratio };
    let after = |delay_ns: f64| {
        let mut engine = Engine::new(Arc::clone(model));
        let before = engine.serve(0.0, request(from));
        engine.serve(before + delay_ns, request(to)) - before - delay_ns
    };
    let step_ns = model.rotation_ns / f64::from(DELAYS);
    let delays = (0..DELAYS).map(|step| f64::from(step) * step_ns);
    let (mut last, mut shortest) =
        delays.map(|delay| (delay, after(delay))).min_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or_default();
    // The latency falls with the delay until the sector is missed: between two delays it goes on falling.
    let mut missed = last + step_ns;
    for _ in 0..24 {
        let between = f64::midpoint(last, missed);
        let latency = after(between);
        if latency < shortest { (last, shortest) = (between, latency) } else { missed = between }
    }
    shortest
}

/// First sectors of the next two tracks that differ in the head alone, or in the cylinder by one.
fn boundary(model: &Model, start: u64, cylinder: bool) -> Option<(u64, u64)> {
    let mut track = model.layout.track(start);
    for _ in 0..4 * u32::from(model.layout.heads()) + 400 {
        if track.end() >= model.capacity_sectors {
            return None;
        }
        let next = model.layout.track(track.end());
        let distance = next.cylinder.abs_diff(track.cylinder);
        if (cylinder && distance == 1) || (!cylinder && distance == 0 && next.head != track.head) {
            return Some((track.first_sector, next.first_sector));
        }
        track = next;
    }
    None
}

#[cfg(test)]
mod tests;
