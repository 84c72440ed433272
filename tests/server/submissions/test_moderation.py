"""Held submissions in the administration: the evidence beside the decision, who may decide, and what is
logged."""

from __future__ import annotations

import html
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import PermissionDenied
from django.db import connections
from django.test import Client
from django.urls import reverse

from server.accounts.models import User
from server.core.lifecycle import State
from server.plausibility.models import CheckResult
from server.plausibility.registry import CHECKS
from server.submissions import moderation
from server.submissions.admin import CHECK_TITLES
from server.submissions.models import Decision, Submission
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db
REASON = "The rated rate in the catalogue is wrong."


def person(name: str = "curator", *permissions: str) -> User:
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return User.objects.get(pk=user.pk)


def curator() -> User:
    return person("curator", "decide", "view_submission")


def held() -> Submission:
    run = sample_run(SampleRun(state=State.QUARANTINED, reason="Sample reason."))
    CheckResult.objects.create(
        run=run,
        check_key="rotation_rate",
        position=0,
        outcome=CheckResult.Outcome.HELD,
        words="Sample words: 7200 rpm, rated 5400.",
        figures={"rated_rpm": 5400},
        at=run.submission.received_at,
    )
    return run.submission


def test_an_accepted_submission_is_published_and_the_decision_logged() -> None:
    submission, user = held(), curator()
    moderation.submission_accept(submission, by=user, reason=f"  {REASON} ")
    submission.refresh_from_db()
    assert submission.state == State.PUBLISHED
    (decision,) = submission.decisions.all()
    assert (decision.verdict, decision.by, decision.reason) == ("accepted", user, REASON)
    last = submission.events.last()
    assert last is not None
    assert last.reason == f"Accepted by a moderator: {REASON}"


def test_the_same_decision_again_changes_nothing() -> None:
    submission, user = held(), curator()
    first = moderation.submission_reject(submission, by=user, reason=REASON)
    assert moderation.submission_reject(submission, by=user, reason="Said once more, later.") == first
    assert Decision.objects.count() == 1


def test_the_opposite_of_a_decision_that_stands_is_refused() -> None:
    submission, user = held(), curator()
    moderation.submission_reject(submission, by=user, reason=REASON)
    with pytest.raises(moderation.NotQuarantined, match="rejected"):
        moderation.submission_accept(submission, by=user, reason=REASON)


@pytest.mark.parametrize("reason", ["", "   ", "ok", "fine      x"])
def test_a_decision_needs_a_reason(reason: str) -> None:
    submission = held()
    with pytest.raises(moderation.NoReason):
        moderation.submission_accept(submission, by=curator(), reason=reason)
    submission.refresh_from_db()
    assert submission.state == State.QUARANTINED


def test_a_decision_needs_the_permission() -> None:
    with pytest.raises(PermissionDenied):
        moderation.submission_accept(held(), by=person("visitor", "view_submission"), reason=REASON)
    assert not Decision.objects.exists()


def test_a_decision_that_was_made_is_neither_changed_nor_removed() -> None:
    decision = moderation.submission_reject(held(), by=curator(), reason=REASON)
    decision.reason = "Another one."
    with pytest.raises(TypeError):
        decision.save()
    with pytest.raises(TypeError):
        decision.delete()


@pytest.mark.django_db(transaction=True)
def test_of_two_decisions_at_once_one_stands() -> None:
    submission, user = held(), curator()

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


def page(client: Client, submission: Submission, user: User) -> str:
    client.force_login(user)
    response = client.get(reverse("admin:submissions_submission_change", args=[submission.pk]))
    assert response.status_code == 200
    return response.content.decode()


def test_the_evidence_stands_beside_the_decision(client: Client) -> None:
    submission = held()
    words = page(client, submission, curator())
    assert "Sample words: 7200 rpm, rated 5400." in words
    assert "rated_rpm" in words
    assert f"/runs/{submission.run.run_id}/" in words
    assert f"/runs/{submission.run.run_id}/envelope.json" in words
    assert "First unit of this model" in words
    assert 'value="accept"' in words


def test_the_numbers_of_other_units_stand_beside_the_run_s(client: Client) -> None:
    submission = held()
    sample_run(SampleRun(unit="cd" * 32))
    words = page(client, submission, curator())
    assert "1 other unit under comparable conditions" in words
    assert "cdcdcdcdcdcd" in words


def test_who_may_only_look_gets_no_decision_to_make(client: Client) -> None:
    words = page(client, held(), person("visitor", "view_submission"))
    assert "Sample words" in words
    assert 'value="accept"' not in words


def test_a_decision_is_posted_and_its_outcome_shown(client: Client) -> None:
    submission, user = held(), curator()
    client.force_login(user)
    address = reverse("admin:submissions_submission_decide", args=[submission.pk])
    refused = client.post(address, {"verdict": "accept", "reason": "ok"}, follow=True)
    assert "The reason has 2 characters" in refused.content.decode()
    done = client.post(address, {"verdict": "reject", "reason": REASON}, follow=True)
    assert "The submission was rejected." in done.content.decode()
    assert REASON in done.content.decode()


def test_a_decision_posted_without_the_permission_is_refused(client: Client) -> None:
    submission = held()
    client.force_login(person("visitor", "view_submission"))
    address = reverse("admin:submissions_submission_decide", args=[submission.pk])
    assert client.post(address, {"verdict": "accept", "reason": REASON}).status_code == 403
    client.logout()
    assert client.post(address, {"verdict": "accept", "reason": REASON}).status_code == 302
    assert client.get(address).status_code == 405
    assert not Decision.objects.exists()


def test_the_list_decides_about_several_with_one_reason(client: Client) -> None:
    submission = held()
    client.force_login(curator())
    chosen = {"action": "reject", "reason": REASON, "_selected_action": [str(submission.pk)]}
    client.post(reverse("admin:submissions_submission_changelist"), chosen)
    submission.refresh_from_db()
    assert submission.state == State.REJECTED


def test_the_list_names_the_drive_and_the_checks_that_hold_it(client: Client) -> None:
    held()
    sample_run(SampleRun(model="Sample 9001"))
    client.force_login(curator())
    page = client.get(reverse("admin:submissions_submission_changelist")).content.decode()
    assert "Sample 9000 (probe)" in page and "Sample 9001 (probe)" in page
    assert page.count(CHECK_TITLES["rotation_rate"]) == 1


def test_the_remedy_stands_beside_what_holds_a_run(client: Client) -> None:
    submission = held()
    client.force_login(curator())
    page = client.get(reverse("admin:submissions_submission_change", args=[submission.pk])).content.decode()
    assert "<strong>quarantined</strong>" in page
    (check,) = (check for check in CHECKS if check.key == "rotation_rate")
    assert check.remedy in html.unescape(page)
