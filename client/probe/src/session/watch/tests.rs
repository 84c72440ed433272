//! What a session does about disturbances: on a fake disk and with a watch that says what it is told.

use super::{DisturbanceWatch, Disturbances};
use crate::session::fake::Fake;
use crate::session::{Estimates, Interrupt, NullJournal, NullProgress, Session, Settings, Stop};

/// Says that these stretches of the device's clock were disturbed.
struct Says {
    windows: Vec<(u64, u64)>,
    foreign: u64,
    rested: Vec<bool>,
}

impl Says {
    fn new(windows: &[(u64, u64)]) -> Self {
        Self { windows: windows.to_vec(), foreign: 0, rested: Vec::new() }
    }
}

impl DisturbanceWatch for Says {
    fn look(&mut self) -> Disturbances {
        self.foreign += 3;
        Disturbances { foreign_requests: self.foreign, ..Disturbances::default() }
    }

    fn disturbed_since(&mut self, from_ns: u64, out: &mut Vec<(u64, u64)>) {
        out.extend(self.windows.iter().filter(|window| window.1 > from_ns));
    }

    fn set_paused(&mut self, paused: bool) {
        self.rested.push(paused);
    }
}

fn with_session<T>(fake: &mut Fake, says: &mut Says, act: impl FnOnce(&mut Session<'_>) -> T) -> T {
    let interrupt = fake.interrupt_after.as_ref().map_or_else(Interrupt::default, |(_, flag)| flag.clone());
    let (mut null_progress, mut null_journal) = (NullProgress, NullJournal);
    let session =
        Session::new(fake, &mut null_progress, &mut null_journal, interrupt, Settings::default(), Estimates::default());
    act(&mut session.watched_by(says))
}

/// Ten reads at places that no cache has, and which of them were disturbed.
fn ten_reads(session: &mut Session<'_>, from: u64, (starts, marks): &mut (Vec<u64>, Vec<u8>)) -> Result<(), Stop> {
    let timings = (0..10).map(|index| session.read(from + index * 5000, 1)).collect::<Result<Vec<_>, _>>()?;
    *marks = session.disturbed(&timings);
    starts.extend(timings.iter().flatten().map(|timing| timing.start_ns));
    Ok(())
}

#[test]
fn the_samples_that_a_disturbance_met_are_marked_and_no_others() {
    let (mut fake, mut says) = (Fake::default(), Says::new(&[(1, 2), (30_000_000, 31_000_000)]));
    let mut found = (Vec::new(), Vec::new());
    with_session(&mut fake, &mut says, |session| ten_reads(session, 1000, &mut found)).expect("nobody interrupts");
    let (starts, marks) = found;
    let ends = starts.iter().skip(1).chain(std::iter::once(&u64::MAX));
    let expected: Vec<u8> =
        starts.iter().zip(ends).map(|(&start, &end)| (start < 31_000_000 && end > 30_000_000).into()).collect();
    assert!(marks[0] == 1, "the first one is met by the first stretch");
    assert_eq!(marks[1..], expected[1..]);
    assert!(marks.iter().map(|&mark| u32::from(mark)).sum::<u32>() <= 3, "{marks:?}");
}

#[test]
fn a_disturbed_piece_is_measured_again_and_the_undisturbed_attempt_is_kept() {
    let (mut fake, mut says) = (Fake::default(), Says::new(&[(0, 50_000_000)]));
    let mut calls = 0;
    let (staged, disturbances) = with_session(&mut fake, &mut says, |session| {
        let (value, _) = session.piece("one", |session, found| {
            calls += 1;
            ten_reads(session, 1000, found)
        });
        (value, session.disturbances.clone())
    });
    assert_eq!((calls, staged.1), (2, vec![0; 10]));
    assert!(staged.0[0] > 6_000_000_000, "the cache was given time to forget: {}", staged.0[0]);
    let [one] = disturbances.as_slice() else { panic!("{disturbances:?}") };
    assert_eq!((one.piece.as_str(), one.attempts, one.requests, one.disturbed_requests), ("one", 2, 10, 0));
    assert_eq!(one.foreign_requests, 3);
}

#[test]
fn a_piece_that_is_always_disturbed_is_measured_three_times_at_most() {
    let (mut fake, mut says) = (Fake::default(), Says::new(&[(0, u64::MAX)]));
    let mut calls = 0;
    let disturbances = with_session(&mut fake, &mut says, |session| {
        let _ = session.piece("one", |session, found| {
            calls += 1;
            ten_reads(session, 1000, found)
        });
        session.disturbances.clone()
    });
    assert_eq!((calls, disturbances[0].attempts, disturbances[0].disturbed_requests), (3, 3, 10));
}

#[test]
fn measuring_again_is_bounded_for_the_whole_of_a_kind() {
    let (mut fake, mut says) = (Fake::default(), Says::new(&[(0, u64::MAX)]));
    let mut calls = 0;
    with_session(&mut fake, &mut says, |session| {
        for piece in 0..40 {
            let _ = session.piece(&piece.to_string(), |session, found| {
                calls += 1;
                session.idle(10_000_000_000);
                ten_reads(session, 1000, found)
            });
        }
    });
    assert!((41..60).contains(&calls), "{calls} attempts at 40 pieces");
}

#[test]
fn an_attempt_that_is_stopped_does_not_take_the_place_of_a_whole_one() {
    let (mut fake, mut says) = (Fake::default(), Says::new(&[(0, u64::MAX)]));
    let interrupt = Interrupt::default();
    let (staged, end) = {
        fake.interrupt_after = Some((15, interrupt));
        with_session(&mut fake, &mut says, |session| {
            session.piece("one", |session, found| ten_reads(session, 1000, found))
        })
    };
    assert!(matches!(end, Err(Stop::Interrupted)));
    assert_eq!(staged.0.len(), 10);
}

#[test]
fn nobody_watches_through_a_long_pause() {
    let (mut fake, mut says) = (Fake::default(), Says::new(&[]));
    with_session(&mut fake, &mut says, |session| session.pause(3_600_000_000_000)).expect("nobody interrupts");
    with_session(&mut fake, &mut says, |session| session.pause(1_000_000)).expect("nobody interrupts");
    assert_eq!(says.rested, [true, false]);
}
