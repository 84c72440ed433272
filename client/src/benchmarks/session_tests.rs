//! What a session promises its kind.

use std::collections::HashMap;

use super::fake::Fake;
use super::{Interrupt, Journal, Notes, Piece, Quiet, Session, Settings, Stop};

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
    act(&mut Session::new(fake, &mut Quiet, journal, interrupt, Settings::default(), Notes::default()))
}

/// Reads one block and answers with its latency.
fn latency(session: &mut Session<'_>) -> (Vec<u64>, Option<Stop>) {
    match session.read(1000, 1) {
        Ok(timing) => (timing.map(|timing| timing.latency_ns).into_iter().collect(), None),
        Err(stop) => (Vec::new(), Some(stop)),
    }
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
    let (_, stop) = with_session(&mut fake, &mut journal, |session| session.piece("one", latency));
    assert!(matches!(stop, Some(Stop::Interrupted)));
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
