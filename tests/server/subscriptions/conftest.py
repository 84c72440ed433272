"""Fixtures of followed drives: a clock that is set, a receiver on this machine, and the jobs by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings

from server.accounts.models import User
from server.catalog.models import DriveModel
from server.catalog.services import drive_model_resolve
from server.core import clock
from server.subscriptions import delivery, outbox
from server.subscriptions.models import Subscription
from server.subscriptions.services import webhook_create
from tests.support.receiver import Receiver, receiver


@dataclass
class Clock:
    """The archive's clock, moved by hand."""

    moment: datetime

    def on(self, **step: float) -> None:
        """Let time pass."""
        self.moment += timedelta(**step)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Stop the clock."""
    stopped = Clock(datetime.now(tz=UTC).replace(microsecond=0))
    monkeypatch.setattr(clock, "now", lambda: stopped.moment)
    return stopped


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the deliveries that are put into the queue."""
    queue: list[str] = []
    monkeypatch.setattr(
        "server.subscriptions.delivery.message_send", lambda _task, delivery: queue.append(delivery)
    )
    return queue


@pytest.fixture
def work(sent: list[str], django_capture_on_commit_callbacks: Any) -> Callable[[], None]:
    """Do what scheduler and worker do in one turn."""

    def turn() -> None:
        with django_capture_on_commit_callbacks(execute=True):
            outbox.notifications_batch()
            delivery.deliveries_sweep()
        while sent:
            with django_capture_on_commit_callbacks(execute=True):
                delivery.delivery_send(delivery_id=UUID(sent.pop(0)))

    return turn


@pytest.fixture
def model(db: None) -> DriveModel:
    """The model that `document` names, which a person has checked."""
    made = drive_model_resolve(vendor_name="ACME", model_name="SAMPLE-1", simulated=False)
    made.curated = True
    made.save()
    return made


@pytest.fixture
def owner(db: None) -> User:
    """A sample account."""
    return User.objects.create_user("sample-reader")


@pytest.fixture
def hook(settings: LazySettings) -> Iterator[Receiver]:
    """A receiver on this machine, which may be posted to here."""
    settings.FOLLOW_ALLOW_LOOPBACK = True
    with receiver() as there:
        yield there


@pytest.fixture
def followed(hook: Receiver, model: DriveModel, owner: User, time: Clock) -> Subscription:
    """The model, followed at the receiver."""
    return webhook_create(owner=owner, model=model, url=hook.url)[0]
