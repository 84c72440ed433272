"""Point 6 of what attackers found: nobody uses the archive to bother, or to deceive, a third person."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client

from server.accounts.models import User
from server.catalog.models import DriveModel
from server.catalog.services import drive_model_resolve
from tests.server.subscriptions.conftest import sent, time, work  # noqa: F401 -- fixtures

pytestmark = pytest.mark.django_db
LURE = "Your account is locked, see evil.example"


@pytest.fixture
def unpublished() -> DriveModel:
    """A model that a run brought which waits for a person: its name is what a stranger wrote."""
    return drive_model_resolve(vendor_name="ACME", model_name=LURE, simulated=False)


def test_18_6_a_mail_before_publication_carries_no_text_of_strangers(
    client: Client,
    unpublished: DriveModel,
    work: Callable[[], None],  # noqa: F811 -- a fixture
) -> None:
    client.post(f"/drives/{unpublished.slug}/follow/", {"mail": "victim@example.org"})
    work()
    for message in mail.outbox:
        assert "evil" not in f"{message.subject}\n{message.body}".lower()


def test_18_6_subjects_are_fixed(
    client: Client,
    publish: Callable[..., Any],
    work: Callable[[], None],  # noqa: F811 -- a fixture
) -> None:
    model = publish().run.drive_model
    client.post(f"/drives/{model.slug}/follow/", {"mail": "reader@example.org"})
    work()
    [asked] = mail.outbox
    assert asked.subject == "Confirm that you follow a model"
    assert model.title in str(asked.body)  # A published model may be named.


@pytest.mark.parametrize("address", ["victim@example.org", "Victim+{}@EXAMPLE.org"])
def test_18_6_an_address_gets_few_mails_a_day_whoever_asks(
    client: Client,
    publish: Callable[..., Any],
    work: Callable[[], None],  # noqa: F811 -- a fixture
    settings: LazySettings,
    address: str,
) -> None:
    settings.NUM_PROXIES = 1
    User.objects.create_user("sample-victim", email="victim@example.org")
    slug = publish().run.drive_model.slug
    for turn in range(12):
        given, whence = address.format(turn), {"X-Forwarded-For": f"203.0.113.{turn}"}
        client.post("/accounts/password/reset/", {"email": given}, headers=whence)
        client.post(f"/drives/{slug}/follow/", {"mail": given}, headers=whence)
        work()
    assert len(mail.outbox) <= settings.MAILS_PER_RECIPIENT_PER_DAY


def test_18_6_an_address_without_account_gets_no_mail_of_a_reset(client: Client) -> None:
    answer = client.post("/accounts/password/reset/", {"email": "stranger@example.org"})
    assert answer.status_code == 302  # As for one with an account: nobody learns which is one.
    assert mail.outbox == []


def test_18_6_accounts_are_made_by_visitors_only_where_the_operator_wants_it(
    client: Client, settings: LazySettings
) -> None:
    assert "takes no new accounts" in client.get("/accounts/signup/").content.decode()
    assert "Sign up" not in client.get("/accounts/login/").content.decode()
    settings.SIGN_UP = True
    assert "takes no new accounts" not in client.get("/accounts/signup/").content.decode()
    assert "Sign up" in client.get("/accounts/login/").content.decode()


def test_18_6_the_administration_is_entered_by_the_sign_in_that_counts_attempts(client: Client) -> None:
    answer = client.get("/admin/login/?next=/admin/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/login/?next=%2Fadmin%2F")
    User.objects.create_superuser("sample-staff", password="right-password")
    form = {"username": "sample-staff", "login": "sample-staff", "password": "wrong"}
    for _ in range(30):
        for address in ("/admin/login/", "/accounts/login/"):
            client.post(address, form)
    client.post("/admin/login/", {**form, "password": "right-password"})
    client.post("/accounts/login/", {**form, "password": "right-password"})
    assert client.get("/admin/").status_code == 302


def test_18_6_an_account_that_is_no_staff_is_told_so(client: Client) -> None:
    client.force_login(User.objects.create_user("sample-reader"))
    assert client.get("/admin/login/?next=/admin/").status_code == 403


def test_18_6_nobodys_user_name_stands_on_a_run(client: Client, publish: Callable[..., Any]) -> None:
    submission = publish()
    key = submission.probe_key
    key.owner, key.status = User.objects.create_user("sample-holder"), "claimed"
    key.save()
    page = client.get(f"/runs/{submission.run.pk}/").content.decode()
    assert "sample-holder" not in page
    assert re.search(r"An account has claimed\s+the\s+key", page)
