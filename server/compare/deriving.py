"""What is computed about a drive model after its aggregates, in the order in which one needs the other."""

from __future__ import annotations

from typing import Any

from server.catalog.models import DriveModel
from server.compare.claims import verdicts_update
from server.compare.keeping import kept_update
from server.compare.summaries import summary_update
from server.runs.published import Published, published_read


def derived_update(*, drive_model_id: int, published: Published | None = None, **_: Any) -> None:
    """Compute a model's derived rows anew. Doing it twice changes nothing.

    `published` is what the aggregates were computed from; it is read here where they were not.
    """
    if not DriveModel.objects.filter(pk=drive_model_id).exists():
        return
    published = published or published_read(drive_model_id=drive_model_id)
    kept_update(drive_model_id=drive_model_id, published=published)
    verdicts_update(drive_model_id=drive_model_id)
    summary_update(drive_model_id=drive_model_id, published=published)
