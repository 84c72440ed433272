"""What a drive's page leads with: the questions that people ask, each with a number and its rank in the
model's class; then the geometry, in which the time of a turn and the rate of rotation are one fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from urllib.parse import urlencode

from server.benchmarks.contract import Direction, Measurand, Metric, MetricKey
from server.benchmarks.measurands import answered, source
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel, LiteratureValue
from server.core.lifecycle import Provenance
from server.core.numbers import Shown, show
from server.core.text import counted
from server.measurements.literature_values import is_number
from server.measurements.models import Aggregate
from server.measurements.typical import published_shown, typical_of
from server.model_stats.selectors import MetricRow
from server.search.class_rank import VARIATION, ClassRank, ModelClass, class_rank, model_class
from server.search.columns import column_of
from server.search.model_index import ModelIndex, model_index
from server.web.rows import Name, Sources, metric_name
from server.web.strips import Strip, strip_of

MS_A_MINUTE = 60_000.0
ALIKE = "How alike are its units?"


@dataclass(frozen=True, slots=True)
class RankView:
    """A rank as a page shows it."""

    words: str
    strip: Strip | None
    low: str
    high: str
    url: str
    """The list of the class by this number; empty where lists have no column of it."""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One question with its answer."""

    question: str
    name: Name
    shown: Shown | None
    behind: str
    """What the number is: `median of 4 units, quartiles 98 to 103`."""
    label: str
    """Where it comes from where that is not the archive's own runs: `published`."""
    rank: RankView | None


@dataclass(frozen=True, slots=True)
class AnswersView:
    """The section."""

    rows: tuple[AnswerView, ...]
    class_words: str
    """Whom it is ranked with; empty where it is with nobody."""

    def __bool__(self) -> bool:
        return bool(self.rows)


def answers_of(
    model: DriveModel,
    rows: Iterable[MetricRow],
    sources: Sources,
    *,
    provenance: Provenance = Provenance.PROBE,
) -> AnswersView:
    """Return the answers that a model's numbers of one provenance give; those of documents stand in where
    nobody measured."""
    by_key = {(row.key, row.scope): row for row in rows}
    klass, index = model_class(model), model_index()
    ranked = klass if provenance == Provenance.PROBE else None
    found: list[AnswerView] = []
    alike: AnswerView | None = None
    for key in answered():
        row = by_key.get(key)
        if row is None or row.metric is None:
            continue
        if row.aggregate is not None:
            found.append(_measured(model, row.metric, row.aggregate, ranked, index))
            alike = alike or _alike(model, row.metric, row.aggregate, ranked, index)
        elif stated := [value for value in row.literature if is_number(value)]:
            found.append(_published(row.metric, row.scope, stated, sources))
    answers = (*found, *([alike] if alike else []))
    among_others = any(one.rank is not None and one.rank.strip is not None for one in answers)
    return AnswersView(answers, klass.words if klass is not None and among_others else "")


def _question(metric: Metric, scope: str) -> str:
    return next(answer.question for answer in metric.answers if answer.scope == scope)


def _measured(
    model: DriveModel, metric: Metric, row: Aggregate, klass: ModelClass | None, index: ModelIndex
) -> AnswerView:
    typical = typical_of(row)
    shown = typical.shown(metric.unit)
    behind = typical.words
    if shown and shown.interval:
        behind = f"{behind}, {typical.interval_words} {shown.interval}"
    key = f"{row.metric}|{row.scope}"
    higher = metric.direction == Direction.HIGHER
    rank = None
    if klass is not None:
        ranked = class_rank(index, klass, drive_model_id=model.pk, key=key, value=row.median, higher=higher)
        column = column_of(key)
        sort = f"{'-' if higher else ''}{column.key}" if column else ""
        rank = _rank_view(ranked, klass, metric.unit, higher=higher, sort=sort)
    return AnswerView(
        _question(metric, row.scope), metric_name(row.metric, row.scope), shown, behind, "", rank
    )


