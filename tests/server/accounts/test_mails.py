"""Every mail that an account's pages send is in the site's own words, and carries nobody else's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import allauth
import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client, RequestFactory

from server.accounts.adapter import AccountAdapter
from server.accounts.mails import MAILS, NOTICES
from server.accounts.models import User

pytestmark = pytest.mark.django_db
NOT_OFFERED = {
    *("account/email/login_code", "account/email/password_reset_code"),
    "account/email/unknown_account",  # Who has no account gets no mail.
}
PASSWORD = "a long sample password"
LURE = "evil.example"


def names() -> Iterator[str]:
    """Give every mail that the library can send."""
    folder = Path(allauth.__file__).parent / "templates"
    for app in ("account", "mfa", "socialaccount"):
        for file in (folder / app / "email").glob("*_subject.txt"):
            yield f"{app}/email/{file.name.removesuffix('_subject.txt')}"


@pytest.fixture
def owner() -> User:
    made = User.objects.create_user("sample", "sample@example.org", PASSWORD)
    made.emailaddress_set.create(email=made.email, primary=True, verified=True)
    return made


def test_every_mail_of_the_library_is_one_of_ours_or_never_sent() -> None:
    assert set(names()) == set(MAILS) | NOT_OFFERED


@pytest.mark.parametrize("name", sorted(MAILS | NOTICES))
def test_a_mail_has_a_fixed_subject_and_links_to_this_site_alone(name: str, settings: LazySettings) -> None:
    settings.SITE_URL = "https://archive.example"
    request = RequestFactory().get("/", headers={"User-Agent": LURE, "Host": LURE})
    adapter = AccountAdapter(request)
    strangers: dict[str, Any] = {
        **{"user_agent": LURE, "username": LURE, "email": f"{LURE}@example.org", "from_email": LURE},
        **{"to_email": LURE, "deleted_email": LURE, "current_site": LURE, "user": LURE, "request": request},
        **{"signup_url": f"https://{LURE}", "ip": "192.0.2.1", "provider": "GitHub", "key": "1-a-b"},
        "activate_url": "https://archive.example/accounts/confirm-email/x/",
        "password_reset_url": "https://archive.example/accounts/password/reset/key/1-a-b/",
    }
    made = adapter.render_mail(name, "sample@example.org", strangers)
    assert made.subject == (MAILS | NOTICES)[name].subject and made.content_subtype == "plain"
    assert LURE not in f"{made.subject}\n{made.body}" and "{" not in str(made.body)
    links = re.findall(r"https?://\S+", str(made.body))
    assert links and all(link.startswith("https://archive.example") for link in links)
    assert max(map(len, str(made.body).splitlines())) <= 120


def test_a_request_by_another_name_changes_no_link(
    client: Client, owner: User, settings: LazySettings
) -> None:
    """Who asks for a reset under a name of the machine that is not the site's would else choose the link."""
    settings.ALLOWED_HOSTS = ["*"]
    settings.SITE_URL, settings.SIGN_UP = "https://archive.example", True
    there = {"Host": LURE}
    client.post("/accounts/password/reset/", {"email": owner.email}, headers=there)
    client.post(
        "/accounts/signup/",
        {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD},
        headers=there,
    )
    client.post(
        "/accounts/signup/",
        {"email": owner.email, "password1": PASSWORD, "password2": PASSWORD},
        headers=there,
    )
    assert len(mail.outbox) == 3
    for message in mail.outbox:
        assert "https://archive.example/accounts/" in str(message.body)
        assert LURE not in f"{message.subject}\n{message.body}"


def test_what_was_changed_is_told_without_counting_against_a_reset(
    client: Client, owner: User, settings: LazySettings
) -> None:
    settings.MAILS_PER_RECIPIENT_PER_DAY = 1
    client.force_login(owner)
    for old, new in ((PASSWORD, "another long password"), ("another long password", PASSWORD)):
        given = {"oldpassword": old, "password1": new, "password2": new}
        assert client.post("/accounts/password/change/", given).status_code == 302
    assert [message.subject for message in mail.outbox] == ["Your password was changed"] * 2
    client.logout()
    for _ in range(3):
        client.post("/accounts/password/reset/", {"email": owner.email})
    assert [message.subject for message in mail.outbox[2:]] == ["A new password for your account"]


def test_an_address_that_is_added_gets_few_mails_however_often_it_is_added(
    client: Client, owner: User, settings: LazySettings
) -> None:
    settings.ACCOUNT_RATE_LIMITS = False
    client.force_login(owner)
    for _ in range(settings.MAILS_PER_RECIPIENT_PER_DAY + 3):
        client.post("/accounts/email/", {"action_add": "", "email": "victim@example.org"})
        client.post("/accounts/email/", {"action_remove": "", "email": "victim@example.org"})
    to_victim = [message for message in mail.outbox if message.to == ["victim@example.org"]]
    assert 0 < len(to_victim) <= settings.MAILS_PER_RECIPIENT_PER_DAY
