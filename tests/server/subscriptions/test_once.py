"""A message goes out once: whatever runs again, early, or at the same time elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from server.accounts.models import User
from server.catalog.models import DriveModel
from server.subscriptions import delivery, outbox
from server.subscriptions.models import Delivery, Subscription
from server.subscriptions.outbox import pending_notifications_add
from server.subscriptions.services import webhook_create
from tests.server.subscriptions.conftest import Clock
from tests.server.subscriptions.test_webhooks import published
from tests.support.receiver import Receiver
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


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


def test_followers_are_told_once_while_the_clock_goes_back_by_an_hour(
    followed: Subscription, hook: Receiver, owner: User, time: Clock, work: Callable[[], None]
) -> None:
    """Before this the run was no news, as it was published before its follower began."""
    time.on(hours=-1)
    published(time)
    time.on(seconds=300)
    work()
    work()
    assert len(hook.received) == 1


def test_what_was_noted_and_written_while_the_clock_was_ahead_is_told_when_it_is_right(
    followed: Subscription, hook: Receiver, time: Clock, work: Callable[[], None]
) -> None:
    time.on(hours=1)
    published(time)
    time.on(hours=-1)
    work()
    assert len(hook.received) == 1
    Delivery.objects.update(state=Delivery.State.WAITING, attempts=0, next_try_at=time.moment + HOUR)
    work()
    assert len(hook.received) == 2, "a message that was never tried is due"


def test_who_begins_to_follow_is_told_of_nothing_before_and_the_others_of_all(
    followed: Subscription, hook: Receiver, owner: User, time: Clock, work: Callable[[], None]
) -> None:
    [first] = published(time)
    webhook_create(owner=owner, model=followed.drive_model, url=hook.url + "/later")
    [second] = published(time)
    time.on(seconds=300)
    work()
    told = sorted(
        (one.path, run["id"]) for one in hook.received for run in json.loads(one.body)["data"]["runs"]
    )
    assert told == sorted(
        [("/hook", str(first.pk)), ("/hook", str(second.pk)), ("/hook/later", str(second.pk))]
    )


@pytest.fixture
def two_due(followed: Subscription, owner: User, hook: Receiver, time: Clock, sent: list[str]) -> list[UUID]:
    """Messages to two webhooks of one account, which wait to be sent."""
    webhook_create(owner=owner, model=followed.drive_model, url=f"{hook.url}?second")
    published(time)
    time.on(seconds=300)
    outbox.notifications_batch()
    return list(Delivery.objects.order_by("next_try_at").values_list("pk", flat=True))


def test_who_has_an_accounts_turn_sends_all_that_is_due_to_it(
    two_due: list[UUID], hook: Receiver, sent: list[str]
) -> None:
    assert delivery.deliveries_send(delivery_id=two_due[0]) == Delivery.State.DELIVERED
    assert len(hook.received) == 2 and sent == []
    assert delivery.deliveries_send(delivery_id=two_due[1]) is None


def test_an_account_whose_receivers_take_long_has_one_process_and_no_more_than_its_turn(
    two_due: list[UUID],
    hook: Receiver,
    sent: list[str],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(delivery, "session_lock", taken_elsewhere)
        assert delivery.deliveries_send(delivery_id=two_due[0]) is None
    assert hook.received == []
    monkeypatch.setattr(delivery, "TURN_S", 0.0)
    with django_capture_on_commit_callbacks(execute=True):
        delivery.deliveries_send(delivery_id=two_due[0])
    assert len(hook.received) == 1
    assert sent == [str(two_due[1])], "behind those of others"


def test_a_model_whose_message_cannot_be_made_leaves_others_theirs(
    followed: Subscription, owner: User, hook: Receiver, time: Clock, sent: list[str], monkeypatch: Any
) -> None:
    published(time)
    second = sample_run(SampleRun(vendor="ACME", model="SAMPLE-2", at=time.moment))
    webhook_create(owner=owner, model=second.drive_model, url=hook.url)
    pending_notifications_add([second])
    time.on(seconds=300)
    assert followed.drive_model_id is not None and followed.drive_model_id < second.drive_model_id
    make = outbox.body_text

    def fails_for_first(*, model: DriveModel, **given: Any) -> str:
        assert model.pk != followed.drive_model_id, "a name that no message holds"
        return make(model=model, **given)

    monkeypatch.setattr(outbox, "body_text", fails_for_first)
    with pytest.raises(AssertionError, match="no message holds"):
        outbox.notifications_batch()
    assert [one.follow.drive_model_id for one in Delivery.objects.all()] == [second.drive_model_id]


@contextmanager
def taken_elsewhere(*_name: str) -> Iterator[bool]:
    yield False
