//! Measures one kind after the other and makes the document, whatever ends the run.

use std::io;
use std::time::Duration;

use super::conditions::Counters;
use super::journal::{KindJournal, RunJournal};
use super::monitor::Monitor;
use super::priority::RealtimeGuard;
use super::target::Target;
use super::{Request, caches};
use crate::device::Cache;
use crate::identify::{Tree, disk};
use crate::kinds::estimate::TYPICAL_ROTATION_NS;
use crate::kinds::rotation::{Verdict, detect};
use crate::kinds::{Kind, Measurement, Samples};
use crate::report::document::{
    Benchmark, Conditions, Disturbance, Interference, Measured, MediumError, Probe, Provenance, RunDocument, SCHEMA,
};
use crate::session::{Estimates, Interrupt, Progress, Session, Stop};
use crate::terminal::progress::Display;

/// How a run ended.
#[derive(Debug)]
pub enum Outcome {
    Complete,
    Interrupted,
    Gone(io::Error),
}

/// A document has room for so many interruptions, and nobody reads that many.
const INTERRUPTIONS_MOST: usize = 1000;

/// And for so many disturbed pieces.
const DISTURBANCES_MOST: usize = 4096;

/// Measures all kinds that were asked for, but for what the journal has already. Every kind has its entry in the document:
/// samples, or why there are none.
pub fn measure(
    target: &mut Target,
    request: &Request,
    tree: &Tree,
    display: &mut Display,
    interrupt: &Interrupt,
    journal: &mut RunJournal,
) -> (RunDocument, Outcome) {
    let before = counters(target, tree);
    let clock_offset_ns = journal.began(tree, target.device.now_ns());
    let (estimates, end) = (Estimates::default(), Outcome::Complete);
    // Started first: a thread that looks on must not come before the one that measures.
    let mut monitor = Monitor::start(tree, target.kernel_name.as_deref(), target.device.as_ref());
    // A simulated drive waits for the probe; no need to come before others.
    let realtime = (target.provenance == Provenance::Probe).then(RealtimeGuard::new);
    let watch = monitor.as_mut();
    let disturbances = Vec::new();
    let mut run = Run {
        target,
        request,
        tree,
        display,
        interrupt,
        journal,
        watch,
        disturbances,
        clock_offset_ns,
        estimates,
        end,
    };
    let benchmarks = run.measure_all();
    let (end, disturbances) = (run.end, run.disturbances);
    drop(realtime);
    let interference = counters(target, tree).since(&before);
    let (cpu_khz, load_average_most) = monitor.map(|monitor| monitor.machine()).unwrap_or_default();
    let interrupted = !matches!(end, Outcome::Complete);
    if interrupted {
        journal.stopped(target.device.now_ns().wrapping_add_signed(clock_offset_ns));
    }
    let conditions = Conditions {
        disturbances,
        cpu_khz,
        load_average_most,
        ..conditions(target, tree, request, &interference, journal, interrupted, &benchmarks)
    };
    (document(target, request, journal, conditions, benchmarks), end)
}

fn document(
    target: &Target,
    request: &Request,
    journal: &RunJournal,
    conditions: Conditions,
    benchmarks: Vec<Benchmark>,
) -> RunDocument {
    RunDocument {
        schema: SCHEMA.to_owned(),
        run_id: journal.header.run_id.clone(),
        created_at: journal.header.created_at.clone(),
        provenance: target.provenance,
        license: request.license.clone(),
        imported: None,
        challenge: request.challenge.clone(),
        probe: Probe::this(),
        host: target.host.clone(),
        device: target.report.clone(),
        conditions,
        benchmarks,
    }
}

struct Run<'a> {
    target: &'a mut Target,
    request: &'a Request,
    tree: &'a Tree,
    display: &'a mut Display,
    interrupt: &'a Interrupt,
    journal: &'a mut RunJournal,
    /// `None` where nobody else can reach the device.
    watch: Option<&'a mut Monitor>,
    disturbances: Vec<Disturbance>,
    clock_offset_ns: i64,
    estimates: Estimates,
    end: Outcome,
}

/// What a kind gave, and what happened meanwhile.
struct KindResult {
    measurement: Measurement,
    elapsed_ns: u64,
    interference: Interference,
    errors: Vec<MediumError>,
    /// The caches that the kind switched itself.
    by_kind: Vec<Cache>,
}

