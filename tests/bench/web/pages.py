"""Which addresses are measured, and the bar that each is held to."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from tests.bench.web.archive import Archive

SEARCH_MS, DRIVE_MS, COMPARE_MS, API_LIST_MS, API_SAMPLES_MS = 30.0, 50.0, 80.0, 20.0, 30.0


@dataclass(frozen=True, slots=True)
class Page:
    """An address under the name of what it shows."""

    name: str
    address: str
    bar_ms: float | None = None
    """Median with one client; None where no bar was set."""


def pages_of(archive: Archive) -> list[Page]:
    """Return the pages, with the archive's own models and runs in the addresses."""
    slugs = _slugs(archive)
    largest, middle = slugs[0], slugs[len(slugs) // 2]
    number = largest.rpartition("-")[2]
    run = _richest_run(archive)
    deep = max(1, len(slugs) // 50 - 1)
    return [
        Page("home", "/"),
        Page("drives", "/drives/", SEARCH_MS),
        Page("drives, last page", f"/drives/?page={deep}", SEARCH_MS),
        Page("drives by bandwidth", "/drives/?sort=-bandwidth", SEARCH_MS),
        Page("search, one hit", f"/drives/?q={number}", SEARCH_MS),
        Page("search, many hits", "/drives/?q=sample", SEARCH_MS),
        Page("search, no hit", "/drives/?q=zzqqxx", SEARCH_MS),
        Page("search, typing error", f"/drives/?q={number[:4]}x{number[5:]}", SEARCH_MS),
        Page("suggestions", f"/drives/suggest/?q={number[:5]}", SEARCH_MS),
        Page("facets", "/drives/?interface=ATA&rpm=7200&claims=yes", SEARCH_MS),
        Page("drive, largest", f"/drives/{largest}/", DRIVE_MS),
        Page("drive, middle", f"/drives/{middle}/", DRIVE_MS),
        Page("compare two", _compare(slugs[:2])),
        Page("compare four", _compare(slugs[:4]), COMPARE_MS),
        Page("compare eight", _compare(slugs[:8])),
        Page("claims", "/claims/", SEARCH_MS),
        Page("batches, largest", f"/drives/{largest}/batches/"),
        Page("run", f"/runs/{run}/"),
        Page("chart of a run", f"/runs/{run}/charts/zoned/profile.json"),
        Page("method", "/methods/zoned/"),
    ]


def api_of(archive: Archive) -> list[Page]:
    """Return the API's addresses."""
    slugs = _slugs(archive)
    run = _richest_run(archive)
    return [
        Page("runs", "/api/v1/runs/?limit=50", API_LIST_MS),
        Page("runs of the largest model", f"/api/v1/runs/?drive={slugs[0]}&limit=50", API_LIST_MS),
        Page("drives", "/api/v1/drives/?limit=50", API_LIST_MS),
        Page("measurements", "/api/v1/measurements/?limit=50", API_LIST_MS),
        Page("units", "/api/v1/units/?limit=50", API_LIST_MS),
        Page(
            "decimated samples of a run",
            f"/api/v1/runs/{run}/charts/zoned/profile/",
            API_SAMPLES_MS,
        ),
        Page("statistics of the largest model", f"/api/v1/drives/{slugs[0]}/statistics/"),
    ]


def _slugs(archive: Archive) -> list[str]:
    """Return the models' addresses, those with most runs first."""
    rows = archive.ask(
        "SELECT slug FROM catalog_drivemodel JOIN compare_drivesummary ON drive_model_id = id"
        " WHERE measured_runs > 0 ORDER BY measured_runs DESC, slug"
    )
    return [str(slug) for (slug,) in rows]


def _richest_run(archive: Archive) -> str:
    rows = archive.ask("SELECT run_id FROM runs_benchmark WHERE kind = 'skippy' ORDER BY id DESC LIMIT 1")
    return str(rows[0][0])


def _compare(slugs: list[str]) -> str:
    return "/compare/?" + urlencode([("d", slug) for slug in slugs])
