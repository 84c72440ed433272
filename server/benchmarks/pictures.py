"""Pictures that are made of groups of values and not of one run's samples. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from server.benchmarks.contract import Annotation, Axis, Chart, Series

BOX_FROM = 5
"""So many values make a box; fewer are shown as points alone."""
WHISKER = 1.5
"""Whiskers end at the last value within so many interquartile ranges of the box (Tukey 1977)."""
MOST_POINTS, FEWEST_POINTS = 600, 12
"""Points of a distribution over all groups, and of a group however many there are."""
_LEFT_OUT = "Of a group with more values {} are drawn, evenly by rank; its box is of all."
SHOULDER = 0.32
"""How far a group's points lie apart sideways, in places of the axis."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its interval, all in one unit."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Words:
    """What is said about a picture."""

    id: str
    title: str
    summary: str
    metrics: tuple[str, ...] = ()


def distribution_chart(
    words: Words, value: Axis, groups: Mapping[str, Sequence[float]], *, group: str = "Group"
) -> Chart:
    """Return box and points for each group (its label to its values, in the unit of `value`).

    Groups of fewer than `BOX_FROM` values have no box: quartiles of four numbers are those numbers. Points
    of one group stand side by side in their order, so that equal values can be told apart. Groups without
    a value keep their place. Of groups that would crowd the picture `MOST_POINTS` points are drawn between
    them, evenly by rank, the lowest and the highest among them; boxes are of all values.
    """
    most = max(FEWEST_POINTS, MOST_POINTS // max(1, len(groups)))
    drawn = {label: _thinned(values, most) for label, values in groups.items()}
    total = sum(len(values) for values in groups.values())
    left_out = total - sum(len(values) for values in drawn.values())
    boxes = [
        (float(index), *_box(values))
        for index, values in enumerate(groups.values())
        if len(values) >= BOX_FROM
    ]
    x = [index + step for index, values in enumerate(drawn.values()) for step in _shoulders(len(values))]
    y = [float(one) for values in drawn.values() for one in values]
    series = [Series("values", "Units", "points", tuple(x), tuple(y))] if y else []
    if boxes:
        places, low, q1, median, q3, high = zip(*boxes, strict=True)
        label = "Median, quartiles and the values within 1.5 of their distance"
        series.insert(0, Series("boxes", label, "box", places, median, low=low, high=high, q1=q1, q3=q3))
    return Chart(
        id=words.id,
        shape="distribution",
        title=words.title,
        summary=f"{words.summary} {_LEFT_OUT.format(most)}" if left_out else words.summary,
        x=Axis(group, "", categories=tuple(groups)),
        y=value,
        series=tuple(series),
        metrics=words.metrics,
        points_total=total + len(boxes) if left_out else 0,
    )


def comparison_chart(
    words: Words,
    value: Axis,
    positions: Sequence[str],
    groups: Mapping[str, Sequence[Estimate | None]],
    *,
    place: str = "Position",
    marks: tuple[Annotation, ...] = (),
) -> Chart:
    """Return means with their intervals: for each group one point at each of `positions`, None where it has
    none. Points of several groups at one position stand side by side. Raises ValueError where a group has
    another number of estimates than there are positions."""
    shifts = _shoulders(len(groups), 0.18)
    series = []
    for number, ((label, estimates), shift) in enumerate(zip(groups.items(), shifts, strict=True)):
        there = [
            (at + shift, e) for at, e in zip(range(len(positions)), estimates, strict=True) if e is not None
        ]
        if there:
            series.append(
                Series(
                    f"group-{number + 1}",
                    label,
                    "points",
                    tuple(at for at, _ in there),
                    tuple(e.value for _, e in there),
                    low=tuple(e.low for _, e in there),
                    high=tuple(e.high for _, e in there),
                )
            )
    return Chart(
        id=words.id,
        shape="comparison",
        title=words.title,
        summary=words.summary,
        x=Axis(place, "", categories=tuple(positions)),
        y=value,
        series=tuple(series),
        marks=marks,
        metrics=words.metrics,
    )


def _thinned(values: Sequence[float], most: int) -> Sequence[float]:
    """Return at most `most` of the values, evenly by rank with both ends, in their own order."""
    if len(values) <= most:
        return values
    ranked = np.argsort(np.asarray(values, dtype=np.float64), kind="stable")
    chosen = ranked[np.linspace(0, len(values) - 1, most).round().astype(np.int64)]
    return [values[index] for index in np.sort(chosen)]


def _shoulders(count: int, width: float = SHOULDER) -> list[float]:
    """Places side by side around 0, at most `width` to each side."""
    if count < 2:
        return [0.0] * count
    reach = min(width, 0.06 * (count - 1))
    return [float(one) for one in np.linspace(-reach, reach, count)]


def _box(values: Sequence[float]) -> tuple[float, float, float, float, float]:
    """Lower whisker, quartiles with the median between them, upper whisker."""
    every = np.sort(np.asarray(values, dtype=np.float64))
    q1, median, q3 = (float(one) for one in np.percentile(every, [25, 50, 75]))
    near = every[(every >= q1 - WHISKER * (q3 - q1)) & (every <= q3 + WHISKER * (q3 - q1))]
    return min(float(near[0]), q1), q1, median, q3, max(float(near[-1]), q3)
