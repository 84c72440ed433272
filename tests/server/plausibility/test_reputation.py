"""Which keys may witness against a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.accounts.models import ProbeKey, User
from server.core import clock
from server.core.lifecycle import State
from server.measurements.models import Run
from server.plausibility.peers import CONFIRMED
from server.plausibility.reputation import reputable_against
from server.submissions.models import Decision, Submission
from tests.support.documents import KEY, OTHER_KEY

pytestmark = pytest.mark.django_db


def test_a_key_whose_run_another_key_confirmed_has_a_reputation_on_other_models(
    measure: Callable[..., Run],
) -> None:
    first = measure(KEY, "a1", "SAMPLE-1")
    second = measure(OTHER_KEY, "a2", "SAMPLE-1")
    elsewhere = measure(KEY, "a3", "SAMPLE-2")
    mine, theirs = (run.submission.probe_key.keyid for run in (first, second))
    assert reputable_against(elsewhere)([mine, theirs]) == {theirs}
    assert reputable_against(first)([mine, theirs]) == frozenset()


def test_a_key_that_confirms_itself_has_no_reputation(measure: Callable[..., Run]) -> None:
    runs = [measure(KEY, unit, "SAMPLE-1") for unit in ("a1", "a2", "a3")]
    elsewhere = measure(OTHER_KEY, "a4", "SAMPLE-2")
    assert reputable_against(elsewhere)([runs[0].submission.probe_key.keyid]) == frozenset()


def test_what_a_key_sent_after_its_revocation_earns_no_reputation(measure: Callable[..., Run]) -> None:
    measure(KEY, "a1", "SAMPLE-1")
    confirmed = measure(OTHER_KEY, "a2", "SAMPLE-1")
    elsewhere = measure(KEY, "a3", "SAMPLE-2")
    theirs = confirmed.submission.probe_key
    assert reputable_against(elsewhere)([theirs.keyid]) == {theirs.keyid}
    # Its holder says since when somebody else may have had it: what that one sent vouches for nobody.
    ProbeKey.objects.filter(pk=theirs.pk).update(
        status="revoked", revoked_from=confirmed.submission.received_at
    )
    assert reputable_against(elsewhere)([theirs.keyid]) == frozenset()


def test_a_revocation_takes_no_rejection_back(measure: Callable[..., Run]) -> None:
    measure(KEY, "a1", "SAMPLE-1")
    measure(OTHER_KEY, "a2", "SAMPLE-1")
    rejected = measure(OTHER_KEY, "a4", "SAMPLE-3")
    submission = rejected.submission
    Submission.objects.filter(pk=submission.pk).update(state=State.REJECTED)
    moderator = User.objects.create(username="sample-moderator")
    Decision.objects.create(
        submission=submission, verdict="rejected", reason="Invented.", by=moderator, at=clock.now()
    )
    elsewhere = measure(KEY, "a3", "SAMPLE-2")
    theirs = submission.probe_key
    assert reputable_against(elsewhere)([theirs.keyid]) == frozenset()
    ProbeKey.objects.filter(pk=theirs.pk).update(status="revoked", revoked_from=submission.received_at)
    assert reputable_against(elsewhere)([theirs.keyid]) == frozenset()


def test_a_key_that_follows_another_has_its_reputation_and_does_not_confirm_it(
    measure: Callable[..., Run],
) -> None:
    first = measure(KEY, "a1", "SAMPLE-1")
    holder = first.submission.probe_key
    second = measure(OTHER_KEY, "a2", "SAMPLE-4")
    ProbeKey.objects.filter(pk=second.submission.probe_key_id).update(holder_key=holder)
    both = measure(OTHER_KEY, "a3", "SAMPLE-1")
    assert not both.check_results.filter(check_key=CONFIRMED.key, outcome="passed").exists()
    elsewhere = measure(KEY, "a5", "SAMPLE-2")
    assert reputable_against(elsewhere)([holder.keyid, both.submission.probe_key.keyid]) == frozenset()
