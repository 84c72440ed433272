"""Atom feeds (RFC 4287) of published runs: of the whole archive, and of one drive model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import http_date
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.measurements.selectors import drive_model_public, runs_latest, runs_of_model

ENTRIES = 30
_HOW = {
    Provenance.PROBE.value: "Measured on a real drive",
    Provenance.SIMULATED.value: "Measured on a simulated drive",
    Provenance.IMPORTED.value: "Imported from another tool's output",
}


@require_safe
def runs_feed(request: HttpRequest, slug: str = "") -> HttpResponse:
    """Answer with the feed of all runs, or of a model's; 304 to whoever has it."""
    model = drive_model_public(slug=slug) if slug else None
    if slug and model is None:
        raise Http404
    runs = runs_of_model(drive_model=model)[:ENTRIES] if model else runs_latest(limit=ENTRIES)
    published = [(run.pk, run.submission.published_at) for run in runs]
    named = f"{request.build_absolute_uri()} {published}"
    headers = {
        "Cache-Control": "public, max-age=300",
        "ETag": f'"{hashlib.sha256(named.encode()).hexdigest()[:32]}"',
    }
    changed = max((int(at.timestamp()) for _run, at in published if at), default=None)
    if changed is not None:
        headers["Last-Modified"] = http_date(changed)
    response = HttpResponse(headers=headers, content_type=Atom1Feed.content_type)
    unchanged = get_conditional_response(request, headers["ETag"], changed, response)
    if unchanged is not None and unchanged is not response:
        return unchanged
    _feed(request, model, list(runs)).write(response, "utf-8")
    return response


def _feed(request: HttpRequest, model: DriveModel | None, runs: Sequence[Any]) -> Atom1Feed:
    feed = Atom1Feed(
        title=f"Runs of {model.title} on DiskAtlas" if model else "Runs on DiskAtlas",
        subtitle="Published runs, the latest first. Simulated and imported runs say so in their title.",
        link=request.build_absolute_uri(reverse("drive-detail", args=[model.slug]) if model else "/"),
        feed_url=request.build_absolute_uri(request.path),
        description="",
        language=get_language(),
        author_name="DiskAtlas",
    )
    for run in runs:
        how = "" if run.provenance == Provenance.PROBE else f"{run.provenance.capitalize()}: "
        how = "Imported in a browser, unsigned: " if run.in_browser else how
        feed.add_item(
            title=f"{how}{run.drive_model.title}",
            link=request.build_absolute_uri(reverse("run-detail", args=[run.run_id])),
            # Atom1Feed calls a summary HTML: words of a device are escaped as such, then once more as XML.
            description=escape(_description(run)),
            # The id is the run's: it stays, wherever the archive moves. A published run does not change.
            unique_id=f"urn:uuid:{run.run_id}",
            pubdate=run.submission.published_at,
            updateddate=run.submission.published_at,
            categories=("measured" if run.provenance == Provenance.PROBE else run.provenance, run.license),
        )
    return feed


def _description(run: Any) -> str:
    """Return what was measured, on what."""
    unit = f" Unit {run.unit}." if run.unit else ""
    batch = f" Batch {run.batch}." if run.batch else ""
    firmware = f" Firmware {run.firmware}." if run.firmware else ""
    kinds = ", ".join(run.kinds)
    return f"{_HOW[run.provenance]} at {run.created_at:%Y-%m-%d %H:%M} UTC: {kinds}.{unit}{batch}{firmware}"
