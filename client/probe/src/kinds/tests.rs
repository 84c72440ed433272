//! What holds for every kind: none writes in the first or the last MiB of a disk, whichever suite asks for it and however
//! small the disk is, and each marks the samples that something disturbed.

use serde_json::Value;

use super::{KINDS, Kind, columns, find};
use crate::device::{Device, Geometry, Span};
use crate::session::fake::{Fake, Recording};
use crate::session::{
    DisturbanceWatch, Disturbances, Estimates, Interrupt, NullJournal, NullProgress, Session, Settings, Suite,
};
use crate::sim;

const MIB: u64 = 1 << 20;

/// What the kind made ready to write in that suite, and how often it was kept from more.
fn writes(kind: &dyn Kind, suite: Suite, disk: Box<dyn Device>) -> (Vec<Span>, u32) {
    let mut recording = Recording { disk, staged: Vec::new() };
    let settings = Settings { suite, writes: true, switch_caches: true, repeats: 1, ..Settings::default() };
    let (mut null_progress, mut null_journal) = (NullProgress, NullJournal);
    let estimates = Estimates { rotation_ns: Some(8_333_333) };
    let mut session =
        Session::new(&mut recording, &mut null_progress, &mut null_journal, Interrupt::default(), settings, estimates);
    let _ = kind.run(&mut session);
    let refused = session.refused_spans;
    (recording.staged, refused)
}

fn check(kind: &str, suites: &[Suite]) {
    let kind = find(kind).expect("a kind");
    for &suite in suites {
        let simulated = sim::open("dec-rz26,noise=off").expect("a named drive");
        // A disk of 64 MB, on which everything lies near an end.
        let small = Fake { writable: true, capacity_blocks: 125_000, celsius: Some(30), ..Fake::default() };
        let disks: [Box<dyn Device>; 2] = [Box::new(simulated), Box::new(small)];
        for (index, disk) in disks.into_iter().enumerate() {
            let geometry = disk.geometry();
            let (spans, refused) = writes(kind, suite, disk);
            assert_eq!(refused, 0, "{}, {}", kind.slug(), suite.name());
            assert!(index > 0 || !spans.is_empty(), "{} writes nothing in {}", kind.slug(), suite.name());
            for span in spans {
                assert!(is_inside(&geometry, span), "{}, {}: {span:?}", kind.slug(), suite.name());
            }
        }
    }
}

fn is_inside(geometry: &Geometry, span: Span) -> bool {
    let block = u64::from(geometry.block_bytes);
    span.block * block >= MIB && (span.block + u64::from(span.count)) * block + MIB <= geometry.capacity_bytes
}

#[test]
fn skippy_leaves_both_ends_of_a_disk_alone() {
    check("skippy", &[Suite::Quick, Suite::Standard]);
}

#[test]
fn seeker_leaves_both_ends_of_a_disk_alone() {
    check("seeker", &[Suite::Standard]);
}

#[test]
fn bandwidth_leaves_both_ends_of_a_disk_alone() {
    check("bandwidth", &[Suite::Quick, Suite::Full]);
}

#[test]
fn fluctuation_leaves_both_ends_of_a_disk_alone() {
    check("fluctuation", &[Suite::Full]);
}

#[test]
fn sync_write_leaves_both_ends_of_a_disk_alone() {
    check("sync_write", &[Suite::Quick, Suite::Full]);
}

#[test]
fn random_io_leaves_both_ends_of_a_disk_alone() {
    check("random_io", &[Suite::Quick, Suite::Standard]);
}

#[test]
fn temperature_leaves_both_ends_of_a_disk_alone() {
    let kind = find("temperature").expect("a kind");
    let disk = Fake { writable: true, celsius: Some(30), ..Fake::default() };
    let geometry = disk.geometry();
    let (spans, refused) = writes(kind, Suite::Week, Box::new(disk));
    assert!(refused == 0 && !spans.is_empty());
    assert!(spans.into_iter().all(|span| is_inside(&geometry, span)));
}

