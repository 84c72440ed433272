"""An erased run leaves its leaf, a tombstone and fingerprints, and none of the words that came with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import PermissionDenied
from django.core.files.storage import storages
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client

from server.accounts.models import KeyCommand, User
from server.core.lifecycle import State
from server.measurements.models import Aggregate, DriveChart, Measurement
from server.plausibility.models import CheckResult
from server.submissions.events import state_set
from server.submissions.models import Decision, Submission
from server.submissions.moderation import NoReason
from server.submissions.withdrawal import run_erase, run_withdraw
from server.transparency.models import LogLeaf, Withdrawal
from server.transparency.publication_log import log_check
from tests.support.commands import ask
from tests.support.documents import document, skippy_part
from tests.support.tables import tables_that_say

pytestmark = [pytest.mark.django_db, pytest.mark.services]
Publish = Callable[..., Submission]
REASON = "A court of sample law ordered it."
SECRET = "lureword"
WORDS = {"vendor": f"{SECRET}vendor", "model": f"{SECRET}-9000", "firmware": f"FW{SECRET}"}


@pytest.fixture
def keeper() -> User:
    user = User.objects.create_user("keeper", password="only for tests")
    user.user_permissions.add(*Permission.objects.filter(codename="withdraw"))
    return user


@pytest.fixture
def erase(
    keeper: User, run_jobs: Callable[[], None], django_capture_on_commit_callbacks: Any
) -> Callable[[Submission], Withdrawal]:
    def one(submission: Submission) -> Withdrawal:
        with django_capture_on_commit_callbacks(execute=True):
            made = run_erase(run=submission.run, by=keeper, reason=REASON)
        run_jobs()
        return made

    return one


def test_of_an_erased_run_no_table_holds_a_word(
    client: Client, publish: Publish, erase: Callable[[Submission], Withdrawal]
) -> None:
    submission = publish(**WORDS)
    run_id, name = submission.run.pk, submission.storage_name
    assert ask(client, "label", run_id=str(run_id), label=f"{SECRET}batch")[0] == 200
    assert {"catalog_drivemodel", "measurements_run", "measurements_batch"} <= set(tables_that_say(SECRET))
    tombstone = erase(submission)
    assert tables_that_say(SECRET) == []
    assert bytes(KeyCommand.objects.get(action="label").envelope) == b""
    assert not Measurement.objects.exists() and not Aggregate.objects.exists()
    assert not DriveChart.objects.exists()
    assert not storages["envelopes"].exists(name)
    assert (tombstone.erased, tombstone.reason) == (True, REASON)
    assert list(LogLeaf.objects.values_list("kind", flat=True)) == ["published", "withdrawn"]
    assert log_check() == []


def test_every_address_of_an_erased_run_says_when_and_why(
    client: Client, publish: Publish, erase: Callable[[Submission], Withdrawal]
) -> None:
    submission = publish(**WORDS)
    run, slug = submission.run.pk, submission.run.drive_model.slug
    erase(submission)
    for part in ("", "envelope/", "document/", "standing/", "charts/", "benchmarks/skippy/samples/"):
        answer = client.get(f"/api/v1/runs/{run}/{part}")
        assert answer.status_code == 410, part
        assert "was erased on" in answer.json()["detail"] and REASON in answer.json()["detail"]
    page = client.get(f"/runs/{run}/")
    text = page.content.decode()
    assert page.status_code == 410 and REASON in text and "This run was erased" in text
    assert SECRET not in text.lower()
    assert client.get("/api/v1/tombstones/").json()["results"][0]["erased"] is True
    for address in (f"/drives/{slug}/", f"/api/v1/drives/{slug}/"):
        assert client.get(address).status_code == 404
    lists = (
        "/",
        "/drives/",
        "/drives/?q=lure",
        "/api/v1/drives.csv",
        "/api/v1/vendors/",
        "/feed.atom",
        "/events.atom",
        "/api/v1/events/",
    )
    for address in lists:
        answer = client.get(address)
        text = (b"".join(answer) if answer.streaming else answer.content).decode()
        assert "lurevendor" not in text.lower().replace("q=lure", ""), address
        assert SECRET not in text.lower(), address
    status = client.get(f"/api/v1/submissions/{submission.pk}/").json()
    assert {event["reason"] for event in status["events"]} == {"Erased with the run.", f"Erased: {REASON}"}


@pytest.mark.parametrize("state", [State.RECEIVED, State.QUARANTINED, State.REJECTED])
def test_a_run_that_was_never_public_is_erased_too_and_has_a_tombstone(
    client: Client,
    submit: Callable[[dict[str, Any]], Submission],
    erase: Callable[[Submission], Withdrawal],
    state: State,
) -> None:
    submission = submit(document(**WORDS))
    state_set(submission, state, f"For this test: {SECRET}.").save()
    submission.save()
    erase(submission)
    assert tables_that_say(SECRET) == []
    assert list(LogLeaf.objects.values_list("kind", flat=True)) == ["withdrawn"]
    assert client.get(f"/runs/{submission.run.pk}/").status_code == 410
    submission.refresh_from_db()
    assert (submission.state, submission.storage_name) == (State.WITHDRAWN, "")


def test_what_was_withdrawn_and_kept_is_erased_and_its_tombstone_says_so(
    publish: Publish, keeper: User, erase: Callable[[Submission], Withdrawal]
) -> None:
    submission = publish()
    run_withdraw(run=submission.run, by=keeper, reason=f"It says {SECRET}.", keep_envelope=True)
    submission.refresh_from_db()
    tombstone = erase(submission)
    assert (tombstone.reason, tombstone.envelope, tombstone.erased) == (REASON, "removed", True)
    assert not storages["envelopes"].exists(submission.storage_name)
    assert LogLeaf.objects.count() == 2
    assert tables_that_say(SECRET) == []
    assert erase(submission) == tombstone
    assert Decision.objects.count() == 1


def test_the_model_stays_where_another_run_or_a_person_names_it(
    publish: Publish, erase: Callable[[Submission], Withdrawal]
) -> None:
    first, second = publish(), publish()
    model = first.run.drive_model_id
    erase(first)
    second.run.refresh_from_db()
    assert second.run.drive_model_id == model
    assert Aggregate.objects.get(metric="skippy.longest").n == 1


def test_an_erased_runs_samples_stay_known(
    publish: Publish,
    erase: Callable[[Submission], Withdrawal],
    submit: Callable[[dict[str, Any]], Submission],
    run_jobs: Callable[[], None],
    django_capture_on_commit_callbacks: Any,
) -> None:
    samples = skippy_part(steps=160)
    submission = publish(samples)
    erase(submission)
    with django_capture_on_commit_callbacks(execute=True):
        again = submit(document(samples, rotation_rate_rpm=None))
    run_jobs()
    again.refresh_from_db()
    assert again.state == State.QUARANTINED
    assert CheckResult.objects.get(run=again.run, check_key="samples_new").outcome == "held"


def test_erasing_needs_the_permission_and_a_reason(publish: Publish, keeper: User) -> None:
    run = publish().run
    with pytest.raises(PermissionDenied):
        run_erase(run=run, by=User.objects.create_user("other"), reason=REASON)
    with pytest.raises(NoReason):
        run_erase(run=run, by=keeper, reason="short")


def test_the_command_erases(publish: Publish, keeper: User, capsys: Any) -> None:
    run = publish().run
    call_command("erase_run", str(run.pk), "--by", "keeper", "--reason", REASON)
    assert f"{run.pk} is erased: leaf 1" in capsys.readouterr().out


def test_the_database_refuses_to_change_or_remove_a_decision(
    publish: Publish, erase: Callable[[Submission], Withdrawal]
) -> None:
    erase(publish())
    for statement in ("UPDATE submissions_decision SET reason = 'x'", "DELETE FROM submissions_decision"):
        refused = pytest.raises(DatabaseError, match="only added to")
        with refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert Decision.objects.get().verdict == "erased"
