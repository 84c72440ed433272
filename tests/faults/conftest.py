"""What a clone without the history has nothing to run with is left out, and said to be."""

from __future__ import annotations

from tests.support.history import release_before

_UPGRADE = "test_upgrade.py"
collect_ignore = [] if release_before() else [_UPGRADE]


def pytest_report_header() -> str | None:
    """Say what is left out."""
    if not collect_ignore:
        return None
    return f"{_UPGRADE} is left out: this clone's history does not reach back to the release before"
