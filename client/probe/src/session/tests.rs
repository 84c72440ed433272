//! What a session promises its kind.

use std::collections::HashMap;

use super::fake::Fake;
use super::{Estimates, Interrupt, Journal, NullProgress, Piece, Session, Settings, Stop};
use crate::device::request::Action;
use crate::device::{Span, Timing};

#[derive(Default)]
struct Remembers(HashMap<String, Piece>);

impl Journal for Remembers {
    fn recall(&mut self, name: &str) -> Option<Piece> {
        self.0.get(name).cloned()
    }

    fn record(&mut self, name: &str, piece: &Piece) {
        self.0.insert(name.to_owned(), piece.clone());
    }
}

fn with_session<T>(fake: &mut Fake, journal: &mut Remembers, act: impl FnOnce(&mut Session<'_>) -> T) -> T {
    let interrupt = fake.interrupt_after.as_ref().map_or_else(Interrupt::default, |(_, flag)| flag.clone());
    act(&mut Session::new(fake, &mut NullProgress, journal, interrupt, Settings::default(), Estimates::default()))
}

/// Reads one block and answers with its latency.
fn latency(session: &mut Session<'_>, out: &mut Vec<u64>) -> Result<(), Stop> {
    out.extend(session.read(1000, 1)?.map(|timing| timing.latency_ns));
    Ok(())
}

#[test]
fn a_piece_that_the_journal_knows_is_not_measured_again_and_brings_its_errors() {
    let (mut fake, mut journal) = (Fake::default(), Remembers::default());
    fake.bad_blocks.insert(1000);
    let first = with_session(&mut fake, &mut journal, |session| session.piece("one", latency).0);
    let requests = fake.requests;
    let (again, errors) = with_session(&mut fake, &mut journal, |session| {
        let value = session.piece("one", latency).0;
        (value, session.errors.len())
    });
    assert_eq!((first, fake.requests), (again, requests));
    assert_eq!(errors, 1);
}

#[test]
fn a_piece_that_was_stopped_is_measured_again() {
    let (mut fake, mut journal) = (Fake::default(), Remembers::default());
    let interrupt = Interrupt::default();
    interrupt.raise();
    fake.interrupt_after = Some((0, interrupt));
    let (_, end) = with_session(&mut fake, &mut journal, |session| session.piece("one", latency));
    assert!(matches!(end, Err(Stop::Interrupted)));
    assert!(journal.0.is_empty());
}

#[test]
fn a_long_pause_ends_when_the_run_has_to_end() {
    let (mut fake, mut journal) = (Fake::default(), Remembers::default());
    with_session(&mut fake, &mut journal, |session| session.pause(3_600_000_000_000)).expect("nobody interrupts");
    assert_eq!(fake.now_ns, 3_600_000_000_000);
    let interrupt = Interrupt::default();
    interrupt.raise();
    fake.interrupt_after = Some((0, interrupt));
    let stopped = with_session(&mut fake, &mut journal, |session| session.pause(3_600_000_000_000));
    assert!(matches!(stopped, Err(Stop::Interrupted)));
    assert_eq!(fake.now_ns, 3_600_000_000_000);
}

#[test]
fn another_disk_that_came_during_a_pause_ends_the_run() {
    let (mut fake, mut journal) = (Fake { replaced_ns: Some(500_000_000), ..Fake::default() }, Remembers::default());
    let before = with_session(&mut fake, &mut journal, |session| session.pause(100_000_000));
    assert!(before.is_ok());
    let stopped = with_session(&mut fake, &mut journal, |session| session.pause(1_000_000_000));
    assert!(matches!(stopped, Err(Stop::Gone(error)) if error.to_string() == "another disk is there"));
}

/// Reads those blocks in one chain.
fn chain(session: &mut Session<'_>, blocks: &[u64]) -> (Vec<Option<Timing>>, Option<Stop>) {
    let reads: Vec<Action> = blocks.iter().map(|&block| Action::Read(Span::single(block))).collect();
    let mut out = Vec::new();
    let stop = session.chain(&reads, &mut out).err();
    (out, stop)
}

#[test]
fn a_chain_takes_as_long_as_the_same_requests_made_one_by_one() {
    let blocks = [1000, 90_000, 1001, 2_000_000];
    let (mut fake, mut journal) = (Fake::default(), Remembers::default());
    let (chained, _) = with_session(&mut fake, &mut journal, |session| chain(session, &blocks));
    let mut fake = Fake::default();
    let single = with_session(&mut fake, &mut journal, |session| {
        blocks.map(|block| session.read(block, 1).expect("nobody interrupts"))
    });
    assert_eq!(chained, single);
}

#[test]
fn a_chain_goes_on_behind_blocks_that_can_not_be_read_and_puts_them_on_record() {
    let (mut fake, mut journal) = (Fake::default(), Remembers::default());
    fake.bad_blocks.extend([20, 30, 50]);
    let (taken, stop, errors) = with_session(&mut fake, &mut journal, |session| {
        let (taken, stop) = chain(session, &[10, 20, 30, 40, 50]);
        (taken, stop, std::mem::take(&mut session.errors))
    });
    assert!(stop.is_none());
    assert_eq!(taken.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false, true, false]);
    assert_eq!(errors.iter().map(|error| error.offset_bytes / 512).collect::<Vec<_>>(), [20, 30, 50]);
}

#[test]
fn a_chain_ends_before_the_next_request_when_the_run_has_to_end_or_the_device_goes() {
    let (mut fake, mut journal) = (Fake::default(), Remembers::default());
    fake.interrupt_after = Some((2, Interrupt::default()));
    let (taken, stop) = with_session(&mut fake, &mut journal, |session| chain(session, &[10, 20, 30, 40]));
    assert!(matches!(stop, Some(Stop::Interrupted)));
    assert_eq!((taken.len(), fake.requests), (2, 2));
    let mut fake = Fake { vanish_after: Some(3), ..Fake::default() };
    let (taken, stop) = with_session(&mut fake, &mut journal, |session| chain(session, &[10, 20, 30, 40]));
    assert!(matches!(stop, Some(Stop::Gone(_))));
    assert_eq!(taken.len(), 3);
}
