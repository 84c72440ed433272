"""Leaving large models alone for a while: what a publication costs must not grow with the runs before it.

A model whose numbers take long to compute rests for a multiple of that time. Runs that are published
meanwhile are taken in together when it ends: the model stays due in the database, and the sweeper finds it.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction

from server.core import clock
from server.core.bulk import row_upsert
from server.measurements.models import AggregateCost, AggregateDue

QUICK_S = 1.0
"""What takes no longer is computed after every run."""


def refresh_cost_record(*, drive_model_id: int, took_s: float) -> None:
    """Keep what it took to compute a model's numbers, and when that ended."""
    cost = AggregateCost(drive_model_id=drive_model_id, at=clock.now(), took_s=took_s)
    row_upsert(cost, "drive_model")


@transaction.atomic
def cooling_down(*, drive_model_id: int) -> bool:
    """Return whether a model rests; where it is due, it is so at the end of that."""
    cost = AggregateCost.objects.filter(drive_model_id=drive_model_id, took_s__gt=QUICK_S).first()
    if cost is None:
        return False
    ends = cost.at + timedelta(seconds=settings.AGGREGATES_COOLDOWN_FACTOR * cost.took_s)
    now = clock.now()
    if ends <= now or cost.at > now + clock.SKEW:
        return False
    AggregateDue.objects.filter(drive_model_id=drive_model_id).update(
        not_before=ends, sweeps=0, next_sweep_at=None
    )
    return True


def cooldown_end(*, drive_model_id: int) -> None:
    """Let a model be computed at once."""
    AggregateCost.objects.filter(drive_model_id=drive_model_id).delete()
    AggregateDue.objects.filter(drive_model_id=drive_model_id).update(
        not_before=None, sweeps=0, next_sweep_at=None
    )
