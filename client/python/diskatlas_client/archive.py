"""An archive's lists as iterators over all their pages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from diskatlas_client import rows as row

PAGE = 500
RETRIES = 5
"""How often a request is made again that the archive put off with a 429."""


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
    """How a 429 is waited out."""

    def vendors(self, **filters: object) -> Iterator[row.Vendor]:
        """Give the vendors."""
        return cast(Iterator[row.Vendor], self.rows("vendors", **filters))

    def drives(self, **filters: object) -> Iterator[row.Drive]:
        """Give the drive models; `q` searches, `capacity_bytes__gte` and the like filter."""
        return cast(Iterator[row.Drive], self.rows("drives", **filters))

    def drive(self, slug: str) -> row.Drive:
        """Return a drive model; raises ArchiveError."""
        return cast(row.Drive, self.get(f"drives/{slug}/"))

    def runs(self, **filters: object) -> Iterator[row.Run]:
        """Give the published runs, latest first."""
        return cast(Iterator[row.Run], self.rows("runs", **filters))

    def run(self, run_id: str, **parameters: object) -> row.Run:
        """Return a run; raises ArchiveError."""
        return cast(row.Run, self.get(f"runs/{run_id}/", **parameters))

    def standing(self, run_id: str) -> row.Standing:
        """Return how a run stands among the other drives of its model; raises ArchiveError."""
        return cast(row.Standing, self.get(f"runs/{run_id}/standing/"))

    def units(self, **filters: object) -> Iterator[row.Unit]:
        """Give the physical drives."""
        return cast(Iterator[row.Unit], self.rows("units", **filters))

    def batches(self, **filters: object) -> Iterator[row.Batch]:
        """Give the batches."""
        return cast(Iterator[row.Batch], self.rows("batches", **filters))

    def firmware(self, **filters: object) -> Iterator[row.Firmware]:
        """Give the firmware revisions."""
        return cast(Iterator[row.Firmware], self.rows("firmware", **filters))

    def batch(self, drive: str, part: str) -> row.Division:
        """Return a batch, such as `2012-w31`, with its statistics; raises ArchiveError."""
        return cast(row.Division, self.get(f"drives/{drive}/batches/{quote(part, safe='')}/"))

    def revision(self, drive: str, revision: str) -> row.Division:
        """Return a firmware revision with its statistics; raises ArchiveError."""
        return cast(row.Division, self.get(f"drives/{drive}/firmware/{quote(revision, safe='')}/"))

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

    def benchmarks(self, **filters: object) -> Iterator[row.Benchmark]:
        """Give the benchmarks of published runs."""
        return cast(Iterator[row.Benchmark], self.rows("benchmarks", **filters))

    def measurements(self, **filters: object) -> Iterator[row.Measurement]:
        """Give the numbers of single runs, each with its interval, its count and its quality."""
        return cast(Iterator[row.Measurement], self.rows("measurements", **filters))

    def aggregates(self, **filters: object) -> Iterator[row.Aggregate]:
        """Give the statistics of models, each with its number of runs and drives."""
        return cast(Iterator[row.Aggregate], self.rows("aggregates", **filters))

    def claims(self, **filters: object) -> Iterator[row.Claim]:
        """Give the vendors' claims with their verdicts."""
        return cast(Iterator[row.Claim], self.rows("claims", **filters))

    def literature(self, **filters: object) -> Iterator[row.LiteratureValue]:
        """Give the published values with their citations."""
        return cast(Iterator[row.LiteratureValue], self.rows("literature", **filters))

    def metrics(self, **filters: object) -> Iterator[row.Metric]:
        """Give what each metric is."""
        return cast(Iterator[row.Metric], self.rows("metrics", page=None, **filters))

    def comparison(self, *groups: str, level: float | None = None, kind: str | None = None) -> row.Comparison:
        """Return what two to eight groups differ in: every number with its intervals and tests.

        A group is a model's slug, a part of it (`<slug>~batch:2012-w31`, `<slug>~fw:1AJ10001`) or a run
        (`run:<id>`). `kind` asks for all numbers of one kind. Raises ArchiveError.
        """
        chosen = {"level": level, "kind": kind}
        asked = [("d", group) for group in groups]
        asked += [(name, _text(value)) for name, value in chosen.items() if value is not None]
        return cast(row.Comparison, self._read(f"{self.url('comparisons/')}?{urlencode(asked)}"))

    def charts(self, run_id: str) -> Iterator[row.ChartInList]:
        """Give the charts of a run, each with the address of its data; raises ArchiveError."""
        return iter(cast(list[row.ChartInList], self.get(f"runs/{run_id}/charts/")["results"]))

    def drive_charts(self, slug: str) -> Iterator[row.DriveChartInList]:
        """Give the charts of a model's median unit with the spread of the others; raises ArchiveError."""
        return iter(cast(list[row.DriveChartInList], self.get(f"drives/{slug}/charts/")["results"]))

    def releases(self, **filters: object) -> Iterator[row.Release]:
        """Give the dataset releases, latest first."""
        return iter(cast(list[row.Release], self.get("releases/", **filters)["results"]))

    def samples(self, run_id: str, kind: str, **window: object) -> dict[str, Any]:
        """Return a benchmark's raw samples as columns by series; raises ArchiveError."""
        return self.get(f"runs/{run_id}/benchmarks/{kind}/samples/", **window)

    def rows(self, resource: str, *, page: int | None = PAGE, **filters: object) -> Iterator[dict[str, Any]]:
        """Give the rows of a list, page after page; raises ArchiveError."""
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

    def _read(self, url: str) -> dict[str, Any]:
        headers = {"Accept": "application/json", "User-Agent": "diskatlas-client/1"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        for left in reversed(range(RETRIES + 1)):
            try:
                with urlopen(Request(url, headers=headers), timeout=self.timeout_s) as answer:
                    return cast(dict[str, Any], json.load(answer))
            except HTTPError as error:
                if error.code != 429 or not left:
                    raise ArchiveError(error.code, _problem(error)) from None
                self.wait(float(error.headers.get("Retry-After") or 1))
        raise AssertionError("the last try raises")


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
