use std::sync::atomic::AtomicBool;

use super::super::catalog::open;
use super::*;
use crate::device::request::Concurrency;

fn quiet(name: &str) -> SimulatedDrive {
    open(&format!("{name},noise=off,seed=1")).unwrap_or_else(|error| panic!("{error}"))
}

fn scattered(drive: &SimulatedDrive, count: u64) -> Vec<Span> {
    let slots = drive.geometry().capacity_blocks() / 8;
    (0..count).map(|at| Span { block: at * 2_654_435_761 % slots * 8, count: 8 }).collect()
}

fn serve(drive: &mut SimulatedDrive, actions: &[Action], concurrency: Concurrency) -> Vec<Completion> {
    let interrupt = AtomicBool::new(false);
    let mut done = Vec::new();
    let burst = Burst { actions, concurrency, deadline_ns: None, interrupt: &interrupt };
    assert_eq!(drive.serve_burst(&burst, &mut done).unwrap(), BurstOutcome::Complete);
    done
}

fn reads(spans: &[Span]) -> Vec<Action> {
    spans.iter().map(|&span| Action::Read(span)).collect()
}

fn elapsed_ns(done: &[Completion]) -> u64 {
    done.iter().map(Completion::end_ns).max().unwrap() - done.iter().map(|one| one.start_ns).min().unwrap()
}

#[test]
fn one_worker_is_the_same_as_one_request_after_the_other() {
    let (mut together, mut apart) = (quiet("samsung-hd103sj"), quiet("samsung-hd103sj"));
    let spans = scattered(&together, 200);
    let done = serve(&mut together, &reads(&spans), Concurrency::Workers(1));
    for (span, one) in spans.iter().zip(done) {
        assert_eq!(apart.read_timed(span.block, span.count).unwrap(), one.timing());
    }
    assert_eq!(together.now_ns(), apart.now_ns());
}

#[test]
fn a_drive_that_queues_serves_more_in_the_same_time_and_one_that_does_not_serves_the_same() {
    for (name, gains) in [("samsung-hd103sj", true), ("ibm-dtta", false)] {
        let elapsed = [1, 32].map(|depth| {
            let mut drive = quiet(name);
            let actions = reads(&scattered(&drive, 600));
            elapsed_ns(&serve(&mut drive, &actions, Concurrency::Queue(depth))) as f64
        });
        assert_eq!(elapsed[1] < elapsed[0] * 0.7, gains, "{name}: {elapsed:?}");
        assert!(gains || elapsed[1] > elapsed[0] * 0.97, "{name}: {elapsed:?}");
    }
}

#[test]
fn requests_that_wait_in_the_host_wait_as_long_as_all_before_them_take() {
    let mut drive = quiet("ibm-dtta");
    let actions = reads(&scattered(&drive, 400));
    let done = serve(&mut drive, &actions, Concurrency::Workers(8));
    let mean = done.iter().map(|one| one.latency_ns).sum::<u64>() as f64 / 400.0;
    let each = elapsed_ns(&done) as f64 / 400.0;
    assert!((mean / each - 8.0).abs() < 0.2, "{mean} is not eight times {each}");
}

#[test]
fn reads_and_writes_of_a_burst_are_all_served_once_and_the_same_way_each_time() {
    let [first, second] = [0, 1].map(|_| {
        let mut drive = quiet("seagate-st2000nm0001");
        let spans = scattered(&drive, 100);
        drive.stage(&spans[..50]).unwrap();
        let writes = (0..50).map(Action::Write);
        let actions: Vec<Action> = writes.zip(reads(&spans[50..])).flat_map(|(a, b)| [a, b]).collect();
        serve(&mut drive, &actions, Concurrency::Queue(16))
    });
    assert_eq!(first.iter().map(|one| one.action).collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
    assert_eq!(first, second);
}

#[test]
fn a_burst_stops_issuing_at_its_deadline_and_at_the_interrupt() {
    let mut drive = quiet("samsung-hd103sj");
    let actions = reads(&scattered(&drive, 1000));
    let interrupt = AtomicBool::new(false);
    let deadline_ns = Some(drive.now_ns() + 500_000_000);
    let burst = Burst { actions: &actions, concurrency: Concurrency::Workers(4), deadline_ns, interrupt: &interrupt };
    let mut done = Vec::new();
    assert_eq!(drive.serve_burst(&burst, &mut done).unwrap(), BurstOutcome::Deadline);
    assert!(done.iter().all(|one| Some(one.start_ns) < deadline_ns) && (20..200).contains(&done.len()));
    interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(drive.serve_burst(&burst, &mut done).unwrap(), BurstOutcome::Interrupted);
    assert!(done.is_empty());
}
