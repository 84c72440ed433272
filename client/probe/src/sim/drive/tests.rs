use super::super::catalog::{names, open};
use super::*;

fn quiet(name: &str) -> SimulatedDrive {
    open(&format!("{name},noise=off,seed=1")).unwrap_or_else(|error| panic!("{error}"))
}

/// Figure 1: latency at step i, the start-to-start distance of which is i + 1 blocks.
fn skippy(drive: &mut SimulatedDrive, steps: u64) -> Vec<f64> {
    let blocks: Vec<u64> = (0..=steps).scan(0, |at, step| Some(std::mem::replace(at, *at + step + 1))).collect();
    let spans: Vec<Span> = blocks.iter().map(|&block| Span::single(block)).collect();
    drive.stage(&spans).unwrap();
    let latencies = (0..blocks.len()).map(|index| drive.write_timed(index).unwrap().latency_ns);
    latencies.skip(1).map(|latency| latency as f64 / 1e6).collect()
}

fn same_block_turn_ns(drive: &mut SimulatedDrive, repeats: u64) -> f64 {
    drive.stage(&[Span::single(5)]).unwrap();
    let first = drive.write_timed(0).unwrap().end_ns();
    let last = (0..repeats).map(|_| drive.write_timed(0).unwrap().end_ns()).last().unwrap();
    (last - first) as f64 / repeats as f64
}

#[test]
fn writes_to_one_block_come_around_once_a_turn_exactly() {
    for (name, rpm) in
        [("ibm-ultrastar-xp", 7200.0), ("ibm-9zx", 10020.0), ("hp-97560", 4002.0), ("seagate-hawk", 5411.0)]
    {
        let turn = same_block_turn_ns(&mut quiet(name), 1000);
        assert!((turn - 60e9 / rpm).abs() < 0.01, "{name}: {turn}");
    }
}

#[test]
fn the_drive_keeps_time_over_a_whole_day() {
    let mut drive = quiet("ibm-ultrastar-xp");
    drive.idle(86_400_000_000_000);
    assert!((same_block_turn_ns(&mut drive, 1000) - 60e9 / 7200.0).abs() < 0.01);
}

#[test]
fn the_sawtooth_follows_equations_2_to_7() {
    let latencies = skippy(&mut quiet("ibm-ultrastar-xp"), 150);
    let (turn, think) = (60e3 / 7200.0, 0.008);
    let sector = turn / 184.0;
    let (mtm, gap) = (2.10, 19.0 * sector);
    let mut position = 0;
    for (step, latency) in latencies.iter().enumerate() {
        let from = position;
        position += step + 1;
        let crosses = from / 184 != position / 184;
        // What turns between the end of one write and the start of the next: the step, and the skew at a boundary.
        let turned = step as f64 * sector + if crosses { gap } else { 0.0 };
        let needed = mtm + think + if crosses { 0.85 } else { 0.0 };
        let missed = if turned < needed - 1e-6 { turn } else { 0.0 };
        let expected = turned + missed + sector - think;
        if from / 184 / 18 == position / 184 / 18 {
            assert!((latency - expected).abs() < 1e-5, "step {step}: {latency} instead of {expected}");
        }
    }
    let foot = latencies.windows(2).position(|pair| pair[0] - pair[1] > turn * 0.9).unwrap() + 1;
    assert!((46..=48).contains(&foot), "the foot stands at step {foot}; 4.1.3 sees 47");
}

#[test]
fn equal_seeds_give_equal_latencies_and_other_seeds_others() {
    let run = |options: &str| skippy(&mut open(&format!("seagate-hawk,{options}")).unwrap(), 60);
    assert_eq!(run("noise=default,seed=3"), run("noise=default,seed=3"));
    assert_ne!(run("noise=default,seed=3"), run("noise=default,seed=4"));
    assert_ne!(run("noise=default,seed=3"), run("noise=heavy,seed=3"));
    assert_eq!(run("noise=off,seed=3"), run("noise=off,seed=4"));
}

#[test]
fn noise_only_ever_delays() {
    let mut noisy = open("ibm-9zx,noise=heavy,seed=5").unwrap();
    noisy.stage(&[Span::single(5)]).unwrap();
    for _ in 0..500 {
        assert!(noisy.write_timed(0).unwrap().latency_ns as f64 >= 60e9 / 10020.0 * 0.2);
    }
}

#[test]
fn a_read_beyond_the_end_is_an_error_of_that_block_and_not_a_panic() {
    let mut drive = quiet("dec-rz26");
    let capacity = drive.geometry().capacity_blocks();
    assert!(drive.read_timed(capacity - 1, 1).is_ok());
    assert!(matches!(drive.read_timed(capacity, 1), Err(AccessError::Medium { block, .. }) if block == capacity));
    assert!(drive.stage(&[Span::single(capacity)]).is_err());
}

#[test]
fn the_write_cache_can_be_switched_only_where_the_drive_allows_it() {
    let mut fixed = quiet("quantum-fireball");
    assert!(!fixed.set_write_cache(false) && fixed.identity().write_cache.current);
    let mut modern = quiet("modern-20tb");
    assert!(modern.set_write_cache(false) && !modern.identity().write_cache.current);
    assert!(modern.identity().write_cache.default);
}

#[test]
fn the_serial_number_is_that_of_the_drive_and_its_seed() {
    let serial = |text| open(text).unwrap().identity().serial;
    assert_eq!(serial("hp-97560,seed=2"), serial("hp-97560,seed=2,noise=off"));
    assert_ne!(serial("hp-97560,seed=2"), serial("hp-97560,seed=3"));
}

#[test]
fn the_case_warms_up_with_virtual_time() {
    let mut drive = quiet("modern-20tb");
    let cold = drive.temperature_celsius();
    drive.idle(36_000_000_000_000);
    assert_eq!((cold, drive.temperature_celsius()), (Some(25), Some(42)));
    assert_eq!(quiet("ibm-9zx").temperature_celsius(), None);
}

#[test]
fn capacities_are_those_of_table_2_and_of_the_labels() {
    let gigabytes = [2.05, 4.10, 8.69, 8.69, 8.70, 3.08, 9.6, 1.26, 1.03, 1_000.205, 2_000.399, 20_000.589];
    for (name, expected) in names().into_iter().zip(gigabytes) {
        let held = quiet(name).geometry().capacity_bytes as f64 / 1e9;
        assert!((held / expected - 1.0).abs() < 0.003, "{name}: {held} GB");
    }
}
