"""New runs at a webhook: signed, once for each window, tried again, and paused where nobody takes them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from server.accounts.models import User
from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.measurements.models import Run
from server.subscriptions import delivery
from server.subscriptions.models import Delivery, PendingNotification, Subscription
from server.subscriptions.outbox import pending_notifications_add
from server.subscriptions.services import webhook_create, webhook_resume, webhook_test
from tests.server.subscriptions.conftest import Clock
from tests.support.receiver import Receiver
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db
Work = Callable[[], None]


def published(time: Clock, count: int = 1, **fields: Any) -> list[Run]:
    """Make runs as if they had just been published."""
    sample = SampleRun(vendor="ACME", model="SAMPLE-1", at=time.moment, **fields)
    runs = [sample_run(sample) for _ in range(count)]
    for run in runs:
        pending_notifications_add([run])
    return runs


def signature_of(message: Any, secret: str) -> str:
    """Compute the signature as Standard Webhooks tells receivers to."""
    signed = (
        f"{message.headers['webhook-id']}.{message.headers['webhook-timestamp']}.".encode() + message.body
    )
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def test_the_signature_is_that_of_a_computation_by_another_tool() -> None:
    """Made with `openssl dgst -sha256 -hmac`, of a key and a message chosen here."""
    from server.subscriptions.webhooks import signature

    secret = "whsec_" + base64.b64encode(b"sample-key-sample-key-24").decode()
    found = signature(secret=secret, message="msg_sample", timestamp_s=1700000000, body=b'{"sample":1}')
    assert found == "v1,NTfHD/7t9fWrFjrKE55CF6P99R89Yil5oZzo2Ad1NKk="


def test_a_published_run_reaches_the_webhook_signed(
    followed: Subscription, hook: Receiver, time: Clock, work: Work, publish: Any
) -> None:
    submission = publish()
    work()
    assert hook.received == []  # The window has not ended.
    time.on(seconds=300)
    work()
    [message] = hook.received
    assert message.headers["webhook-signature"] == signature_of(message, followed.secret)
    assert message.headers["webhook-timestamp"] == str(int(time.moment.timestamp()))
    told = json.loads(message.body)
    assert told["type"] == "runs.published" and told["data"]["count"] == 1
    [run] = told["data"]["runs"]
    assert run["id"] == str(submission.run.pk)
    assert run["api_url"].endswith(f"/api/v1/runs/{submission.run.pk}/")
    assert told["data"]["drive"]["slug"] == followed.drive_model.slug


def test_a_publication_that_is_taken_back_is_no_news(followed: Subscription, time: Clock) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        published(time)
        assert PendingNotification.objects.count() == 1
        raise ZeroDivisionError
    assert PendingNotification.objects.count() == 0


def test_nothing_is_noted_of_a_model_that_nobody_follows(model: DriveModel, time: Clock) -> None:
    published(time)
    assert PendingNotification.objects.count() == 0


def test_a_hundred_runs_make_one_message(
    followed: Subscription, hook: Receiver, time: Clock, work: Work
) -> None:
    published(time, 101)
    time.on(seconds=300)
    work()
    work()
    [message] = hook.received
    told = json.loads(message.body)["data"]
    assert told["count"] == 101 and len(told["runs"]) == 100
    assert f"drive={followed.drive_model.slug}&published_at__gte=" in told["all_url"]


def test_a_run_told_twice_is_one_piece_of_news(
    followed: Subscription, hook: Receiver, time: Clock, work: Work
) -> None:
    [run] = published(time)
    pending_notifications_add([run])
    time.on(seconds=300)
    work()
    assert [json.loads(one.body)["data"]["count"] for one in hook.received] == [1]


def test_simulated_runs_are_told_only_to_those_who_want_them(
    followed: Subscription, hook: Receiver, owner: User, time: Clock, work: Work
) -> None:
    webhook_create(owner=owner, model=followed.drive_model, url=hook.url + "/sim", simulated=True)
    runs = published(time, provenance=Provenance.SIMULATED)
    Run.objects.filter(pk=runs[0].pk).update(drive_model=followed.drive_model)
    PendingNotification.objects.get_or_create(
        run=runs[0], defaults={"drive_model": followed.drive_model, "noted_at": time.moment}
    )
    time.on(seconds=300)
    work()
    assert [one.path for one in hook.received] == ["/hook/sim"]


def test_a_run_withdrawn_within_the_window_is_not_told(
    followed: Subscription, hook: Receiver, time: Clock, work: Work
) -> None:
    [run] = published(time)
    type(run.submission).objects.filter(pk=run.submission_id).update(state="withdrawn")
    time.on(seconds=300)
    work()
    assert hook.received == [] and PendingNotification.objects.count() == 0


def test_a_message_that_is_not_taken_comes_again_the_same(
    followed: Subscription, hook: Receiver, time: Clock, work: Work
) -> None:
    hook.statuses = [500, 204]
    published(time)
    time.on(seconds=300)
    work()
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status, delivery.attempts) == ("waiting", 500, 1)
    work()
    assert len(hook.received) == 1  # Not before its time.
    time.on(seconds=60)
    work()
    first, second = hook.received
    assert first.body == second.body and first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["webhook-signature"] != second.headers["webhook-signature"]
    delivery.refresh_from_db()
    assert (delivery.state, delivery.status, delivery.error) == ("delivered", 204, "")


def test_a_receiver_that_asks_for_patience_gets_it(
    followed: Subscription, hook: Receiver, time: Clock, work: Work
) -> None:
    hook.statuses, hook.headers = [429], {"Retry-After": "4000"}
    published(time)
    time.on(seconds=300)
    work()
    assert Delivery.objects.get().next_try_at == time.moment + timedelta(seconds=4000)


def test_a_webhook_that_never_answers_well_is_paused_with_the_reason(
    followed: Subscription, hook: Receiver, time: Clock, work: Work
) -> None:
    hook.statuses = [503]
    published(time)
    time.on(seconds=300)
    work()
    published(time)
    for _ in range(12):
        time.on(days=1)
        work()
    followed.refresh_from_db()
    assert followed.state == "paused" and "10 tries failed: It answered 503" in followed.reason
    assert set(Delivery.objects.values_list("state", flat=True)) == {"given_up"}
    tries = len(hook.received)
    published(time)
    time.on(days=1)
    work()
    assert len(hook.received) == tries


def test_a_webhook_that_says_it_is_gone_is_paused_at_once_and_can_be_resumed(
    followed: Subscription, hook: Receiver, time: Clock, work: Work
) -> None:
    hook.statuses = [410, 204]
    published(time)
    time.on(seconds=300)
    work()
    followed.refresh_from_db()
    assert followed.state == "paused" and followed.reason.startswith("It is gone for good")
    time.on(hours=1)
    webhook_resume(follow=followed)
    published(time)
    time.on(seconds=300)
    work()
    assert [json.loads(one.body)["data"]["count"] for one in hook.received] == [1, 1]


def test_a_worker_that_dies_in_a_try_loses_nothing(
    followed: Subscription, hook: Receiver, time: Clock, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(time)
    time.on(seconds=300)

    def die(**_: object) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(delivery, "message_post", die)
        with pytest.raises(KeyboardInterrupt):
            work()
    assert Delivery.objects.get().attempts == 1
    time.on(seconds=60)
    work()
    assert len(hook.received) == 1


def test_a_test_message_says_that_it_is_one(
    followed: Subscription, hook: Receiver, sent: list[str], work: Work
) -> None:
    first = webhook_test(follow=followed)
    assert webhook_test(follow=followed) == first
    work()
    assert [json.loads(one.body)["type"] for one in hook.received] == ["follow.test"]
