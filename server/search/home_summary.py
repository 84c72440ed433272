"""What the home page shows of the whole archive, out of rows that the worker wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from server.benchmarks.contract import Measurand
from server.benchmarks.measurands import source
from server.catalog.models import DriveModel
from server.search.models import ArchiveCounts, DriveSummary

OUTER, INNER = (
    "|".join(source(measurand)) for measurand in (Measurand.OUTER_BANDWIDTH, Measurand.INNER_BANDWIDTH)
)
RANGES_SHOWN = 16
RECOMMENDED_SHOWN = 6
PROVENANCES = ("probe", "literature", "simulated")
"""The best first: a drive is shown by one of them alone."""


@dataclass(frozen=True, slots=True)
class BandwidthRange:
    """How fast one drive is at its edges, by numbers of one provenance."""

    slug: str
    title: str
    provenance: str
    outer: float
    """Median, MB/s."""
    inner: float
    runs: int
    """Runs behind the numbers; of published ones the values."""


def archive_counts() -> ArchiveCounts | None:
    """Return how much the archive holds; None before anything was counted."""
    return ArchiveCounts.objects.first()


def bandwidth_ranges(counts: ArchiveCounts | None) -> tuple[BandwidthRange, ...]:
    """Return the drives of the home page's picture, the fastest first."""
    return tuple(BandwidthRange(**entry) for entry in counts.edges) if counts else ()


def bandwidth_ranges_choose() -> list[dict[str, Any]]:
    """Choose the picture's drives: measured ones with most units first, then published ones, then
    simulated."""
    chosen: dict[int, dict[str, Any]] = {}
    for provenance in PROVENANCES:
        rows = DriveSummary.objects.filter(listed=True, facets__contains=[f"numbers:{provenance}"])
        rows = rows.select_related("drive_model__vendor").order_by("-units", "-measured_runs", "sort_name")
        for row in rows.only("headline", "units", "drive_model")[: 4 * RANGES_SHOWN]:
            numbers = row.headline.get(provenance, {})
            if len(chosen) < RANGES_SHOWN and row.pk not in chosen and {OUTER, INNER} <= numbers.keys():
                chosen[row.pk] = _entry(row.drive_model, provenance, numbers)
    return sorted(chosen.values(), key=lambda entry: (-entry["outer"], entry["title"]))


def recommended_runs(*, limit: int = RECOMMENDED_SHOWN) -> list[DriveSummary]:
    """Return the models of which further runs would settle most."""
    rows = DriveSummary.objects.filter(listed=True, wanted_rank__isnull=False, drive_model__simulated=False)
    rows = rows.select_related("drive_model__vendor").defer("names", "facets", "headline")
    return list(rows.order_by("wanted_rank", "-measured_runs", "sort_name")[:limit])


def _entry(model: DriveModel, provenance: str, numbers: dict[str, list[Any]]) -> dict[str, Any]:
    return {
        "slug": model.slug,
        "title": model.title,
        "provenance": provenance,
        "outer": numbers[OUTER][0],
        "inner": numbers[INNER][0],
        "runs": min(numbers[OUTER][3], numbers[INNER][3]),
    }
