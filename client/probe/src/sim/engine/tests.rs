use std::sync::Arc;

use super::super::catalog::open;
use super::super::variation::Spindle;
use super::*;

fn engine(name: &str, change: impl FnOnce(&mut Model)) -> Engine {
    let mut model = open(name).unwrap_or_else(|error| panic!("{error}")).model().clone();
    change(&mut model);
    Engine::new(Arc::new(model))
}

fn turn_ms(engine: &Engine) -> f64 {
    engine.model().rotation_ns / 1e6
}

/// Latencies in ms of requests one right after the other.
fn in_a_row(engine: &mut Engine, requests: impl IntoIterator<Item = Request>) -> Vec<f64> {
    let mut now = 1e9;
    let mut one = |request| {
        let end = engine.serve(now, request);
        (end - std::mem::replace(&mut now, end)) / 1e6
    };
    requests.into_iter().map(&mut one).collect()
}

#[test]
fn what_was_read_ahead_comes_at_the_speed_of_the_bus() {
    let mut engine = engine("ibm-ultrastar-xp", |_| {});
    let end = engine.serve(0.0, Request::read(1000, 8));
    let later = end + 50e6;
    let hit = engine.serve(later, Request::read(1008, 8)) - later;
    let expected = 0.45e6 + 8.0 * 512.0 / 20e6 * 1e9;
    assert!((hit - expected).abs() < 1.0, "{hit} instead of {expected}");
}

#[test]
fn reading_ahead_ends_where_the_segment_does() {
    let mut engine = engine("ibm-ultrastar-xp", |_| {});
    let end = engine.serve(0.0, Request::read(1000, 8));
    let later = end + 50e6;
    let held = 1008 + 64 * 1024 / 512;
    let mut probe = engine.clone();
    assert!(engine.serve(later, Request::read(held - 1, 1)) - later < 1e6);
    assert!(probe.serve(later, Request::read(held + 300, 1)) - later > 1e6);
}

#[test]
fn blocks_that_are_just_being_read_ahead_come_when_they_have_passed_the_head() {
    let mut engine = engine("ibm-ultrastar-xp", |_| {});
    // At the start of a track of 184, so that all of it stands on that track.
    let end = engine.serve(0.0, Request::read(920, 8));
    let sector_ns = engine.model().rotation_ns / 184.0;
    let passed_ns = engine.free_ns + 100.0 * sector_ns;
    let answered = engine.serve(end + 20.0 * sector_ns, Request::read(928, 100));
    let after_ns = answered - passed_ns;
    let expected_ns = engine.model().bus_ns(1) + engine.model().command.hit_after_ns;
    assert!((after_ns - expected_ns).abs() < 1000.0, "answered {after_ns} ns after the last block had passed");
    // What comes behind them was being read meanwhile.
    let later = answered + 50.0 * sector_ns;
    let behind = engine.serve(later, Request::read(1028, 40)) - later;
    assert!(behind < 1.6e6, "{behind} ns for what had been read ahead");
}

#[test]
fn reading_backwards_never_meets_the_buffer() {
    let mut engine = engine("ibm-ultrastar-xp", |_| {});
    let positions = (0..40_u64).scan(50_000, |at, step| Some(std::mem::replace(at, *at - step - 1)));
    let latencies = in_a_row(&mut engine, positions.map(|block| Request::read(block, 1)));
    assert!(latencies.iter().all(|latency| *latency > 2.0), "{latencies:?}");
}

#[test]
fn without_look_ahead_the_next_block_takes_a_turn() {
    let mut engine = engine("ibm-ultrastar-xp", |_| {});
    engine.set_look_ahead(false);
    let latencies = in_a_row(&mut engine, [Request::read(1000, 1), Request::read(1001, 1)]);
    assert!((latencies[1] - turn_ms(&engine) * 185.0 / 184.0).abs() < 0.001, "{latencies:?}");
}

#[test]
fn a_write_makes_the_buffer_forget_what_it_held_there() {
    let mut engine = engine("ibm-ultrastar-xp", |_| {});
    let requests = [Request::read(1000, 8), Request::write(1003, 1), Request::read(1000, 8)];
    assert!(in_a_row(&mut engine, requests)[2] > 1.5);
}

