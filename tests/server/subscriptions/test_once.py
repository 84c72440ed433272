"""A message goes out once: whatever runs again, early, or at the same time elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest

from server.subscriptions import delivery
from server.subscriptions.models import Delivery, Subscription
from tests.server.subscriptions.conftest import Clock
from tests.server.subscriptions.test_webhooks import published
from tests.support.receiver import Receiver

pytestmark = pytest.mark.django_db


@pytest.fixture
def message(followed: Subscription, hook: Receiver, time: Clock, work: Callable[[], None]) -> UUID:
    """A message about a run, sent once; the receiver may have refused it."""
    hook.statuses = [204]
    published(time)
    time.on(seconds=300)
    work()
    assert len(hook.received) == 1
    return Delivery.objects.get().pk


def test_a_message_that_was_taken_is_not_sent_again_when_its_task_runs_again(
    message: UUID, hook: Receiver, time: Clock
) -> None:
    for _ in range(3):
        time.on(days=1)
        assert delivery.delivery_send(delivery_id=message) is None
    assert len(hook.received) == 1
    assert Delivery.objects.get().attempts == 1


def test_a_message_that_was_given_up_is_not_sent_when_its_task_runs_late(
    message: UUID, hook: Receiver, time: Clock
) -> None:
    Delivery.objects.update(state=Delivery.State.GIVEN_UP)
    time.on(days=1)
    assert delivery.delivery_send(delivery_id=message) is None
    assert len(hook.received) == 1


def test_a_message_waits_for_its_time_also_when_its_task_comes_early(
    message: UUID, hook: Receiver, time: Clock
) -> None:
    """A worker that was killed leaves its task in the queue, which gives it to another one at once."""
    Delivery.objects.update(state=Delivery.State.WAITING)
    time.on(seconds=59)
    assert delivery.delivery_send(delivery_id=message) is None
    time.on(seconds=1)
    assert delivery.delivery_send(delivery_id=message) == Delivery.State.DELIVERED
    assert len(hook.received) == 2


def test_a_message_that_another_worker_is_sending_is_left_to_it(
    message: UUID, hook: Receiver, time: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    @contextmanager
    def held(*names: str) -> Iterator[bool]:
        asked.append(names)
        yield False

    monkeypatch.setattr(delivery, "session_lock", held)
    Delivery.objects.update(state=Delivery.State.WAITING)
    time.on(days=1)
    assert delivery.delivery_send(delivery_id=message) is None
    assert asked == [("delivery", str(message))] and len(hook.received) == 1