#[test]
fn what_would_be_written_at_an_end_is_refused_and_nothing_of_it_reaches_the_device() {
    let mut recording = Recording { disk: Box::new(Fake { writable: true, ..Fake::default() }), staged: Vec::new() };
    let (mut null_progress, mut null_journal) = (NullProgress, NullJournal);
    let settings = Settings { writes: true, ..Settings::default() };
    let mut session = Session::new(
        &mut recording,
        &mut null_progress,
        &mut null_journal,
        Interrupt::default(),
        settings,
        Estimates::default(),
    );
    let last = session.geometry().capacity_blocks() - 2048;
    for (spans, refused) in [
        (vec![Span::single(5000), Span::single(2047)], Some(2047)),
        (vec![Span { block: last - 1, count: 2 }], Some(last - 1)),
        (vec![Span::single(2048), Span::single(last - 1)], None),
    ] {
        assert_eq!(session.stage_spans(&spans).expect("a device"), refused, "{spans:?}");
    }
    assert_eq!(session.refused_spans, 2);
    assert_eq!(recording.staged, [Span::single(2048), Span::single(last - 1)]);
}

const OFTEN_NS: u64 = 300_000_000;

/// Something disturbs the machine for a third of the time, so often that no attempt at a piece is spared.
struct Restless;

impl DisturbanceWatch for Restless {
    fn look(&mut self) -> Disturbances {
        Disturbances::default()
    }

    fn disturbed_since(&mut self, from_ns: u64, out: &mut Vec<(u64, u64)>) {
        let first = from_ns / OFTEN_NS;
        let windows = (first..first + 2000).map(|index| index * OFTEN_NS);
        out.extend(windows.map(|start_ns| (start_ns, start_ns + OFTEN_NS / 3)).filter(|window| window.1 > from_ns));
    }

    fn set_paused(&mut self, _paused: bool) {}
}

/// The series that a kind measures on a machine like that, or on a quiet one.
fn series(kind: &dyn Kind, restless: bool) -> Vec<Value> {
    let suite =
        [Suite::Quick, Suite::Standard, Suite::Full, Suite::Week].into_iter().find(|&suite| kind.part_of(suite));
    let mut drive = sim::open("samsung-hd103sj,noise=off").expect("a named drive");
    let settings = Settings {
        suite: suite.expect("a suite"),
        writes: true,
        switch_caches: true,
        repeats: 1,
        ..Settings::default()
    };
    let (mut null_progress, mut null_journal, mut watch) = (NullProgress, NullJournal, Restless);
    let estimates = Estimates { rotation_ns: Some(8_333_333) };
    let mut session =
        Session::new(&mut drive, &mut null_progress, &mut null_journal, Interrupt::default(), settings, estimates);
    if restless {
        session = session.watched_by(&mut watch);
    }
    columns::measured(&kind.run(&mut session))
}

/// The columns of marks, each with the length of the columns beside it.
fn marks(series: &[Value]) -> Vec<(Vec<u64>, usize)> {
    let groups = series.iter().flat_map(|one| {
        let nested = one.as_object().into_iter().flat_map(|members| members.values()).filter(|value| value.is_object());
        std::iter::once(one).chain(nested)
    });
    let column = |group: &Value, name: &str| -> Option<Vec<u64>> {
        group[name].as_array().map(|values| values.iter().filter_map(Value::as_u64).collect())
    };
    groups
        .filter_map(|group| {
            let times = column(group, "elapsed_ns").or_else(|| column(group, "latency_ns"))?;
            Some((column(group, "disturbed")?, times.len()))
        })
        .collect()
}

#[test]
fn every_kind_marks_what_something_disturbed_and_nothing_on_a_quiet_machine() {
    for &kind in KINDS {
        let found = marks(&series(kind, true));
        assert!(!found.is_empty(), "{} marks nothing", kind.slug());
        for (marks, length) in found {
            assert_eq!(marks.len(), length, "{}", kind.slug());
            assert!(marks.contains(&1) && marks.iter().all(|&mark| mark < 2), "{}", kind.slug());
        }
        assert!(marks(&series(kind, false)).is_empty(), "{}", kind.slug());
    }
}
