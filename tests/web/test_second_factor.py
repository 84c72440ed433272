"""Who moderates or administers has a second factor, and whoever has one is asked for it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.mfa import urls as factor_urls
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.socialaccount import urls as linked_urls
from allauth.usersessions import urls as session_urls
from allauth.usersessions.models import UserSession
from django.conf import LazySettings
from django.contrib.auth.models import Group, Permission
from django.contrib.sessions.models import Session
from django.core import mail
from django.db import transaction
from django.template import engines
from django.test import Client
from django.urls import URLPattern, URLResolver

from server.accounts.adapter import SecondFactorAdapter
from server.accounts.models import User
from server.accounts.second_factor import second_factor_due, sessions_forget
from tests.support.people import second_factor
from tests.web.test_account_pages import assert_frame

pytestmark = pytest.mark.django_db
PASSWORD = "a long sample password"
FACTOR_PAGE = "/accounts/2fa/"


@pytest.fixture(autouse=True)
def committed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows a commit belongs to the request, and a test's transaction never commits."""
    monkeypatch.setattr(transaction, "on_commit", lambda act, **_options: act())


def member(name: str = "sample") -> User:
    """Return somebody with a password and a confirmed mail address."""
    user = User.objects.create_user(name, f"{name}@example.org", PASSWORD)
    user.emailaddress_set.create(email=user.email, primary=True, verified=True)
    return user


def sign_in(client: Client, user: User, **more: Any) -> Any:
    return client.post("/accounts/login/", {"login": user.email, "password": PASSWORD, **more})


def code(secret: str) -> str:
    """Return what an authenticator app shows now."""
    return str(format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[1])))


def confirmed(client: Client, address: str) -> str:
    """Return a page that wants the password once more first."""
    asked = client.get(address, follow=True)
    if asked.redirect_chain:
        assert_frame(asked.content.decode())
        asked = client.post(asked.redirect_chain[-1][0], {"password": PASSWORD}, follow=True)
    return str(asked.content.decode())


def app_set_up(client: Client) -> tuple[str, Any]:
    """Set an authenticator app up as a person does; return its secret and the page that follows."""
    page = confirmed(client, "/accounts/2fa/totp/activate/")
    assert_frame(page)
    assert 'src="data:image/svg+xml' in page
    secret = re.search(r'<span class="digest">([A-Z2-7]{32})</span>', page)
    assert secret is not None
    return secret[1], client.post("/accounts/2fa/totp/activate/", {"code": code(secret[1])}, follow=True)


@pytest.mark.parametrize("kind", ["staff", "superuser", "group", "permission"])
def test_whoever_may_do_more_gets_nowhere_without_a_second_factor(client: Client, kind: str) -> None:
    user = member()
    client.force_login(user)
    assert client.get("/drives/").status_code == 200 and client.get("/accounts/keys/").status_code == 200
    match kind:
        case "staff" | "superuser":
            User.objects.filter(pk=user.pk).update(**{f"is_{kind}": True})
        case "group":
            user.groups.add(Group.objects.get_or_create(name="moderators")[0])
        case "permission":
            user.user_permissions.add(Permission.objects.get(codename="decide"))
    for address in ("/drives/", "/admin/", "/accounts/keys/", "/accounts/tokens/", "/accounts/device/"):
        for method in (client.get, client.post):
            answer = method(address)
            assert (answer.status_code, answer.headers.get("Location")) == (302, FACTOR_PAGE), address
    page = client.get(FACTOR_PAGE).content.decode()
    assert_frame(page)
    assert "needs a\n  second factor" in page
    second_factor(user)
    assert client.get("/drives/").status_code == 200


def test_an_app_is_set_up_with_recovery_codes_that_are_shown_once(client: Client) -> None:
    user = member()
    sign_in(client, user)
    secret, shown = app_set_up(client)
    codes = re.findall(r"^(?:<pre[^>]*>)?(\d{8})", shown.content.decode(), re.MULTILINE)
    assert len(codes) == 10
    assert codes[0] not in client.get("/accounts/2fa/recovery-codes/").content.decode()
    [told] = mail.outbox
    assert told.subject == "A second factor was added" and "127.0.0.1" in str(told.body)
    stored = str(list(Authenticator.objects.filter(user=user).values_list("data", flat=True)))
    assert secret not in stored and codes[0] not in stored
    client.logout()
    asked = sign_in(client, user)
    assert asked.headers["Location"] == "/accounts/2fa/authenticate/"
    assert client.get("/accounts/keys/").status_code == 302  # The password alone opens nothing.
    assert_frame(client.get("/accounts/2fa/authenticate/").content.decode())
    assert "Incorrect code" in client.post("/accounts/2fa/authenticate/", {"code": "000000"}).content.decode()
    assert client.post("/accounts/2fa/authenticate/", {"code": codes[0]}).status_code == 302
    assert client.get("/accounts/keys/").status_code == 200
    client.logout()
    sign_in(client, user)
    assert client.post("/accounts/2fa/authenticate/", {"code": codes[0]}).status_code == 200  # Spent.


