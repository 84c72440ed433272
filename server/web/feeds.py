"""Atom feeds (RFC 4287): of published runs of the whole archive and of one drive model, and of the archive's
events."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import http_date
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from server.benchmarks.registry import kind_name
from server.catalog.models import DriveModel
from server.claims.selectors import UNTESTED
from server.core.lifecycle import Provenance
from server.core.scopes import scope_text
from server.core.text import counted
from server.measurements.selectors import drive_model_public, runs_latest, runs_of_model
from server.subscriptions.events import EventDetails, details_of, events_listed
from server.subscriptions.models import ArchiveEvent
from server.web.claims import metric_title

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
    changed = max((at for _run, at in published if at), default=None)
    return _answer(request, published, changed, lambda: _feed(request, model, list(runs)))


@require_safe
def events_feed(request: HttpRequest) -> HttpResponse:
    """Answer with the feed of what changed in the archive; 304 to whoever has it."""
    related = ("run__submission", "run__drive_model__vendor", "claim__drive_model__vendor")
    listed = list(events_listed().select_related(*related).order_by("-number")[:ENTRIES])
    detailed = [(event, details_of(event)) for event in listed]
    changed = max((event.listed_at for event in listed if event.listed_at), default=None)
    shown = [(event.number, said) for event, said in detailed]
    return _answer(request, shown, changed, lambda: _events(request, detailed))


def _answer(
    request: HttpRequest, shown: object, changed: datetime | None, made: Callable[[], Atom1Feed]
) -> HttpResponse:
    """Answer with a feed that is told from others by what it shows."""
    named = f"{request.build_absolute_uri()} {shown}"
    headers = {
        "Cache-Control": "public, max-age=300",
        "ETag": f'"{hashlib.sha256(named.encode()).hexdigest()[:32]}"',
    }
    seconds = int(changed.timestamp()) if changed else None
    if seconds is not None:
        headers["Last-Modified"] = http_date(seconds)
    response = HttpResponse(headers=headers, content_type=Atom1Feed.content_type)
    unchanged = get_conditional_response(request, headers["ETag"], seconds, response)
    if unchanged is not None and unchanged is not response:
        return unchanged
    made().write(response, "utf-8")
    return response


_EVENT_WORDS = {
    ArchiveEvent.Kind.RUN_PUBLISHED: "Run published",
    ArchiveEvent.Kind.RUN_WITHDRAWN: "Run withdrawn",
    ArchiveEvent.Kind.RUN_REEXTRACTED: "Numbers of a run extracted anew",
    ArchiveEvent.Kind.VERDICT_CHANGED: "Another verdict on a claim",
    ArchiveEvent.Kind.RELEASE_PUBLISHED: "Dataset release",
}


_VERDICT_WORDS = {UNTESTED: "not tested"}


def _events(request: HttpRequest, detailed: Sequence[tuple[ArchiveEvent, EventDetails]]) -> Atom1Feed:
    feed = Atom1Feed(
        title="Changes of DiskAtlas",
        subtitle="Runs published, withdrawn and extracted anew, verdicts and dataset releases, the latest "
        "first.",
        link=request.build_absolute_uri("/"),
        feed_url=request.build_absolute_uri(request.path),
        # Otherwise its id would be that of the page, which other feeds have too.
        feed_guid=request.build_absolute_uri(request.path),
        description="",
        language=get_language(),
        author_name="DiskAtlas",
    )
    for event, said in detailed:
        of = f" {event.release}" if event.release else ""
        subject = event.run or event.claim
        if subject is not None and said.drive_model is not None:
            of = f": {subject.drive_model.title}"
        if event.claim is not None and of:
            scope = scope_text(event.claim.scope)
            of = f"{of}, {metric_title(event.claim.metric)}{f' ({scope})' if scope else ''}"
        address = _event_address(event, said)
        feed.add_item(
            title=f"{_EVENT_WORDS[ArchiveEvent.Kind(event.kind)]}{of}",
            link=request.build_absolute_uri(address),
            description=escape(_event_description(event, said)),
            unique_id=request.build_absolute_uri(f"/events.atom#{event.number}"),
            pubdate=event.at,
            updateddate=event.listed_at,
            categories=(event.kind,),
        )
    return feed


def _event_address(event: ArchiveEvent, said: EventDetails) -> str:
    if event.run_id is not None:
        return reverse("run-detail", args=[event.run_id])
    if event.release is not None:
        return reverse("release-detail", args=[event.release])
    return reverse("drive-detail", args=[said.drive_model]) if said.drive_model else reverse("claims")


def _event_description(event: ArchiveEvent, said: EventDetails) -> str:
    """Return what changed, as far as it may be told."""
    if said.verdict_after is not None:
        before, after = (
            _VERDICT_WORDS.get(one or "", one) for one in (said.verdict_before, said.verdict_after)
        )
        return f"The verdict was “{before}” and is “{after}”."
    if said.kind is not None:
        numbers = counted(said.changes or 0, "number")
        return f"{kind_name(said.kind)}, version {said.extractor_version}: {numbers} changed."
    if event.release is not None:
        return "A release of all published runs as tables."
    if event.run is None or said.drive_model is None:
        return "Withdrawn since." if event.run_id else ""
    return f"{_HOW[event.run.provenance]}." if event.kind == ArchiveEvent.Kind.RUN_PUBLISHED else ""


def _feed(request: HttpRequest, model: DriveModel | None, runs: Sequence[Any]) -> Atom1Feed:
    feed = Atom1Feed(
        title=f"Runs of {model.title} on DiskAtlas" if model else "Runs on DiskAtlas",
        subtitle="Published runs, the latest first. Simulated and imported runs say so in their title.",
        link=request.build_absolute_uri(reverse("drive-detail", args=[model.slug]) if model else "/"),
        feed_url=request.build_absolute_uri(request.path),
        # Otherwise its id would be that of the page, which other feeds have too.
        feed_guid=request.build_absolute_uri(request.path),
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
    kinds = ", ".join(map(kind_name, run.kinds))
    return f"{_HOW[run.provenance]} at {run.created_at:%Y-%m-%d %H:%M} UTC: {kinds}.{unit}{batch}{firmware}"
