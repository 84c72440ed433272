"""Settings stop the start where something is missing or malformed, and say how to fix it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from environs import ValidationError
from marshmallow.validate import Range

from server.config import checks, gunicorn
from server.config import settings as site_settings
from server.config.env import Env, database_from_url
from server.operations import metrics_server, tracing
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


def test_everything_that_is_wrong_is_told_at_once_with_value_limit_and_remedy() -> None:
    done = start(**{**GOOD, "DATABASE_URL": "sqlite:///db.sqlite3"}, HTTPS="ja", FOLLOW_KEEP_DAYS="0")
    assert done.returncode != 0
    assert "DATABASE_URL: It names no database; the archive runs on PostgreSQL only." in done.stderr
    assert "HTTPS is 'ja': Not a valid boolean. docs/operator/settings.md" in done.stderr
    assert "FOLLOW_KEEP_DAYS is '0': Must be greater than or equal to 1." in done.stderr


def test_a_secret_that_is_malformed_is_not_repeated() -> None:
    done = start(**{**GOOD, "DATABASE_URL": "mysql://user:hunter2@host/name"})
    assert done.returncode != 0
    assert "hunter2" not in done.stderr


def test_a_database_url_may_name_a_socket_folder() -> None:
    entry = database_from_url("postgresql://me:p%40ss@/archive?host=%2Frun%2Fpg&sslmode=disable")
    assert (entry["HOST"], entry["PASSWORD"], entry["NAME"]) == ("/run/pg", "p@ss", "archive")
    assert entry["OPTIONS"]["sslmode"] == "disable"


def test_a_database_url_without_a_database_is_refused() -> None:
    with pytest.raises(ValidationError, match="PostgreSQL only"):
        database_from_url("postgresql://user@127.0.0.1:5432/")


@pytest.mark.parametrize("value", ["maybe", "2", "ja"])
def test_a_flag_is_yes_or_no(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAG", value)
    env = Env()
    env.bool("FLAG")
    with pytest.raises(ImproperlyConfigured, match=f"FLAG is '{value}': Not a valid boolean"):
        env.seal()


@pytest.mark.parametrize(
    ("value", "words"), [("many", "Not a valid integer"), ("3", "greater than or equal to 10")]
)
def test_a_number_is_a_number_within_its_bounds(
    value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("N", value)
    env = Env()
    env.int("N", 50, validate=Range(min=10))
    with pytest.raises(ImproperlyConfigured, match=f"N is '{value}': .*{words}"):
        env.seal()


def test_an_empty_variable_counts_as_one_that_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("N", " ")
    env = Env()
    assert env.int("N", 50) == 50 and env.str("N", None) is None
    env.seal()


def test_every_variable_stands_in_the_documents_and_no_other() -> None:
    page = (PROJECT / "docs" / "operator" / "settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^- (.*?) \(", page.partition("\nThe embedded services")[0], re.DOTALL | re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    without_django = {metrics_server.BIND, metrics_server.MULTIPROC, tracing.ENDPOINTS[0]}
    assert documented == {*site_settings.env.dump(), *gunicorn.env.dump(), *without_django}


def test_every_check_carries_a_hint(settings: Any, tmp_path: Any) -> None:
    settings.SECRET_KEY = "short"
    settings.ALLOWED_HOSTS = ["*"]
    settings.SUBMISSION_MAX_BYTES = 1
    settings.PIPELINE_VISIBILITY_TIMEOUT_S = 1
    settings.HTTPS = False
    settings.FOLLOW_ALLOW_LOOPBACK = True
    settings.SITE_URL = "http://localhost:8000"
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
            checks.check_subscriptions,
            checks.check_public_names,
        )
        for message in check()
    ]
    assert {message.id for message in found} == {
        "diskatlas.E001",
        "diskatlas.E002",
        "diskatlas.E003",
        "diskatlas.E004",
        "diskatlas.E005",
        "diskatlas.E006",
        "diskatlas.E009",
        "diskatlas.W001",
        "diskatlas.W002",
        "diskatlas.W003",
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
