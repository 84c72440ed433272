"""What is missing of a model, and which run would bring it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.benchmarks.registry import kinds_by_slug
from server.catalog.models import DriveModel
from server.claims.selectors import ClaimRow, claim_rows
from server.claims.verdicts import Outcome
from server.core.lifecycle import Provenance
from server.model_stats.overview import DriveOverview, drive_overview
from server.model_stats.selectors import MetricRow, drive_metric_rows
from server.stats.wording import count_words


@dataclass(frozen=True, slots=True)
class CoverageGap:
    """One thing that the archive does not know of a model."""

    title: str
    words: str
    kinds: tuple[tuple[str, str], ...] = ()
    """Slug and title of the kinds that it is about."""
    link: str = ""
    link_text: str = ""


def drive_coverage_gaps(*, drive_model: DriveModel) -> tuple[CoverageGap, ...]:
    """Return what is missing of a model; nothing of one that nobody measured, as all is missing then."""
    overview = drive_overview(drive_model=drive_model, provenance=Provenance.PROBE)
    if not overview.runs:
        return ()
    rows = drive_metric_rows(drive_model=drive_model, provenance=Provenance.PROBE)
    return coverage_gaps(rows, overview, claim_rows(drive_model=drive_model))


def coverage_gaps(
    rows: Sequence[MetricRow], overview: DriveOverview, claims: Sequence[ClaimRow]
) -> tuple[CoverageGap, ...]:
    """Return what is missing of a model that was measured at least once."""
    found = [
        *_kinds(rows),
        *_units(overview),
        *_keys(overview),
        *_claims(claims),
    ]
    return tuple(found)


def _kinds(rows: Sequence[MetricRow]) -> list[CoverageGap]:
    measured = {row.key.partition(".")[0] for row in rows if row.aggregate}
    left = tuple((slug, kind.title) for slug, kind in kinds_by_slug().items() if slug not in measured)
    if not left:
        return []
    words = "No published run has a usable number of:"
    return [CoverageGap(count_words(len(left), "benchmark").capitalize() + " without a number", words, left)]


def _units(overview: DriveOverview) -> list[CoverageGap]:
    if overview.units == 0:
        words = "No run tells which unit it is of, so nothing can be said of the difference between units."
        return [CoverageGap("Which unit it was", words)]
    if overview.units == 1:
        words = (
            "All runs that tell their unit are of the same one. A run of another unit would show how far "
            "units of this model differ."
        )
        return [CoverageGap("A second unit", words)]
    return []


def _keys(overview: DriveOverview) -> list[CoverageGap]:
    if overview.keys != 1:
        return []
    words = "One key signed all runs. A run by somebody else would confirm them, or not."
    return [CoverageGap("A second opinion", words)]


def _claims(claims: Sequence[ClaimRow]) -> list[CoverageGap]:
    open_claims = [row for row in claims if row.measured.verdict.outcome == Outcome.INCONCLUSIVE]
    if not open_claims:
        return []
    needed = [row.measured.verdict.needed for row in open_claims if row.measured.verdict.needed]
    words = "What was measured does not decide them."
    if needed:
        most = count_words(max(needed), "more unit or run", "more units or runs")
        words = f"What was measured does not decide them; {most} should, as far as the scatter tells."
    title = f"{count_words(len(open_claims), 'undecided claim')}".capitalize()
    return [CoverageGap(title, words, link="#claims-title", link_text="The claims")]
