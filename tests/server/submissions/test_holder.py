"""What the holder of a key does with the runs that it signed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.files.storage import storages
from django.db import connection
from django.test import Client

from server.accounts.models import ProbeKey, User
from server.core import clock
from server.core.lifecycle import State
from server.measurements.models import Batch, Measurement, Run
from server.submissions.events import state_set
from server.submissions.models import Submission
from server.submissions.moderation import submission_accept
from server.transparency.models import LogLeaf, Withdrawal
from server.transparency.publication_log import log_check
from tests.support.commands import ask, rotation, sealed
from tests.support.documents import KEY, OTHER_KEY, document, envelope, keyid

pytestmark = [pytest.mark.django_db, pytest.mark.services]
Publish = Callable[..., Submission]
Submit = Callable[[dict[str, Any]], Submission]
NEW_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(2, 34)))


def kind_of(answer: tuple[int, dict[str, Any]]) -> tuple[int, str]:
    return answer[0], answer[1]["type"].split("/")[-2]


# Withdrawing.


def test_a_published_run_is_withdrawn_and_leaves_a_tombstone_without_a_name(
    client: Client, publish: Publish, django_capture_on_commit_callbacks: Any
) -> None:
    submission = publish()
    with django_capture_on_commit_callbacks(execute=True):
        status, row = ask(client, "withdraw", run_id=str(submission.run.pk), reason="faulty")
    assert (status, row["state"]) == (200, "withdrawn")
    tombstone = Withdrawal.objects.get()
    assert tombstone.by is None and "the unit was faulty" in tombstone.reason
    assert list(LogLeaf.objects.values_list("kind", flat=True)) == ["published", "withdrawn"]
    assert log_check() == []
    assert not storages["envelopes"].exists(submission.storage_name)
    page = client.get(f"/runs/{submission.run.pk}/")
    assert page.status_code == 410 and "the unit was faulty" in page.content.decode()
    assert ask(client, "withdraw", run_id=str(submission.run.pk), reason="mistake")[0] == 200
    assert Withdrawal.objects.get().reason == tombstone.reason


@pytest.mark.parametrize("state", [State.RECEIVED, State.QUARANTINED])
def test_a_run_that_was_never_public_goes_without_a_tombstone(
    client: Client, submit: Submit, state: State, run_jobs: Any, django_capture_on_commit_callbacks: Any
) -> None:
    submission = submit(document())
    state_set(submission, state, "For this test.").save()
    submission.save()
    with django_capture_on_commit_callbacks(execute=True):
        assert ask(client, "withdraw", run_id=str(submission.run.pk), reason="unstated")[0] == 200
    run_jobs()
    submission.refresh_from_db()
    assert (submission.state, submission.storage_name, submission.run.summary) == ("withdrawn", "", {})
    assert not Measurement.objects.exists() and not Withdrawal.objects.exists()
    page = client.get(f"/runs/{submission.run.pk}/")
    assert page.status_code == 200 and "Its contributor withdrew it." in page.content.decode()
    assert client.get(f"/api/v1/runs/{submission.run.pk}/").status_code == 404


def test_a_moderator_sees_the_status_of_a_withdrawn_run(client: Client, submit: Submit) -> None:
    submission = submit(document())
    ask(client, "withdraw", run_id=str(submission.run.pk), reason="unstated")
    client.force_login(User.objects.create_superuser("sample-admin"))
    assert client.get(f"/runs/{submission.run.pk}/").status_code == 200


def test_the_same_bytes_stay_withdrawn(client: Client, post: Any) -> None:
    run = document()
    assert post(run).status_code == 202
    ask(client, "withdraw", run_id=run["run_id"], reason="unstated")
    again = post(run)
    assert (again.status_code, again.json()["state"]) == (202, "withdrawn")


def test_nobody_withdraws_what_another_key_signed(client: Client, publish: Publish) -> None:
    run = publish().run
    answer = ask(client, "withdraw", key=OTHER_KEY, run_id=str(run.pk), reason="faulty")
    assert kind_of(answer) == (404, "not-found")
    assert run.submission.state == State.PUBLISHED


def test_a_rejected_run_is_not_withdrawn(client: Client, submit: Submit) -> None:
    submission = submit(document())
    Submission.objects.update(state="rejected")
    assert kind_of(ask(client, "withdraw", run_id=str(submission.run.pk), reason="faulty")) == (
        409,
        "wrong-state",
    )


# Licence and label.


def test_a_licence_is_only_widened(client: Client, publish: Publish) -> None:
    run = publish(license="CC-BY-4.0").run
    assert ask(client, "license", run_id=str(run.pk), license="CC0-1.0")[1]["license"] == "CC0-1.0"
    assert client.get(f"/api/v1/runs/{run.pk}/").json()["license"] == "CC0-1.0"
    reasons = run.submission.events.values_list("reason", flat=True)
    assert "Its contributor widened the licence from CC-BY-4.0 to CC0-1.0." in reasons
    assert kind_of(ask(client, "license", run_id=str(run.pk), license="CC-BY-4.0")) == (409, "not-wider")
    assert ask(client, "license", run_id=str(run.pk), license="CC0-1.0")[0] == 200


def test_a_batch_is_labelled_and_an_empty_one_goes(client: Client, publish: Publish, queue: Any) -> None:
    run = publish(batch_label="old", manufacture={"year": 2012, "week": 31, "source": "user"}).run
    queue.clear()
    assert ask(client, "label", run_id=str(run.pk), label="rack\u202e 7 ")[1]["batch"] == "2012-W31 rack 7"
    assert [str(batch) for batch in Batch.objects.all()] == ["2012-W31 rack 7"]
    assert ask(client, "label", run_id=str(run.pk), label=None)[1]["batch"] == "2012-W31"
    assert Batch.objects.get().label == ""


def test_a_label_alone_can_go_again(client: Client, publish: Publish) -> None:
    run = publish().run
    assert ask(client, "label", run_id=str(run.pk), label="shelf")[1]["batch"] == "shelf"
    assert ask(client, "label", run_id=str(run.pk), label=None)[1]["batch"] is None
    assert not Batch.objects.exists()


def test_a_withdrawn_run_is_not_changed(client: Client, publish: Publish) -> None:
    run = publish(license="CC-BY-4.0").run
    ask(client, "withdraw", run_id=str(run.pk), reason="faulty")
    assert kind_of(ask(client, "license", run_id=str(run.pk), license="CC0-1.0")) == (409, "wrong-state")
    assert kind_of(ask(client, "label", run_id=str(run.pk), label="x")) == (409, "wrong-state")


# Revoking and rotating.


def test_a_revoked_key_signs_nothing_more_and_runs_since_the_date_are_marked(
    client: Client, publish: Publish, post: Any
) -> None:
    early, late = publish(), publish()
    Submission.objects.filter(pk=early.pk).update(received_at=clock.now() - timedelta(days=9))
    since = (clock.now() - timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
    status, key = ask(client, "revoke", keyid=keyid(), **{"from": since})
    assert (status, key["status"], key["revoked_from"]) == (200, "revoked", since)
    assert post(document()).json()["type"].endswith("/problems/revoked-key/")
    marked = {
        one: client.get(f"/api/v1/runs/{one.run.pk}/").json()["after_revocation"] for one in (early, late)
    }
    assert marked == {early: False, late: True}
    assert "anybody may" in client.get(f"/runs/{late.run.pk}/").content.decode()
    assert "anybody may" not in client.get(f"/runs/{early.run.pk}/").content.decode()


@pytest.mark.parametrize(("since", "status"), [("2999-01-01T00:00:00Z", 422), ("2026-02-30T00:00:00Z", 422)])
def test_a_date_that_is_none_or_lies_ahead_revokes_nothing(client: Client, since: str, status: int) -> None:
    assert kind_of(ask(client, "revoke", keyid=keyid(), **{"from": since})) == (status, "bad-date")
    assert not ProbeKey.objects.filter(status="revoked").exists()


def test_nobody_revokes_a_strangers_key(client: Client, publish: Publish) -> None:
    publish()
    answer = ask(client, "revoke", key=OTHER_KEY, keyid=keyid(), **{"from": None})
    assert kind_of(answer) == (404, "not-found")


def test_a_key_that_followed_is_the_same_holder(client: Client, publish: Publish, post: Any) -> None:
    owner = User.objects.create_user("sample-holder")
    run = publish().run
    ProbeKey.objects.update(owner=owner, status="claimed")
    status, key = ask(client, "rotate", body=sealed(rotation(NEW_KEY)))
    assert (status, key["keyid"], key["status"]) == (200, keyid(NEW_KEY), "claimed")
    found = ask(client, "runs", key=NEW_KEY, after=None)[1]
    assert [row["run_id"] for row in found["results"]] == [str(run.pk)]
    assert [one["keyid"] for one in found["keys"]] == [keyid(), keyid(NEW_KEY)]
    assert ask(client, "revoke", key=NEW_KEY, keyid=keyid(), **{"from": None})[0] == 200
    assert post(envelope(document())).status_code == 403
    assert post(envelope(document(), NEW_KEY)).status_code == 202
    assert ask(client, "withdraw", key=NEW_KEY, run_id=str(run.pk), reason="faulty")[0] == 200


def test_a_rotation_whose_answer_was_lost_may_be_asked_for_again(client: Client) -> None:
    for _ in range(2):
        assert ask(client, "rotate", body=sealed(rotation(NEW_KEY)))[0] == 200
    assert ProbeKey.objects.count() == 2


def test_keys_of_a_third_generation_are_the_first_ones_holder(client: Client) -> None:
    third = Ed25519PrivateKey.from_private_bytes(bytes(range(3, 35)))
    ask(client, "rotate", body=sealed(rotation(NEW_KEY)))
    assert ask(client, "rotate", body=sealed(rotation(third, NEW_KEY), NEW_KEY))[0] == 200
    assert len(ask(client, "runs", key=third, after=None)[1]["keys"]) == 3


def test_nobody_takes_over_a_key_by_naming_it(client: Client, publish: Publish) -> None:
    publish()
    answer = ask(client, "rotate", body=sealed(rotation(KEY, OTHER_KEY), OTHER_KEY))
    assert kind_of(answer) == (409, "key-known")
    forged = rotation(NEW_KEY)
    forged["successor"]["signatures"][0]["sig"] = rotation(OTHER_KEY)["successor"]["signatures"][0]["sig"]
    assert kind_of(ask(client, "rotate", body=sealed(forged))) == (422, "bad-signature")
    for agreed in ({"keyid": keyid(OTHER_KEY)}, {"nonce": "n" * 20}, {"archive": "https://other.example"}):
        answer = ask(client, "rotate", body=sealed(rotation(NEW_KEY, **agreed)))
        assert kind_of(answer) == (422, "bad-signature"), agreed


# With others at the same time.


@pytest.mark.django_db(transaction=True)
def test_withdrawing_while_a_moderator_publishes_waits_and_never_deadlocks(
    client: Client, submit: Submit, run_jobs: Any, kinds: Any
) -> None:
    moderator = User.objects.create_superuser("sample-admin")
    for turn in range(5):
        submission = submit(document())
        state_set(submission, State.QUARANTINED, "For this test.").save()
        submission.save()
        answers = _at_once(
            lambda row=submission: submission_accept(row, by=moderator, reason="Looked at and right."),
            lambda row=submission: ask(Client(), "withdraw", run_id=str(row.run.pk), reason="faulty")[0],
        )
        submission.refresh_from_db()
        assert answers[1] == 200, (turn, answers)
        assert submission.state == State.WITHDRAWN
        assert Run.objects.get(submission=submission).summary == {}
    assert log_check() == []


def _at_once(*calls: Callable[[], Any]) -> list[Any]:
    results: list[Any] = [None] * len(calls)
    barrier = threading.Barrier(len(calls))

    def one(index: int) -> None:
        barrier.wait()
        try:
            results[index] = calls[index]()
        except Exception as error:
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=(index,)) for index in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results
