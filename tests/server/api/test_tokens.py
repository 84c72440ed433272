"""API tokens: what they allow, and what is kept of them."""

from __future__ import annotations

import io
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client, override_settings

from server.accounts.models import ApiToken, User
from server.accounts.services import api_token_create, api_token_find, api_token_revoke
from server.core import clock
from tests.server.api.test_frame import LIMITS
from tests.support.documents import document

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    """A sample account."""
    return User.objects.create_user("sample-reader")


def status_with(client: Client, authorization: str) -> int:
    return client.get("/api/v1/vendors/", headers={"Authorization": authorization}).status_code


def test_the_secret_itself_is_not_kept(owner: User) -> None:
    token, secret = api_token_create(owner=owner, name="sample")
    kept = json.dumps(list(ApiToken.objects.values()), default=str)
    assert secret not in kept and secret[9:] not in kept
    assert secret.startswith("datk_") and len(secret) > 45
    found = api_token_find(secret=secret)
    assert found == token


@override_settings(API_LIMITS=LIMITS)
def test_a_token_raises_the_limit(client: Client, owner: User) -> None:
    _token, secret = api_token_create(owner=owner, name="sample")
    headers = {"Authorization": f"Bearer {secret}"}
    answers = [client.get("/api/v1/vendors/", headers=headers) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429]
    assert answers[0].headers["RateLimit-Policy"] == '"read";q=4;w=60'


def test_a_token_that_does_not_count_is_refused_and_told(client: Client, owner: User) -> None:
    token, secret = api_token_create(owner=owner, name="sample")
    _old, expired = api_token_create(owner=owner, name="old", expires_at=clock.now() - timedelta(seconds=1))
    assert status_with(client, f"Bearer {secret}") == 200
    for wrong in (f"Bearer {secret}x", "Bearer", "Basic abc", f"Bearer {expired}", "Bearer datk_\udc80"):
        assert status_with(client, wrong) == 401
    api_token_revoke(token=token)
    response = client.get("/api/v1/vendors/", headers={"Authorization": f"Bearer {secret}"})
    assert response.status_code == 401 and response.headers["WWW-Authenticate"].startswith("Bearer ")
    assert json.loads(response.content)["type"].endswith("/problems/bad-token/")


def test_a_closed_account_has_no_token(client: Client, owner: User) -> None:
    _token, secret = api_token_create(owner=owner, name="sample")
    owner.is_active = False
    owner.save()
    assert status_with(client, f"Bearer {secret}") == 401


def test_the_command_prints_a_token_that_works(client: Client, owner: User) -> None:
    out = io.StringIO()
    call_command("api_token", "sample-reader", "notebook", stdout=out)
    assert status_with(client, f"Bearer {out.getvalue().strip()}") == 200
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        call_command("api_token", "nobody", "notebook")


def test_the_administration_shows_a_new_token_once(client: Client, owner: User) -> None:
    User.objects.create_superuser("sample-admin", password="sample")
    client.login(username="sample-admin", password="sample")
    form = {"owner": owner.pk, "name": "sample", "expires_at_0": "", "expires_at_1": ""}
    response = client.post("/admin/accounts/apitoken/add/", form, follow=True)
    text = response.content.decode()
    assert "shown this once: datk_" in text
    assert "shown this once" not in client.get("/admin/accounts/apitoken/").content.decode()


# Scopes.


def with_scopes(owner: User, *scopes: str) -> dict[str, str]:
    _token, secret = api_token_create(owner=owner, name="sample", scopes=scopes)
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize("scope", ["read", "submit", "manage"])
def test_a_token_does_what_it_was_made_for_and_nothing_else(
    client: Client, owner: User, scope: str, post: Any
) -> None:
    headers = with_scopes(owner, scope)
    statuses = {
        "read": client.get("/api/v1/vendors/", headers=headers).status_code,
        "submit": post(document(), **headers).status_code,
        "manage": client.get("/api/v1/follows/", headers=headers).status_code,
    }
    allowed = {"read": 200, "submit": 202, "manage": 200}
    assert statuses == {name: allowed[name] if name == scope else 403 for name in allowed}


