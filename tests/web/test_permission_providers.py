"""The permission matrix for the ways in by other sites' accounts, which are there where an operator
configures them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.test import Client

from server.accounts.models import User
from tests.support.sign_in_provider import SignInProvider, providers_known
from tests.web.test_permission_matrix import METHODS, SIGN_IN, Rule, address, answer, routes, rule_of, trouble

pytestmark = [pytest.mark.django_db, pytest.mark.services]
CAME_BACK: Rule = {}
"""Tells of a failure by a 401, whoever asks: only who was sent there comes back with something."""
RULES = {
    **{f"accounts/{name}/login/": SIGN_IN for name in ("github", "orcid", "oidc/^(?P<provider_id>[^/]+)")},
    **{
        f"accounts/{name}/login/callback/": CAME_BACK
        for name in ("github", "orcid", "oidc/^(?P<provider_id>[^/]+)")
    },
}


@pytest.fixture
def there(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SignInProvider]:
    settings.ACCOUNT_RATE_LIMITS = False
    with providers_known(settings, monkeypatch) as site:
        yield site


def test_18_every_route_of_a_provider_has_a_rule(there: SignInProvider) -> None:
    assert {route for route in routes() if rule_of(route) is None} == set(RULES)


@pytest.mark.parametrize("person", ["anonymous", "member"])
def test_18_each_person_gets_what_is_theirs(there: SignInProvider, person: str) -> None:
    client = Client(raise_request_exception=False)
    if person == "member":
        client.force_login(User.objects.create_user("sample-member"))
    values = {"provider_id": "oidc", "slug": "x", "submission_id": "x", "key": "x"}
    wrong = [
        f"{method} {route}: {words}"
        for route, rule in RULES.items()
        for method in METHODS
        if (words := trouble(rule, method, "anonymous", answer(client, method, address(route, values))))
    ]
    assert wrong == []
