//! Every kind marks the samples that something disturbed.

use serde_json::Value;

use super::{
    Disturbances, Forgetful, Interrupt, Kind, Notes, Quiet, Session, Settings, Suite, Watch, columns, registry,
};
use crate::sim;

const OFTEN_NS: u64 = 300_000_000;

/// Something disturbs the machine for a third of the time, so often that no attempt at a piece is spared.
struct Restless;

impl Watch for Restless {
    fn look(&mut self) -> Disturbances {
        Disturbances::default()
    }

    fn disturbed_since(&mut self, from_ns: u64, out: &mut Vec<(u64, u64)>) {
        let first = from_ns / OFTEN_NS;
        let windows = (first..first + 2000).map(|index| index * OFTEN_NS);
        out.extend(windows.map(|start_ns| (start_ns, start_ns + OFTEN_NS / 3)).filter(|window| window.1 > from_ns));
    }

    fn rest(&mut self, _rests: bool) {}
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
    let (mut quiet, mut forgetful, mut watch) = (Quiet, Forgetful, Restless);
    let notes = Notes { rotation_ns: Some(8_333_333) };
    let mut session = Session::new(&mut drive, &mut quiet, &mut forgetful, Interrupt::default(), settings, notes);
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
    for kind in registry::KINDS {
        let found = marks(&series(kind, true));
        assert!(!found.is_empty(), "{} marks nothing", kind.slug());
        for (marks, length) in found {
            assert_eq!(marks.len(), length, "{}", kind.slug());
            assert!(marks.contains(&1) && marks.iter().all(|&mark| mark < 2), "{}", kind.slug());
        }
        assert!(marks(&series(kind, false)).is_empty(), "{}", kind.slug());
    }
}