def test_what_a_token_lacks_is_told(client: Client, owner: User) -> None:
    response = client.get("/api/v1/follows/", headers=with_scopes(owner, "read", "submit"))
    assert response.headers["WWW-Authenticate"].endswith('error="insufficient_scope", scope="manage"')
    assert "may read and submit; this address needs 'manage'" in response.json()["detail"]


def test_uploads_with_a_token_count_apart_from_their_address(
    owner: User, post: Any, settings: LazySettings
) -> None:
    settings.SUBMISSION_RATE = "1/min"
    headers = with_scopes(owner, "submit")
    answers = [post(document(), **more).status_code for more in ({}, {}, headers, headers)]
    assert answers == [202, 429, 202, 429]
    assert post(document(), Authorization="Bearer datk_wrong").status_code == 401


@override_settings(API_LIMITS=LIMITS)
def test_18_many_tokens_of_an_account_read_as_often_as_one(client: Client, owner: User) -> None:
    answers = []
    for place in range(5):
        token, secret = api_token_create(owner=owner, name=f"sample {place}")
        answers.append(status_with(client, f"Bearer {secret}"))
        api_token_revoke(token=token)
    assert answers == [200] * 4 + [429]
    other = api_token_create(owner=User.objects.create_user("sample-other"), name="sample")[1]
    assert status_with(client, f"Bearer {other}") == 200


def test_the_database_knows_the_scopes(owner: User) -> None:
    for scopes in (["everything"], []):
        with pytest.raises(IntegrityError), transaction.atomic():
            ApiToken.objects.create(owner=owner, name="x", digest="d" * 64, hint="datk_", scopes=scopes)


# The account's page.

PAGE = "/accounts/tokens/"
FORM = {"name": "Notebook", "scope": ["read", "submit"], "days": "30"}


def test_an_account_makes_a_token_sees_it_once_and_ends_it(client: Client, owner: User) -> None:
    client.force_login(owner)
    made = client.post(PAGE, FORM)
    (secret,) = set(re.findall(r"datk_[\w-]{40,}", made.content.decode()))
    assert "no-store" in made.headers["Cache-Control"]
    token = ApiToken.objects.get()
    assert (token.owner, token.scopes, token.name) == (owner, ["read", "submit"], "Notebook")
    assert token.expires_at is not None and 29 <= (token.expires_at - clock.now()).days <= 30
    assert status_with(client, f"Bearer {secret}") == 200
    listed = client.get(PAGE).content.decode()
    assert secret not in listed and token.hint in listed and "never" not in listed.partition("Make a")[0]
    client.post(f"{PAGE}{token.pk}/")
    assert status_with(client, f"Bearer {secret}") == 401
    assert "by hand" in client.get(PAGE).content.decode()


@pytest.mark.parametrize("wrong", [{"name": " "}, {"scope": ["all"]}, {"days": "99999"}, {"days": ""}])
def test_a_form_that_lacks_something_makes_no_token(
    client: Client, owner: User, wrong: dict[str, Any]
) -> None:
    client.force_login(owner)
    assert client.post(PAGE, {**FORM, **wrong}).status_code == 400
    assert not ApiToken.objects.exists()


def test_nobody_ends_or_sees_anothers_token(client: Client, owner: User) -> None:
    token, _secret = api_token_create(owner=owner, name="sample")
    assert client.get(PAGE).status_code == 302
    client.force_login(User.objects.create_user("sample-other"))
    assert client.post(f"{PAGE}{token.pk}/").status_code == 404
    assert token.hint not in client.get(PAGE).content.decode()
    token.refresh_from_db()
    assert token.revoked_at is None


def test_an_account_has_so_many_tokens_and_no_more(
    client: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.accounts.services.MOST_TOKENS", 1)
    client.force_login(owner)
    assert [client.post(PAGE, FORM).status_code for _ in range(2)] == [200, 400]
