"""Messages to webhooks, checked by the library that receivers are told to use."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.conf import LazySettings
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from server.accounts.models import User
from server.subscriptions.events import run_events_add
from server.subscriptions.models import ArchiveEvent, Subscription
from server.subscriptions.services import webhook_create, webhook_test
from tests.server.subscriptions.conftest import Clock
from tests.server.subscriptions.test_webhooks import published
from tests.support.receiver import Receiver

pytestmark = pytest.mark.django_db


def test_20_standardwebhooks_verifies_what_arrives_and_nothing_else(
    followed: Subscription,
    hook: Receiver,
    time: Clock,
    work: Callable[[], None],
    settings: LazySettings,
    tool_count: Callable[[str, int, str], None],
) -> None:
    settings.FOLLOW_WINDOW_S = 60  # The library takes no time that is five minutes off.
    published(time, 3)
    time.on(seconds=60)
    work()
    webhook_test(follow=followed)
    work()
    library = Webhook(followed.secret)
    kinds = {library.verify(one.body, one.headers)["type"] for one in hook.received}
    assert kinds == {"runs.published", "follow.test"}
    for one in hook.received:
        with pytest.raises(WebhookVerificationError):
            library.verify(one.body + b" ", one.headers)
    tool_count("standardwebhooks", len(hook.received), "messages")


def test_20_standardwebhooks_verifies_what_the_archives_followers_get(
    owner: User,
    hook: Receiver,
    time: Clock,
    work: Callable[[], None],
    settings: LazySettings,
    tool_count: Callable[[str, int, str], None],
) -> None:
    settings.FOLLOW_WINDOW_S = 60
    follow, _new = webhook_create(owner=owner, model=None, url=hook.url)
    runs = published(time, 2)
    run_events_add(ArchiveEvent.Kind.RUN_PUBLISHED, [run.pk for run in runs])
    work()
    time.on(seconds=60)
    work()
    library = Webhook(follow.secret)
    [message] = hook.received
    assert library.verify(message.body, message.headers)["type"] == "archive.events"
    with pytest.raises(WebhookVerificationError):
        library.verify(message.body.replace(b"run.published", b"run.withdrawn"), message.headers)
    tool_count("standardwebhooks", 1, "messages")
