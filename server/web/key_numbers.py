"""The numbers that a model's page shows itself, kind by kind; each kind has a page with all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from server.benchmarks.contract import MetricKey
from server.benchmarks.registry import kinds_by_slug
from server.core.numbers import Shown, show, show_deviation
from server.core.scopes import scope_text
from server.measurements.models import Aggregate, Measurement
from server.model_stats.selectors import MetricRow
from server.model_stats.statistics import DriveStatistics, NumberOfUnits
from server.stats.wording import level_text
from server.web.rows import Name, Sources, StatedValue, metric_url

GLANCE_OF_KIND = 2
SHOWN_OF_KIND = 10
"""More rows of a kind are folded."""

_Estimate = tuple[Shown | None, str, str, str]


@dataclass(frozen=True, slots=True)
class KeyNumber:
    """One number with all that says how far to trust it."""

    name: Name
    shown: Shown | None
    interval: str
    basis: str
    """What number and interval are: `mean of 4 drives, 95 % interval`."""
    basis_short: str
    """The same where drives and runs stand beside: `mean, 95 %`."""
    deviation: str
    units: int
    runs: int
    excluded: int
    stated: tuple[StatedValue, ...]
    headline: bool


@dataclass(frozen=True, slots=True)
class KindNumbers:
    """One kind's numbers on a model's page."""

    slug: str
    title: str
    rows: tuple[KeyNumber, ...]
    folded: tuple[KeyNumber, ...]
    total: int
    """All numbers that runs gave of the kind, shown here or not."""

    @property
    def measured(self) -> bool:
        """Whether runs gave any number of it."""
        return self.total > 0

    @property
    def unmeasured(self) -> bool:
        """Whether documents alone have numbers here, so that columns of what was measured would be empty."""
        return not any(row.runs for row in (*self.rows, *self.folded))


def kind_numbers(
    rows: Iterable[MetricRow],
    statistics: DriveStatistics | None,
    only_run: Mapping[MetricKey, Measurement],
    counts: Mapping[str, int],
    sources: Sources,
) -> tuple[KindNumbers, ...]:
    """Return the headline numbers and those that documents state too, by kind in the registry's order.

    `only_run` has the numbers of one run: where no other run has a number, its interval is the run's own.
    `counts` has how many numbers there are of each kind.
    """
    spreads = {(number.metric, number.scope): number for number in statistics.numbers} if statistics else {}
    kinds = kinds_by_slug()
    found = []
    for slug, members in groupby(rows, key=lambda row: row.key.partition(".")[0]):
        shown = [
            _key_number(row, spreads.get((row.key, row.scope)), only_run.get((row.key, row.scope)), sources)
            for row in members
            if row.literature or (row.metric and row.metric.headline)
        ]
        title = kinds[slug].title if slug in kinds else slug
        found.append(
            KindNumbers(
                slug, title, tuple(shown[:SHOWN_OF_KIND]), tuple(shown[SHOWN_OF_KIND:]), counts.get(slug, 0)
            )
        )
    return tuple(found)


def glance_of(kinds: Iterable[KindNumbers]) -> tuple[KeyNumber, ...]:
    """Return the first numbers of each kind: of the whole drive, or else one of its places."""
    found: list[KeyNumber] = []
    for kind in kinds:
        numbers = [row for row in (*kind.rows, *kind.folded) if row.headline and row.shown]
        whole = [row for row in numbers if not row.name.scope]
        found += whole[:GLANCE_OF_KIND] or numbers[:1]
    return tuple(found)


def _key_number(
    row: MetricRow, number: NumberOfUnits | None, only: Measurement | None, sources: Sources
) -> KeyNumber:
    metric, aggregate = row.metric, row.aggregate
    unit = metric.unit if metric else ""
    shown, interval, basis, basis_short = _estimate(aggregate, number, only, unit)
    deviation = number.spread.stdev if number and number.spread.n > 1 else None
    return KeyNumber(
        name=Name(
            metric.title if metric else row.key,
            metric_url(row.key),
            scope_text(row.scope),
            metric.definition if metric else "",
        ),
        shown=shown,
        interval=interval,
        basis=basis,
        basis_short=basis_short,
        deviation=show_deviation(deviation) if deviation else "",
        units=aggregate.units if aggregate else 0,
        runs=aggregate.n if aggregate else 0,
        excluded=aggregate.excluded if aggregate else 0,
        stated=tuple(sources.stated(value) for value in row.literature),
        headline=bool(metric and metric.headline),
    )


def _estimate(
    aggregate: Aggregate | None, number: NumberOfUnits | None, only: Measurement | None, unit: str
) -> _Estimate:
    """Return a number, its interval, and what the two are, in full and in short; over drives where there are
    several."""
    if aggregate is None:
        return None, "", "", ""
    if number is not None and (of_units := _over_units(number, unit)):
        return of_units
    if aggregate.n == 1:
        return _of_one_run(aggregate, only, unit)
    shown = show(aggregate.median, unit, low=aggregate.minimum, high=aggregate.maximum)
    of = f"{aggregate.n} runs" + (" of one drive" if aggregate.units == 1 else "")
    return shown, shown.interval if shown else "", f"median of {of}, lowest to highest", "median, range"


def _over_units(number: NumberOfUnits, unit: str) -> _Estimate | None:
    spread, interval = number.spread, number.spread.mean_interval
    if spread.n < 2 or spread.mean is None:
        return None
    if interval is None:
        return show(spread.mean, unit), "", f"mean of {spread.n} drives", "mean"
    shown = show(spread.mean, unit, low=interval.low, high=interval.high)
    level = level_text(interval.level)
    words = f"mean of {spread.n} drives, {level} interval"
    return shown, shown.interval if shown else "", words, f"mean, {level}"


def _of_one_run(aggregate: Aggregate, only: Measurement | None, unit: str) -> _Estimate:
    # The one run with this number need not be the one whose numbers were handed over.
    if only is None or only.value != aggregate.median or only.low is None or only.high is None:
        return show(aggregate.median, unit), "", "one run", "one run"
    shown = show(only.value, unit, low=only.low, high=only.high)
    level = level_text(only.level)
    return shown, shown.interval if shown else "", f"one run, {level} interval", f"one run, {level}"
