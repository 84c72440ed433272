//! Bursts on genuine block devices: many requests under way at once, and what they leave behind.

mod support;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use diskatlas::device::request::{Action, Burst, BurstError, BurstOutcome, Completion, Concurrency};
use diskatlas::device::{Device, Span};
use diskatlas::device::{Writing, raw::RawDisk};
use support::loops::Loop;

const SPAN_BLOCKS: u32 = 16;

/// Every second place of the device, in an order that jumps about.
fn places(disk: &RawDisk) -> Vec<Span> {
    let places = disk.geometry().capacity_blocks() / u64::from(SPAN_BLOCKS) / 2;
    // 1021 is a prime, so that every place comes once.
    let place = |index: u64| index * 1021 % places * 2;
    (0..places).map(|index| Span { block: place(index) * u64::from(SPAN_BLOCKS), count: SPAN_BLOCKS }).collect()
}

fn burst(
    disk: &mut RawDisk,
    actions: &[Action],
    concurrency: Concurrency,
) -> (Result<BurstOutcome, BurstError>, Vec<Completion>) {
    let interrupt = AtomicBool::new(false);
    let mut done = Vec::new();
    let result = disk.burst(&Burst { actions, concurrency, deadline_ns: None, interrupt: &interrupt }, &mut done);
    (result, done)
}

/// The ways of having many requests under way that this machine has. A queue may be forbidden: that is said, and where
/// tests have to be complete it is a failure.
fn concurrencies(disk: &mut RawDisk) -> Vec<Concurrency> {
    let mut concurrencies = vec![Concurrency::Workers(1), Concurrency::Workers(8)];
    match disk.queue(32) {
        Ok(()) => concurrencies.extend([Concurrency::Queue(1), Concurrency::Queue(32)]),
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "skipped: no queue can be tested here ({why})");
            assert!(std::env::var_os("DISKATLAS_STRICT").is_none_or(|strict| strict.is_empty()), "skipped: {why}");
        }
    }
    concurrencies
}

#[test]
fn preserving_writes_of_many_at_once_leave_every_byte_as_it_was() {
    let Some(device) = Loop::new(&[]) else { return };
    let before = device.image();
    let mut disk = RawDisk::open(&device.device, Writing::Preserve, None).expect("an exclusive open");
    for concurrency in concurrencies(&mut disk) {
        let spans = places(&disk);
        disk.stage(&spans).expect("readable blocks");
        // Reads of what is just being written among the writes.
        let actions: Vec<Action> =
            spans.iter().enumerate().flat_map(|(index, &span)| [Action::Write(index), Action::Read(span)]).collect();
        let (ending, done) = burst(&mut disk, &actions, concurrency);
        assert!(matches!(ending, Ok(BurstOutcome::Complete)), "{concurrency:?}: {ending:?}");
        assert_eq!(done.len(), actions.len());
        assert!(done.iter().all(|one| one.error.is_none() && one.latency_ns > 0 && one.lane < concurrency.lanes()));
    }
    drop(disk);
    assert!(device.image() == before, "bytes changed");
}

#[test]
fn each_request_of_a_burst_reaches_its_own_place() {
    let Some(device) = Loop::new(&[]) else { return };
    let before = device.image();
    let mut disk = RawDisk::open(&device.device, Writing::Destroy, None).expect("an exclusive open");
    let size = disk.geometry().block_bytes as usize;
    for (turn, concurrency) in concurrencies(&mut disk).into_iter().enumerate() {
        // Other places each time, so that what the burst before wrote does not help.
        let spans: Vec<Span> = places(&disk).into_iter().skip(turn).step_by(4).collect();
        disk.stage(&spans).expect("readable blocks");
        let actions: Vec<Action> = (0..spans.len()).map(Action::Write).collect();
        assert!(matches!(burst(&mut disk, &actions, concurrency).0, Ok(BurstOutcome::Complete)));
        let after = device.image();
        for span in &spans {
            for block in span.block..span.block + u64::from(span.count) {
                let at = usize::try_from(block).expect("a small device") * size;
                assert_eq!(after[at..at + 8], *b"DiskAtls");
                assert_eq!(after[at + 8..at + 16], block.to_le_bytes());
            }
        }
    }
    let after = device.image();
    let gaps = places(&disk).into_iter().map(|span| span.block + u64::from(span.count));
    for block in gaps {
        let at = usize::try_from(block).expect("a small device") * size;
        let end = at + size * SPAN_BLOCKS as usize;
        assert!(after[at..end] == before[at..end], "written beside its place");
    }
}

