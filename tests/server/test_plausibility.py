"""Physics: what holds a run for a person, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from server.benchmarks.registry import KINDS
from server.catalog.models import DriveModel
from server.runs import plausibility
from server.runs.models import State, Submission
from tests.contract.golden import golden_of
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


@pytest.mark.parametrize("kind", [kind.slug for kind in KINDS])
def test_what_the_probe_recorded_holds_no_run(kind: str) -> None:
    content = golden_of(kind).document()
    for part in content["benchmarks"]:
        assert list(plausibility.sample_findings(part, content["device"])) == []


def concurrent_part(at_once: int, latency_ns: int) -> dict[str, Any]:
    series = {"concurrency": at_once, "elapsed_ns": 1_000, "first": {"latency_ns": [latency_ns] * 8}}
    return {"kind": "any", "elapsed_ns": 1_000, "samples": {"series": [series]}}


def test_requests_that_were_under_way_at_once_share_the_time() -> None:
    device = document()["device"]
    assert list(plausibility.sample_findings(concurrent_part(8, 1_000), device)) == []
    (finding,) = plausibility.sample_findings(concurrent_part(4, 1_000), device)
    assert "add up" in finding


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
    assert judge(document())[0] == State.PUBLISHED