impl Run<'_> {
    /// An entry for each kind that was asked for.
    fn measure_all(&mut self) -> Vec<Benchmark> {
        let no_rotation = self.decide_rotation();
        let kinds = &self.request.kinds[..];
        let entries = kinds.iter().enumerate();
        let entries =
            entries.map(|(index, &kind)| self.measure_kind(kind, &kinds[index + 1..], no_rotation.as_deref()));
        let entries = entries.collect();
        self.display.finish();
        entries
    }

    /// Finds the period of a turn and settles whether the device turns. Answers why kinds that need it are skipped.
    fn decide_rotation(&mut self) -> Option<String> {
        if self.request.rotational == Some(false) {
            self.set_rotational(false, "user");
            return Some("the device does not rotate, as --rotational no says".to_owned());
        }
        if !self.request.kinds.iter().any(|kind| kind.declaration().needs_rotation) && self.kernel_or_user_knows() {
            return None;
        }
        let verdict = self.session("rotation", 0, |session| {
            session.progress("looking for rotation", 0);
            let near_block = session.geometry().capacity_blocks() / 4;
            session.whole_piece("verdict", |session| detect(session, near_block))
        });
        match verdict {
            Ok(Verdict::Turns { period_ns }) => {
                self.estimates.rotation_ns = Some(period_ns);
                if !self.kernel_or_user_knows() {
                    self.set_rotational(true, "test");
                }
                None
            }
            Ok(Verdict::Steady { reason }) => {
                if !self.kernel_or_user_knows() {
                    self.set_rotational(false, "test");
                }
                Some(reason)
            }
            Err(stop) => {
                self.stopped(stop);
                None
            }
        }
    }

    /// Whether the device is known to turn without a test. A kernel's "no" is not knowing: loop devices and USB bridges say so of spinning disks.
    fn kernel_or_user_knows(&mut self) -> bool {
        if self.request.rotational == Some(true) {
            self.set_rotational(true, "user");
            return true;
        }
        self.target.report.rotational.value
    }

    fn set_rotational(&mut self, value: bool, source: &str) {
        self.target.report.rotational.value = value;
        source.clone_into(&mut self.target.report.rotational.source);
    }

    fn measure_kind(
        &mut self,
        kind: &'static dyn Kind,
        later: &[&'static dyn Kind],
        no_rotation: Option<&str>,
    ) -> Benchmark {
        if let Some(entry) = self.without_measuring(kind, no_rotation) {
            return entry;
        }
        let required = kind.caches(&self.request.settings);
        let switches = self.request.settings.switch_caches;
        let (mut used, changed) = caches::prepare(self.target.device.as_mut(), required, switches);
        used.write = used.write.or(self.target.report.write_cache.current);
        let KindResult { measurement: Measurement { result, stop }, elapsed_ns, interference, errors, by_kind } =
            self.run_kind(kind, later);
        caches::in_between(&mut used, &by_kind);
        for problem in caches::restore(self.target.device.as_mut(), changed) {
            self.display.warn(&problem);
        }
        let entry = match result {
            Ok(Samples { params, samples }) => Benchmark::Measured(Measured {
                kind: kind.slug().to_owned(),
                version: kind.declaration().version,
                params,
                samples,
                elapsed_ns,
                caches: Some(used),
                interference,
                errors,
            }),
            Err(why) => skipped(kind, &why),
        };
        match stop {
            Some(stop) => self.stopped(stop),
            None => self.journal.finish_kind(&entry, self.clock_ns()),
        }
        entry
    }

    /// The entry of a kind that an earlier process finished, or that can't be measured.
    fn without_measuring(&mut self, kind: &'static dyn Kind, no_rotation: Option<&str>) -> Option<Benchmark> {
        if let Some(entry) = self.journal.recall_finished(kind.slug()) {
            self.disturbances.extend(self.journal.disturbances(kind.slug()));
            return Some(entry);
        }
        let why = match &self.end {
            Outcome::Complete => no_rotation.filter(|_| kind.declaration().needs_rotation)?,
            Outcome::Interrupted => "the run was interrupted before this benchmark",
            Outcome::Gone(_) => "the device vanished before this benchmark",
        };
        Some(skipped(kind, why))
    }

    fn run_kind(&mut self, kind: &'static dyn Kind, later: &[&'static dyn Kind]) -> KindResult {
        let rotation_ns = self.estimates.rotation_ns.unwrap_or(TYPICAL_ROTATION_NS);
        let geometry = self.target.device.geometry();
        let later_ns =
            later.iter().map(|kind| kind.cost(&geometry, &self.request.settings, rotation_ns).elapsed_ns).sum();
        if self.target.device.writable() {
            // What an earlier kind wrote is not to be in the way of this one.
            self.target.device.flush();
        }
        let before = counters(self.target, self.tree);
        let earlier_ns = self.journal.elapsed_ns(kind.slug());
        let start_ns = self.target.device.now_ns();
        let (measurement, errors, by_kind) = self.session(kind.slug(), later_ns, |session| {
            let own_ns = kind.cost(&session.geometry(), &session.settings, rotation_ns).elapsed_ns;
            session.progress("starting", own_ns);
            #[cfg(feature = "simtool")]
            super::fault_injection::panic_in(kind.slug());
            (kind.run(session), std::mem::take(&mut session.errors), std::mem::take(&mut session.switched))
        });
        let elapsed_ns = earlier_ns + (self.target.device.now_ns() - start_ns);
        let interference = counters(self.target, self.tree).since(&before);
        KindResult { measurement, elapsed_ns, interference, errors, by_kind }
    }

    fn session<T>(&mut self, what: &str, later_ns: u64, act: impl FnOnce(&mut Session<'_>) -> T) -> T {
        let mut journal = KindJournal { journal: self.journal, kind: what };
        let mut progress = KindProgress { display: self.display, kind: what, later_ns };
        let mut session = Session::new(
            self.target.device.as_mut(),
            &mut progress,
            &mut journal,
            self.interrupt.clone(),
            self.request.settings,
            self.estimates,
        )
        .on_clock(self.clock_offset_ns);
        if let Some(watch) = &mut self.watch {
            session = session.watched_by(&mut **watch);
        }
        let result = act(&mut session);
        let room = DISTURBANCES_MOST.saturating_sub(self.disturbances.len());
        let named = |one: Disturbance| Disturbance { kind: what.to_owned(), ..one };
        self.disturbances.extend(session.disturbances.drain(..).map(named).take(room));
        result
    }

    /// On the run's clock.
    fn clock_ns(&self) -> u64 {
        self.target.device.now_ns().wrapping_add_signed(self.clock_offset_ns)
    }

    fn stopped(&mut self, stop: Stop) {
        self.end = match stop {
            Stop::Interrupted => Outcome::Interrupted,
            Stop::Gone(error) => Outcome::Gone(error),
        };
    }
}

