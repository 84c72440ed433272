"""Accounts that visitors make: by a mail address that is confirmed, and without telling who has one."""

from __future__ import annotations

import re

import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client

from server.accounts.models import User

pytestmark = pytest.mark.django_db
GIVEN = {
    "email": "new@example.org",
    "password1": "a long sample password",
    "password2": "a long sample password",
}


@pytest.fixture(autouse=True)
def open_to_visitors(settings: LazySettings) -> None:
    settings.SIGN_UP = True


def test_an_account_is_opened_by_the_link_of_a_mail(client: Client) -> None:
    answer = client.post("/accounts/signup/", GIVEN)
    assert answer.headers["Location"] == "/accounts/confirm-email/"
    assert client.get("/accounts/keys/").status_code == 302
    [asked] = mail.outbox
    [address] = re.findall(r"https?://[^/]+(/accounts/confirm-email/\S+)", str(asked.body))
    assert client.get(address).status_code == 200
    assert (
        not User.objects.get().emailaddress_set.get().verified
    )  # A mail program that looks confirms nothing.
    client.post(address)
    assert User.objects.get().emailaddress_set.get().verified
    signed_in = client.post("/accounts/login/", {"login": GIVEN["email"], "password": GIVEN["password1"]})
    assert signed_in.headers["Location"] == "/accounts/"


def test_the_mail_carries_no_word_of_whoever_asked(client: Client) -> None:
    client.post(
        "/accounts/signup/", {**GIVEN, "username": "evil.example", "email": "evil.example@example.org"}
    )
    [user] = User.objects.all()
    assert re.fullmatch(r"member-[0-9a-f]{12}", user.username)
    [asked] = mail.outbox
    assert "evil" not in f"{asked.subject}\n{asked.body}"


def test_signing_up_tells_nobody_who_has_an_account(client: Client) -> None:
    owner = User.objects.create_user("sample", "sample@example.org", "a long sample password")
    owner.emailaddress_set.create(email=owner.email, primary=True, verified=True)
    known = client.post("/accounts/signup/", {**GIVEN, "email": owner.email})
    unknown = Client().post("/accounts/signup/", GIVEN)
    assert (known.status_code, known.headers["Location"]) == (
        unknown.status_code,
        unknown.headers["Location"],
    )
    assert User.objects.filter(email=owner.email).count() == 1
    first, second = mail.outbox
    assert first.to == [owner.email] and "/accounts/password/reset/" in str(first.body)
    assert second.to == [GIVEN["email"]]


def test_signing_in_fails_alike_with_and_without_an_account(client: Client) -> None:
    User.objects.create_user("sample", "sample@example.org", "a long sample password")
    pages = [
        client.post("/accounts/login/", {"login": address, "password": "wrong"}).content.decode()
        for address in ("sample@example.org", "nobody@example.org")
    ]
    said = [re.findall(r'<ul class="errorlist[^>]*>.*?</ul>', page) for page in pages]
    assert said[0] == said[1] and said[0]


def test_a_closed_archive_makes_no_account(client: Client, settings: LazySettings) -> None:
    settings.SIGN_UP = False
    client.post("/accounts/signup/", GIVEN)
    assert not User.objects.exists() and mail.outbox == []
