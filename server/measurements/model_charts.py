"""Charts of a model: its median unit's, with the spread of the other units. Measured and simulated apart."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import structlog
from django.db import OperationalError, transaction
from django.db.models import F, QuerySet

from server.benchmarks.chart_json import chart_of, chart_text
from server.benchmarks.contract import Chart
from server.benchmarks.registry import kinds_by_slug
from server.benchmarks.spreads import chart_with_others
from server.catalog.models import DriveModel
from server.core import clock
from server.core.envelope_store import EnvelopeLost
from server.core.lifecycle import Provenance, State
from server.core.querying import CompiledQuery
from server.measurements.charts import charts_of_benchmark, packed, unpacked
from server.measurements.models import Benchmark, DriveChart, Measurement, StoredChart

log = structlog.get_logger("diskatlas.charts")

MOST_UNITS = 40
"""So many units are drawn, those measured last."""


@dataclass(frozen=True, slots=True)
class ModelChart:
    """A chart of a model."""

    kind: str
    chart: Chart
    run_id: UUID
    """The run of the unit that is drawn."""
    units: int
    """Units that are drawn, that one among them."""


def drive_charts(*, drive_model: DriveModel, provenance: str) -> tuple[ModelChart, ...]:
    """Return a model's charts of one provenance, in the registry's order of kinds."""
    order = {slug: place for place, slug in enumerate(kinds_by_slug())}
    rows = _CHARTS.rows(drive_model_id=drive_model.pk, provenance=provenance)
    return tuple(
        _model_chart(row) for row in sorted(rows, key=lambda row: (order.get(row.kind, 99), row.position))
    )


def first_charts(*, drive_model: DriveModel, provenance: str) -> dict[str, int]:
    """Return the number of the first chart of each kind of a model's runs of one provenance.

    Such a number stands for one picture: charts are never changed, but drawn anew under another number.
    """
    return dict(_FIRST.rows(drive_model_id=drive_model.pk, provenance=provenance))


def drive_charts_numbered(numbers: Collection[int]) -> dict[int, ModelChart]:
    """Return the charts of these numbers, without those that were drawn anew since."""
    return {row.pk: _model_chart(row) for row in DriveChart.objects.filter(pk__in=numbers)}


def _charts(drive_model_id: Any, provenance: Any) -> QuerySet[DriveChart]:
    return DriveChart.objects.filter(drive_model_id__given=drive_model_id, provenance__given=provenance)


_CHARTS: CompiledQuery[DriveChart] = CompiledQuery(_charts)
_FIRST: CompiledQuery[tuple[str, int]] = CompiledQuery(
    lambda drive_model_id, provenance: (
        _charts(drive_model_id, provenance).filter(position=0).order_by().values_list("kind", "pk")
    )
)


def drive_chart(*, slug: str, provenance: str, kind: str, chart_id: str) -> ModelChart | None:
    """Return one chart of a model, or None where there is none of that name."""
    row = DriveChart.objects.filter(
        drive_model__slug=slug, provenance=provenance, kind=kind, chart_id=chart_id
    ).first()
    return _model_chart(row) if row else None


def _model_chart(row: DriveChart) -> ModelChart:
    return ModelChart(row.kind, chart_of(json.loads(unpacked(row.data))), row.run_id, row.units)


def model_charts_refresh(*, drive_model_id: int) -> int:
    """Draw a model's charts anew; return how many there are. Those that can't be drawn leave the old ones."""
    try:
        with transaction.atomic():
            return drive_charts_update(drive_model_id=drive_model_id)
    except OperationalError:
        raise
    except Exception:
        log.exception("charts of a model failed", drive_model=drive_model_id)
        return 0


def drive_charts_update(*, drive_model_id: int, provenances: Collection[str] = frozenset(Provenance)) -> int:
    """Draw a model's charts anew, of the provenances that it has runs of; return how many there are."""
    rows = [
        row
        for provenance in sorted(provenances)
        for benchmarks in _latest(drive_model_id, provenance).values()
        for row in _drawn(drive_model_id, provenance, benchmarks)
    ]
    DriveChart.objects.filter(drive_model_id=drive_model_id).delete()
    DriveChart.objects.bulk_create(rows)
    return len(rows)


