"""What keeps strangers out of followed drives: of other accounts, other addresses and other machines."""

from __future__ import annotations

import base64
import http.client
import socket
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from server.accounts.models import User
from server.catalog.models import DriveModel
from server.subscriptions import delivery
from server.subscriptions.delivery import PostFailed, message_post
from server.subscriptions.messages import confirm_read, confirm_url
from server.subscriptions.models import Subscription
from server.subscriptions.services import expired_remove, follow_confirm, follow_stop, webhook_create
from server.subscriptions.webhooks import BadTarget, secret_new, target_read
from tests.server.subscriptions.conftest import Clock
from tests.server.subscriptions.test_targets import answers
from tests.server.subscriptions.test_webhooks import published
from tests.support.receiver import Receiver

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/sample"


def by_mail(model: DriveModel, time: Clock, address: str, state: str = "active") -> Subscription:
    """Follow a model by mail."""
    return Subscription.objects.create(
        drive_model=model,
        channel=Subscription.Channel.MAIL,
        mail=address,
        state=state,
        created_at=time.moment,
        active_since=time.moment,
    )


def test_the_setting_for_tests_opens_this_machine_and_no_other(settings: LazySettings) -> None:
    settings.FOLLOW_ALLOW_LOOPBACK = True
    assert target_read("http://127.0.0.1:8000/hook").port == 8000
    for url in ("https://10.0.0.1/", "http://192.168.0.1/", "https://169.254.169.254/latest"):
        with pytest.raises(BadTarget):
            target_read(url)


def test_tls_is_asked_for_by_the_name_and_not_by_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def wrap(_context: Any, _sock: Any, *, server_hostname: str, **_: object) -> Any:
        names.append(server_hostname)
        raise ConnectionRefusedError("sample")

    monkeypatch.setattr(socket, "getaddrinfo", answers("9.9.9.9"))
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: socket.socket())
    monkeypatch.setattr("ssl.SSLContext.wrap_socket", wrap)
    with pytest.raises(PostFailed):
        message_post(url=URL, body=b"{}", headers={})
    assert names == ["hooks.example.org"]


def test_a_request_has_a_deadline_as_a_whole(monkeypatch: pytest.MonkeyPatch, hook: Receiver) -> None:
    """Without one, who answers a byte now and then would keep a worker."""

    class Passed:
        """A timer whose time has come as soon as it is started."""

        def __init__(self, seconds: float, shut: Callable[[], None]) -> None:
            self.start = shut
            assert seconds == delivery.WHOLE_TIMEOUT_S

        def cancel(self) -> None:
            pass

    monkeypatch.setattr(delivery.threading, "Timer", Passed)
    with pytest.raises(PostFailed, match="No answer"):
        message_post(url=hook.url, body=b"{}", headers={})
    assert hook.received == []


def test_each_answer_is_awaited_and_read_within_bounds(
    monkeypatch: pytest.MonkeyPatch, hook: Receiver
) -> None:
    read, limits = http.client.HTTPResponse.read, []
    waits: list[float | None] = []

    def measured(response: Any, amount: int | None = None) -> bytes:
        limits.append(amount)
        return read(response, amount)

    ask = delivery._ask

    def watched(sock: socket.socket, *rest: Any) -> Any:
        waits.append(sock.gettimeout())
        return ask(sock, *rest)

    monkeypatch.setattr(http.client.HTTPResponse, "read", measured)
    monkeypatch.setattr(delivery, "_ask", watched)
    assert message_post(url=hook.url, body=b"{}", headers={}).taken
    assert limits == [delivery.MOST_READ_BYTES] and waits == [delivery.READ_TIMEOUT_S]


def test_a_message_that_may_have_arrived_is_not_sent_to_another_address_at_once(
    monkeypatch: pytest.MonkeyPatch, hook: Receiver
) -> None:
    def fail(*_: object) -> None:
        asked.append(1)
        raise ConnectionResetError("sample")

    asked: list[int] = []
    monkeypatch.setattr(delivery, "addresses_of", lambda _target: ["127.0.0.1", "127.0.0.1"])
    monkeypatch.setattr(delivery, "_ask", fail)
    with pytest.raises(PostFailed):
        message_post(url=hook.url, body=b"{}", headers={})
    assert len(asked) == 1


def test_secrets_are_long_and_each_is_another() -> None:
    made = {secret_new() for _ in range(8)}
    assert len(made) == 8
    assert all(len(base64.b64decode(secret.removeprefix("whsec_"))) >= 24 for secret in made)


