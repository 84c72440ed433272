//! What a chain of requests on a genuine block device does beside the requests: nothing that takes memory.
#![allow(unsafe_code, reason = "an allocator that counts, and getrusage; each block says why it is sound")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicBool;

use diskatlas::device::request::Action;
use diskatlas::device::{Device, Span, Timing};
use diskatlas::device::{Writing, raw::RawDisk};
use diskatlas::session::preallocate;
use support::loops::Loop;

const REQUESTS: u64 = 20_000;

/// The pages of so many timings are eighty; the kernel may take a few away on its own.
const FAULTS_MOST: i64 = 8;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

/// Counts how often this thread asked for memory.
struct Counting;

// SAFETY: everything is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.with(|asked| asked.set(asked.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Pages that the calling thread found missing so far, without reading from a disk.
fn faults() -> i64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel writes one `rusage` to the address; all of it is integers, and zero is one.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_minflt
}

/// How often memory was asked for, and how many pages were missing, while the chain was served.
fn cost_of(disk: &mut RawDisk, actions: &[Action]) -> (u64, i64) {
    let mut timings = preallocate(actions.len(), Timing { start_ns: 0, latency_ns: 0 });
    let (asked, before) = (ASKED.with(Cell::get), faults());
    disk.chain(actions, &AtomicBool::new(false), &mut timings).expect("a device that reads and writes");
    let cost = (ASKED.with(Cell::get) - asked, faults() - before);
    assert_eq!(timings.len(), actions.len());
    assert!(timings.windows(2).all(|pair| pair[1].start_ns >= pair[0].end_ns()));
    cost
}

#[test]
fn between_the_requests_of_a_chain_no_memory_is_asked_for_and_no_page_is_missing() {
    let Some(device) = Loop::new(&[]) else { return };
    let before = device.image();
    let mut disk = RawDisk::open(&device.device, Writing::Preserve, None).expect("an exclusive open");
    let blocks = disk.geometry().capacity_blocks();
    let spans: Vec<Span> = (0..64).map(|index| Span::single(index * 2)).collect();
    disk.stage(&spans).expect("readable blocks");
    let reads: Vec<Action> = (0..REQUESTS).map(|index| Action::Read(Span::single(index * 1021 % blocks))).collect();
    let writes: Vec<Action> = (0..spans.len()).cycle().take(reads.len()).map(Action::Write).collect();
    for (what, actions) in [("reads", reads), ("writes", writes)] {
        // The first requests bring the program's own pages in.
        cost_of(&mut disk, &actions[..10]);
        let (asked, faults) = cost_of(&mut disk, &actions);
        assert_eq!(asked, 0, "{what}: memory was asked for");
        assert!(faults <= FAULTS_MOST, "{what}: {faults} pages were missing");
    }
    drop(disk);
    assert!(device.image() == before, "bytes changed");
}
