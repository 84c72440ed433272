"""Fixtures of all suites: the embedded services stand behind every test that touches the database."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.services import throw_away


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse tests of one id where processes share the tests: pytest-xdist would run one of them, and say
    nothing of the others."""
    if not hasattr(config, "workerinput"):
        return
    twice = sorted(name for name, count in Counter(item.nodeid for item in items).items() if count > 1)
    if twice:
        problem = (
            f"Several tests have the id {', '.join(twice)}, and only one of them would run: give them ids "
            "of their own, or run them in a suite that no processes share."
        )
        # What a worker raises here ends the run, but without its words.
        print(problem, file=sys.stderr, flush=True)
        raise pytest.UsageError(problem)


@pytest.fixture(autouse=True)
def fresh_process() -> None:
    """Forget what the process counts and knows of Redis itself, and have it wait for no other that runs tests
    here."""
    from server.core import large_bodies
    from server.core.cache import breaker, local_attempts
    from server.core.rate_limit import local_counts

    local_counts.reset()
    local_attempts.clear()
    breaker.close()
    large_bodies.LOCK_FILE = Path(tempfile.gettempdir()) / f"diskatlas-tests-{os.getpid()}-large-body"


@pytest.fixture(autouse=True)
def whole_sign_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give whom a test signs in the second factor that the site would have asked for."""
    from django.test import Client

    from server.accounts.second_factor import second_factor_due
    from tests.support.people import second_factor

    plain = Client._login  # type: ignore[attr-defined]  # what `login` and `force_login` end in

    def whole(self: Client, user: Any, backend: Any = None) -> None:
        if second_factor_due(user):
            second_factor(user)
        plain(self, user, backend)

    monkeypatch.setattr(Client, "_login", whole)


@pytest.fixture(scope="session")
def services() -> Iterator[dict[str, str]]:
    """Give DATABASE_URL and REDIS_URL: those of the environment, or of throw-away instances."""
    given = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL") if _real(os.environ.get(name))}
    if len(given) == 2:
        yield given
        return
    with throw_away() as running:
        yield running.environment()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    services: dict[str, str], django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """Point Django at the services before pytest-django makes the test database."""
    from django.db import connections

    from server.config.env import database_from_url

    wanted: dict[str, Any] = database_from_url(services["DATABASE_URL"])
    settings = connections["default"].settings_dict
    suffix = settings["TEST"].get("NAME")
    settings.update(wanted)
    settings["TEST"]["NAME"] = suffix or f"test_{wanted['NAME']}"


def _real(url: str | None) -> bool:
    """Return whether the address is more than the placeholder of the test settings."""
    return bool(url) and "127.0.0.1:1/" not in str(url)
