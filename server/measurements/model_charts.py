"""Charts of a model: its median unit's, with the spread of the other units. Measured and simulated apart, and
of each kind what was measured under the conditions that stand for the model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
import orjson
import structlog
from django.db import OperationalError, connection, transaction
from django.db.models import F, QuerySet

from server.accounts.holders import HOLDER_ID_SQL, NOT_REVOKED_SQL
from server.benchmarks.chart_json import chart_of, chart_text
from server.benchmarks.contract import Chart
from server.benchmarks.registry import kinds_by_slug, metrics_by_key
from server.benchmarks.spreads import chart_with_others
from server.catalog.models import DriveModel
from server.core import clock
from server.core.envelope_store import EnvelopeLost
from server.core.lifecycle import Provenance, State
from server.core.querying import CompiledQuery
from server.core.robust import median
from server.measurements.charts import charts_of_benchmark, packed, unpacked
from server.measurements.models import Benchmark, DriveChart, Measurement, StoredChart
from server.measurements.strata import (
    LOOK_AHEAD_SQL,
    WAY_SQL,
    WRITE_CACHE_SQL,
    strata_ranked,
    stratum_sql,
)

log = structlog.get_logger("diskatlas.charts")

MOST_UNITS = 40
"""So many units are drawn, those measured last."""


_Headline = Mapping[int, Mapping[tuple[str, str], float]]
"""Benchmark to metric and scope to value."""


@dataclass(frozen=True, slots=True)
class ModelChart:
    """A chart of a model."""

    kind: str
    chart: Chart
    run_id: UUID
    """The run of the unit that is drawn."""
    units: int
    """Units that are drawn, that one among them."""
    licence: str
    """Of that run's data."""
    measured_at: datetime


def drive_charts(*, drive_model: DriveModel, provenance: str) -> tuple[ModelChart, ...]:
    """Return a model's charts of one provenance, in the registry's order of kinds."""
    order = {slug: index for index, slug in enumerate(kinds_by_slug())}
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
    return {row.pk: _model_chart(row) for row in _with_runs().filter(pk__in=numbers)}


def _with_runs() -> QuerySet[DriveChart]:
    return DriveChart.objects.select_related("run").defer("run__summary")


def _charts(drive_model_id: Any, provenance: Any) -> QuerySet[DriveChart]:
    return _with_runs().filter(drive_model_id__given=drive_model_id, provenance__given=provenance)


_CHARTS: CompiledQuery[DriveChart] = CompiledQuery(_charts)
_FIRST: CompiledQuery[tuple[str, int]] = CompiledQuery(
    lambda drive_model_id, provenance: (
        DriveChart.objects.filter(
            drive_model_id__given=drive_model_id, provenance__given=provenance, position=0
        )
        .order_by()
        .values_list("kind", "pk")
    )
)


def drive_chart(*, slug: str, provenance: str, kind: str, chart_id: str) -> ModelChart | None:
    """Return one chart of a model, or None where there is none of that name."""
    row = (
        _with_runs()
        .filter(drive_model__slug=slug, provenance=provenance, kind=kind, chart_id=chart_id)
        .first()
    )
    return _model_chart(row) if row else None


def _model_chart(row: DriveChart) -> ModelChart:
    return ModelChart(
        kind=row.kind,
        chart=chart_of(orjson.loads(unpacked(row.data))),
        run_id=row.run_id,
        units=row.units,
        licence=row.run.license,
        measured_at=row.run.created_at,
    )


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
    latest = _latest(drive_model_id, provenances)
    headline = _headline(benchmark for found in latest.values() for benchmark in found)
    rows = [
        row
        for (provenance, _kind), benchmarks in latest.items()
        for row in _drawn(drive_model_id, provenance, benchmarks, headline)
    ]
    DriveChart.objects.filter(drive_model_id=drive_model_id).delete()
    DriveChart.objects.bulk_create(rows)
    return len(rows)


