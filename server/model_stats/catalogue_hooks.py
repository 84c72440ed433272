"""What follows here from a change of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from server.model_stats.refresh import refresh_model
from server.submissions.events import models_due


def catalogue_follow(*, drive_model_ids: Iterable[int], at_once: bool, **_: Any) -> None:
    """Have everything that is kept about these models computed anew, now or by a worker."""
    if not at_once:
        models_due(set(drive_model_ids))
        return
    for drive_model_id in sorted(drive_model_ids):
        refresh_model(drive_model_id=drive_model_id)
