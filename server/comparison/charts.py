"""Pictures of groups: how their drives are distributed, and two groups place by place."""

from __future__ import annotations

from server.benchmarks.contract import Annotation, Axis, Chart
from server.benchmarks.pictures import Estimate, Words, comparison_chart, distribution_chart
from server.comparison.curves import Curves
from server.comparison.matrix import Row
from server.comparison.selectors import Comparison, pictured_rows
from server.comparison.wording import curves_words
from server.core.scopes import scope_text
from server.measurements.group_keys import LETTERS
from server.model_stats.breakdown import Breakdown, BreakdownNumber
from server.stats.wording import level_text

CHARTS_SHOWN = 4
"""Numbers of which pictures are drawn: those that differ come first."""


def part_charts(breakdown: Breakdown) -> tuple[Chart, ...]:
    """Return box and points by batch or revision, for the numbers that differ most surely."""
    shown = [
        number
        for number in breakdown.numbers
        if len(number.values) > 1
        and len({value for values in number.values.values() for value in values}) > 1
    ]
    return tuple(
        _part_chart(number, breakdown.condition) for number in sorted(shown, key=_sure)[:CHARTS_SHOWN]
    )


def _sure(number: BreakdownNumber) -> float:
    return number.tested.adjusted_p if number.tested and number.tested.adjusted_p is not None else 2.0


def _part_chart(number: BreakdownNumber, condition: str) -> Chart:
    words = _words(number, scope_text(number.scope), condition, number.words)
    return distribution_chart(words, _axis(number), number.values, group=condition.capitalize())


def _words(number: BreakdownNumber | Row | Curves, where: str, of: str, summary: str) -> Words:
    """Return title and summary of a number's picture."""
    title = ", ".join(text for text in (_axis(number).label, where) if text)
    return Words(_slug(number.metric, number.scope, of), title, summary, metrics=(number.metric,))


def _axis(number: BreakdownNumber | Row | Curves) -> Axis:
    entry = number.entry
    return Axis(entry.title, entry.unit) if entry else Axis(number.metric, "")


def comparison_charts(comparison: Comparison) -> tuple[Chart, ...]:
    """Return the pictures of a comparison: the drives' numbers by group, then two groups place by place."""
    return (*_spreads(comparison), *(_curves_chart(curves) for curves in comparison.curves))


def _spreads(comparison: Comparison) -> list[Chart]:
    """Return the distributions of the numbers in which a difference is shown, or of the first ones."""
    found = []
    for row in pictured_rows(comparison.table):
        drawn = comparison.drawn.get((row.metric, row.scope), ())
        groups = {LETTERS[number]: values for number, values in enumerate(drawn)}
        summary = f"Each point is one {'run' if comparison.table.noun == 'run' else 'unit'}."
        words = _words(row, scope_text(row.scope), "groups", summary)
        found.append(distribution_chart(words, _axis(row), groups))
    return found


def _curves_chart(curves: Curves) -> Chart:
    """Return A less B at each place, with the mean difference as a line and its interval as a stripe."""
    axis, where = _axis(curves), curves.scope.split("/") if curves.scope else []
    words = _words(curves, ", ".join([*where, "place by place"]), "places", curves_words(curves))
    estimates = [Estimate(one, one, one) for one in curves.by_position.differences]
    mean = curves.difference
    marks = [Annotation("no difference", y=0.0)]
    if mean is not None:
        label = f"mean, {level_text(curves.units.level)}"
        marks.append(Annotation(label, y=mean.value, low=mean.low, high=mean.high))
    return comparison_chart(
        words,
        Axis(f"{axis.label}, A less B", axis.unit),
        [scope_position(key) for key in curves.by_position.keys],
        {"A less B": estimates},
        place="Place on the disk",
        marks=tuple(marks),
    )


def scope_position(key: str) -> str:
    """Return a place in few words, for an axis: the last number is per cent of the disk."""
    *sizes, percent = key.split("/")
    return " ".join([*sizes, f"{percent} %"])


def _slug(*parts: str) -> str:
    text = "-".join(part for part in parts if part)
    return "".join(letter if letter.isalnum() else "-" for letter in text).strip("-").casefold()
