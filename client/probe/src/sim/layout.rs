//! From a sector's number to its place on the medium and back.
//!
//! Numbers run through tracks; how tracks follow each other is the [`Order`]. Each track's first sector stands at an angle that
//! grows by the skew from track to track, so that a transfer which crosses a boundary does not wait a whole turn.
//! Sectors that hold no data ([`Defects`]) cut a track into stretches.

mod defects;

use defects::slipped_before;
pub use defects::{Defects, Slipping};

/// How consecutive tracks lie on the surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All heads of a cylinder, ascending, then the next cylinder.
    Cylinder,
    /// As `Cylinder`, but every other cylinder takes the heads in descending order.
    CylinderSerpentine,
    /// One head runs through `cylinders` cylinders, the next head runs back, and so on; then the next band of cylinders.
    SurfaceSerpentine { cylinders: u32 },
}

/// Cylinders with the same number of sectors on a track.
#[derive(Clone, Debug)]
pub struct Zone {
    pub cylinders: u32,
    /// Physical sectors on a track of each head, spares included.
    pub slots: Vec<u32>,
    pub spares_per_track: u32,
    /// Taken from the last track of each cylinder.
    pub spares_per_cylinder: u32,
    /// Taken from the zone's end.
    pub spares_at_end: u64,
    pub defects: Defects,
    /// Skews in turns, from one track's first sector to the next one's.
    pub track_skew: f64,
    pub cylinder_skew: f64,
    pub band_skew: f64,
}

impl Zone {
    fn on_track(&self, head: u16) -> u64 {
        u64::from(self.slots[usize::from(head)] - self.spares_per_track)
    }

    fn in_cylinder(&self) -> u64 {
        self.slots.iter().map(|slots| u64::from(slots - self.spares_per_track)).sum::<u64>()
            - u64::from(self.spares_per_cylinder)
    }

    /// Sectors of the whole zone if it kept none of them as spares.
    pub fn places(&self) -> u64 {
        self.in_cylinder() * u64::from(self.cylinders)
    }

    /// Sectors of the whole zone that have a number.
    pub fn sectors(&self) -> u64 {
        self.places() - self.spares_at_end
    }

    /// The nearest spares are those that a sector without a number moves the others to.
    pub fn slipping(&self) -> Slipping {
        match (self.spares_per_track, self.spares_per_cylinder) {
            (0, 0) => Slipping::Zone,
            (0, _) => Slipping::Cylinder,
            _ => Slipping::Track,
        }
    }

    fn heads(&self) -> u16 {
        self.slots.len() as u16
    }
}

#[derive(Clone, Debug)]
struct ZoneStart {
    zone: Zone,
    first_cylinder: u32,
    first_sector: u64,
    angle: f64,
}

/// One track as far as it is addressed, or a stretch of it between sectors that hold no data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Track {
    pub cylinder: u32,
    pub head: u16,
    pub first_sector: u64,
    /// Addressed sectors.
    pub sectors: u64,
    /// Physical sectors, spares included: a turn has this many.
    pub slots: u32,
    /// Where the first sector begins, in turns.
    pub start_angle: f64,
}

impl Track {
    pub fn end(&self) -> u64 {
        self.first_sector + self.sectors
    }

    /// The part of it from `first` to before `end`.
    fn cut(self, first: u64, end: u64) -> Self {
        let begin = first.max(self.first_sector);
        let start_angle = if begin == self.first_sector { self.start_angle } else { self.angle(begin) };
        Self { first_sector: begin, sectors: end.min(self.end()) - begin, start_angle, ..self }
    }

    /// Where the sector begins, in turns.
    pub fn angle(&self, sector: u64) -> f64 {
        (self.start_angle + (sector - self.first_sector) as f64 / f64::from(self.slots)).fract()
    }
}

/// The address map of a whole drive.
#[derive(Clone, Debug)]
pub struct Layout {
    order: Order,
    zones: Vec<ZoneStart>,
    cylinders: u32,
    sectors: u64,
}

