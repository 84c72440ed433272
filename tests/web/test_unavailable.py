"""What stands where the archive can't answer: a page that needs no database, and problem documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db import OperationalError
from django.test import Client

from server.web.views import reference
from tests.web.test_pages import text_of


@pytest.fixture
def maintained(settings: LazySettings, tmp_path: Path) -> Path:
    settings.MAINTENANCE_FILE = tmp_path / "maintenance"
    return tmp_path / "maintenance"


def test_every_page_says_what_the_maintenance_file_says_without_a_database(
    client: Client, maintained: Path
) -> None:
    # No `django_db` mark: a query would fail the test.
    maintained.write_text("Back at 14:00 UTC.\n<b>Soon.</b>")
    response = client.get("/drives/")
    assert response.status_code == 503
    assert response["Retry-After"] == "600"
    words = response.content.decode()
    assert "Back at 14:00 UTC. &lt;b&gt;Soon.&lt;/b&gt;" in words
    assert "What was sent and answered with an address is safe" in words


def test_an_empty_maintenance_file_speaks_too_and_the_api_answers_with_a_problem(
    client: Client, maintained: Path
) -> None:
    maintained.touch()
    response = client.post("/api/v1/submissions/", data=b"{}", content_type="application/json")
    assert response.status_code == 503
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["type"].endswith("/problems/unavailable/")
    assert "being looked after" in response.json()["detail"]


@pytest.mark.django_db
def test_health_is_asked_of_the_process_and_not_of_the_maintenance(client: Client, maintained: Path) -> None:
    maintained.touch()
    assert client.get("/health/").status_code == 200


def test_a_page_without_its_database_is_unavailable_and_not_broken(
    client: Client, maintained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_args: object, **_options: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(reference, "page", away)
    response = client.get("/methods/")
    assert response.status_code == 503
    assert response["Retry-After"] == "30"
    assert "database does not answer just now" in text_of(response.content.decode())


def test_the_page_for_a_proxy_is_one_file(tmp_path: Path) -> None:
    file = tmp_path / "503.html"
    call_command("maintenance_page", str(file), "--words", "Moving house.")
    page = file.read_text()
    assert "Moving house." in page
    assert "<link" not in page and "<script" not in page
