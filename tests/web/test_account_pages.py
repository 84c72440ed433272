"""The accounts' pages wear the site's frame, and so does the answer to one who tries too often."""

from __future__ import annotations

import re

import pytest
from allauth.account import urls as account_urls
from allauth.core.ratelimit import respond_429
from django.conf import LazySettings
from django.contrib.auth import get_user_model
from django.core import mail
from django.template import engines
from django.test import Client, RequestFactory

from server.accounts.models import User

pytestmark = pytest.mark.django_db
NOT_OFFERED = {"account/confirm_login_code.html"}
"""Pages of ways to sign in that the settings leave off."""


@pytest.fixture
def owner() -> User:
    """Return somebody with a password and a mail address."""
    made = get_user_model().objects.create_user("sample", "sample@example.org", "a long sample password")
    made.emailaddress_set.create(email="sample@example.org", primary=True, verified=True)
    return made


def assert_frame(body: str) -> None:
    """Hold that a page is one of the site's, with its forms guarded."""
    assert 'class="masthead"' in body and "· DiskAtlas</title>" in body
    assert body.count('<form method="post"') == body.count('name="csrfmiddlewaretoken"')


@pytest.mark.parametrize("page", ["login", "signup", "password/reset"])
def test_accounts_pages_have_the_site_s_frame(client: Client, page: str, settings: LazySettings) -> None:
    settings.SIGN_UP = True
    body = client.get(f"/accounts/{page}/").content.decode()
    assert_frame(body)
    assert 'class="button"' in body


@pytest.mark.parametrize("page", ["inactive", "confirm-email", "confirm-email/wrong", "password/reset/done"])
def test_pages_that_only_tell_something_have_it_too(client: Client, page: str) -> None:
    assert_frame(client.get(f"/accounts/{page}/").content.decode())


@pytest.mark.parametrize("page", ["email", "password/change", "logout"])
def test_who_is_signed_in_finds_the_ways_on(client: Client, owner: User, page: str) -> None:
    client.force_login(owner)
    body = client.get(f"/accounts/{page}/").content.decode()
    assert_frame(body)
    assert 'href="/accounts/logout/"' in body


def test_mail_addresses_are_shown_with_what_is_known_of_them(client: Client, owner: User) -> None:
    client.force_login(owner)
    body = client.get("/accounts/email/").content.decode()
    assert 'value="sample@example.org" checked' in body
    assert "Main address" in body and "Not confirmed" not in body


def test_a_forgotten_password_is_set_anew_by_the_link_of_a_mail(client: Client, owner: User) -> None:
    assert client.post("/accounts/password/reset/", {"email": owner.email}).status_code == 302
    (address,) = re.findall(r"https?://[^/]+(/accounts/password/reset/key/\S+)", str(mail.outbox[0].body))
    begun = client.get(address, follow=True)
    assert_frame(begun.content.decode())
    given = {"password1": "another long password", "password2": "another long password"}
    done = client.post(begun.redirect_chain[-1][0], given, follow=True)
    assert_frame(done.content.decode())
    assert "This link no longer works" in client.get(address, follow=True).content.decode()
    assert client.login(username=owner.username, password="another long password")


def test_no_label_ends_with_a_colon(client: Client) -> None:
    for address in ("login", "password/reset"):
        labels = re.findall(
            r"<label[^>]*>([^<]*)</label>", client.get(f"/accounts/{address}/").content.decode()
        )
        assert len(labels) > 1 and not [label for label in labels if label.strip().endswith(":")], address


def test_what_was_done_is_said_on_the_next_page(client: Client, owner: User) -> None:
    client.force_login(owner)
    body = client.post("/accounts/email/", {"action_add": "", "email": "b@example.org"}, follow=True)
    assert 'role="status"' in body.content.decode()


def test_no_page_of_accounts_is_left_to_the_library_s_own_templates() -> None:
    views = [getattr(pattern.callback, "view_class", None) for pattern in account_urls.urlpatterns]
    names = {view.template_name for view in views if view is not None} - NOT_OFFERED
    assert len(names) > 10
    for name in names:
        engines["jinja2"].get_template(name)


def test_who_tries_too_often_is_told_so_on_a_page() -> None:
    answer = respond_429(RequestFactory().post("/accounts/login/"))
    assert answer.status_code == 429
    assert "Too many requests" in answer.content.decode() and 'class="masthead"' in answer.content.decode()
