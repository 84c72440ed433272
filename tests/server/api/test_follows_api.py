"""Webhooks over HTTP: an account's own, secret shown once, mail addresses never."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from server.accounts.models import User
from server.accounts.services import api_token_create
from server.catalog.models import DriveModel
from server.core import clock
from server.subscriptions import services
from server.subscriptions.models import Delivery, Subscription
from tests.support.sample_archive import drive_model_curated

pytestmark = pytest.mark.django_db
HOOK = "https://example.org/hook"


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.subscriptions.delivery.message_send", lambda *_: None)


@pytest.fixture
def model() -> DriveModel:
    """A sample model."""
    return drive_model_curated(vendor_name="Sampledata", model_name="Sample 9000", simulated=False)


class Reader:
    """Somebody with a token."""

    def __init__(self, name: str) -> None:
        _token, secret = api_token_create(owner=User.objects.create_user(name), name="sample")
        self._headers = {"Authorization": f"Bearer {secret}"}
        self._client = Client()
        self.kept = ""
        """What the last answer lets caches do."""

    def __call__(self, method: str, address: str, body: Any = None) -> tuple[int, Any]:
        response = self._client.generic(
            method,
            f"/api/v1/follows/{address}",
            json.dumps(body) if body is not None else "",
            content_type="application/json",
            headers=self._headers,
        )
        self.kept = response.headers.get("Cache-Control", "")
        return response.status_code, json.loads(response.content) if response.content else None


@pytest.fixture
def reader() -> Reader:
    return Reader("sample-reader")


def made(reader: Reader, model: DriveModel) -> dict[str, Any]:
    status, body = reader("POST", "", {"drive": model.slug, "url": HOOK})
    assert status == 201, body
    return dict(body)


def test_without_a_token_nothing_is_told(client: Client) -> None:
    response = client.get("/api/v1/follows/")
    assert response.status_code == 401 and response.headers["WWW-Authenticate"].startswith("Bearer ")
    assert json.loads(response.content)["type"].endswith("/problems/token-needed/")


def test_the_secret_is_shown_once(reader: Reader, model: DriveModel) -> None:
    follow = made(reader, model)
    assert follow["secret"].startswith("whsec_")
    again, body = reader("POST", "", {"drive": model.slug, "url": HOOK})
    assert (again, body["id"], body["secret"]) == (200, follow["id"], None)
    for address in ("", f"{follow['id']}/"):
        assert follow["secret"] not in json.dumps(reader("GET", address)[1])


def test_a_webhook_is_tested_paused_resumed_and_ended(reader: Reader, model: DriveModel) -> None:
    follow = made(reader, model)
    status, message = reader("POST", f"{follow['id']}/test/")
    assert status == 202 and message["id"].startswith("msg_") and message["kind"] == "test"
    Subscription.objects.update(state="paused", reason="Sample reason.", paused_at=clock.now())
    _status, seen = reader("GET", f"{follow['id']}/")
    assert (seen["state"], seen["reason"], len(seen["deliveries"])) == ("paused", "Sample reason.", 1)
    assert reader("POST", f"{follow['id']}/resume/")[1]["state"] == "active"
    assert reader("DELETE", f"{follow['id']}/") == (204, None)
    assert not Subscription.objects.exists() and not Delivery.objects.exists()
    assert reader("GET", f"{follow['id']}/")[0] == 404


def test_the_webhooks_of_others_are_not_there(reader: Reader, model: DriveModel) -> None:
    follow = made(reader, model)
    other = Reader("other-reader")
    assert other("GET", "")[1] == {"results": []}
    for method, address in (("GET", ""), ("DELETE", ""), ("POST", "test/"), ("POST", "resume/")):
        assert other(method, f"{follow['id']}/{address}")[0] == 404
    assert Subscription.objects.count() == 1


def test_mail_addresses_are_never_in_the_api(reader: Reader, model: DriveModel) -> None:
    services.follow_by_mail(model=model, mail="sample@example.org")
    assert reader("GET", "")[1] == {"results": []}
    follow = Subscription.objects.get()
    assert reader("GET", f"{follow.pk}/")[0] == 404


@pytest.mark.parametrize(
    ("body", "status", "slug"),
    [
        ({"drive": "sampledata-sample-9000", "url": "http://example.org/"}, 422, "bad-target"),
        ({"drive": "sampledata-sample-9000", "url": "https://192.168.0.1/"}, 422, "bad-target"),
        ({"drive": "no-such-drive", "url": HOOK}, 404, "not-found"),
        ({"drive": "sampledata-sample-9000"}, 400, "bad-request"),
        ({"drive": 7, "url": HOOK}, 400, "bad-request"),
        ({"drive": "sampledata-sample-9000", "url": HOOK, "simulated": "yes"}, 400, "bad-request"),
        ({"drive": "sampledata-sample-9000", "url": HOOK, "mail": "a@example.org"}, 400, "bad-request"),
        ([], 400, "bad-request"),
    ],
)
def test_what_can_not_be_followed_is_told(
    reader: Reader, model: DriveModel, body: Any, status: int, slug: str
) -> None:
    answered, trouble = reader("POST", "", body)
    assert (answered, trouble["type"].rsplit("/", 2)[1]) == (status, slug)
    assert not Subscription.objects.exists()


def test_an_account_has_a_hundred_webhooks_at_most(
    reader: Reader, model: DriveModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_WEBHOOKS", 1)
    made(reader, model)
    status, trouble = reader("POST", "", {"drive": model.slug, "url": HOOK + "/other"})
    assert status == 409 and "Delete one" in trouble["detail"]


def test_no_shared_cache_keeps_what_is_an_accounts_own(reader: Reader, model: DriveModel) -> None:
    follow = made(reader, model)
    kept = [reader.kept]
    for method, address in (("GET", ""), ("GET", f"{follow['id']}/"), ("GET", "nothing/"), ("POST", "")):
        reader(method, address)
        kept.append(reader.kept)
    assert Client().get("/api/v1/follows/").headers["Cache-Control"] == "private, no-store"
    assert kept[:3] == ["private, no-store"] * 3 and kept[4] == "private, no-store"


def test_18_the_archive_does_not_flood_whoever_is_named_as_a_webhook(
    reader: Reader, model: DriveModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred webhooks at a stranger's address, tested again as soon as the last message ended."""
    monkeypatch.setattr("server.api.subscriptions.TESTS_PER_HOUR", 3)
    made = [
        reader("POST", "", {"drive": model.slug, "url": f"{HOOK}{number}"})[1]["id"] for number in range(2)
    ]
    answers = []
    for number in range(5):
        answers.append(reader("POST", f"{made[number % 2]}/test/"))
        Delivery.objects.update(state=Delivery.State.DELIVERED, ended_at=clock.now())
    assert [status for status, _answer in answers] == [202, 202, 202, 429, 429]
    assert Delivery.objects.filter(kind=Delivery.Kind.TEST).count() == 3
    assert Reader("sample-other")("GET", "")[0] == 200
