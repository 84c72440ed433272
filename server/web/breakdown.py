"""A model by batch and firmware revision, ready for a template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel
from server.core.numbers import Shown, show
from server.core.scopes import scope_text
from server.measurements.groups import MOST
from server.model_stats.breakdown import CONDITIONS, Breakdown, BreakdownNumber, BreakdownPart
from server.web.rows import Name, metric_url


@dataclass(frozen=True, slots=True)
class DivisionView:
    """One batch or revision."""

    name: str
    url: str
    key: str
    runs: int
    units: int


@dataclass(frozen=True, slots=True)
class ValueView:
    """One number of one division."""

    mean: Shown | None
    units: int


@dataclass(frozen=True, slots=True)
class NumberView:
    """One number over the divisions."""

    name: Name
    values: tuple[ValueView, ...]
    words: str
    differs: bool


@dataclass(frozen=True, slots=True)
class DividedView:
    """A section of the page."""

    condition: str
    one: str
    several: str
    divisions: tuple[DivisionView, ...]
    untold: int
    numbers: tuple[NumberView, ...]
    words: str
    lack: str
    keys: tuple[str, ...]
    """Of the divisions that can be compared at once; empty for fewer than two."""
    simulated: bool


def divided_view(model: DriveModel, divided: Breakdown) -> DividedView:
    """Return the section of one condition."""
    one, several = CONDITIONS[divided.condition]
    names = [division.name for division in divided.divisions]
    # Of many divisions those with most drives are compared.
    largest = sorted(divided.divisions, key=lambda division: -division.units)[:MOST]
    chosen = [division.key for division in divided.divisions if division in largest]
    return DividedView(
        condition=divided.condition,
        one=one,
        several=several,
        divisions=tuple(_division(model, division) for division in divided.divisions),
        untold=divided.untold,
        numbers=tuple(_number(number, names) for number in divided.numbers if len(number.values) > 1),
        words=divided.words,
        lack=divided.lack,
        keys=tuple(chosen) if len(chosen) > 1 else (),
        simulated=divided.provenance == "simulated",
    )


def _division(model: DriveModel, division: BreakdownPart) -> DivisionView:
    base = f"/drives/{model.slug}/"
    # The key's own percent-encoding stays; the address encodes once more.
    kind, _, part = division.key.partition("~")[2].partition(":")
    folder = "batches" if kind == "batch" else "firmware"
    url = f"{base}{folder}/{part.replace('%', '%25')}/"
    return DivisionView(division.name, url, division.key, division.runs, division.units)


def _number(number: BreakdownNumber, names: Sequence[str]) -> NumberView:
    unit = number.entry.unit if number.entry else ""
    return NumberView(
        name=number_name(number.metric, number.scope),
        values=tuple(_value(number.values.get(name, ()), unit, number) for name in names),
        words=number.words,
        differs=bool(number.tested and number.tested.differs),
    )


def _value(values: Sequence[float], unit: str, number: BreakdownNumber) -> ValueView:
    if not values:
        return ValueView(None, 0)
    mean = sum(values) / len(values)
    # What one drive differs from another of its division says how many digits count.
    spread = number.components.within_stdev
    low, high = (mean - spread, mean + spread) if spread else (None, None)
    return ValueView(show(mean, unit, low=low, high=high), len(values))


def number_name(metric: str, scope: str) -> Name:
    """Return a metric by name with the address of its definition."""
    entry = metrics_by_key().get(metric)
    title, definition = (entry.title, entry.definition) if entry else (metric, "")
    return Name(title, metric_url(metric), scope_text(scope), definition)
