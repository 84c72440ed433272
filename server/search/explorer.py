"""One number of every listed model against another, or against its year or capacity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.benchmarks.contract import Axis
from server.benchmarks.registry import metrics_by_key
from server.core.lifecycle import Provenance
from server.core.numbers import Shown
from server.measurements.typical import spread_shown
from server.search.columns import COLUMNS, LITERATURE, Column, column_medians, column_of, column_spreads
from server.search.models import DriveSummary

YEAR, CAPACITY = "year", "capacity"
FACTS = {YEAR: Axis("Year", ""), CAPACITY: Axis("Capacity", "GB", "log", switchable=True)}
"""What an axis can show besides numbers, which stand in models' catalogue entries."""
SOURCES = (Provenance.PROBE.value, LITERATURE, Provenance.IMPORTED.value, Provenance.SIMULATED.value)
"""Where numbers come from; they are never mixed. The first that has a point is shown unasked."""
GROUPS = ("vendor", "rotation", "form")


@dataclass(frozen=True, slots=True)
class Point:
    """A model with its two numbers."""

    pk: int
    slug: str
    vendor: str
    number: str
    group: str
    x: float
    y: float

    @property
    def title(self) -> str:
        """Its whole name."""
        return f"{self.vendor} {self.number}".strip()


@dataclass(frozen=True, slots=True)
class Exploration:
    """What is asked for."""

    x: str = CAPACITY
    y: str = ""
    source: str = ""
    """One of SOURCES; empty for the first that has a point."""
    group: str = "vendor"
    vendor: str = ""
    """A vendor's slug; empty for all."""
    rpm: float | None = None


def axis_of(key: str) -> Axis | None:
    """Return the axis of a fact, or of a column by its key or `metric|scope`; None where there is none."""
    if key in FACTS:
        return FACTS[key]
    column = column_of(key)
    if column is None:
        return None
    unit = metrics_by_key()[column.metric].unit
    return Axis(column.label, "" if unit == "1" else unit)


def explored(asked: Exploration) -> tuple[str, list[Point]]:
    """Return whose numbers are shown, and the points in order of their names. Models without either number
    have none, and an axis that is not known has none at all."""
    for source in (asked.source,) if asked.source in SOURCES else SOURCES:
        if points := _points(asked, source):
            return source, points
    return asked.source if asked.source in SOURCES else SOURCES[0], []


def _points(asked: Exploration, source: str) -> list[Point]:
    columns = {key: column_of(key) for key in (asked.x, asked.y) if key not in FACTS}
    numbers = {key: column_medians(column, source) for key, column in columns.items() if column}
    if len(numbers) < len(columns) or any(not found for found in numbers.values()):
        return []
    rows = DriveSummary.objects.filter(listed=True)
    if numbers:
        chosen = set.intersection(*(set(found) for found in numbers.values()))
        rows = rows.filter(drive_model__any_of=list(chosen))
    if asked.vendor:
        rows = rows.filter(vendor__slug=asked.vendor)
    if asked.rpm:
        rows = rows.filter(rpm=asked.rpm)
    names = ("drive_model_id", "drive_model__slug", "vendor__name", "drive_model__number")
    found = rows.values_list(*names, "rpm", "form_factor", "year", "capacity_bytes")
    points = []
    for pk, slug, vendor, number, rpm, form, year, capacity in found:
        facts = {YEAR: year, CAPACITY: capacity / 1e9 if capacity else None}
        x, y = (_value(key, pk, facts, numbers) for key in (asked.x, asked.y))
        if x is not None and y is not None:
            rotation = f"{rpm:g} rpm" if rpm else "rotation not known"
            group = {"vendor": vendor, "rotation": rotation, "form": form or "form factor not known"}
            points.append(Point(pk, slug, vendor, number, group[asked.group], x, y))
    return points


def _value(
    key: str, pk: int, facts: Mapping[str, float | None], numbers: Mapping[str, Mapping[int, float]]
) -> float | None:
    return facts[key] if key in facts else numbers[key].get(pk)


def written(points: Sequence[Point], key: str, source: str) -> dict[int, Shown | None]:
    """Return the numbers of some points on one axis with the digits that lists and models' pages give
    them."""
    column = column_of(key)
    if key in FACTS or column is None:
        return {}
    unit = metrics_by_key()[column.metric].unit
    spreads = column_spreads([column], source, [point.pk for point in points])
    return {pk: spread_shown(spread, unit)[0] for pk, _place, spread in spreads}


def column_choices(*keys: str) -> list[tuple[str, str]]:
    """Return what an axis can be asked for: facts, the lists' columns, and the numbers of `keys`."""
    every: list[Column] = [*COLUMNS]
    every += [one for key in keys if (one := column_of(key)) and one not in every]
    return [*((key, axis.label) for key, axis in FACTS.items()), *((one.key, one.label) for one in every)]
