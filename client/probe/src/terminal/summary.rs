//! What a person sees at the end of a run: what was measured, the numbers that need no extraction, and warnings.

use std::fmt::Write as _;

use super::overview::Overview;
use super::text;
use crate::report::document::{Benchmark, Disturbance, Measured, RunDocument};

/// Narrower terminals get no drawing, wider ones one of this width.
const DRAWING_WIDTH: u16 = 76;

/// The whole page. `width` is that of the terminal; `overview` is what a kind shows of its entry, on a disk of so many bytes.
pub fn page(document: &RunDocument, width: u16, overview: impl Fn(&Measured, u64) -> Overview) -> String {
    let mut page = String::new();
    let mut drawings = String::new();
    for benchmark in &document.benchmarks {
        match benchmark {
            Benchmark::Skipped { kind, skipped } => {
                let _ = writeln!(page, "{kind:<12} not measured: {}", text::printable(skipped));
            }
            Benchmark::Measured(measured) => {
                let overview = overview(measured, document.device.capacity_bytes);
                table(&mut page, measured, &overview);
                if let Some(drawing) = overview.drawing.filter(|_| width >= DRAWING_WIDTH) {
                    let _ = write!(drawings, "\n{}", drawing.render(DRAWING_WIDTH));
                }
            }
        }
    }
    page + &drawings
}

fn table(page: &mut String, measured: &Measured, overview: &Overview) {
    let _ = writeln!(page, "{:<12} measured in {}", measured.kind, text::duration(measured.elapsed_ns));
    for (name, value) in &overview.numbers {
        let _ = writeln!(page, "  {name:<36} {value}");
    }
}

/// What went less well than it could have, each with what to do about it.
pub fn warnings(document: &RunDocument) -> Vec<String> {
    let mut warnings = Vec::new();
    for benchmark in &document.benchmarks {
        let Benchmark::Measured(measured) = benchmark else { continue };
        let kind = &measured.kind;
        if !measured.errors.is_empty() {
            let count = text::count(measured.errors.len() as u64, "request");
            warnings.push(format!(
                "{kind}: {count} failed, left out and recorded. A disk that can't read everything may be failing: copy what is on it, and look at its SMART values."
            ));
        }
    }
    if let Some(count) = document.conditions.foreign_requests.filter(|&count| count > 0) {
        let count = text::count(count, "request");
        warnings.push(format!(
            "{count} of others reached the disk during the run and may have disturbed it. Measure a disk that nobody uses: unmount it, and stop what scans or indexes disks."
        ));
    }
    warnings.extend(disturbed(&document.conditions.disturbances));
    if document.conditions.write_cache_during == Some(true) && document.conditions.writes != "none" {
        warnings.push(
            "The drive's write cache was on, so writes show the cache and not the disk. Switch it off (hdparm -W 0, sdparm --clear WCE) and measure again."
                .to_owned(),
        );
    }
    warnings
}

/// Swapping, heat and samples that were disturbed, each with its remedy.
fn disturbed(pieces: &[Disturbance]) -> Vec<String> {
    let sum = |of: fn(&Disturbance) -> u64| pieces.iter().map(of).sum::<u64>();
    let mut warnings = Vec::new();
    let pages = sum(|piece| piece.swapped_pages);
    if pages > 0 {
        let pages = text::count(pages, "page");
        warnings.push(format!(
            "The machine swapped {pages} while it measured, which makes samples late. Close other programs or add memory, and measure again."
        ));
    }
    let events = sum(|piece| piece.throttle_events);
    if events > 0 {
        let events = text::count(events, "time");
        warnings.push(format!(
            "The processor was slowed down for its heat {events} during the run. Let the machine cool, clean its fans, and measure again."
        ));
    }
    let met = sum(|piece| piece.disturbed_requests);
    if met > 0 {
        let met = text::count(met, "request");
        warnings.push(format!(
            "{met} {} disturbed also after measuring again; where a kind can, it marks them and the archive leaves them out. An idle machine and an unused disk need none of this.",
            if met.starts_with("1 ") { "was" } else { "were" }
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::MediumError;

    const SAMPLE: &str = include_str!("../../tests/data/sample.document.json");

    fn document() -> RunDocument {
        serde_json::from_str(SAMPLE).expect("the sample")
    }

    #[test]
    fn each_kind_has_its_line_and_a_skipped_one_its_reason() {
        let mut document = document();
        let skipped = "it needs writes".to_owned();
        document.benchmarks.push(Benchmark::Skipped { kind: "other".to_owned(), skipped });
        let page = page(&document, 40, |_, _| Overview::default());
        assert!(page.contains("other        not measured: it needs writes\n"), "{page}");
        for benchmark in &document.benchmarks {
            if let Benchmark::Measured(measured) = benchmark {
                assert!(page.contains(&format!("{:<12} measured in ", measured.kind)), "{page}");
            }
        }
    }

    #[test]
    fn a_run_without_trouble_warns_of_nothing() {
        let mut document = document();
        document.conditions.foreign_requests = Some(0);
        document.conditions.write_cache_during = Some(false);
        for benchmark in &mut document.benchmarks {
            if let Benchmark::Measured(measured) = benchmark {
                measured.errors.clear();
            }
        }
        assert_eq!(warnings(&document), Vec::<String>::new());
    }

    #[test]
    fn errors_foreign_requests_and_a_write_cache_that_stayed_on_are_each_warned_of_with_a_remedy() {
        let mut document = document();
        document.conditions.foreign_requests = Some(3);
        document.conditions.write_cache_during = Some(true);
        document.conditions.writes = "preserve".to_owned();
        let error = MediumError { offset_bytes: 0, operation: "read".to_owned(), message: "no".to_owned() };
        let Some(Benchmark::Measured(measured)) = document.benchmarks.first_mut() else { panic!("a kind") };
        measured.errors = vec![error];
        let warnings = warnings(&document);
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        for (warning, remedy) in warnings.iter().zip(["SMART", "unmount", "hdparm"]) {
            assert!(warning.contains(remedy), "{warning}");
        }
    }

    #[test]
    fn swapping_and_heat_are_warned_of_with_what_to_do() {
        let mut document: RunDocument = serde_json::from_str(SAMPLE).unwrap();
        document.conditions.disturbances = vec![
            Disturbance { swapped_pages: 800, disturbed_requests: 1, ..Disturbance::default() },
            Disturbance { throttle_events: 2, ..Disturbance::default() },
        ];
        let warnings = warnings(&document).join("\n");
        for words in ["swapped 800 pages", "add memory", "its heat 2 times", "Let the machine cool", "1 request was"] {
            assert!(warnings.contains(words), "{words}: {warnings}");
        }
    }
}
