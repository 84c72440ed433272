"""One unit's numbers among those of the model's other units, each with its batch and firmware.

A model may have tens of thousands of units: of those a page shows some hundreds, the latest seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Avg, Count, F, Q, QuerySet

from server.accounts.holders import not_revoked_at
from server.benchmarks.contract import MetricKey
from server.core.lifecycle import Provenance, State
from server.measurements.model_measurements import USABLE
from server.measurements.models import Batch, Measurement, Run, Unit
from server.measurements.selectors import runs_of_unit

UNITS_SHOWN = 300


@dataclass(frozen=True, slots=True)
class UnitPoint:
    """One unit in one number."""

    unit_id: int
    value: float
    """The mean of its runs."""
    runs: int
    batch: str
    firmware: str


@dataclass(frozen=True, slots=True)
class UnitAmong:
    """A unit beside the others of its model."""

    unit: Unit
    units: int
    """How many units there are to compare, shown or not, with this one."""
    shown: int
    runs: Sequence[Run]
    """Its own published runs, the latest first."""
    points: dict[MetricKey, tuple[UnitPoint, ...]]


def unit_find(*, drive_model_id: int, digits: str) -> Unit | None:
    """Return the unit whose digest begins with these digits and that has a published, measured run; None
    where there is none, or where two begin so."""
    found = Unit.objects.filter(
        drive_model_id=drive_model_id,
        digest__startswith=digits,
        runs__provenance=Provenance.PROBE,
        runs__submission__state=State.PUBLISHED,
    ).distinct()[:2]
    return found[0] if len(found) == 1 else None


def unit_among(*, unit: Unit, metrics: Collection[str]) -> UnitAmong:
    """Return a unit's numbers and the others' in some metrics: of those units that count in its model's."""
    others = (
        Unit.objects.filter(
            not_revoked_at("runs__submission"),
            drive_model_id=unit.drive_model_id,
            runs__provenance=Provenance.PROBE,
            runs__submission__state=State.PUBLISHED,
            runs__beyond_share=False,
        )
        .exclude(pk=unit.pk)
        .distinct()
    )
    latest = others.order_by("-first_seen_at", "-pk").values_list("pk", flat=True)
    ids = [unit.pk, *latest[: UNITS_SHOWN - 1]]
    published = Run.objects.filter(
        not_revoked_at("submission"),
        Q(beyond_share=False) | Q(unit=unit),
        unit_id__in=ids,
        drive_model_id=unit.drive_model_id,
        provenance=Provenance.PROBE,
        submission__state=State.PUBLISHED,
    )
    rows = (
        Measurement.objects.filter(
            benchmark__run__in=published.values("pk"),
            extractor_version=F("benchmark__extractor_version"),
            metric__in=metrics,
            quality__in=USABLE,
            value__isnull=False,
        )
        .order_by()
        .values_list("metric", "scope", "benchmark__run__unit_id")
        .annotate(mean=Avg("value"), count=Count("pk"))
    )
    made = _made(published)
    points: dict[MetricKey, list[UnitPoint]] = defaultdict(list)
    for metric, scope, unit_id, mean, count in rows:
        points[metric, scope].append(UnitPoint(unit_id, mean, count, *made.get(unit_id, ("", ""))))
    found = {key: tuple(sorted(held, key=lambda one: one.value)) for key, held in points.items()}
    return UnitAmong(unit, others.count() + 1, len(ids), runs_of_unit(unit=unit), found)


def _made(published: QuerySet[Run]) -> dict[int, tuple[str, str]]:
    """Return the batch and the firmware of each unit, by its latest run."""
    runs = published.order_by("created_at").values_list("unit_id", "batch_id", "firmware")
    latest = {unit: (batch, firmware) for unit, batch, firmware in runs}
    batches = Batch.objects.in_bulk([batch for batch, _firmware in latest.values() if batch])
    return {
        unit: (str(batches[batch]) if batch in batches else "", firmware)
        for unit, (batch, firmware) in latest.items()
    }
