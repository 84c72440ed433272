"""Which addresses are measured, and the bar that each is held to."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.signing import Signer

from tests.bench.web.archive import Archive

SEARCH_MS, DRIVE_MS, COMPARE_MS, API_LIST_MS, API_SAMPLES_MS = 30.0, 50.0, 80.0, 20.0, 30.0
PAGE_MS, FIGURE_MS = 80.0, 30.0


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
        Page("drives by bandwidth", "/drives/?sort=-outer", SEARCH_MS),
        Page("drives by seek, last page", f"/drives/?sort=seek&page={deep}", SEARCH_MS),
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
        Page("explore", "/explore/", PAGE_MS),
        Page("explore, by year", "/explore/?x=year", PAGE_MS),
        Page("unit of the largest", f"/drives/{largest}/units/{_unit(archive, largest)}/", PAGE_MS),
        Page("numbers of a kind, largest", f"/drives/{largest}/numbers/zoned/", PAGE_MS),
        Page("badge page", f"/drives/{largest}/badge/", PAGE_MS),
        Page("drives asked for", "/drives/ask/", PAGE_MS),
        Page("datasets, a table", "/datasets/?table=zones&rpm=7200", PAGE_MS),
        Page("import", "/contribute/import/", PAGE_MS),
        Page("words", "/methods/words/", PAGE_MS),
        Page("figure of a run, SVG", f"/runs/{run}/charts/zoned/profile.svg", FIGURE_MS),
        Page("figure of a model, SVG", f"/drives/{largest}/charts/probe/zoned/profile.svg", FIGURE_MS),
        Page("platter, SVG", f"/drives/{largest}/platter.svg", FIGURE_MS),
        Page("explorer, SVG", "/explore/explore.svg", FIGURE_MS),
    ]


def api_of(archive: Archive) -> list[Page]:
    """Return the API's addresses."""
    slugs = _slugs(archive)
    run = _richest_run(archive)
    return [
        Page("runs", "/api/v1/runs/?limit=50", API_LIST_MS),
        *deep_pages(archive),
        Page("runs of the largest model", f"/api/v1/runs/?drive={slugs[0]}&limit=50", API_LIST_MS),
        *(
            Page(name.replace("/?", ", ").replace("=", " ").rstrip("/"), f"/api/v1/{name}", API_LIST_MS)
            for name in LISTS
        ),
        Page(
            "decimated samples of a run",
            f"/api/v1/runs/{run}/charts/zoned/profile/",
            API_SAMPLES_MS,
        ),
        Page("statistics of the largest model", f"/api/v1/drives/{slugs[0]}/statistics/"),
    ]


LISTS = (
    "runs/?ordering=created_at",
    "runs/?ordering=-updated_at",
    "drives/",
    "drives/?ordering=-capacity_bytes",
    "drives/?ordering=-outer",
    "measurements/",
    "units/",
    "units/?ordering=-first_seen_at",
    "benchmarks/",
    "batches/",
    "firmware/",
    "aggregates/",
    "aggregates/?ordering=-median",
    "claims/",
    "literature/",
    "vendors/",
    "log/leaves/",
    "releases/",
)
"""Lists that are measured by their first page."""


def deep_pages(archive: Archive) -> list[Page]:
    """Return pages from the middle and the end of the longest lists."""
    pages = []
    for place, share in (("middle", 0.5), ("end", 0.999)):
        runs = archive.ask(
            "SELECT published_at, id FROM submissions_submission WHERE state = 'published'"
            " ORDER BY published_at DESC, id DESC OFFSET %s LIMIT 1",
            int(archive.runs * share),
        )
        numbers = archive.ask("SELECT (max(id) * %s)::bigint FROM measurements_measurement", share)
        cursors = {
            "runs": signed_cursor(archive, "RunsView:-published_at", *(str(value) for value in runs[0])),
            "measurements": signed_cursor(archive, "MeasurementsView:id", numbers[0][0]),
        }
        for name, cursor in cursors.items():
            address = f"/api/v1/{name}/?{urlencode({'limit': 50, 'cursor': cursor})}"
            pages.append(Page(f"{name}, {place}", address, API_LIST_MS))
    return pages


def signed_cursor(archive: Archive, salt: str, *key: object) -> str:
    """Return a cursor as the archive's own server signs it: no reader walks 10,000 pages to the middle."""
    signer = Signer(key=archive.environment["SECRET_KEY"], salt=f"cursor:{salt}", fallback_keys=[])
    return signer.sign_object([False, *key], compress=True)


def _slugs(archive: Archive) -> list[str]:
    """Return the models' addresses, those with most runs first."""
    rows = archive.ask(
        "SELECT slug FROM catalog_drivemodel JOIN search_drivesummary ON drive_model_id = id"
        " WHERE measured_runs > 0 ORDER BY measured_runs DESC, slug"
    )
    return [str(slug) for (slug,) in rows]


def _richest_run(archive: Archive) -> str:
    rows = archive.ask(
        "SELECT run_id FROM measurements_benchmark WHERE kind = 'skippy' ORDER BY id DESC LIMIT 1"
    )
    return str(rows[0][0])


def _unit(archive: Archive, slug: str) -> str:
    """Return the digits by which a model's first unit has its page."""
    rows = archive.ask(
        "SELECT left(u.digest, 12) FROM measurements_unit u JOIN catalog_drivemodel m"
        " ON m.id = u.drive_model_id WHERE m.slug = %s ORDER BY u.id LIMIT 1",
        slug,
    )
    return str(rows[0][0])


def _compare(slugs: list[str]) -> str:
    return "/compare/?" + urlencode([("d", slug) for slug in slugs])