impl Layout {
    /// # Panics
    /// Without a zone, or with zones of unequal heads or none: checked when a drive file is read.
    pub fn new(order: Order, zones: Vec<Zone>) -> Self {
        assert!(zones.iter().all(|zone| zone.cylinders > 0 && !zone.slots.is_empty()), "a zone has tracks");
        let mut placed = Vec::with_capacity(zones.len());
        let (mut cylinder, mut sector, mut angle) = (0, 0, 0.0);
        for zone in zones {
            let next = ZoneStart { first_cylinder: cylinder, first_sector: sector, angle, zone };
            cylinder += next.zone.cylinders;
            sector += next.zone.sectors();
            angle = (angle + zone_turns(order, &next.zone)).fract();
            placed.push(next);
        }
        Self { order, zones: placed, cylinders: cylinder, sectors: sector }
    }

    pub fn order(&self) -> Order {
        self.order
    }

    pub fn cylinders(&self) -> u32 {
        self.cylinders
    }

    /// All sectors that have a number.
    pub fn sectors(&self) -> u64 {
        self.sectors
    }

    pub fn heads(&self) -> u16 {
        self.zones[0].zone.heads()
    }

    /// First sector, first cylinder and zone, from the outside in.
    pub fn zones(&self) -> impl Iterator<Item = (u64, u32, &Zone)> {
        self.zones.iter().map(|placed| (placed.first_sector, placed.first_cylinder, &placed.zone))
    }

    /// Sectors with a number on the whole track that holds `sector`, as if it had no defect.
    pub fn track_sectors(&self, sector: u64) -> u64 {
        let index = self.zones.partition_point(|placed| placed.first_sector <= sector) - 1;
        self.zones[index].zone.on_track(self.track(sector).head)
    }

    /// The track that holds `sector`, as far as its numbers run through without a gap or a move.
    pub fn track(&self, sector: u64) -> Track {
        let index = self.zones.partition_point(|placed| placed.first_sector <= sector) - 1;
        let placed = &self.zones[index];
        let serpentine = match self.order {
            Order::Cylinder => false,
            Order::CylinderSerpentine => true,
            Order::SurfaceSerpentine { cylinders } => return placed.track_in_band(sector, cylinders),
        };
        let number = sector - placed.first_sector;
        let defects = &placed.zone.defects;
        let Some(moved) = defects.moved_at(number) else {
            let stretch = placed.stretch(number, serpentine);
            let (first, end) = defects.unmoved_around(number);
            return stretch.cut(placed.first_sector + first, placed.first_sector + end.min(placed.zone.sectors()));
        };
        // Spares that slipping uses come first.
        let spare = placed.zone.sectors() + defects.slipped.len() as u64 + moved;
        let track = placed.track_at(spare, serpentine);
        let start_angle = track.angle(placed.first_sector + spare);
        Track { first_sector: sector, sectors: 1, start_angle, ..track }
    }
}

/// Turns by which the track angle moves on over a whole zone.
fn zone_turns(order: Order, zone: &Zone) -> f64 {
    let switches = f64::from(zone.heads() - 1);
    match order {
        Order::Cylinder | Order::CylinderSerpentine => {
            f64::from(zone.cylinders) * (switches * zone.track_skew + zone.cylinder_skew)
        }
        Order::SurfaceSerpentine { cylinders } => {
            let (full, rest) = (zone.cylinders / cylinders, zone.cylinders % cylinders);
            let tail = if rest == 0 { 0.0 } else { band_turns(zone, rest) };
            f64::from(full) * band_turns(zone, cylinders) + tail
        }
    }
}

fn band_turns(zone: &Zone, cylinders: u32) -> f64 {
    let heads = f64::from(zone.heads());
    heads * f64::from(cylinders - 1) * zone.cylinder_skew + (heads - 1.0) * zone.track_skew + zone.band_skew
}

impl ZoneStart {
    /// The head at a place in the order of a cylinder or band, and back: the map is its own inverse.
    fn turned(&self, index: u16, backward: bool) -> u16 {
        if backward { self.zone.heads() - 1 - index } else { index }
    }

    /// The track of one of the zone's places where no sector is left out, numbered from the zone's first on.
    fn track_at(&self, place: u64, serpentine: bool) -> Track {
        let in_cylinder = self.zone.in_cylinder();
        self.track_in_cylinder((place / in_cylinder) as u32, place % in_cylinder, serpentine)
    }

