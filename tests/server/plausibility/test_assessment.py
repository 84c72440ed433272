"""Physics: what holds a run for a person, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from server.catalog.models import DriveModel
from server.core.lifecycle import State
from server.plausibility import assessment
from server.plausibility.check import Result
from server.plausibility.evidence import Evidence
from server.plausibility.models import CheckResult
from server.plausibility.registry import CHECKS
from server.plausibility.transport import taken_ns
from server.submissions.models import Submission
from tests.support.documents import CAPACITY_BLOCKS, document, skippy_part, zoned_part

pytestmark = pytest.mark.django_db
Judge = Callable[[dict[str, Any]], tuple[str, str]]


@pytest.fixture
def judge(
    submit: Callable[..., Submission], run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> Judge:
    """Submit a document, run its jobs, return the state and the last reason."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())

    def judged(content: dict[str, Any]) -> tuple[str, str]:
        submission = submit(content)
        run_jobs()
        submission.refresh_from_db()
        event = submission.events.last()
        assert event is not None
        return submission.state, event.reason

    return judged


def test_a_plausible_run_is_published(judge: Judge) -> None:
    assert judge(document()) == (State.PUBLISHED, "Every check passed; the run is public.")


def test_requests_faster_than_the_link_hold_the_run(judge: Judge) -> None:
    part = zoned_part()
    part["samples"]["series"][0]["elapsed_ns"][3] = 1000
    state, reason = judge(document(part, link_speed_bits_per_s=3_000_000_000))
    assert state == State.QUARANTINED
    assert "link" in reason


def test_a_request_that_took_no_time_holds_the_run(judge: Judge) -> None:
    part = skippy_part()
    part["samples"]["series"][0]["latency_ns"][3] = 0
    state, reason = judge(document(part))
    assert state == State.QUARANTINED
    assert "no time" in reason


def test_samples_longer_than_their_benchmark_hold_the_run(judge: Judge) -> None:
    part = skippy_part()
    part["elapsed_ns"] = part["elapsed_ns"] // 2
    state, reason = judge(document(part))
    assert state == State.QUARANTINED
    assert "add up" in reason


def test_requests_that_were_under_way_at_once_share_the_time() -> None:
    series = {"elapsed_ns": 1_000, "first": {"latency_ns": [1_000] * 8}}
    assert taken_ns({"series": [series | {"concurrency": 8}]}, 1) == 1_000
    assert taken_ns({"series": [series | {"concurrency": 4}]}, 1) == 2_000


def test_every_check_leaves_its_answer_with_the_run(judge: Judge) -> None:
    judge(document())
    rows = CheckResult.objects.order_by("position")
    assert [row.check_key for row in rows] == [check.key for check in CHECKS]
    assert rows.get(check_key="sample_sum").outcome == CheckResult.Outcome.PASSED
    assert rows.get(check_key="other_units").words == "First unit of this model: nothing to compare with."


def test_a_check_that_fails_on_a_run_holds_it(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_evidence: Evidence) -> Result:
        raise ValueError("a sample fault")

    broken = replace(CHECKS[0], judge=fail)
    monkeypatch.setattr(assessment.assess, "__defaults__", ((broken,),))
    state, reason = judge(document())
    assert state == State.QUARANTINED
    assert "a sample fault" in reason


def test_another_rotation_rate_than_rated_holds_the_run(judge: Judge) -> None:
    state, reason = judge(document(skippy_part(), rotation_rate_rpm=5400))
    assert state == State.QUARANTINED
    assert "5400" in reason


def test_another_capacity_than_the_catalogue_s_holds_the_run(judge: Judge) -> None:
    assert judge(document())[0] == State.PUBLISHED
    DriveModel.objects.update(curated=True, capacity_bytes=CAPACITY_BLOCKS * 1024)
    state, reason = judge(document())
    assert state == State.QUARANTINED
    assert "GB" in reason


def test_an_uncurated_capacity_holds_nothing(judge: Judge) -> None:
    judge(document())
    DriveModel.objects.update(capacity_bytes=CAPACITY_BLOCKS * 1024)
    assert judge(document(zoned_part(regions=40)))[0] == State.PUBLISHED