def _latest(drive_model_id: int, provenance: str) -> Mapping[str, list[Benchmark]]:
    """By kind, the benchmark measured last of each unit; a run without a digest is of a unit of its own."""
    rows = (
        Benchmark.objects.filter(
            run__drive_model_id=drive_model_id,
            run__provenance=provenance,
            run__submission__state=State.PUBLISHED,
            state=Benchmark.State.EXTRACTED,
        )
        .order_by("-run__created_at", "run_id")
        .values_list("kind", "run__unit_id", "run_id", "pk")
    )
    chosen: dict[str, dict[object, int]] = defaultdict(dict)
    for kind, unit, run_id, pk in rows.iterator(chunk_size=5000):
        if len(chosen[kind]) < MOST_UNITS:
            chosen[kind].setdefault(unit or run_id, pk)
    return {
        kind: list(
            Benchmark.objects.filter(pk__in=units.values())
            .select_related("run__submission")
            .prefetch_related("charts")
            .defer("details", "run__summary")
        )
        for kind, units in chosen.items()
    }


def _drawn(drive_model_id: int, provenance: str, benchmarks: Sequence[Benchmark]) -> Iterable[DriveChart]:
    drawn = _median(benchmarks)
    try:
        charts = charts_of_benchmark(drawn)
    except EnvelopeLost:
        return
    others = _others([one for one in benchmarks if one.pk != drawn.pk])
    for position, chart in enumerate(charts):
        mine = others.get(chart.id, [])
        whole = chart_with_others(chart, mine)
        yield DriveChart(
            drive_model_id=drive_model_id,
            provenance=provenance,
            kind=drawn.kind,
            chart_id=chart.id,
            position=position,
            run_id=drawn.run_id,
            units=1 + len(mine),
            data=packed(chart_text(whole)),
            updated_at=clock.now(),
        )


def _others(benchmarks: Sequence[Benchmark]) -> Mapping[str, list[Chart]]:
    """The other units' charts, by id. Those yet to be made are made, as far as envelopes are there."""
    found: dict[str, list[Chart]] = defaultdict(list)
    for one in sorted(benchmarks, key=lambda one: (not one.charts_version, one.pk)):
        stored = one.charts.all() if one.charts_version else ()
        with suppress(EnvelopeLost):
            charts = [_stored(row) for row in stored] if stored else charts_of_benchmark(one)
            for chart in charts:
                found[chart.id].append(chart)
    return found


def _stored(row: StoredChart) -> Chart:
    return chart_of(json.loads(unpacked(row.data)))


def _median(benchmarks: Sequence[Benchmark]) -> Benchmark:
    """The benchmark whose headline numbers lie nearest to the medians of all, each by its own spread."""
    kind = kinds_by_slug().get(benchmarks[0].kind)
    headline = [metric.key for metric in kind.metrics if metric.headline] if kind else []
    values: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for metric, scope, pk, value in Measurement.objects.filter(
        benchmark__in=[one.pk for one in benchmarks],
        metric__in=headline,
        extractor_version=F("benchmark__extractor_version"),
    ).values_list("metric", "scope", "benchmark_id", "value"):
        if value is not None:
            values[metric, scope][pk] = value
    away: dict[int, list[float]] = defaultdict(list)
    for found in values.values():
        every = np.asarray(list(found.values()))
        middle = float(np.median(every))
        spread = float(np.median(np.abs(every - middle))) or abs(middle) or 1.0
        for pk, value in found.items():
            away[pk].append(abs(value - middle) / spread)
    # A unit without a number for what the others have is not their middle.
    most = max((len(one) for one in away.values()), default=0)
    full = [one for one in benchmarks if len(away[one.pk]) == most]
    return min(full, key=lambda one: (float(np.mean(away[one.pk])) if most else 0.0, -one.pk))
