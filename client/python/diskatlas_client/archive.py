"""An archive's lists as iterators over all their pages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import IncompleteRead
from pathlib import Path
from typing import Any, cast
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from diskatlas_client import rows as row
from diskatlas_client.releases import ReleaseFiles
from diskatlas_client.tables import Rows

PAGE = 500
RETRIES = 5
"""How often a request is made again that the archive put off, or that did not reach it."""
PUT_OFF = {429, 503}
"""Too many requests, and too busy."""


class ArchiveError(Exception):
    """What the archive says is wrong: fact, limit, remedy. `status` and `problem` are its answer's."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(str(problem.get("detail") or problem.get("title") or f"HTTP {status}"))
        self.status = status
        self.problem = dict(problem)


@dataclass
class Archive:
    """An archive at an address, asked with a token or without one."""

    address: str
    token: str | None = None
    timeout_s: float = 60.0
    wait: Callable[[float], object] = field(default=time.sleep, repr=False)
    """How a 429 or 503 is waited out."""

    def vendors(self, **filters: Any) -> Rows[row.Vendor]:
        """Give the vendors."""
        return cast(Rows[row.Vendor], self.rows("vendors", **filters))

    def drives(self, **filters: Any) -> Rows[row.Drive]:
        """Give the drive models; `q` searches, `capacity_bytes__gte` and the like filter."""
        return cast(Rows[row.Drive], self.rows("drives", **filters))

    def drive(self, slug: str) -> row.Drive:
        """Return a drive model; raises ArchiveError."""
        return cast(row.Drive, self.get(f"drives/{slug}/"))

    def runs(self, **filters: Any) -> Rows[row.Run]:
        """Give the published runs, latest first."""
        return cast(Rows[row.Run], self.rows("runs", **filters))

    def run(self, run_id: str, **parameters: object) -> row.Run:
        """Return a run; raises ArchiveError."""
        return cast(row.Run, self.get(f"runs/{run_id}/", **parameters))

    def standing(self, run_id: str) -> row.Standing:
        """Return how a run stands among the other drives of its model; raises ArchiveError."""
        return cast(row.Standing, self.get(f"runs/{run_id}/standing/"))

    def units(self, **filters: Any) -> Rows[row.Unit]:
        """Give the physical drives."""
        return cast(Rows[row.Unit], self.rows("units", **filters))

    def batches(self, **filters: Any) -> Rows[row.Batch]:
        """Give the batches."""
        return cast(Rows[row.Batch], self.rows("batches", **filters))

    def firmware(self, **filters: Any) -> Rows[row.Firmware]:
        """Give the firmware revisions."""
        return cast(Rows[row.Firmware], self.rows("firmware", **filters))

    def batch(self, drive: str, part: str) -> row.Division:
        """Return a batch, such as `2012-w31`, with its statistics; raises ArchiveError."""
        return cast(row.Division, self.get(f"drives/{drive}/batches/{quote(part, safe='')}/"))

    def revision(self, drive: str, revision: str) -> row.Division:
        """Return a firmware revision with its statistics; raises ArchiveError."""
        return cast(row.Division, self.get(f"drives/{drive}/firmware/{quote(revision, safe='')}/"))

    def variant(self, drive: str, variant: str) -> row.Division:
        """Return a variant, such as `75WN4A0`, with its statistics; raises ArchiveError."""
        return cast(row.Division, self.get(f"drives/{drive}/variants/{quote(variant, safe='')}/"))

    def unit(self, drive: str, digest: str) -> row.Division:
        """Return a physical drive with its statistics; raises ArchiveError."""
        return cast(row.Division, self.get(f"drives/{drive}/units/{digest}/"))

    def overview(self, drive: str) -> row.DriveOverview:
        """Return what a model's runs are of, what is wanted, and models like it; raises ArchiveError."""
        return cast(row.DriveOverview, self.get(f"drives/{drive}/overview/"))

    def statistics(self) -> row.Counts:
        """Return how much the archive holds."""
        return cast(row.Counts, self.get("statistics/"))

    def wanted(self) -> Iterator[row.Wanted]:
        """Give the models of which further runs would settle most."""
        return iter(cast(list[row.Wanted], self.get("wanted/")["results"]))

    def follows(self) -> Iterator[row.Follow]:
        """Give the account's webhooks; raises ArchiveError without a token."""
        return iter(cast(list[row.Follow], self.get("follows/")["results"]))

    def events(self, **filters: Any) -> Rows[row.ArchiveEvent]:
        """Give what changed in the archive, the oldest first; `after` is the number of the last event that
        was seen."""
        return cast(Rows[row.ArchiveEvent], self.rows("events", **filters))

    def benchmarks(self, **filters: Any) -> Rows[row.Benchmark]:
        """Give the benchmarks of published runs."""
        return cast(Rows[row.Benchmark], self.rows("benchmarks", **filters))

    def measurements(self, **filters: Any) -> Rows[row.Measurement]:
        """Give the numbers of single runs, each with its interval, its count and its quality."""
        return cast(Rows[row.Measurement], self.rows("measurements", **filters))

    def aggregates(self, **filters: Any) -> Rows[row.Aggregate]:
        """Give the statistics of models, each with its number of runs and drives."""
        return cast(Rows[row.Aggregate], self.rows("aggregates", **filters))

    def claims(self, **filters: Any) -> Rows[row.Claim]:
        """Give the vendors' claims with their verdicts."""
        return cast(Rows[row.Claim], self.rows("claims", **filters))

    def literature(self, **filters: Any) -> Rows[row.LiteratureValue]:
        """Give the published values with their citations."""
        return cast(Rows[row.LiteratureValue], self.rows("literature", **filters))

    def metrics(self, **filters: Any) -> Rows[row.Metric]:
        """Give what each metric is."""
        return cast(Rows[row.Metric], self.rows("metrics", page=None, **filters))

    def comparison(
        self,
        *groups: str,
        level: float | None = None,
        kind: str | None = None,
        margin: float | None = None,
    ) -> row.Comparison:
        """Return what two to eight groups differ in: every number with its intervals and tests.

        A group is a model's slug, a part of it (`<slug>~batch:2012-w31`, `<slug>~fw:1AJ10001`) or a run
        (`run:<id>`). `kind` asks for all numbers of one kind; below `margin` per cent two are practically
        equal. Raises ArchiveError.
        """
        chosen = {"level": level, "kind": kind, "margin": margin}
        asked = [("d", group) for group in groups]
        asked += [(name, _text(value)) for name, value in chosen.items() if value is not None]
        return cast(row.Comparison, self._read(f"{self.url('comparisons/')}?{urlencode(asked)}"))

    def charts(self, run_id: str) -> Iterator[row.ChartInList]:
        """Give the charts of a run, each with the address of its data; raises ArchiveError."""
        return iter(cast(list[row.ChartInList], self.get(f"runs/{run_id}/charts/")["results"]))

    def drive_charts(self, slug: str) -> Iterator[row.DriveChartInList]:
        """Give the charts of a model's median unit with the spread of the others; raises ArchiveError."""
        return iter(cast(list[row.DriveChartInList], self.get(f"drives/{slug}/charts/")["results"]))

    def releases(self, **filters: Any) -> Iterator[row.Release]:
        """Give the dataset releases, latest first."""
        return iter(cast(list[row.Release], self.get("releases/", **filters)["results"]))

    def samples(self, run_id: str, kind: str, **window: object) -> dict[str, Any]:
        """Return a benchmark's raw samples as columns by series; raises ArchiveError."""
        return self.get(f"runs/{run_id}/benchmarks/{kind}/samples/", **window)

    def zones(self, **filters: Any) -> Rows[row.Zones]:
        """Give the zones of runs, of many drives at once: `rpm=7200`, `drive__in=[...]`, `vendor=`..."""
        return cast(Rows[row.Zones], self.rows("zones", **filters))

    def seek_points(self, **filters: Any) -> Rows[row.SeekPoints]:
        """Give the points of runs' seek curves."""
        return cast(Rows[row.SeekPoints], self.rows("seek-points", **filters))

    def seek_curves(self, **filters: Any) -> Rows[row.SeekCurves]:
        """Give the fitted seek curves of runs."""
        return cast(Rows[row.SeekCurves], self.rows("seek-curves", **filters))

    def tracks(self, **filters: Any) -> Rows[row.Tracks]:
        """Give what runs show of tracks, by region."""
        return cast(Rows[row.Tracks], self.rows("tracks", **filters))

    def series(self, kind: str, **filters: Any) -> Rows[dict[str, Any]]:
        """Give the raw samples of one kind of many runs: a row for each series, its columns as lists."""
        return self.rows("samples", kind=kind, **filters)

    def release(self, number: int | str = "latest") -> ReleaseFiles:
        """Return a release, whose files can be fetched and are checked; raises ArchiveError."""
        return ReleaseFiles(self, number)

    def citation(self) -> str:
        """Return how to cite what is read now: the archive, and the head of its publication log, by which
        anyone can tell later what was published then."""
        head = self.get("log/")
        today = datetime.now(UTC).date().isoformat()
        return (
            "DiskAtlas contributors: DiskAtlas: measured characteristics of disks. "
            f"{self.address.rstrip('/')}/, publication log {head['origin']}, {head['size']} leaves, root "
            f"{head['root_hash']}, read {today}."
        )

    def rows(self, resource: str, *, page: int | None = PAGE, **filters: Any) -> Rows[dict[str, Any]]:
        """Give the rows of a list, page after page, as they are taken; raises ArchiveError then."""
        return Rows(self._pages(resource, page, filters))

    def _pages(
        self, resource: str, page: int | None, filters: Mapping[str, object]
    ) -> Iterator[dict[str, Any]]:
        limit = {} if page is None or "limit" in filters else {"limit": page}
        body = self.get(f"{resource}/", **limit, **filters)
        while True:
            yield from body["results"]
            if body["next"] is None:
                return
            body = self._read(body["next"])

    def url(self, path: str, **parameters: object) -> str:
        """Return the address of a path below `/api/v1/`, for tools that read addresses."""
        query = urlencode({name: _text(value) for name, value in parameters.items() if value is not None})
        return f"{self.address.rstrip('/')}/api/v1/{path}{'?' if query else ''}{query}"

    def get(self, path: str, **parameters: object) -> dict[str, Any]:
        """Return the JSON at a path below `/api/v1/`; raises ArchiveError."""
        return self._read(self.url(path, **parameters))

    def save(self, resource: str, path: str | Path, **filters: Any) -> Path:
        """Write all rows of a list into a file, by one request, and return its path: as CSV or NDJSON, by how
        the path ends. Raises ArchiveError; what was begun and broke off is not kept."""
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix not in {".csv", ".ndjson"}:
            raise ValueError(f"{target.name} ends in neither .csv nor .ndjson, which say the format.")
        part = target.with_name(f"{target.name}.part")
        try:
            with part.open("wb") as file:
                for piece in self.pieces(self.url(f"{resource}{suffix}", **filters), 1 << 20):
                    file.write(piece)
            return part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def read_bytes(self, url: str) -> bytes:
        """Return what is at an address of the archive; raises ArchiveError."""
        return b"".join(self.pieces(url, 1 << 20))

    def pieces(self, url: str, size: int) -> Iterator[bytes]:
        """Give what is at an address in pieces of at most `size` bytes; raises ArchiveError, and
        IncompleteRead where the connection broke before the end."""
        with self._opened(url, "*/*") as answer:
            while piece := answer.read(size):
                yield piece
            # The library says nothing of an answer that is shorter than its stated length.
            if answer.length:
                raise IncompleteRead(b"", answer.length)

    def _read(self, url: str) -> dict[str, Any]:
        with self._opened(url, "application/json") as answer:
            return cast(dict[str, Any], json.load(answer))

    def _opened(self, url: str, accept: str) -> Any:
        """Return the open answer. What the archive puts off is asked again when it says, what could not be
        reached after a while that doubles."""
        asked = Request(url, headers={"Accept": accept, "User-Agent": "diskatlas-client/1"})
        if self.token and _origin(url) == _origin(self.address):
            # A redirect may lead to somebody else.
            asked.add_unredirected_header("Authorization", f"Bearer {self.token}")
        for turn in range(RETRIES + 1):
            try:
                return urlopen(asked, timeout=self.timeout_s)
            except HTTPError as error:
                if error.code not in PUT_OFF or turn == RETRIES:
                    raise ArchiveError(error.code, _problem(error)) from None
                self.wait(_seconds(error.headers.get("Retry-After")) or 2.0**turn)
            except (URLError, ConnectionError, TimeoutError):
                # The latter two: a server that ended, or a proxy that gave up, before it answered.
                if turn == RETRIES:
                    raise
                self.wait(2.0**turn)
        raise AssertionError("the last try raises")


def _origin(url: str) -> tuple[str, str]:
    found = urlsplit(url)
    return found.scheme, found.netloc


def _seconds(header: str | None) -> float | None:
    """Return how long a `Retry-After` says to wait (RFC 9110, 10.2.3), which may be a date."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(str(part) for part in value)
    return str(value)


def _problem(error: HTTPError) -> dict[str, Any]:
    try:
        found = json.loads(error.read())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