#[test]
fn each_zone_streams_at_its_bandwidth() {
    for name in ["ibm-ultrastar-xp", "seagate-st2000nm0001", "modern-20tb", "samsung-hd103sj"] {
        let drive = open(name).unwrap();
        let truth = super::super::truth::truth(drive.model(), &[]);
        for zone in [&truth.zones[0], &truth.zones[truth.zones.len() / 2], &truth.zones[truth.zones.len() - 2]] {
            let mut engine = engine(name, |_| {});
            // 0.4 GB, and 4.7 GB of the drive whose heads differ: all of them take part.
            let chunk_bytes = if name == "modern-20tb" { 12 << 20 } else { 1 << 20 };
            let chunk = chunk_bytes / u64::from(engine.model().logical_block_bytes);
            let first = zone.first_block * engine.model().blocks_per_sector();
            let latencies = in_a_row(&mut engine, (0..400).map(|at| Request::read(first + at * chunk, chunk)));
            let mb_s = (400 * chunk_bytes) as f64 / latencies.iter().sum::<f64>() / 1e3;
            let expected = zone.bandwidth_mb_s;
            assert!((mb_s / expected - 1.0).abs() < 0.01, "{name}: {mb_s} instead of {expected} MB/s");
        }
    }
}

#[test]
fn programmed_input_and_output_hides_the_medium() {
    let mut engine = engine("quantum-fireball", |_| {});
    let latencies = in_a_row(&mut engine, (0..100).map(|at| Request::read(at * 2048, 2048)));
    let mib_s = 99.0 / latencies[1..].iter().sum::<f64>() * 1e3;
    assert!((mib_s / 1.98 - 1.0).abs() < 0.01, "Table 3 says 1.98 MB/s, got {mib_s}");
}

#[test]
fn a_drive_that_collects_writes_answers_the_first_at_once_and_then_shifts_the_sawtooth() {
    let mut delayed = engine("quantum-fireball", |_| {});
    let slots = delayed.model().write_cache.slots;
    let mut direct = engine("quantum-fireball", |model| {
        model.write_cache.enabled = false;
        model.command.write_before_ns = model.write_cache.destage_ns;
        model.command.write_after_ns = 0.0;
    });
    let positions: Vec<u64> = (0..80_u64).scan(0, |at, step| Some(std::mem::replace(at, *at + step))).collect();
    let writes = || positions.iter().map(|block| Request::write(*block, 1));
    let (delayed, direct) = (in_a_row(&mut delayed, writes()), in_a_row(&mut direct, writes()));
    assert!(delayed[..slots].iter().all(|latency| *latency < 0.5), "{delayed:?}");
    assert!(delayed[slots] > 1.0, "the first write that finds no slot waits: {delayed:?}");
    for step in 20..80 {
        let shifted = direct[step - slots];
        assert!((delayed[step] - shifted).abs() < 0.01, "step {step}: {} instead of {shifted}", delayed[step]);
    }
}

#[test]
fn writes_that_follow_each_other_go_to_the_medium_in_one_pass_where_the_drive_does_that() {
    let elapsed = |in_one_pass: bool| {
        let mut engine = engine("samsung-hd103sj", |model| {
            model.write_cache.enabled = true;
            model.write_cache.in_one_pass = in_one_pass;
        });
        let answered = (0..640).fold(0.0, |now, at| engine.serve(now, Request::write(at * 8, 8)));
        engine.flush(answered) / 1e6
    };
    let turn = 60e3 / 7200.0;
    let (one_by_one, together) = (elapsed(false), elapsed(true));
    assert!((one_by_one / 640.0 - turn).abs() < 0.1 * turn, "each takes a turn: {one_by_one} ms");
    // Two tracks of 2,554 sectors; while one pass is under way, the next 64 are collected.
    assert!(together < 15.0 * turn, "{together} ms");
}

#[test]
fn a_read_of_what_is_collected_does_not_wait_for_the_medium() {
    let mut engine = engine("quantum-fireball", |_| {});
    let latencies = in_a_row(&mut engine, [Request::write(5000, 2), Request::read(5001, 1)]);
    assert!(latencies[1] < 0.6, "{latencies:?}");
}

#[test]
fn a_flush_ends_when_the_last_collected_write_is_on_the_medium() {
    let mut engine = engine("quantum-fireball", |_| {});
    let answered = (0..3).fold(0.0, |now, at| engine.serve(now, Request::write(at * 100_000, 1)));
    let flushed = engine.flush(answered);
    assert!(flushed > answered + 3e6);
    assert!((engine.flush(flushed) - flushed).abs() < 1.0);
}

#[test]
fn a_part_of_a_physical_sector_costs_another_turn() {
    let through = |model: &mut Model| model.write_cache.enabled = false;
    let run = |request: Request| {
        let mut engine = engine("modern-20tb", through);
        in_a_row(&mut engine, [Request::read(8 * 4000, 8), request])[1]
    };
    let (whole, part) = (run(Request::write(8 * 6000, 8)), run(Request::write(8 * 6000 + 3, 2)));
    let turn = 60e3 / 7200.0;
    assert!((part - whole - turn).abs() < 0.001, "{part} against {whole}");
}

