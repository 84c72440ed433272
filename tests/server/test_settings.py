"""Settings stop the start where something is missing or malformed, and say how to fix it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from server.config import checks
from server.config.env import Env, database_from_url
from tools.embedded.binaries import PROJECT

GOOD = {
    "SECRET_KEY": "k" * 50,
    "DATABASE_URL": "postgresql://user@127.0.0.1:1/name",
    "REDIS_URL": "redis://127.0.0.1:1/0",
}


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    """Start Django with nothing but these variables."""
    command = [sys.executable, "manage.py", "check"]
    clean = {"PATH": os.environ["PATH"], **environment}
    return subprocess.run(command, cwd=PROJECT, env=clean, capture_output=True, text=True, check=False)


def test_it_starts_with_the_three_required_variables() -> None:
    done = start(**GOOD)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", GOOD)
def test_a_missing_variable_is_named_with_its_remedy(name: str) -> None:
    done = start(**{key: value for key, value in GOOD.items() if key != name})
    assert done.returncode != 0
    assert f"{name} is not set." in done.stderr
    assert "tools/services.py" in done.stderr or "secrets" in done.stderr


def test_another_database_than_postgresql_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="PostgreSQL only"):
        database_from_url("sqlite:///db.sqlite3")


def test_a_database_url_may_name_a_socket_folder() -> None:
    entry = database_from_url("postgresql://me:p%40ss@/archive?host=%2Frun%2Fpg&sslmode=disable")
    assert (entry["HOST"], entry["PASSWORD"], entry["NAME"]) == ("/run/pg", "p@ss", "archive")
    assert entry["OPTIONS"] == {"sslmode": "disable"}


@pytest.mark.parametrize("value", ["maybe", "2", "ja"])
def test_a_flag_is_yes_or_no(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="neither yes nor no"):
        Env({"DEBUG": value}).flag("DEBUG")


@pytest.mark.parametrize(("value", "words"), [("many", "not a whole number"), ("3", "at least 10")])
def test_a_number_is_a_number_within_its_bounds(value: str, words: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=words):
        Env({"N": value}).integer("N", 50, low=10)


def test_every_check_carries_a_hint(settings: Any, tmp_path: Any) -> None:
    settings.SECRET_KEY = "short"
    settings.ALLOWED_HOSTS = ["*"]
    settings.SUBMISSION_MAX_BYTES = 1
    settings.PIPELINE_VISIBILITY_TIMEOUT_S = 1
    settings.HTTPS = False
    (tmp_path / "file").write_text("")
    settings.STORAGES = {
        **settings.STORAGES,
        "envelopes": {"OPTIONS": {"location": str(tmp_path / "file" / "x")}},
    }
    found = [
        message
        for check in (
            checks.check_secret_key,
            checks.check_hosts,
            checks.check_limits,
            checks.check_https,
            checks.check_envelope_folder,
        )
        for message in check()
    ]
    assert {message.id for message in found} == {
        "diskatlas.E001",
        "diskatlas.E002",
        "diskatlas.E003",
        "diskatlas.E004",
        "diskatlas.W001",
        "diskatlas.W002",
    }
    assert all(message.hint for message in found)


@pytest.mark.django_db
def test_every_answer_carries_the_security_headers(client: Client) -> None:
    for path in ("/api/v1/nothing/", "/health/", "/"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.django_db
def test_the_api_describes_itself_without_a_warning(client: Client) -> None:
    from django.core.management import call_command

    call_command("spectacular", validate=True, fail_on_warn=True, file=os.devnull)
    assert client.get("/api/v1/schema/").status_code == 200


def test_migrations_are_complete(db: None) -> None:
    from django.core.management import call_command

    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
