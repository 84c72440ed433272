"""How far a token reaches: a lost one that was made for reading opens nothing that is not public."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from server.accounts.models import ProbeKey, User
from server.accounts.services import api_token_create
from server.core.lifecycle import State
from tests.support.people import second_factor
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db
PARTS = ("envelope", "document")


@pytest.fixture
def held() -> Any:
    return sample_run(SampleRun(state=State.QUARANTINED))


@pytest.fixture
def contributor(held: Any) -> User:
    made = User.objects.create_user("sample-contributor")
    ProbeKey.objects.update(owner=made, status="claimed")
    return made


@pytest.fixture
def moderator() -> User:
    made = User.objects.create_user("sample-moderator")
    made.user_permissions.add(Permission.objects.get(codename="decide"))
    return User.objects.get(pk=made.pk)


def statuses(client: Client, user: User, held: Any, *scopes: str) -> set[int]:
    _token, secret = api_token_create(owner=user, name="sample", scopes=scopes)
    headers = {"Authorization": f"Bearer {secret}"}
    return {client.get(f"/api/v1/runs/{held.pk}/{part}/", headers=headers).status_code for part in PARTS}


@pytest.mark.parametrize("scopes", [("read",), ("read", "submit")])
def test_18_a_token_for_reading_opens_no_run_that_is_not_published(
    client: Client, held: Any, contributor: User, moderator: User, scopes: tuple[str, ...]
) -> None:
    second_factor(moderator)
    assert statuses(client, contributor, held, *scopes) == {404}
    assert statuses(client, moderator, held, *scopes) == {404}


def test_18_one_for_managing_opens_what_is_its_accounts(
    client: Client, held: Any, contributor: User, moderator: User
) -> None:
    second_factor(moderator)
    for user in (contributor, moderator):
        assert not statuses(client, user, held, "read", "manage") & {403, 404}
    assert statuses(client, User.objects.create_user("sample-other"), held, "read", "manage") == {404}


def test_18_a_moderators_token_opens_nothing_while_the_second_factor_is_missing(
    client: Client, held: Any, moderator: User
) -> None:
    """The site's pages send such an account to set one up, and nowhere else."""
    assert statuses(client, moderator, held, "read", "manage") == {404}