#[test]
fn a_part_of_a_sector_that_the_buffer_holds_is_not_read_again() {
    let mut engine = engine("modern-20tb", |model| model.write_cache.enabled = false);
    let latencies = in_a_row(&mut engine, [Request::read(8 * 6000, 8), Request::write(8 * 6000 + 3, 2)]);
    assert!(latencies[1] < 60e3 / 7200.0 * 1.02, "{latencies:?}");
}

#[test]
fn a_long_transfer_does_not_lose_turns_at_the_boundaries() {
    let mut engine = engine("ibm-ultrastar-xp", |_| {});
    let turn = turn_ms(&engine);
    let latency = in_a_row(&mut engine, [Request::write(0, 184 * 18 * 2)])[0];
    let gaps = 34.0 * 19.0 / 184.0 + 48.0 / 184.0;
    let least = (36.0 + gaps) * turn;
    assert!((least..least + turn + 2.2).contains(&latency), "{latency} is not within a turn of {least}");
}

#[test]
#[should_panic(expected = "is not on the drive")]
fn a_request_beyond_the_end_is_refused() {
    let mut engine = engine("dec-rz26", |_| {});
    let capacity = engine.model().capacity_blocks();
    engine.serve(0.0, Request::read(capacity, 1));
}

#[test]
fn a_write_longer_than_the_buffer_is_answered_when_the_rest_fits_in() {
    let mib = (1 << 20) / 512;
    let mut engine = engine("samsung-hd103sj", |model| model.write_cache.buffer_blocks = 32 * mib);
    let through_ms = {
        let mut engine = engine.clone();
        engine.set_write_cache(false);
        in_a_row(&mut engine, [Request::write(0, 128 * mib)])[0]
    };
    let latencies = in_a_row(&mut engine, [Request::write(0, 128 * mib), Request::write(400 * mib, 32 * mib)]);
    assert!((latencies[0] / through_ms - 0.75).abs() < 0.02, "{latencies:?} of {through_ms}");
    // The second has to wait until the buffer is empty again.
    assert!((latencies[1] / through_ms - 0.25).abs() < 0.05, "{latencies:?} of {through_ms}");
}

#[test]
fn a_write_that_fits_into_the_buffer_comes_at_the_speed_of_the_bus() {
    let mib = (1 << 20) / 512;
    let mut engine = engine("samsung-hd103sj", |model| model.write_cache.buffer_blocks = 32 * mib);
    let latency = in_a_row(&mut engine, [Request::write(0, 16 * mib)])[0];
    let bus_ms = engine.model().bus_ns(16 * mib) / 1e6;
    assert!((latency - bus_ms).abs() < 0.1, "{latency} of {bus_ms}");
}

#[test]
fn writes_are_slow_in_the_cold_and_reads_are_not() {
    let engine = engine("samsung-hd103sj", |model| model.write_cache.enabled = false);
    let celsius = |at_ns: u64| engine.model().temperature.unwrap().celsius_at(at_ns);
    // A quarter and three quarters of the two days of one swing.
    let (warm_ns, cold_ns) = (12 * 3_600_000_000_000, 36 * 3_600_000_000_000);
    assert_eq!((celsius(warm_ns), celsius(cold_ns)), (35, 15));
    let mib = (1 << 20) / 512;
    let time = |at_ns: u64, request: Request| engine.clone().serve(at_ns as f64, request) - at_ns as f64;
    let share = |request| time(warm_ns, request) / time(cold_ns, request);
    assert!((share(Request::write(0, 128 * mib)) - 0.24).abs() < 0.02);
    assert!((share(Request::read(0, 128 * mib)) - 1.0).abs() < 0.02);
    assert!(share(Request::write(0, 1)) > 0.3, "a single sector waits for its turn only");
}

#[test]
fn a_spindle_that_wanders_loses_no_turn_of_a_read_in_a_row() {
    let spindle = Spindle { wander_percent: 0.04, wander_period_s: 40.0, seed: 1, ..Spindle::default() };
    let rate = |spindle| {
        let mut engine = engine("samsung-hd103sj", |model| model.spindle = spindle);
        // 2 MiB at a time for a minute.
        let (mut now, mut block) = (0.0, 0);
        while now < 60e9 {
            now = engine.serve(now, Request::read(block, 4096));
            block += 4096;
        }
        block as f64 / now
    };
    let share = rate(Some(spindle)) / rate(None);
    assert!((share - 1.0).abs() < 0.002, "{share} of the blocks that an even spindle brings");
}
