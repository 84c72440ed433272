"""Following by mail: asked for, confirmed, told, ended, and nothing kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client

from server.catalog.models import DriveModel
from server.catalog.services import drive_model_resolve
from server.subscriptions.models import Delivery, Subscription
from server.subscriptions.services import expired_remove
from tests.server.subscriptions.conftest import Clock
from tests.server.subscriptions.test_webhooks import published

pytestmark = pytest.mark.django_db
Work = Callable[[], None]
ADDRESS = "Sample.Reader@example.org"


@pytest.fixture
def ask(client: Client, model: DriveModel, work: Work, time: Clock) -> Callable[..., Any]:
    """Give an address on the drive's page and let the workers do what is due."""

    def give(address: str = ADDRESS, **fields: str) -> Any:
        response = client.post(f"/drives/{model.slug}/follow/", {"mail": address, **fields})
        work()
        return response

    return give


def link_in(text: object, step: str) -> str:
    found = re.search(rf"http://localhost:8000(/follow/{step}/\S+)", str(text))
    assert found is not None, text
    return found[1]


@pytest.fixture
def following(ask: Callable[..., Any], client: Client) -> Subscription:
    """Follow the model by mail."""
    ask()
    client.post(link_in(mail.outbox.pop().body, "confirm"))
    return Subscription.objects.get()


def test_nothing_is_sent_before_the_link_is_opened_and_confirmed(
    ask: Callable[..., Any], client: Client, time: Clock, work: Work
) -> None:
    assert ask().status_code == 302
    [asked] = mail.outbox
    assert asked.to == ["Sample.Reader@example.org"] and "SAMPLE-1" in asked.body
    link = link_in(asked.body, "confirm")
    assert client.get(link).status_code == 200  # As a mail program looks at links.
    assert Subscription.objects.get().state == "unconfirmed"
    published(time)
    time.on(seconds=300)
    work()
    assert len(mail.outbox) == 1
    assert client.post(link).status_code == 200
    assert Subscription.objects.get().state == "active"


def test_a_new_run_comes_by_mail_with_one_click_to_end_it(
    following: Subscription, client: Client, time: Clock, work: Work
) -> None:
    [run] = published(time)
    time.on(seconds=300)
    work()
    [told] = mail.outbox
    assert told.subject == "1 new run of a model that you follow" and f"/runs/{run.pk}/" in told.body
    assert told.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = link_in(told.extra_headers["List-Unsubscribe"].strip("<>"), "stop")
    strict = Client(enforce_csrf_checks=True)
    assert client.get(address).status_code == 200 and Subscription.objects.exists()
    assert strict.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not Subscription.objects.exists() and not Delivery.objects.exists()
    assert strict.post(address).status_code == 200  # Twice does no harm.


def test_ending_can_take_the_address_out_of_everything(
    following: Subscription, client: Client, model: DriveModel, time: Clock, work: Work
) -> None:
    other = drive_model_resolve(vendor_name="ACME", model_name="SAMPLE-2", simulated=False)
    following.pk, following.drive_model = None, other
    following.id = Subscription._meta.get_field("id").get_default()
    following.save(force_insert=True)
    published(time)
    time.on(seconds=300)
    work()
    client.post(link_in(mail.outbox[0].body, "stop"), {"all": "1"})
    assert not Subscription.objects.exists()


def test_asking_again_tells_nothing_and_sends_nothing(
    following: Subscription, ask: Callable[..., Any], client: Client, model: DriveModel
) -> None:
    stranger = ask("stranger@example.org")
    known = ask(ADDRESS.lower())
    assert (stranger.status_code, stranger.url) == (known.status_code, known.url)
    assert [message.to for message in mail.outbox] == [["stranger@example.org"]]
    ask("stranger@example.org")
    assert len(mail.outbox) == 1


def test_nobody_fills_a_strangers_mailbox(
    client: Client, model: DriveModel, sent: list[str], work: Work
) -> None:
    for number in range(8):
        other = drive_model_resolve(vendor_name="ACME", model_name=f"SAMPLE-{number}", simulated=False)
        DriveModel.objects.filter(pk=other.pk).update(curated=True)
        client.post(f"/drives/{other.slug}/follow/", {"mail": ADDRESS})
    work()
    assert len(mail.outbox) == 5


def test_one_client_asks_only_so_often(ask: Callable[..., Any], settings: LazySettings, time: Clock) -> None:
    settings.FOLLOW_MAILS_PER_HOUR = 2
    codes = [ask(f"reader{number}@example.org").status_code for number in range(3)]
    assert codes == [302, 302, 429]
    time.on(hours=1)
    assert ask("reader9@example.org").status_code == 302


@pytest.mark.parametrize("address", ["", "nobody", "a@b", "a@example.org\nBcc: b@example.org", "x" * 300])
def test_what_is_no_address_is_told_and_kept_nowhere(ask: Callable[..., Any], address: str) -> None:
    response = ask(address)
    assert response.status_code == 400 and b"is no mail address" in response.content
    assert not Subscription.objects.exists() and mail.outbox == []


def test_an_address_that_nobody_confirms_is_deleted(ask: Callable[..., Any], time: Clock) -> None:
    ask()
    time.on(hours=47)
    assert expired_remove() == 0
    time.on(hours=2)
    assert expired_remove() == 1 and not Subscription.objects.exists()


def test_a_link_that_was_changed_leads_nowhere(ask: Callable[..., Any], client: Client) -> None:
    ask()
    link = link_in(mail.outbox[0].body, "confirm")
    assert client.post(link[:-3] + "xx/").status_code == 404
    assert client.post(link.replace("confirm", "stop")).status_code == 404
    assert Subscription.objects.get().state == "unconfirmed"


def test_a_mail_server_that_is_away_costs_time_only(
    following: Subscription, time: Clock, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(time)
    time.on(seconds=300)
    with monkeypatch.context() as patched:

        def refuse(*_: object) -> None:
            raise ConnectionRefusedError(ADDRESS)

        patched.setattr("django.core.mail.EmailMessage.send", refuse)
        work()
    delivery = Delivery.objects.get(kind="runs")
    assert delivery.state == "waiting" and ADDRESS not in delivery.error and mail.outbox == []
    time.on(seconds=60)
    work()
    assert len(mail.outbox) == 1