fn skipped(kind: &dyn Kind, why: &str) -> Benchmark {
    Benchmark::Skipped { kind: kind.slug().to_owned(), skipped: why.to_owned() }
}

fn counters(target: &Target, tree: &Tree) -> Counters {
    Counters::now(tree, target.kernel_name.as_deref(), target.device.as_ref())
}

fn conditions(
    target: &mut Target,
    tree: &Tree,
    request: &Request,
    interference: &Interference,
    journal: &RunJournal,
    interrupted: bool,
    benchmarks: &[Benchmark],
) -> Conditions {
    let used = || benchmarks.iter().filter_map(Benchmark::caches);
    let before = journal.header.caches_before;
    let kernel_says = target.kernel_name.as_deref().and_then(|name| disk::kernel_write_cache(tree, name));
    let mut interruptions = journal.interruptions();
    interruptions.truncate(INTERRUPTIONS_MOST);
    Conditions {
        writes: request.writing.to_string(),
        write_cache_before: before.write,
        write_cache_during: caches::in_common(used().map(|caches| caches.write)),
        write_cache_after: target.device.cache(Cache::Write).or(kernel_says),
        look_ahead_before: before.look_ahead,
        look_ahead_during: caches::in_common(used().map(|caches| caches.look_ahead)),
        look_ahead_after: target.device.cache(Cache::LookAhead),
        foreign_requests: interference.foreign_requests,
        load_average_1min: journal.header.load_average_1min,
        temperature_before_celsius: target.report.temperature_celsius,
        temperature_after_celsius: target.device.temperature_celsius(),
        interrupted,
        interruptions,
        ..Conditions::default()
    }
}

/// One kind's progress within the run.
pub struct KindProgress<'a> {
    pub display: &'a mut Display,
    pub kind: &'a str,
    /// What the kinds after this one will take.
    pub later_ns: u64,
}

impl Progress for KindProgress<'_> {
    fn update(&mut self, doing: &str, remaining_ns: u64) {
        let remaining = Duration::from_nanos(remaining_ns.saturating_add(self.later_ns));
        self.display.show(&format!("{}: {doing}", self.kind), remaining);
    }
}
