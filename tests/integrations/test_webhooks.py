"""Messages to webhooks, checked by the library that receivers are told to use."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.conf import LazySettings
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from server.subscriptions.models import Subscription
from server.subscriptions.services import webhook_test
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
