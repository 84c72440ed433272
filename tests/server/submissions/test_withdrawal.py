"""A withdrawn run leaves its leaf and a tombstone, not its data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import PermissionDenied
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.test import Client

from server.accounts.models import User
from server.core.lifecycle import State
from server.measurements.models import Aggregate, Measurement, Unit
from server.plausibility.models import CheckResult
from server.submissions import withdrawal
from server.submissions.models import Submission
from server.submissions.moderation import NoReason
from server.submissions.selectors import tombstones_list
from server.transparency.models import LogLeaf, Withdrawal
from server.transparency.publication_log import log_check

pytestmark = [pytest.mark.django_db, pytest.mark.services]

Publish = Callable[..., Submission]
REASON = "The drive was measured while it was failing."


@pytest.fixture
def keeper() -> User:
    user = User.objects.create_user("keeper", password="only for tests", is_staff=True)
    user.user_permissions.add(
        *Permission.objects.filter(content_type__app_label__in=("submissions", "transparency"))
    )
    return user


@pytest.fixture
def withdraw(
    keeper: User, run_jobs: Callable[[], None], django_capture_on_commit_callbacks: Any
) -> Callable[..., Withdrawal]:
    def one(submission: Submission, **options: Any) -> Withdrawal:
        with django_capture_on_commit_callbacks(execute=True):
            made = withdrawal.run_withdraw(run=submission.run, by=keeper, reason=REASON, **options)
        run_jobs()
        submission.refresh_from_db()
        return made

    return one


def test_a_withdrawn_run_leaves_leaf_and_tombstone_and_no_data(
    publish: Publish, withdraw: Callable[..., Withdrawal]
) -> None:
    submission = publish()
    name = submission.storage_name
    tombstone = withdraw(submission)
    assert submission.state == State.WITHDRAWN
    assert list(LogLeaf.objects.values_list("kind", flat=True)) == ["published", "withdrawn"]
    assert tombstone.leaf.digest == submission.digest
    assert log_check() == []
    assert not Measurement.objects.exists()
    assert not CheckResult.objects.exists()
    assert not Aggregate.objects.exists()
    assert not Unit.objects.exists()
    assert submission.run.summary == {}
    assert not storages["envelopes"].exists(name)
    assert submission.storage_name == ""
    assert list(tombstones_list()) == [tombstone]


def test_the_bytes_stay_where_that_was_said(publish: Publish, withdraw: Callable[..., Withdrawal]) -> None:
    submission = publish()
    assert withdraw(submission, keep_envelope=True).envelope == "kept"
    assert storages["envelopes"].exists(submission.storage_name)


def test_bytes_that_a_kill_left_are_removed_by_the_sweep(
    publish: Publish, keeper: User, run_jobs: Callable[[], None]
) -> None:
    submission = publish()
    withdrawal.run_withdraw(run=submission.run, by=keeper, reason=REASON)  # its callbacks never run here
    assert storages["envelopes"].exists(submission.storage_name)
    assert withdrawal.withdrawn_envelopes_remove() == 1
    assert not storages["envelopes"].exists(submission.storage_name)
    assert withdrawal.withdrawn_envelopes_remove() == 0


def test_other_runs_of_the_drive_keep_their_unit_and_their_statistics(
    publish: Publish, withdraw: Callable[..., Withdrawal]
) -> None:
    first, second = publish(), publish()
    withdraw(first)
    second.run.refresh_from_db()
    assert second.run.unit is not None
    assert Aggregate.objects.get(metric="skippy.longest").n == 1


def test_withdrawing_twice_keeps_the_first_tombstone(
    publish: Publish, withdraw: Callable[..., Withdrawal]
) -> None:
    submission = publish()
    assert withdraw(submission) == withdraw(submission)
    assert LogLeaf.objects.count() == 2


def test_the_same_bytes_sent_again_stay_withdrawn(
    publish: Publish, withdraw: Callable[..., Withdrawal], post: Any, client: Client
) -> None:
    submission = publish()
    content = client.get(f"/api/v1/runs/{submission.run.run_id}/envelope/").content
    withdraw(submission)
    answer = post(content)
    assert answer.status_code == 202
    assert answer.json()["state"] == "withdrawn"


def test_withdrawing_needs_a_permission_and_a_reason(publish: Publish, keeper: User) -> None:
    run = publish().run
    other = User.objects.create_user("other")
    with pytest.raises(PermissionDenied, match=r"transparency\.withdraw"):
        withdrawal.run_withdraw(run=run, by=other, reason=REASON)
    with pytest.raises(NoReason, match="7 characters, of 10"):
        withdrawal.run_withdraw(run=run, by=keeper, reason=" too \n bad ")


def test_what_is_not_published_cannot_be_withdrawn(submit: Any, keeper: User) -> None:
    from tests.support.documents import document

    run = submit(document()).run
    with pytest.raises(withdrawal.NotPublished, match="is received, not published"):
        withdrawal.run_withdraw(run=run, by=keeper, reason=REASON)


def test_the_command_names_what_it_does_not_find(publish: Publish, keeper: User) -> None:
    run_id = str(publish().run.run_id)
    with pytest.raises(CommandError, match="no account 'nobody'"):
        call_command("withdraw_run", run_id, "--by", "nobody", "--reason", REASON)
    call_command("withdraw_run", run_id, "--by", "keeper", "--reason", REASON)
    assert Withdrawal.objects.get().reason == REASON


def test_the_envelope_of_a_withdrawn_run_is_gone_for_good(
    publish: Publish, withdraw: Callable[..., Withdrawal], client: Client
) -> None:
    submission = publish()
    withdraw(submission, keep_envelope=True)
    for part in ("envelope", "document"):
        answer = client.get(f"/api/v1/runs/{submission.run.run_id}/{part}/")
        assert answer.status_code == 410
        assert REASON in answer.json()["detail"]


def test_the_admin_withdraws_with_a_reason(publish: Publish, keeper: User, client: Client) -> None:
    submission = publish()
    client.force_login(keeper)
    page = "/admin/submissions/submission/"
    data = {"action": "withdraw", "_selected_action": [str(submission.pk)], "reason": REASON}
    answer = client.post(page, data, follow=True)
    assert "1 published run withdrawn" in answer.content.decode()
    assert Withdrawal.objects.get().submission == submission
