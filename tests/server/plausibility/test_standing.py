"""Which keys may witness against a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from server.benchmarks.contract import Kind
from server.benchmarks.registry import KINDS
from server.measurements.models import Run
from server.plausibility.standing import standing_against
from server.submissions.models import Submission
from tests.support.documents import KEY, OTHER_KEY, document, envelope, skippy_part

pytestmark = pytest.mark.django_db


@pytest.fixture
def kinds() -> dict[str, Kind]:
    """The registered kinds: what confirms a run are its headline numbers."""
    return {kind.slug: kind for kind in KINDS}


@pytest.fixture
def measure(
    post: Callable[..., Any], run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Run]:
    """Publish a unit's run of a model by a key."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())

    def measured(key: Any, unit: str, model: str) -> Run:
        content = document(skippy_part(steps=300 + Run.objects.count()), unit_digest=unit * 32, model=model)
        assert post(envelope(content, key)).status_code == 202
        run_jobs()
        return Submission.objects.get(run__run_id=content["run_id"]).run

    return measured


def test_a_key_whose_run_another_key_confirmed_has_standing_on_other_models(
    measure: Callable[..., Run],
) -> None:
    first = measure(KEY, "a1", "SAMPLE-1")
    second = measure(OTHER_KEY, "a2", "SAMPLE-1")
    elsewhere = measure(KEY, "a3", "SAMPLE-2")
    mine, theirs = (run.submission.probe_key.keyid for run in (first, second))
    assert standing_against(elsewhere)([mine, theirs]) == {theirs}
    assert standing_against(first)([mine, theirs]) == frozenset()


def test_a_key_that_confirms_itself_has_no_standing(measure: Callable[..., Run]) -> None:
    runs = [measure(KEY, unit, "SAMPLE-1") for unit in ("a1", "a2", "a3")]
    elsewhere = measure(OTHER_KEY, "a4", "SAMPLE-2")
    assert standing_against(elsewhere)([runs[0].submission.probe_key.keyid]) == frozenset()