    /// The track of a cylinder that holds its `inside`-th place; the last one also holds what slips behind its end.
    fn track_in_cylinder(&self, local: u32, inside: u64, serpentine: bool) -> Track {
        let zone = &self.zone;
        let cylinder = self.first_cylinder + local;
        let backward = serpentine && cylinder % 2 == 1;
        let (mut first, mut index) = (0, 0);
        loop {
            let head = self.turned(index, backward);
            let last = index + 1 == zone.heads();
            let sectors = zone.on_track(head) - if last { u64::from(zone.spares_per_cylinder) } else { 0 };
            if last || inside < first + sectors {
                let turns = f64::from(local) * (f64::from(zone.heads() - 1) * zone.track_skew + zone.cylinder_skew);
                let start_angle = (self.angle + turns + f64::from(index) * zone.track_skew).fract();
                let slots = zone.slots[usize::from(head)];
                let first_sector = self.first_sector + u64::from(local) * zone.in_cylinder() + first;
                return Track { cylinder, head, first_sector, sectors, slots, start_angle };
            }
            first += sectors;
            index += 1;
        }
    }

    /// The stretch of a track around the zone's `number`-th sector, up to the sectors beside it that got no number.
    fn stretch(&self, number: u64, serpentine: bool) -> Track {
        let zone = &self.zone;
        if zone.defects.slipped.is_empty() {
            return self.track_at(number, serpentine);
        }
        // All sectors that share spares with this one: the first of them and how many have a number.
        let (slipping, in_cylinder) = (zone.slipping(), zone.in_cylinder());
        let (first, count) = match slipping {
            Slipping::Zone => (0, zone.sectors()),
            Slipping::Cylinder => (number - number % in_cylinder, in_cylinder),
            Slipping::Track => {
                let track = self.track_at(number, serpentine);
                (track.first_sector - self.first_sector, track.sectors)
            }
        };
        let slipped = zone.defects.slipped_in(first, first + count);
        let before = slipped_before(slipped, number);
        let place = number + before;
        let track = match slipping {
            Slipping::Zone => self.track_at(place, serpentine),
            Slipping::Cylinder => self.track_in_cylinder((first / in_cylinder) as u32, place - first, serpentine),
            Slipping::Track => self.track_at(number, serpentine),
        };
        let begin = track.first_sector - self.first_sector;
        let shared_end = first + count + slipped.len() as u64;
        // Only the last track before the spares reaches into them.
        let before_spares = slipping != Slipping::Zone && begin + track.sectors == first + count;
        let end = if before_spares { shared_end } else { shared_end.min(begin + track.sectors) };
        let low = before.checked_sub(1).map_or(begin, |index| begin.max(slipped[index as usize] + 1));
        let high = slipped.get(before as usize).map_or(end, |next| end.min(*next));
        Track {
            first_sector: self.first_sector + low - before,
            sectors: high - low,
            start_angle: (track.start_angle + (low - begin) as f64 / f64::from(track.slots)).fract(),
            ..track
        }
    }

    /// Cylinders in the band: the zone's last one may be short.
    fn band_cylinders(&self, band: u32, cylinders: u32) -> u32 {
        cylinders.min(self.zone.cylinders - band * cylinders)
    }

    fn track_in_band(&self, sector: u64, cylinders: u32) -> Track {
        let zone = &self.zone;
        let offset = sector - self.first_sector;
        let band = (offset / (zone.in_cylinder() * u64::from(cylinders))) as u32;
        let width = self.band_cylinders(band, cylinders);
        let mut first = self.first_sector + u64::from(band * cylinders) * zone.in_cylinder();
        let mut index = 0;
        let head = loop {
            let head = self.turned(index, band % 2 == 1);
            let run = zone.on_track(head) * u64::from(width);
            if index + 1 == zone.heads() || sector < first + run {
                break head;
            }
            first += run;
            index += 1;
        };
        let step = ((sector - first) / zone.on_track(head)) as u32;
        let inward = if index.is_multiple_of(2) { step } else { width - 1 - step };
        let turns = f64::from(band) * band_turns(zone, cylinders)
            + f64::from(index) * (f64::from(width - 1) * zone.cylinder_skew + zone.track_skew)
            + f64::from(step) * zone.cylinder_skew;
        Track {
            cylinder: self.first_cylinder + band * cylinders + inward,
            head,
            first_sector: first + u64::from(step) * zone.on_track(head),
            sectors: zone.on_track(head),
            slots: zone.slots[usize::from(head)],
            start_angle: (self.angle + turns).fract(),
        }
    }
}

#[cfg(test)]
mod tests;