def test_ending_all_of_an_address_leaves_those_of_others(model: DriveModel, time: Clock, owner: User) -> None:
    mine = by_mail(model, time, "Sample@example.org")
    other = by_mail(model, time, "other@example.org")
    hook, _made = webhook_create(owner=owner, model=model, url=URL)
    assert follow_stop(follow_id=mine.pk, all_of_address=True) == 1
    assert set(Subscription.objects.values_list("pk", flat=True)) == {other.pk, hook.pk}


def test_the_link_of_one_address_begins_nothing_for_another(
    client: Client, model: DriveModel, time: Clock
) -> None:
    mine = by_mail(model, time, "sample@example.org", "unconfirmed")
    other = by_mail(model, time, "other@example.org", "unconfirmed")
    token = confirm_url(mine).rstrip("/").rpartition("/")[2]
    assert confirm_read(token) == mine.pk
    forged = f"{other.pk.hex}.{token.partition('.')[2]}"
    assert client.post(f"/follow/confirm/{forged}/").status_code == 404
    assert set(Subscription.objects.values_list("state", flat=True)) == {"unconfirmed"}


def test_a_webhook_is_resumed_by_its_account_and_by_no_link(
    model: DriveModel, time: Clock, owner: User
) -> None:
    hook, _made = webhook_create(owner=owner, model=model, url=URL)
    Subscription.objects.filter(pk=hook.pk).update(state="paused")
    assert follow_confirm(follow_id=hook.pk) is None
    assert Subscription.objects.get().state == "paused"


def test_the_same_webhook_of_another_account_is_another_one(
    model: DriveModel, time: Clock, owner: User
) -> None:
    first, _made = webhook_create(owner=owner, model=model, url=URL)
    stranger = User.objects.create_user("other-reader")
    second, made = webhook_create(owner=stranger, model=model, url=URL)
    assert made and second.pk != first.pk and second.secret != first.secret


def test_a_mail_address_that_takes_none_is_not_kept_for_ever(model: DriveModel, time: Clock) -> None:
    follow = by_mail(model, time, "sample@example.org", "paused")
    Subscription.objects.filter(pk=follow.pk).update(paused_at=time.moment)
    time.on(days=29)
    assert expired_remove() == 0
    time.on(days=2)
    assert expired_remove() == 1


def test_the_pages_of_links_are_kept_nowhere_and_told_to_no_other_site(
    client: Client, model: DriveModel, time: Clock
) -> None:
    follow = by_mail(model, time, "sample@example.org", "unconfirmed")
    for response in (client.get(confirm_url(follow)), client.post(confirm_url(follow))):
        assert response.status_code == 200
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert "no-store" in response.headers["Cache-Control"]


def test_news_go_to_active_followers_alone_and_only_from_when_they_began(
    followed: Subscription, hook: Receiver, owner: User, time: Clock, work: Callable[[], None]
) -> None:
    """Beside one who is told, one who is paused and one who began after the run."""
    model = followed.drive_model
    paused, _made = webhook_create(owner=owner, model=model, url=hook.url + "/paused")
    Subscription.objects.filter(pk=paused.pk).update(state="paused")
    published(time)
    time.on(hours=1)
    webhook_create(owner=owner, model=model, url=hook.url + "/later")
    time.on(seconds=300)
    work()
    assert [message.path for message in hook.received] == ["/hook"]


def asked_twice(client: Client, model: DriveModel, *forwarded: str) -> list[int]:
    """Ask for mail to two addresses, with what the requests say of whom they are from."""
    return [
        client.post(
            f"/drives/{model.slug}/follow/",
            {"mail": f"reader{number}@example.org"},
            headers={"X-Forwarded-For": says},
        ).status_code
        for number, says in enumerate(forwarded)
    ]


@pytest.mark.parametrize(
    ("proxies", "forwarded", "told"),
    [
        (0, ("203.0.113.1", "203.0.113.2"), 429),  # nobody vouches for it
        (1, ("198.51.100.7, 203.0.113.1", "198.51.100.7, 203.0.113.2"), 302),
        (1, ("198.51.100.1, 203.0.113.9", "198.51.100.2, 203.0.113.9"), 429),  # the client's own words
    ],
)
def test_a_client_is_known_by_what_its_proxy_says_and_not_by_what_it_says(
    client: Client,
    model: DriveModel,
    time: Clock,
    settings: LazySettings,
    sent: list[str],
    proxies: int,
    forwarded: tuple[str, str],
    told: int,
) -> None:
    settings.FOLLOW_MAILS_PER_HOUR, settings.NUM_PROXIES = 1, proxies
    assert asked_twice(client, model, *forwarded) == [302, told]