# The latest of each unit by stratum, with how many units and runs the stratum has; a holder's runs without a
# digest are of one.
_LATEST = f"""
WITH run AS MATERIALIZED (
    SELECT r.run_id, r.provenance, r.created_at, {WAY_SQL} AS way, {WRITE_CACHE_SQL} AS write_cache,
        {LOOK_AHEAD_SQL} AS look_ahead, coalesce(r.unit_id::text, 'key ' || {HOLDER_ID_SQL}) AS unit
    FROM measurements_run r
    JOIN submissions_submission s ON s.id = r.submission_id AND s.state = '{State.PUBLISHED.value}'
    JOIN accounts_probekey k ON k.id = s.probe_key_id AND {NOT_REVOKED_SQL}
    WHERE r.drive_model_id = %s AND r.provenance = ANY(%s) AND NOT r.beyond_share AND NOT r.in_browser
)
SELECT provenance, kind, stratum, units, runs, id FROM (
    SELECT *, count(*) OVER (PARTITION BY provenance, kind, stratum) AS units,
        row_number() OVER (PARTITION BY provenance, kind, stratum ORDER BY created_at DESC, run_id) AS place
    FROM (
        SELECT DISTINCT ON (provenance, kind, stratum, unit)
            *, count(*) OVER (PARTITION BY provenance, kind, stratum) AS runs
        FROM (
            SELECT run.provenance, b.kind, b.id, run.created_at, run.run_id, run.unit,
                {stratum_sql("run")} AS stratum
            FROM measurements_benchmark b JOIN run USING (run_id)
            WHERE b.state = '{Benchmark.State.EXTRACTED.value}'
        ) AS measured
        ORDER BY provenance, kind, stratum, unit, created_at DESC, run_id
    ) AS of_unit
) AS ranked WHERE place <= {MOST_UNITS} ORDER BY provenance, kind, stratum, place
"""


def _latest(drive_model_id: int, provenances: Collection[str]) -> Mapping[tuple[str, str], list[Benchmark]]:
    """By provenance and kind, the benchmark measured last of each unit, under most units' conditions."""
    counts: dict[tuple[str, str], dict[str, tuple[int, int]]] = defaultdict(dict)
    chosen: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_LATEST, [drive_model_id, [str(one) for one in provenances]])
        for provenance, kind, stratum, units, runs, pk in cursor.fetchall():
            counts[provenance, kind][stratum] = (units, runs)
            chosen[provenance, kind, stratum].append(pk)
    leading = {of: chosen[*of, strata_ranked(strata)[0]] for of, strata in counts.items()}
    rows = (
        Benchmark.objects.filter(pk__in=[pk for pks in leading.values() for pk in pks])
        .select_related("run__submission")
        .prefetch_related("charts")
        .defer("details", "run__summary")
    )
    benchmarks = rows.in_bulk()
    return {of: [benchmarks[pk] for pk in pks] for of, pks in leading.items()}


def _drawn(
    drive_model_id: int, provenance: str, benchmarks: Sequence[Benchmark], headline: _Headline
) -> Iterable[DriveChart]:
    drawn = _median(benchmarks, headline)
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
    return chart_of(orjson.loads(unpacked(row.data)))


def _headline(benchmarks: Iterable[Benchmark]) -> _Headline:
    """Return the headline numbers of each benchmark."""
    pks = [one.pk for one in benchmarks]
    metrics = [key for key, metric in metrics_by_key().items() if metric.headline]
    rows = Measurement.objects.filter(
        benchmark__in=pks,
        metric__in=metrics,
        extractor_version=F("benchmark__extractor_version"),
        value__isnull=False,
    )
    found: dict[int, dict[tuple[str, str], float]] = defaultdict(dict)
    for metric, scope, pk, value in rows.order_by().values_list("metric", "scope", "benchmark_id", "value"):
        found[pk][metric, scope] = value or 0.0
    return found


def _median(benchmarks: Sequence[Benchmark], headline: _Headline) -> Benchmark:
    """The benchmark whose headline numbers lie nearest to the medians of all, each by its own spread."""
    values: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for one in benchmarks:
        for key, value in headline.get(one.pk, {}).items():
            values[key][one.pk] = value
    away: dict[int, list[float]] = defaultdict(list)
    for found in values.values():
        every = np.asarray(list(found.values()))
        middle = median(every)
        spread = median(np.abs(every - middle)) or abs(middle) or 1.0
        for pk, value in found.items():
            away[pk].append(abs(value - middle) / spread)
    # A unit without a number for what the others have is not their middle.
    most = max((len(one) for one in away.values()), default=0)
    full = [one for one in benchmarks if len(away[one.pk]) == most]
    return min(full, key=lambda one: (float(np.mean(away[one.pk])) if most else 0.0, -one.pk))
