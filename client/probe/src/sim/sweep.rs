//! The shortest latencies by brute force: the same two accesses again and again, with ever other host delays in between.

use std::sync::Arc;

use serde::Serialize;

use super::engine::{Engine, Operation, Request};
use super::model::Model;

/// Host delays over one turn.
const DELAYS: u32 = 1500;

/// What the shortest of all latencies are; resolved to a 1500th of a turn.
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
    let mut engine = Engine::new(Arc::clone(model));
    let latency_ns = (0..DELAYS).scan(0.0, |now, step| {
        let before = engine.serve(*now, request(from));
        let start = before + model.rotation_ns * f64::from(step) / f64::from(DELAYS);
        *now = engine.serve(start, request(to));
        Some(*now - start)
    });
    latency_ns.fold(f64::INFINITY, f64::min)
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
        if (cylinder && distance == 1) || (!cylinder && distance == 0) {
            return Some((track.first_sector, next.first_sector));
        }
        track = next;
    }
    None
}
