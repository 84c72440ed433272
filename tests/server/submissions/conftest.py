"""Fixtures of the tests of submissions."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def commit_at_once(django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Call what waits for a commit at once: these tests run inside a transaction that never commits."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())
