"""Decisions about submissions: who may decide, what is logged, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, Permission
from django.core import mail
from django.core.exceptions import PermissionDenied
from django.db import connections

from server.accounts.models import ProbeKey, User
from server.core import clock
from server.core.lifecycle import State
from server.submissions import moderation
from server.submissions.case_evidence import liftings_list
from server.submissions.models import Decision, Submission
from tests.support.moderation import quarantined
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db
REASON = "The rated rate in the catalogue is wrong."


def person(name: str = "curator", *permissions: str) -> User:
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return User.objects.get(pk=user.pk)


def curator() -> User:
    return person("curator", "decide", "view_submission")


def test_an_accepted_submission_is_published_and_the_decision_logged() -> None:
    submission, user = quarantined(), curator()
    moderation.submission_accept(submission, by=user, reason=f"  {REASON} ")
    submission.refresh_from_db()
    assert submission.state == State.PUBLISHED
    (decision,) = submission.decisions.all()
    assert (decision.verdict, decision.by, decision.reason) == ("accepted", user, REASON)
    last = submission.events.last()
    assert last is not None
    assert last.reason == f"Accepted by a moderator: {REASON}"


def test_the_same_decision_again_changes_nothing() -> None:
    submission, user = quarantined(), curator()
    first = moderation.submission_reject(submission, by=user, reason=REASON)
    assert moderation.submission_reject(submission, by=user, reason="Said once more, later.") == first
    assert Decision.objects.count() == 1


def test_the_opposite_of_a_decision_that_stands_is_refused() -> None:
    submission, user = quarantined(), curator()
    moderation.submission_reject(submission, by=user, reason=REASON)
    with pytest.raises(moderation.NotQuarantined, match="rejected"):
        moderation.submission_accept(submission, by=user, reason=REASON)


@pytest.mark.parametrize("reason", ["", "   ", "ok", "fine      x"])
def test_a_decision_needs_a_reason(reason: str) -> None:
    submission = quarantined()
    with pytest.raises(moderation.NoReason):
        moderation.submission_accept(submission, by=curator(), reason=reason)
    submission.refresh_from_db()
    assert submission.state == State.QUARANTINED


def test_a_decision_needs_the_permission() -> None:
    with pytest.raises(PermissionDenied):
        moderation.submission_accept(quarantined(), by=person("visitor", "view_submission"), reason=REASON)
    assert not Decision.objects.exists()


def test_a_decision_that_was_made_is_neither_changed_nor_removed() -> None:
    decision = moderation.submission_reject(quarantined(), by=curator(), reason=REASON)
    decision.reason = "Another one."
    with pytest.raises(TypeError):
        decision.save()
    with pytest.raises(TypeError):
        decision.delete()


@pytest.mark.django_db(transaction=True)
def test_of_two_decisions_at_once_one_stands() -> None:
    submission, user = quarantined(), curator()

    def decide(act: Callable[..., Decision]) -> str:
        try:
            return act(submission, by=user, reason=REASON).verdict
        except moderation.NotQuarantined:
            return "too late"
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(decide, (moderation.submission_accept, moderation.submission_reject)))
    submission.refresh_from_db()
    (decision,) = Decision.objects.all()
    assert sorted(said) == sorted(["too late", decision.verdict])
    assert submission.state == {"accepted": State.PUBLISHED, "rejected": State.REJECTED}[decision.verdict]


def test_the_group_of_moderators_may_decide_and_withdraw() -> None:
    user = User.objects.create_user("sample-moderator")
    user.groups.add(Group.objects.get(name="moderators"))
    user = User.objects.get(pk=user.pk)
    assert user.has_perm("submissions.decide") and user.has_perm("transparency.withdraw")
    assert not user.is_staff


def test_a_question_leaves_the_submission_where_it_is_and_is_read_by_its_contributor() -> None:
    submission = quarantined()
    moderation.submission_ask(submission, by=curator(), reason="Which bridge was between?")
    submission.refresh_from_db()
    assert submission.state == State.QUARANTINED
    last = submission.events.last()
    assert last is not None and last.reason == "A moderator asks: Which bridge was between?"
    moderation.submission_accept(submission, by=User.objects.get(), reason=REASON)


@pytest.mark.parametrize("verified", [True, False])
def test_the_account_of_the_key_is_told_by_mail_where_its_address_is_its_own(
    verified: bool, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    submission, owner = quarantined(), User.objects.create_user("sample-owner")
    ProbeKey.objects.filter(pk=submission.probe_key_id).update(owner=owner, status="claimed")
    EmailAddress.objects.create(user=owner, email="owner@example.org", verified=verified)
    submission = Submission.objects.get(pk=submission.pk)
    with django_capture_on_commit_callbacks(execute=True):
        moderation.submission_reject(submission, by=curator(), reason=REASON)
    if not verified:
        assert mail.outbox == []
        return
    (sent,) = mail.outbox
    assert (sent.subject, sent.to) == ("A moderator rejected your run", ["owner@example.org"])
    assert sent.body.startswith(f"A moderator rejected your run:\n\n{REASON}\n")
    assert f"/runs/{submission.run.pk}/" in sent.body
    assert "Sample 9000" not in sent.body and "curator" not in sent.body


# Lifting a rejection.


def test_lifting_a_rejection_takes_two_moderators() -> None:
    submission, first, second = quarantined(), curator(), person("second", "decide")
    moderation.submission_reject(submission, by=first, reason=REASON)
    moderation.submission_lift(submission, by=first, reason="The catalogue was mended.")
    submission.refresh_from_db()
    assert submission.state == State.REJECTED
    with pytest.raises(moderation.NotLiftable, match="another moderator"):
        moderation.submission_lift(submission, by=first, reason="The catalogue was mended.")
    moderation.submission_lift(submission, by=second, reason="It was, I looked it up.")
    submission.refresh_from_db()
    assert submission.state == State.QUARANTINED
    said = list(submission.decisions.values_list("verdict", flat=True))
    assert said == ["rejected", "lifting_proposed", "lifted"]
    with pytest.raises(moderation.NotLiftable, match="quarantined"):
        moderation.submission_lift(submission, by=second, reason="Once more, for this test.")


def test_a_proposal_is_turned_down_by_rejecting_again_and_can_be_made_anew() -> None:
    submission, first, second = quarantined(), curator(), person("second", "decide")
    moderation.submission_reject(submission, by=first, reason=REASON)
    moderation.submission_lift(submission, by=first, reason="The catalogue was mended.")
    moderation.submission_reject(submission, by=second, reason="It was not, I looked it up.")
    submission.refresh_from_db()
    assert submission.state == State.REJECTED
    assert submission.decisions.count() == 3
    moderation.submission_lift(submission, by=second, reason="Now it was.")
    assert submission.decisions.count() == 4


def test_what_a_rule_rejected_is_not_lifted() -> None:
    run = sample_run(SampleRun(state=State.REJECTED))
    with pytest.raises(moderation.NotLiftable, match="no moderator's rejection"):
        moderation.submission_lift(run.submission, by=curator(), reason=REASON)


def test_only_prepared_reasons_are_taken_as_such() -> None:
    assert moderation.reason_of(moderation.PREPARED[2], "") == moderation.PREPARED[2]
    assert moderation.reason_of("Whatever a form says.", "typed") == "typed"


def test_a_clock_that_is_put_back_does_not_reorder_what_was_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    submission, first, second = quarantined(), curator(), person("second", "decide")
    moderation.submission_reject(submission, by=first, reason=REASON)
    hour_ago = clock.now() - timedelta(hours=1)
    monkeypatch.setattr(clock, "now", lambda: hour_ago)
    moderation.submission_lift(submission, by=first, reason="The catalogue was mended.")
    assert [one.pk for one in liftings_list()] == [submission.pk]
    moderation.submission_lift(submission, by=second, reason="It was, I looked it up.")
    said = list(submission.decisions.values_list("verdict", flat=True))
    assert said == ["rejected", "lifting_proposed", "lifted"]
    last = submission.events.last()
    assert last is not None
    assert last.reason == "Two moderators lifted the rejection: It was, I looked it up."
