//! Rows of levels, as heads that take turns leave them.

use super::*;

/// There and back again over the heads, `per_band` regions on each, until there are `count`.
fn row(heads: &[f64], per_band: usize, count: usize) -> Vec<Option<f64>> {
    let there_and_back = heads.iter().chain(heads.iter().rev());
    let period: Vec<Option<f64>> = there_and_back.flat_map(|&time| vec![Some(time); per_band]).collect();
    period.into_iter().cycle().take(count).collect()
}

const HEADS: [f64; 6] = [100.0, 84.0, 112.0, 92.0, 104.0, 76.0];

#[test]
fn a_row_that_goes_there_and_back_over_the_heads_repeats_after_both_ways() {
    let period = period_of(&row(&HEADS, 3, 192)).expect("a period");
    assert!((period - 36.0).abs() < 1.0, "{period} regions for two times six bands of three");
}

#[test]
fn a_row_is_too_short_to_repeat_while_few_regions_agree() {
    assert_eq!(period_of(&row(&HEADS, 3, 100)), None);
}

#[test]
fn regions_that_could_not_be_read_leave_the_period_as_it_is() {
    let mut row = row(&HEADS, 3, 192);
    for place in (5..192).step_by(17) {
        row[place] = None;
    }
    let period = period_of(&row).expect("a period");
    assert!((period - 36.0).abs() < 1.0, "{period}");
}

#[test]
fn a_row_without_any_order_has_no_period() {
    let mut random = crate::stats::Random(3);
    let row: Vec<Option<f64>> = (0..600).map(|_| Some(to_f64(random.between(9_400, 10_300)))).collect();
    assert_eq!(period_of(&row), None);
}

#[test]
fn a_cell_has_as_many_regions_as_let_cells_agree_wherever_they_start() {
    let row = row(&HEADS, 3, 192);
    let cell = cell_of(&row, 36.0, 1000, 200, 100).expect("a cell");
    assert_eq!((cell.period, cell.length), (36_000, 200));
    // A multiple of six meets every head equally often, wherever the cell starts; seventeen do not.
    assert_eq!(cell.regions % 6, 0);
    assert!(disagreement(&row, 36.0, 18) < 1e-12 && disagreement(&row, 36.0, 17) > 1e-4);
}

#[test]
fn there_is_no_cell_where_its_regions_would_overlap() {
    let row = row(&HEADS, 3, 192);
    assert!(cell_of(&row, 36.0, 1000, 2200, 50).is_some(), "sixteen times 2250 fit into 36,000");
    assert!(cell_of(&row, 36.0, 1000, 2200, 100).is_none());
}

#[test]
fn a_disturbed_region_moves_its_cell_by_no_more_than_a_slow_head_would() {
    let undisturbed: Vec<f64> = (0..20).map(|place| 100.0 + f64::from(place % 5)).collect();
    let mut disturbed = undisturbed.clone();
    disturbed[7] = 100_000.0;
    let (before, after) = (level(undisturbed).expect("a level"), level(disturbed).expect("a level"));
    assert!(after - before < 0.5, "{before} became {after}");
}
