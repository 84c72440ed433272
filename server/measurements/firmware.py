"""Firmware revisions of published runs, key after key: each is found by a step of an index, so that a list
costs what it gives, however many runs each revision has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from server.catalog.models import DriveModel

Key = tuple[int, str]
"""Row of the model, and revision."""
BEFORE_ALL: Key = (0, "")
_STEPS = """
WITH RECURSIVE step AS (
    (SELECT drive_model_id, firmware FROM measurements_run
     WHERE (drive_model_id, firmware) > (%(model)s, %(firmware)s) {only}
     ORDER BY drive_model_id, firmware LIMIT 1)
    UNION ALL
    SELECT following.* FROM step CROSS JOIN LATERAL (
        SELECT drive_model_id, firmware FROM measurements_run
        WHERE (drive_model_id, firmware) > (step.drive_model_id, step.firmware) {only}
        ORDER BY drive_model_id, firmware LIMIT 1
    ) following
)
SELECT drive_model_id, firmware FROM step
WHERE firmware <> '' AND EXISTS (
    SELECT 1 FROM measurements_run r JOIN submissions_submission s ON s.id = r.submission_id
    WHERE r.drive_model_id = step.drive_model_id AND r.firmware = step.firmware AND s.state = 'published'
)
LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Firmware:
    """A firmware revision of a model, of which a run is published."""

    drive_model: DriveModel
    revision: str

    @property
    def sort_key(self) -> Key:
        """Its key in the list's order."""
        return self.drive_model.pk, self.revision


def firmware_list(
    *, after: Key = BEFORE_ALL, limit: int, drive_model_id: int | None = None
) -> list[Firmware]:
    """Return the revisions behind a key, by the models' rows and then by name; of one model where asked."""
    only = "AND drive_model_id = %(only)s" if drive_model_id is not None else ""
    values: dict[str, int | str | None] = {
        "model": after[0],
        "firmware": after[1],
        "limit": limit,
        "only": drive_model_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(_STEPS.format(only=only), values)
        keys: Sequence[Key] = cursor.fetchall()
    models = DriveModel.objects.select_related("vendor").in_bulk({model for model, _revision in keys})
    return [Firmware(models[model], revision) for model, revision in keys]