def _alike(
    model: DriveModel, metric: Metric, row: Aggregate, klass: ModelClass | None, index: ModelIndex
) -> AnswerView | None:
    """Return by how much the units differ in one of the numbers; None where there is one unit only."""
    variation = variation_of(row)
    if variation is None:
        return None
    rank = None
    if klass is not None:
        key = f"{row.metric}|{row.scope}|{VARIATION}"
        ranked = class_rank(index, klass, drive_model_id=model.pk, key=key, value=variation, higher=False)
        rank = _rank_view(ranked, klass, "%", higher=False, sort="")
    title = metric.title.lower()
    return AnswerView(
        ALIKE,
        metric_name(row.metric, row.scope),
        show(float(f"{variation:.2g}"), "%"),
        f"standard deviation of {title} over {counted(row.units, 'unit')}",
        "",
        rank,
    )


def variation_of(row: Aggregate) -> float | None:
    """Return the standard deviation over units as per cent of their mean; None where it says nothing."""
    return 100 * row.stdev / row.mean if row.stdev is not None and row.mean > 0 else None


def _rank_view(ranked: ClassRank, klass: ModelClass, unit: str, *, higher: bool, sort: str) -> RankView:
    if ranked.of < 2:
        return RankView("the only one measured of its class", None, "", "", "")
    own = ranked.values[-ranked.rank] if higher else ranked.values[ranked.rank - 1]
    low, high = (show(float(f"{bound:.3g}"), unit) for bound in (ranked.values[0], ranked.values[-1]))
    pairs = [(key, value) for key, values in klass.facets.items() for value in values]
    url = f"/drives/?{urlencode([*pairs, ('sort', sort), ('col', sort.lstrip('-'))])}" if sort else ""
    return RankView(
        f"{ordinal(ranked.rank)} of {ranked.of}",
        strip_of(ranked.values, own),
        f"{low.value} {low.unit}" if low else "",
        f"{high.value} {high.unit}" if high else "",
        url,
    )


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _published(metric: Metric, scope: str, values: Sequence[LiteratureValue], sources: Sources) -> AnswerView:
    """Return the answer of documents: the number that lists have, and where its values stand."""
    shown = published_shown(median(value.value for value in values), len(values), metric.unit)
    places = ", ".join(map(str, sorted({sources.stated(value).reference for value in values})))
    behind = "one published value" if len(values) == 1 else f"median of {len(values)} published values"
    name = metric_name(metric.key, scope)
    return AnswerView(_question(metric, scope), name, shown, f"{behind} [{places}]", "published", None)


# ---- The geometry.


@dataclass(frozen=True, slots=True)
class FactView:
    """One fact of the geometry; rotation has its time beside its rate."""

    name: Name
    shown: Shown | None
    beside: str
    behind: str


def rotation_keys() -> tuple[MetricKey, MetricKey]:
    """Return where the time of a turn and the rate of rotation are measured."""
    return source(Measurand.ROTATION_TIME), source(Measurand.ROTATION_RATE)


def rotation_fact(rows: Mapping[MetricKey, Aggregate]) -> FactView | None:
    """Return rotation as one fact: the rate that follows from the time of a turn, or else the rate alone."""
    time_key, rate_key = rotation_keys()
    if (time := rows.get(time_key)) is None or time.median <= 0:
        return None
    typical = typical_of(time)
    low, high = typical.low, typical.high
    bounded = low is not None and high is not None and low > 0
    rate = show(
        MS_A_MINUTE / time.median,
        "rpm",
        low=MS_A_MINUTE / high if bounded and high else None,
        high=MS_A_MINUTE / low if bounded and low else None,
    )
    turn = typical.shown(metrics_by_key()[time_key[0]].unit)
    beside = f"{turn.value} {turn.unit} a turn" if turn else ""
    if turn and turn.interval:
        beside = f"{beside}, {turn.interval}"
    return FactView(metric_name(*rate_key), rate, beside, typical.words)
