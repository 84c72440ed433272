"""The registered kinds, and runs of chosen keys and units, published."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from server.benchmarks.contract import Kind
from server.benchmarks.registry import KINDS
from server.measurements.models import Run
from server.submissions.models import Submission
from tests.support.documents import document, envelope, skippy_part


@pytest.fixture
def kinds() -> dict[str, Kind]:
    """The registered kinds: what checks compare are their numbers."""
    return {kind.slug: kind for kind in KINDS}


@pytest.fixture
def measure(
    post: Callable[..., Any], run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Run]:
    """Publish a unit's run of a model by a key."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())

    def measured(key: Any, unit: str | None, model: str = "SAMPLE-1", **fields: Any) -> Run:
        digest = None if unit is None else unit * 32
        part = skippy_part(steps=300 + Run.objects.count())
        content = document(part, unit_digest=digest, model=model, **fields)
        assert post(envelope(content, key)).status_code == 202
        run_jobs()
        return Submission.objects.get(run__run_id=content["run_id"]).run

    return measured
