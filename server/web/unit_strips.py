"""A unit's numbers among those of the model's other units, as strip plots: colour is the batch, shape the
firmware. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from server.benchmarks.contract import Metric, MetricKey
from server.benchmarks.registry import metrics_by_key
from server.core.numbers import Shown, show
from server.core.robust import quantiles
from server.core.text import counted, natural_order
from server.model_stats.unit_values import UnitAmong, UnitPoint
from server.web.answers import ordinal
from server.web.rows import Name, metric_name

WIDTH, HEIGHT, MARGIN = 640, 64, 10
LANES = (32, 24, 40, 16, 48)
"""Heights on which neighbours stand, so that they don't cover each other."""
COLOURS, SHAPES = 6, 4
"""More batches or firmware revisions than these share the last look."""
_NEAR = 7


@dataclass(frozen=True, slots=True)
class Look:
    """One batch or firmware revision with its look in all strips."""

    label: str
    index: int
    units: int


@dataclass(frozen=True, slots=True)
class Point:
    """One unit."""

    x: int
    y: int
    colour: int
    shape: int
    own: bool
    title: str


@dataclass(frozen=True, slots=True)
class UnitStrip:
    """One metric over the units."""

    name: Name
    own: Shown | None
    median: Shown | None
    place: str
    """`12th of 40, the highest first`."""
    words: str
    points: tuple[Point, ...]
    low: str
    high: str
    table: tuple[tuple[str, str, str], ...]
    """Value, batch and firmware of each unit, rising."""


@dataclass(frozen=True, slots=True)
class UnitStrips:
    """All strips with their keys."""

    strips: tuple[UnitStrip, ...]
    batches: tuple[Look, ...]
    firmwares: tuple[Look, ...]


def unit_strips(among: UnitAmong, order: Iterable[MetricKey]) -> UnitStrips:
    """Return the strips of the numbers that the unit has and another one too, in this order."""
    made = {point.unit_id: point for points in among.points.values() for point in points}
    batches, firmwares = (
        _looks((getattr(point, name) for point in made.values()), most)
        for name, most in (("batch", COLOURS), ("firmware", SHAPES))
    )
    known = metrics_by_key()
    strips = []
    for key in order:
        points = among.points.get(key, ())
        own = next((point for point in points if point.unit_id == among.unit.pk), None)
        if own is not None and len(points) > 1 and key[0] in known:
            strips.append(_strip(known[key[0]], key, points, own, batches, firmwares))
    return UnitStrips(tuple(strips), batches, firmwares)


def _looks(labels: Iterable[str], most: int) -> tuple[Look, ...]:
    counts = Counter(labels)
    named = sorted((label for label in counts if label), key=natural_order)
    looks = [Look(label, min(index, most - 1), counts[label]) for index, label in enumerate(named)]
    return (*looks, *([Look("", most - 1, counts[""])] if "" in counts else []))


def _strip(
    metric: Metric,
    key: MetricKey,
    points: Sequence[UnitPoint],
    own: UnitPoint,
    batches: Sequence[Look],
    firmwares: Sequence[Look],
) -> UnitStrip:
    values = [point.value for point in points]
    q1, _middle, q3 = quantiles(values, 0.25, 0.5, 0.75)
    shown, central = (show(value, metric.unit, low=q1, high=q3) for value in (own.value, median(values)))
    written = [_text(show(value, metric.unit, low=q1, high=q3)) for value in values]
    by_batch = {look.label: look.index for look in batches}
    by_firmware = {look.label: look.index for look in firmwares}
    low, span = values[0], values[-1] - values[0]
    drawn: list[Point] = []
    lane, before = 0, -_NEAR
    for text, point in zip(written, points, strict=True):
        share = (point.value - low) / span if span else 0.5
        x = MARGIN + round((WIDTH - 2 * MARGIN) * share)
        lane = lane + 1 if x - before < _NEAR else 0
        before = x
        mine = point.unit_id == own.unit_id
        y = LANES[lane % len(LANES)]
        drawn.append(Point(x, y, by_batch[point.batch], by_firmware[point.firmware], mine, text))
    drawn.sort(key=lambda point: point.own)
    rank = len(values) - bisect_right(values, own.value) + 1
    level = bisect_right(values, own.value) - bisect_left(values, own.value)
    among = f"{ordinal(rank)} of {counted(len(values), 'unit')}, the highest first"
    return UnitStrip(
        name=metric_name(*key),
        own=shown,
        median=central,
        place=f"level with others, {among}" if level > 1 else among,
        words=_words(own.value, q1, q3, values),
        points=tuple(drawn),
        low=written[0],
        high=written[-1],
        table=tuple(
            (text, point.batch or "not told", point.firmware or "not told")
            for text, point in zip(written, points, strict=True)
        ),
    )


def _text(shown: Shown | None) -> str:
    return f"{shown.value} {shown.unit}".strip() if shown else ""


FENCE = 1.5
"""Distances between quartiles beyond which a value stands apart (Tukey 1977)."""


def _words(value: float, q1: float, q3: float, values: Sequence[float]) -> str:
    if len(values) < 4:
        return "too few units to say what is usual"
    if q1 <= value <= q3:
        return "in the middle half of the units"
    reach = FENCE * (q3 - q1)
    if q1 - reach <= value <= q3 + reach:
        return f"{'above' if value > q3 else 'below'} the middle half, within what is usual"
    return f"far {'above' if value > q3 else 'below'} the others"
