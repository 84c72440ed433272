"""Statistics of a model over its published runs. One provenance per row: measured and simulated never
meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from django.db import transaction
from django.db.models import F

from server.core import clock
from server.core.locks import transaction_lock
from server.runs.conditions import UNTOLD, Differing, differing_of, run_conditions
from server.runs.models import Aggregate, AggregateDue, Measurement, State
from server.runs.resting import cost_note
from server.runs.signals import aggregates_updated

USABLE = ("good", "fair")
"""Qualities that count; what is poor is counted as excluded, so that nothing vanishes unsaid."""


@dataclass
class _Group:
    values: list[float] = field(default_factory=list)
    units: set[object] = field(default_factory=set)
    runs: set[UUID] = field(default_factory=set)
    excluded: int = 0


@transaction.atomic
def aggregates_update(*, drive_model_id: int) -> int:
    """Compute a model's aggregates anew, and have all follow that is computed from them; return how many
    there are."""
    transaction_lock("aggregates", str(drive_model_id))
    began_ms = clock.monotonic_ms()
    AggregateDue.objects.filter(drive_model_id=drive_model_id).delete()
    conditions = run_conditions(drive_model_id=drive_model_id)
    # Benchmarks that told their caches differ from their run in them; all others are known by their runs.
    telling = {kind for one in conditions.values() for kind in one.kinds}
    known: dict[tuple[frozenset[UUID], str], Differing] = {}
    rows = []
    for key, group in _groups(drive_model_id).items():
        kind = key[1].partition(".")[0]
        alike = frozenset(group.runs), kind if kind in telling else ""
        if alike not in known:
            known[alike] = differing_of(conditions.get(run, UNTOLD).during(kind) for run in group.runs)
        if row := _row(drive_model_id, key, group, known[alike]):
            rows.append(row)
    Aggregate.objects.filter(drive_model_id=drive_model_id).delete()
    Aggregate.objects.bulk_create(rows)
    aggregates_updated.send(sender=Aggregate, drive_model_id=drive_model_id)
    cost_note(drive_model_id=drive_model_id, took_s=(clock.monotonic_ms() - began_ms) / 1000)
    return len(rows)


def _groups(drive_model_id: int) -> dict[tuple[str, str, str], _Group]:
    groups: dict[tuple[str, str, str], _Group] = {}
    for provenance, metric, scope, value, quality, unit, run_id in _published(drive_model_id):
        group = groups.setdefault((provenance, metric, scope), _Group())
        if quality in USABLE:
            group.values.append(value)
            # A run without a digest may be of any drive: it counts as one of its own.
            group.units.add(unit if unit is not None else run_id)
            group.runs.add(run_id)
        else:
            group.excluded += 1
    return groups


def _published(drive_model_id: int) -> Iterator[tuple[Any, ...]]:
    rows = (
        Measurement.objects.filter(
            benchmark__run__drive_model_id=drive_model_id,
            benchmark__run__submission__state=State.PUBLISHED,
            extractor_version=F("benchmark__extractor_version"),
            value__isnull=False,
        )
        .order_by("metric", "scope", "id")
        .values_list(
            "benchmark__run__provenance",
            "metric",
            "scope",
            "value",
            "quality",
            "benchmark__run__unit_id",
            "benchmark__run_id",
        )
    )
    yield from rows.iterator(chunk_size=5000)


def _row(
    drive_model_id: int, key: tuple[str, str, str], group: _Group, differing: Differing
) -> Aggregate | None:
    if not group.values:
        return None
    provenance, metric, scope = key
    values = np.asarray(group.values, dtype=np.float64)
    q1, median, q3 = (float(value) for value in np.percentile(values, [25, 50, 75]))
    return Aggregate(
        drive_model_id=drive_model_id,
        provenance=provenance,
        metric=metric,
        scope=scope,
        n=values.size,
        units=len(group.units),
        excluded=group.excluded,
        mean=float(values.mean()),
        median=median,
        stdev=float(values.std(ddof=1)) if values.size > 1 else None,
        q1=q1,
        q3=q3,
        minimum=float(values.min()),
        maximum=float(values.max()),
        differing=differing,
        updated_at=clock.now(),
    )
