"""Reading what is kept about a model's runs."""

from __future__ import annotations

from typing import Any, Literal

from server.catalog.models import DriveModel
from server.compare.models import KeptStatistics
from server.runs.models import Provenance

FORM = 1
"""Raised when `DriveStatistics` or `DriveOverview` change: rows of an older form are not read, and
`manage.py refresh_summaries` writes them anew."""

Part = Literal["statistics", "overview", "representative_run"]


def kept_part(*, drive_model: DriveModel, provenance: Provenance, part: Part) -> tuple[bool, Any]:
    """Return whether there is a row, and one part of it: large parts are read by who needs them alone.

    Where there is none, or one of another form, the part is to be computed from the runs.
    """
    rows = KeptStatistics.objects.filter(drive_model=drive_model, provenance=provenance, form=FORM)
    row = rows.values_list(part).first()
    return row is not None, row[0] if row else None
