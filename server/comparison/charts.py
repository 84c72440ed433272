"""Pictures of groups: how their drives are distributed, and two groups place by place."""

from __future__ import annotations

from server.benchmarks.contract import Annotation, Axis, Chart
from server.benchmarks.pictures import Estimate, Words, comparison_chart, distribution_chart
from server.comparison.paired_positions import Curves
from server.comparison.selectors import Comparison, pictured_rows
from server.comparison.wording import curves_words
from server.core.scopes import scope_text
from server.measurements.group_keys import LETTERS
from server.model_stats.breakdown import Breakdown, BreakdownNumber
from server.stats.wording import level_text

CHARTS_SHOWN = 4
"""Numbers of which pictures are drawn: those that differ come first."""


def division_charts(divided: Breakdown) -> tuple[Chart, ...]:
    """Return box and points by batch or revision, for the numbers that differ most surely."""
    shown = [
        number
        for number in divided.numbers
        if len(number.values) > 1
        and len({value for values in number.values.values() for value in values}) > 1
    ]
    return tuple(
        _division_chart(number, divided.condition) for number in sorted(shown, key=_sure)[:CHARTS_SHOWN]
    )


def _sure(number: BreakdownNumber) -> float:
    return number.tested.adjusted_p if number.tested and number.tested.adjusted_p is not None else 2.0


def _division_chart(number: BreakdownNumber, condition: str) -> Chart:
    title, unit = (number.entry.title, number.entry.unit) if number.entry else (number.metric, "")
    where = f", {scope_text(number.scope)}" if number.scope else ""
    words = Words(
        id=_slug(number.metric, number.scope, condition),
        title=f"{title}{where}",
        summary=number.words,
        metrics=(number.metric,),
    )
    return distribution_chart(words, Axis(title, unit), number.values, group=condition.capitalize())


def comparison_charts(comparison: Comparison) -> tuple[Chart, ...]:
    """Return the pictures of a comparison: the drives' numbers by group, then two groups place by place."""
    return (*_spreads(comparison), *(_curves_chart(curves) for curves in comparison.curves))


def _spreads(comparison: Comparison) -> list[Chart]:
    """Return the distributions of the numbers in which a difference is shown, or of the first ones."""
    found = []
    for row in pictured_rows(comparison.table):
        drawn = comparison.drawn.get((row.metric, row.scope), ())
        groups = {LETTERS[number]: values for number, values in enumerate(drawn)}
        title, unit = (row.entry.title, row.entry.unit) if row.entry else (row.metric, "")
        where = f", {scope_text(row.scope)}" if row.scope else ""
        words = Words(
            id=_slug(row.metric, row.scope, "groups"),
            title=f"{title}{where}",
            summary=f"Each point is one {'run' if comparison.table.noun == 'run' else 'drive'}.",
            metrics=(row.metric,),
        )
        found.append(distribution_chart(words, Axis(title, unit), groups))
    return found


def _curves_chart(curves: Curves) -> Chart:
    """Return A less B at each place, with the mean difference as a line and its interval as a stripe."""
    title, unit = (curves.entry.title, curves.entry.unit) if curves.entry else (curves.metric, "")
    where = f", {curves.scope.replace('/', ', ')}" if curves.scope else ""
    keys = curves.result.keys
    words = Words(
        id=_slug(curves.metric, curves.scope, "places"),
        title=f"{title}{where}, place by place",
        summary=curves_words(curves),
        metrics=(curves.metric,),
    )
    estimates = [Estimate(one, one, one) for one in curves.result.differences]
    mean = curves.result.difference
    marks = [Annotation("no difference", y=0.0)]
    if mean is not None:
        label = f"mean, {level_text(curves.result.level)}"
        marks.append(Annotation(label, y=mean.value, low=mean.low, high=mean.high))
    return comparison_chart(
        words,
        Axis(f"{title}, A less B", unit),
        [scope_place(key) for key in keys],
        {"A less B": estimates},
        place="Place on the disk",
        marks=tuple(marks),
    )


def scope_place(key: str) -> str:
    """Return a place in few words, for an axis: the last number is per cent of the disk."""
    *sizes, percent = key.split("/")
    return " ".join([*sizes, f"{percent} %"])


def _slug(*parts: str) -> str:
    text = "-".join(part for part in parts if part)
    return "".join(letter if letter.isalnum() else "-" for letter in text).strip("-").casefold()
