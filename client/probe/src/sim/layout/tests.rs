use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn zone(heads: usize, slots: u32, cylinders: u32) -> Zone {
    Zone {
        cylinders,
        slots: vec![slots; heads],
        spares_per_track: 0,
        spares_per_cylinder: 0,
        spares_at_end: 0,
        defects: Defects::default(),
        track_skew: 0.1,
        cylinder_skew: 0.25,
        band_skew: 0.4,
    }
}

fn orders() -> impl Strategy<Value = Order> {
    prop_oneof![
        Just(Order::Cylinder),
        Just(Order::CylinderSerpentine),
        (1_u32..9).prop_map(|cylinders| Order::SurfaceSerpentine { cylinders }),
    ]
}

prop_compose! {
    fn layouts()(order in orders(), heads in 1_usize..6)(
        order in Just(order),
        zones in prop::collection::vec(
            (1_u32..20, prop::collection::vec(4_u32..12, heads), 0_u32..3, 0_u32..2), 1..4),
    ) -> Layout {
        let surface = matches!(order, Order::SurfaceSerpentine { .. });
        let zones = zones.into_iter().map(|(cylinders, slots, spares_per_track, spares)| {
            let spares_per_cylinder = if surface { 0 } else { spares };
            let plain = zone(slots.len(), 4, cylinders);
            Zone { slots, spares_per_track, spares_per_cylinder, ..plain }
        });
        Layout::new(order, zones.collect())
    }
}

proptest! {
    #[test]
    fn every_sector_has_a_place_of_its_own(layout in layouts()) {
        let place = |sector| {
            let track = layout.track(sector);
            (track.cylinder, track.head, sector - track.first_sector)
        };
        let places: HashSet<(u32, u16, u64)> = (0..layout.sectors()).map(place).collect();
        prop_assert_eq!(places.len() as u64, layout.sectors());
    }

    #[test]
    fn tracks_follow_each_other_without_gap_or_overlap(layout in layouts()) {
        let mut next = 0;
        while next < layout.sectors() {
            let track = layout.track(next);
            prop_assert_eq!(track.first_sector, next);
            prop_assert!(track.sectors > 0 && track.sectors <= u64::from(track.slots));
            prop_assert!(layout.track(track.end() - 1) == track);
            next = track.end();
        }
        prop_assert_eq!(next, layout.sectors());
    }

    #[test]
    fn a_sector_with_a_defect_has_no_number_and_those_behind_it_move_on(
        (spares, slipped, moved) in (prop_oneof![Just((2, 0, 20)), Just((0, 3, 20)), Just((0, 0, 20))], 0_u32..12, 0_u32..4),
        seed in 0_u64..1000,
        serpentine in any::<bool>(),
    ) {
        let plain = Zone { spares_per_track: spares.0, spares_per_cylinder: spares.1, spares_at_end: spares.2, ..zone(3, 12, 9) };
        let group = match plain.slipping() {
            Slipping::Track => (10, 2),
            Slipping::Cylinder => (33, 3),
            Slipping::Zone => (u64::MAX, 20),
        };
        let defects = Defects::drawn(slipped, moved, plain.sectors(), group, seed);
        let order = if serpentine { Order::CylinderSerpentine } else { Order::Cylinder };
        let layout = Layout::new(order, vec![Zone { defects: defects.clone(), ..plain.clone() }, zone(3, 8, 2)]);
        let mut places = HashSet::new();
        let mut number = 0;
        while number < layout.sectors() {
            let stretch = layout.track(number);
            prop_assert_eq!(stretch.first_sector, number);
            for sector in number..stretch.end() {
                prop_assert_eq!(layout.track(sector), stretch);
                let slot = (stretch.angle(sector) * f64::from(stretch.slots)).round() as u64 % u64::from(stretch.slots);
                prop_assert!(places.insert((stretch.cylinder, stretch.head, slot)), "{} lies where another does", sector);
            }
            number = stretch.end();
        }
        prop_assert_eq!(number, layout.sectors());
        let bare = Layout::new(order, vec![plain.clone(), zone(3, 8, 2)]);
        for place in &defects.slipped {
            let at = bare.track(*place);
            if plain.slipping() == Slipping::Zone {
                let slot = (at.angle(*place) * f64::from(at.slots)).round() as u64 % u64::from(at.slots);
                prop_assert!(!places.contains(&(at.cylinder, at.head, slot)), "the defect at {} is used", place);
            }
        }
    }

    #[test]
    fn the_angle_moves_on_by_the_skew_of_the_boundary(layout in layouts()) {
        let mut track = layout.track(0);
        while track.end() < layout.sectors() {
            let next = layout.track(track.end());
            let moved = (next.start_angle - track.start_angle).rem_euclid(1.0);
            let known = [0.1, 0.25, 0.4].iter().any(|skew| (moved - skew).abs() < 1e-9);
            prop_assert!(known, "moved by {}", moved);
            track = next;
        }
    }
}

#[test]
fn cylinder_order_takes_the_heads_of_a_cylinder_and_then_the_next_cylinder() {
    let layout = Layout::new(Order::Cylinder, vec![zone(3, 10, 4)]);
    let heads: Vec<(u32, u16)> =
        (0..5).map(|track| layout.track(track * 10)).map(|at| (at.cylinder, at.head)).collect();
    assert_eq!(heads, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]);
}

#[test]
fn cylinder_serpentine_turns_the_heads_around_in_every_other_cylinder() {
    let layout = Layout::new(Order::CylinderSerpentine, vec![zone(3, 10, 4)]);
    let heads: Vec<u16> = (0..9).map(|track| layout.track(track * 10).head).collect();
    assert_eq!(heads, [0, 1, 2, 2, 1, 0, 0, 1, 2]);
}

#[test]
fn surface_serpentine_runs_in_on_one_head_and_out_on_the_next() {
    let layout = Layout::new(Order::SurfaceSerpentine { cylinders: 3 }, vec![zone(2, 10, 6)]);
    let places: Vec<(u16, u32)> =
        (0..12).map(|track| layout.track(track * 10)).map(|at| (at.head, at.cylinder)).collect();
    let band0 = [(0, 0), (0, 1), (0, 2), (1, 2), (1, 1), (1, 0)];
    let band1 = [(1, 3), (1, 4), (1, 5), (0, 5), (0, 4), (0, 3)];
    assert_eq!(places, [band0, band1].concat());
}

#[test]
fn spares_have_no_number() {
    let with_spares = Zone { spares_per_track: 1, spares_per_cylinder: 2, ..zone(2, 10, 1) };
    let layout = Layout::new(Order::Cylinder, vec![with_spares]);
    assert_eq!(layout.sectors(), 9 + 7);
    let tracks: Vec<(u16, u64)> = [8, 9, 15].map(|sector| layout.track(sector)).map(|at| (at.head, at.sectors)).into();
    assert_eq!(tracks, [(0, 9), (1, 7), (1, 7)]);
}
