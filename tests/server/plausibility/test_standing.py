"""Which keys may witness against a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.measurements.models import Run
from server.plausibility.standing import standing_against
from tests.support.documents import KEY, OTHER_KEY

pytestmark = pytest.mark.django_db


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
