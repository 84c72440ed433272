//! Sectors of a zone that hold no data: left out when numbers were given, or moved to a spare one later.

use crate::stats::Random;

/// How far a sector that is left out moves those behind it: to the next spare ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slipping {
    Track,
    Cylinder,
    Zone,
}

/// Places count a zone's sectors as they are numbered where nothing is left out.
#[derive(Clone, Debug, Default)]
pub struct Defects {
    /// Places that got no number, ascending.
    pub slipped: Vec<u64>,
    /// Numbers, counted from the zone's first, whose sectors lie among the zone's spares, ascending.
    pub moved: Vec<u64>,
}

impl Defects {
    /// So many of each anywhere among `sectors`, the same for the same seed. No `group` of neighbours that share
    /// spares loses more than its `spares`.
    pub fn drawn(slipped: u32, moved: u32, sectors: u64, (group, spares): (u64, usize), seed: u64) -> Self {
        let mut random = Random(seed);
        let mut draw = |count: u32| {
            let mut drawn: Vec<u64> = (0..count).map(|_| random.between(0, sectors)).collect();
            drawn.sort_unstable();
            drawn.dedup();
            drawn
        };
        let (mut slipped, moved) = (draw(slipped), draw(moved));
        let mut recent: Vec<u64> = Vec::new();
        slipped.retain(|place| {
            recent.retain(|other| other / group == place / group);
            recent.push(*place);
            recent.len() <= spares
        });
        Self { slipped, moved }
    }

    /// Which of the places from `first` to before `end` got no number.
    pub fn slipped_in(&self, first: u64, end: u64) -> &[u64] {
        let from = self.slipped.partition_point(|place| *place < first);
        let to = self.slipped.partition_point(|place| *place < end);
        &self.slipped[from..to]
    }

    /// The number's place among those that were moved.
    pub fn moved_at(&self, number: u64) -> Option<u64> {
        self.moved.binary_search(&number).ok().map(|index| index as u64)
    }

    /// The numbers around `number` between which none was moved: the first of them, and the one behind the last.
    pub fn unmoved_around(&self, number: u64) -> (u64, u64) {
        let behind = self.moved.partition_point(|moved| *moved <= number);
        let first = behind.checked_sub(1).map_or(0, |index| self.moved[index] + 1);
        (first, self.moved.get(behind).copied().unwrap_or(u64::MAX))
    }
}

/// How many of the ascending `slipped` places lie before the sector that is the `number`-th one with a number; both count
/// from the same place.
pub fn slipped_before(slipped: &[u64], number: u64) -> u64 {
    let (mut low, mut high) = (0, slipped.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if slipped[middle] <= number + middle as u64 { low = middle + 1 } else { high = middle }
    }
    low as u64
}
