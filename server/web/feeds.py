"""Atom feeds (RFC 4287) of published runs: of the whole archive, and of one drive model."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.views.decorators.http import condition, require_safe

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.measurements.models import Run
from server.measurements.selectors import drive_model_public, runs_latest, runs_of_model

ENTRIES = 30
if TYPE_CHECKING:
    _Feed = Feed[Run, DriveModel | None]
else:
    _Feed = Feed


class RunsFeed(_Feed):
    """The runs published last. An entry's id is its run's: it stays, wherever the archive moves."""

    feed_type = Atom1Feed
    author_name = "DiskAtlas"

    def get_object(self, request: HttpRequest, slug: str = "") -> DriveModel | None:
        """Return the model that the feed is of; None for the whole archive."""
        model = drive_model_public(slug=slug) if slug else None
        if slug and model is None:
            raise Http404
        return model

    def title(self, obj: DriveModel | None) -> str:
        """Return the feed's title."""
        return f"Runs of {obj.title} on DiskAtlas" if obj else "Runs on DiskAtlas"

    def subtitle(self, obj: DriveModel | None) -> str:
        """Say what is in the feed."""
        return "Published runs, the latest first. Simulated and imported runs say so in their title."

    def link(self, obj: DriveModel | None) -> str:
        """Return the page that the feed belongs to."""
        return reverse("drive-detail", args=[obj.slug]) if obj else "/"

    def items(self, obj: DriveModel | None) -> list[Run]:
        """Return the runs."""
        return runs_latest(limit=ENTRIES) if obj is None else list(runs_of_model(drive_model=obj)[:ENTRIES])

    def item_title(self, item: Run) -> str:
        """Return the drive, and that it is simulated or imported where it is."""
        how = "" if item.provenance == Provenance.PROBE else f"{item.provenance.capitalize()}: "
        return f"{how}{item.drive_model.title}"

    def item_description(self, item: Any) -> str:
        """Return what was measured, on what."""
        kinds = ", ".join(item.kinds)
        how = {
            Provenance.PROBE.value: "Measured on a real drive",
            Provenance.SIMULATED.value: "Measured on a simulated drive",
            Provenance.IMPORTED.value: "Imported from another tool's output",
        }[item.provenance]
        unit = f" Unit {item.unit}." if item.unit else ""
        batch = f" Batch {item.batch}." if item.batch else ""
        firmware = f" Firmware {item.firmware}." if item.firmware else ""
        return f"{how} at {item.created_at:%Y-%m-%d %H:%M} UTC: {kinds}.{unit}{batch}{firmware}"

    def item_link(self, item: Run) -> str:
        """Return the run's page."""
        return reverse("run-detail", args=[item.run_id])

    def item_guid(self, item: Run) -> str:
        """Return the entry's id."""
        return f"urn:uuid:{item.run_id}"

    def item_pubdate(self, item: Run) -> datetime | None:
        """Return when it was published."""
        return item.submission.published_at

    def item_updateddate(self, item: Run) -> datetime | None:
        """Return the same: a published run does not change."""
        return item.submission.published_at

    def item_categories(self, item: Run) -> tuple[str, ...]:
        """Return where its numbers come from, and its licence."""
        return ("measured" if item.provenance == Provenance.PROBE else item.provenance, item.license)


def _runs(slug: str) -> list[tuple[Any, datetime | None]]:
    """Return id and time of the runs that the feed has; empty for a model that is not there."""
    model = drive_model_public(slug=slug) if slug else None
    if slug and model is None:
        return []
    runs = runs_of_model(drive_model=model)[:ENTRIES] if model else runs_latest(limit=ENTRIES)
    return [(run.pk, run.submission.published_at) for run in runs]


def _etag(request: HttpRequest, slug: str = "") -> str:
    told = f"{request.build_absolute_uri()} {_runs(slug)}"
    return f'"{hashlib.sha256(told.encode()).hexdigest()[:32]}"'


def _modified(request: HttpRequest, slug: str = "") -> datetime | None:
    return max((at for _run, at in _runs(slug) if at), default=None)


_FEED = RunsFeed()


@require_safe
@condition(etag_func=_etag, last_modified_func=_modified)
def runs_feed(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Answer with the feed of all runs, or of a model's."""
    response = _FEED(request, slug=slug)
    response["Cache-Control"] = "public, max-age=300"
    return response