def test_a_new_secret_key_spoils_no_sign_in_where_the_former_one_is_kept(
    client: Client, settings: LazySettings
) -> None:
    user = member()
    second_factor(user)
    sign_in(client, user)
    secret = SecondFactorAdapter().decrypt(Authenticator.objects.get(user=user).data["secret"])
    before, settings.SECRET_KEY = settings.SECRET_KEY, "another-" * 8
    settings.SECRET_KEY_FALLBACKS = []
    Session.objects.all().delete()
    client = Client()
    sign_in(client, user)
    refused = client.post("/accounts/2fa/authenticate/", {"code": code(secret)})
    assert "Incorrect code" in refused.content.decode()
    settings.SECRET_KEY_FALLBACKS = [before]
    assert client.post("/accounts/2fa/authenticate/", {"code": code(secret)}).status_code == 302


def test_a_second_factor_ends_the_sessions_of_before(client: Client) -> None:
    user, elsewhere = member(), Client()
    sign_in(elsewhere, user)
    sign_in(client, user)
    app_set_up(client)
    assert client.get("/accounts/keys/").status_code == 200
    assert elsewhere.get("/accounts/keys/").status_code == 302


def test_who_moderates_keeps_the_last_second_factor(client: Client) -> None:
    user = member()
    user.groups.add(Group.objects.get_or_create(name="moderators")[0])
    sign_in(client, user)
    app_set_up(client)
    client.post("/accounts/2fa/totp/deactivate/")
    assert not second_factor_due(user)
    user.groups.clear()
    client.post("/accounts/2fa/totp/deactivate/")
    assert not Authenticator.objects.filter(user=user, type="totp").exists()


def test_codes_of_an_app_are_not_guessed_for_long(client: Client) -> None:
    user = member()
    second_factor(user)
    sign_in(client, user)
    answers = [client.post("/accounts/2fa/authenticate/", {"code": "000000"}) for _ in range(12)]
    assert "Too many" in answers[-1].content.decode() and answers[-1].status_code in (200, 429)


def test_sessions_are_listed_and_the_others_ended(client: Client, settings: LazySettings) -> None:
    settings.NUM_PROXIES = 1
    user, elsewhere = member(), Client(headers={"X-Forwarded-For": "203.0.113.9", "User-Agent": "<b>Sample"})
    sign_in(client, user)
    sign_in(elsewhere, user)
    page = client.get("/accounts/sessions/").content.decode()
    assert_frame(page)
    assert "203.0.113.9" in page and "&lt;b&gt;Sample" in page
    assert client.post("/accounts/sessions/", follow=True).status_code == 200
    assert elsewhere.get("/accounts/keys/").status_code == 302
    assert client.get("/accounts/keys/").status_code == 200


def test_one_session_is_ended_by_itself(client: Client) -> None:
    user, second, third, stranger = member(), Client(), Client(), Client()
    for one in (client, second, third):
        sign_in(one, user)
    sign_in(stranger, member("other"))
    ended = UserSession.objects.get(session_key=second.session.session_key)
    assert stranger.post(f"/accounts/sessions/{ended.pk}/").status_code == 404
    page = client.get("/accounts/sessions/").content.decode()
    assert f'action="/accounts/sessions/{ended.pk}/"' in page
    assert (
        "whoever had it has to sign in again"
        in client.post(f"/accounts/sessions/{ended.pk}/", follow=True).content.decode()
    )
    assert second.get("/accounts/keys/").status_code == 302
    assert third.get("/accounts/keys/").status_code == client.get("/accounts/keys/").status_code == 200
    own = UserSession.objects.get(session_key=client.session.session_key)
    assert f'action="/accounts/sessions/{own.pk}/"' not in page
    assert client.post(f"/accounts/sessions/{own.pk}/").headers["Location"] == "/accounts/logout/"


def test_where_sessions_were_opened_is_forgotten_with_them(client: Client) -> None:
    sign_in(client, member())
    assert sessions_forget() == 0 and UserSession.objects.count() == 1
    Session.objects.all().delete()
    assert sessions_forget() == 1 and UserSession.objects.count() == 0


def test_the_pages_of_passkeys_are_of_the_site(client: Client) -> None:
    user = member()
    sign_in(client, user)
    for address in ("webauthn/", "webauthn/add/", "recovery-codes/generate/"):
        assert_frame(confirmed(client, f"/accounts/2fa/{address}"))
    page = client.get("/accounts/2fa/webauthn/add/").content.decode()
    assert '"challenge"' in page and "data-passkey-error" in page
    client.logout()
    asked = client.get("/accounts/2fa/webauthn/login/", headers={"Accept": "application/json"})
    assert asked.json()["request_options"]["publicKey"]["rpId"] == "testserver"
    for nonsense in ("{}", "x", '{"response": {"userHandle": "eA"}}'):
        answer = client.post("/accounts/2fa/webauthn/login/", {"credential": nonsense})
        assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/login/")


def test_no_page_of_theirs_is_left_to_the_librarys_own_templates() -> None:
    names = set()
    for pattern in patterns([*factor_urls.urlpatterns, *linked_urls.urlpatterns, *session_urls.urlpatterns]):
        view = getattr(pattern.callback, "view_class", None)
        names.add(str(getattr(view, "template_name", None) or ""))
    html = {name for name in names if name.endswith(".html")}
    assert len(html) > 12
    for name in html | {"socialaccount/login.html"}:
        engines["jinja2"].get_template(name)


def patterns(found: list[Any]) -> list[URLPattern]:
    return [
        leaf
        for pattern in found
        for leaf in (patterns(pattern.url_patterns) if isinstance(pattern, URLResolver) else [pattern])
    ]