#[test]
fn with_several_at_once_their_times_overlap_and_with_one_they_do_not() {
    let Some(device) = Loop::new(&[]) else { return };
    let mut disk = RawDisk::open(&device.device, Writing::Nothing, None).expect("an open");
    let actions: Vec<Action> = places(&disk).into_iter().map(Action::Read).collect();
    for concurrency in concurrencies(&mut disk) {
        let (_, mut done) = burst(&mut disk, &actions, concurrency);
        done.sort_unstable_by_key(|one| one.start_ns);
        let overlaps = done.windows(2).filter(|pair| pair[1].start_ns < pair[0].end_ns()).count();
        assert_eq!(overlaps > 0, concurrency.lanes() > 1, "{concurrency:?}: {overlaps}");
    }
}

#[test]
fn a_disk_opened_for_reading_takes_no_burst_that_writes() {
    let Some(device) = Loop::new(&[]) else { return };
    let mut disk = RawDisk::open(&device.device, Writing::Nothing, None).expect("an open");
    disk.stage(&[Span::single(3)]).expect("a readable block");
    for concurrency in concurrencies(&mut disk) {
        let (result, done) = burst(&mut disk, &[Action::Write(0)], concurrency);
        assert!(matches!(result, Err(BurstError::Refused(_))) && done.is_empty());
    }
}

#[test]
fn writes_that_overlap_are_refused_before_the_first() {
    let Some(device) = Loop::new(&[]) else { return };
    let before = device.image();
    let mut disk = RawDisk::open(&device.device, Writing::Destroy, None).expect("an exclusive open");
    disk.stage(&[Span { block: 8, count: 8 }, Span { block: 15, count: 8 }]).expect("readable blocks");
    let (result, _) = burst(&mut disk, &[Action::Write(0), Action::Write(1)], Concurrency::Workers(2));
    assert!(matches!(result, Err(BurstError::Refused(_))), "{result:?}");
    drop(disk);
    assert!(device.image() == before, "bytes changed");
}

#[test]
fn an_interrupt_ends_a_burst_between_two_requests() {
    let Some(device) = Loop::new(&[]) else { return };
    let mut disk = RawDisk::open(&device.device, Writing::Nothing, None).expect("an open");
    let actions = vec![Action::Read(Span::single(0)); 4_000_000];
    for concurrency in concurrencies(&mut disk) {
        let interrupt = Arc::new(AtomicBool::new(false));
        let raise = Arc::clone(&interrupt);
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            raise.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let mut done = Vec::new();
        let asked = Burst { actions: &actions, concurrency, deadline_ns: None, interrupt: &interrupt };
        let ending = disk.burst(&asked, &mut done).expect("a device that is there");
        let raised = thread.join().expect("the thread that raised it");
        assert_eq!(ending, BurstOutcome::Interrupted, "{concurrency:?}");
        assert!(raised.elapsed() < Duration::from_secs(60) && done.len() < actions.len());
        assert!(done.iter().all(|one| one.latency_ns > 0));
    }
}

#[test]
fn no_request_is_issued_after_the_deadline() {
    let Some(device) = Loop::new(&[]) else { return };
    let mut disk = RawDisk::open(&device.device, Writing::Nothing, None).expect("an open");
    let actions = vec![Action::Read(Span::single(0)); 1_000_000];
    let interrupt = AtomicBool::new(false);
    for concurrency in concurrencies(&mut disk) {
        let deadline_ns = Some(disk.now_ns() + 20_000_000);
        let mut done = Vec::new();
        let asked = Burst { actions: &actions, concurrency, deadline_ns, interrupt: &interrupt };
        assert_eq!(disk.burst(&asked, &mut done).expect("a device that is there"), BurstOutcome::Deadline);
        // The clock is read once more between the question and the request.
        assert!(done.iter().all(|one| one.start_ns < disk.now_ns()) && done.len() < actions.len());
    }
}
