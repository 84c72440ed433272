"""Events: changes of what the archive shows, in one order, for whoever follows all of it.

Nothing about a run is copied into an event. What is told of its subject is read from the rows when it is
asked for, and of a run that is no longer public, or a claim that is no longer shown, nothing but its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Max, Q, QuerySet

from server.core import clock
from server.core.lifecycle import Provenance, State
from server.core.locks import transaction_lock
from server.subscriptions.models import ArchiveEvent

Kind = ArchiveEvent.Kind
_LIST = f"""
UPDATE {ArchiveEvent._meta.db_table} e SET number = %s + ordered.place, listed_at = %s
FROM (
    SELECT id, row_number() OVER (ORDER BY id) AS place FROM {ArchiveEvent._meta.db_table}
    WHERE number IS NULL
) ordered
WHERE e.id = ordered.id
"""


def run_events_add(
    kind: ArchiveEvent.Kind,
    runs: Iterable[UUID],
    *,
    at: datetime | None = None,
    details: Mapping[str, object] | None = None,
) -> None:
    """Note an event of each of some runs, in the present transaction."""
    at = at or clock.now()
    ArchiveEvent.objects.bulk_create(
        ArchiveEvent(kind=kind, run_id=run, details=dict(details or {}), at=at) for run in runs
    )


def verdict_events_add(changed: Mapping[int, tuple[str, str]]) -> None:
    """Note claims by their ids with the verdicts that they had and have."""
    at = clock.now()
    ArchiveEvent.objects.bulk_create(
        ArchiveEvent(
            kind=Kind.VERDICT_CHANGED, claim_id=claim, details={"before": before, "after": after}, at=at
        )
        for claim, (before, after) in changed.items()
    )


def release_event_add(number: int) -> None:
    """Note a dataset release."""
    ArchiveEvent.objects.create(kind=Kind.RELEASE_PUBLISHED, release=number, at=clock.now())


def reextraction_note(
    sender: object, *, run_id: UUID, kind: str, extractor_version: str, changes: int, **_more: object
) -> None:
    """Note a published run of which numbers are other ones (signal `run_reextracted`)."""
    details = {"kind": kind, "extractor_version": extractor_version, "changes": changes}
    run_events_add(Kind.RUN_REEXTRACTED, [run_id], details=details)


@transaction.atomic
def events_list() -> int:
    """Give numbers to the events whose transactions have ended; return the last number.

    One process at a time does so: numbers are in the order in which they can be read.
    """
    transaction_lock("archive-events")
    last = last_number()
    if ArchiveEvent.objects.filter(number=None).exists():
        with connection.cursor() as cursor:
            cursor.execute(_LIST, [last, clock.now()])
            last += cursor.rowcount
    return last


def last_number() -> int:
    """Return the number of the last event that is listed; 0 before there is one."""
    return ArchiveEvent.objects.aggregate(last=Max("number"))["last"] or 0


def events_listed() -> QuerySet[ArchiveEvent]:
    """Return the events that anybody may read."""
    return ArchiveEvent.objects.filter(number__isnull=False)


def events_for(*, after: int, kinds: Iterable[str], simulated: bool) -> QuerySet[ArchiveEvent]:
    """Return what a follower of the archive is told, in order; publications that were withdrawn meanwhile are
    none."""
    found = events_listed().filter(number__gt=after)
    if kinds := list(kinds):
        found = found.filter(kind__in=kinds)
    if not simulated:
        found = found.filter(Q(run_id=None) | ~Q(run__provenance=Provenance.SIMULATED))
    public = ~Q(kind=Kind.RUN_PUBLISHED) | Q(run__submission__state=State.PUBLISHED)
    related = ("run__submission", "run__drive_model", "claim__drive_model")
    return found.filter(public).select_related(*related).order_by(F("number"))


class EventDetails(NamedTuple):
    """What is told of an event's subject beside its id."""

    drive_model: str | None
    """Slug of the model."""
    kind: str | None
    """Benchmark kind that was extracted anew."""
    extractor_version: str | None
    changes: int | None
    """Numbers that are other than before."""
    verdict_before: str | None
    verdict_after: str | None


COLUMNS = (
    "details",
    "run__submission__state",
    "run__drive_model__slug",
    "claim__hidden",
    "claim__drive_model__slug",
)
"""What `event_details` takes."""
_NOTHING = EventDetails(None, None, None, None, None, None)


def event_details(
    details: Mapping[str, Any],
    run_state: str | None,
    run_model: str | None,
    claim_hidden: bool | None,
    claim_model: str | None,
) -> EventDetails:
    """Return what may be told of an event, of its columns; null are those of a subject that it has not."""
    if run_state == State.PUBLISHED:
        kind, version, changes = map(details.get, ("kind", "extractor_version", "changes"))
        return EventDetails(run_model, kind, version, changes, None, None)
    if claim_hidden is False:
        return EventDetails(claim_model, None, None, None, details.get("before"), details.get("after"))
    return _NOTHING


def details_of(event: ArchiveEvent) -> EventDetails:
    """Return what may be told of an event that was read with what it refers to."""
    run, claim = event.run, event.claim
    return event_details(
        event.details,
        run.submission.state if run else None,
        run.drive_model.slug if run else None,
        claim.hidden if claim else None,
        claim.drive_model.slug if claim else None,
    )
