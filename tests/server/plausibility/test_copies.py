"""Samples that come again under another run's name, and how they are found among many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from server.core.lifecycle import State
from server.plausibility.evidence_loader import ALIKE_TRACES
from server.submissions import pipeline
from server.submissions.models import Submission
from tests.support.documents import document, skippy_part

pytestmark = pytest.mark.django_db
Submit = Callable[[dict[str, Any]], Submission]


def run_of(number: int, **change: int) -> dict[str, Any]:
    """Return a run of a drive of its own; `first` and `others` are added to its times."""
    part = skippy_part()
    times = part["samples"]["series"][0]["latency_ns"]
    first, others = change.get("first", 0), change.get("others", 0)
    part["samples"]["series"][0]["latency_ns"] = [times[0] + first, *(time + others for time in times[1:])]
    return document(part, unit_digest=f"{number:064x}", rotation_rate_rpm=None)


def copies_of(submission: Submission) -> list[str]:
    submission.refresh_from_db()
    held = submission.run.check_results.filter(outcome="held")
    return held.get().figures["runs"] if submission.state == State.QUARANTINED else []


@pytest.mark.parametrize("others", [0, 40])
def test_two_copies_within_one_batch_meet_each_other(submit: Submit, others: int) -> None:
    first, second = submit(run_of(1)), submit(run_of(2, others=others))
    assert len(pipeline.submissions_process(submission_id=first.pk)) == 2
    assert copies_of(first) == []
    assert copies_of(second) == [str(first.run.pk)]


def test_the_earliest_of_many_copies_is_named(submit: Submit) -> None:
    first, *later = [submit(run_of(number)) for number in range(ALIKE_TRACES + 4)]
    pipeline.submissions_process(submission_id=first.pk)
    assert [copies_of(one) for one in later] == [[str(first.run.pk)]] * len(later)


def test_a_near_copy_is_found_among_many_that_share_a_time_by_chance(submit: Submit) -> None:
    original = submit(run_of(0))
    chance = [submit(run_of(number, others=5_000 * number)) for number in range(1, ALIKE_TRACES + 4)]
    copy = submit(run_of(99, first=30, others=30))
    pipeline.submissions_process(submission_id=original.pk)
    assert [copies_of(one) for one in chance] == [[]] * len(chance)
    assert copies_of(copy) == [str(original.run.pk)]
