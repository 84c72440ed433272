"""The outbox: a published run is noted in the transaction that publishes it, and becomes one message for each
subscriber and window, however many runs a model got in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from server.core import clock
from server.core.each_alone import each_alone
from server.core.lifecycle import Provenance, State
from server.core.locks import transaction_lock
from server.measurements.models import Run
from server.subscriptions.delivery import delivery_enqueue
from server.subscriptions.events import events_for, events_list
from server.subscriptions.messages import MOST_LISTED, body_text, events_text
from server.subscriptions.models import ArchiveEvent, Delivery, PendingNotification, Subscription


def pending_notifications_add(runs: Sequence[Run]) -> None:
    """Note new runs of models that somebody follows; the same run again changes nothing."""
    followed = set(
        Subscription.objects.filter(
            drive_model_id__in={run.drive_model_id for run in runs}, state=Subscription.State.ACTIVE
        ).values_list("drive_model_id", flat=True)
    )
    PendingNotification.objects.bulk_create(
        [
            PendingNotification(run=run, drive_model_id=run.drive_model_id, noted_at=clock.now())
            for run in runs
            if run.drive_model_id in followed
        ],
        ignore_conflicts=True,
    )


_MODELS = 200
_BATCH = 500


def notifications_batch() -> int:
    """Make the messages of the archive's followers, and of every model whose first new run is a window old;
    return how many."""
    now = clock.now()
    ended = Q(noted_at__lte=now - timedelta(seconds=settings.FOLLOW_WINDOW_S))
    ahead = Q(noted_at__gt=now + clock.SKEW)
    due = PendingNotification.objects.filter(ended | ahead).order_by("drive_model_id")
    models = due.values_list("drive_model_id", flat=True).distinct()[:_MODELS]
    jobs: list[Callable[[], int]] = [events_batch]
    jobs += [partial(model_notifications_batch, drive_model_id=model) for model in models]
    return each_alone(lambda job: job(), jobs, most_failures=_MODELS)


@transaction.atomic
def model_notifications_batch(*, drive_model_id: int) -> int:
    """Turn a model's new runs into messages, and forget them as news; return how many messages.

    Called before anybody begins to follow the model, too, so that no clock need say who is told of what.
    """
    transaction_lock("subscription-outbox", str(drive_model_id))
    noted = list(
        PendingNotification.objects.filter(drive_model_id=drive_model_id).values_list("run_id", flat=True)
    )
    runs = list(
        # What was withdrawn meanwhile is not announced.
        Run.objects.filter(pk__in=noted, submission__state=State.PUBLISHED)
        .select_related("submission", "drive_model__vendor")
        .defer("summary")
        .order_by("submission__published_at", "pk")
    )
    now = clock.now()
    made: list[Delivery] = []
    follows = Subscription.objects.filter(drive_model_id=drive_model_id, state=Subscription.State.ACTIVE)
    for follow in follows.iterator(chunk_size=_BATCH):
        news = [run for run in runs if _wanted(run, follow)]
        if news:
            made.append(_delivery(follow, news, now))
    Delivery.objects.bulk_create(made, batch_size=_BATCH)
    PendingNotification.objects.filter(run_id__in=noted).delete()
    for delivery in made:
        delivery_enqueue(delivery.pk)
    return len(made)


def _wanted(run: Run, follow: Subscription) -> bool:
    return run.provenance != Provenance.SIMULATED or follow.simulated


def _delivery(follow: Subscription, runs: Sequence[Run], at: datetime) -> Delivery:
    body = body_text(kind=Delivery.Kind.RUNS, model=runs[0].drive_model, runs=runs, at=at)
    return Delivery(
        follow=follow, kind=Delivery.Kind.RUNS, body=body, runs=len(runs), created_at=at, next_try_at=at
    )


# ---- Followers of the whole archive: each has been told up to some number.


@transaction.atomic
def events_batch() -> int:
    """List the events that are new, and make a message for each follower of the archive for whom the first of
    them is a window old; return how many."""
    last = events_list()
    now = clock.now()
    follows = Subscription.objects.filter(drive_model=None, state=Subscription.State.ACTIVE, told_to__lt=last)
    made: list[Delivery] = []
    for follow in follows:
        news = events_for(after=follow.told_to, kinds=follow.events, simulated=follow.simulated)
        first = list(news[:MOST_LISTED])
        if first and not _window_ended(first[0], now):
            continue
        if first:
            count = len(first) if len(first) < MOST_LISTED else news.count()
            body = events_text(first, count=count, after=follow.told_to, at=now)
            kind = Delivery.Kind.EVENTS
            made.append(
                Delivery(follow=follow, kind=kind, body=body, events=count, created_at=now, next_try_at=now)
            )
        Subscription.objects.filter(pk=follow.pk).update(told_to=last)
    Delivery.objects.bulk_create(made, batch_size=_BATCH)
    for delivery in made:
        delivery_enqueue(delivery.pk)
    return len(made)


def _window_ended(event: ArchiveEvent, now: datetime) -> bool:
    assert event.listed_at is not None  # what is told has a number
    age = now - event.listed_at
    return age >= timedelta(seconds=settings.FOLLOW_WINDOW_S) or age < -clock.SKEW
