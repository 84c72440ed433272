"""What follows here from a change of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from server.measurements.models import Aggregate, AggregateDue
from server.measurements.signals import aggregates_updated
from server.submissions.events import aggregates_enqueue


def catalogue_follow(*, drive_model_ids: Iterable[int], at_once: bool, **_: Any) -> None:
    """Have everything that is kept about these models computed anew, now or by a worker."""
    for drive_model_id in sorted(drive_model_ids):
        if at_once:
            aggregates_updated.send(sender=Aggregate, drive_model_id=drive_model_id)
        else:
            AggregateDue.objects.get_or_create(drive_model_id=drive_model_id)
            aggregates_enqueue(drive_model_id)
