"""API tokens: what they allow, and what is kept of them."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client, override_settings

from server.accounts.models import ApiToken, User
from server.accounts.services import api_token_create, api_token_find, api_token_revoke
from server.core import clock
from tests.server.api.test_frame import LIMITS

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
