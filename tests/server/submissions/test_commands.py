"""Signed commands: only their signer's, only here, only once."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from server.accounts.models import KeyCommand, KeyLogin, ProbeKey
from server.accounts.services import probe_key_revoke
from server.core import clock
from server.submissions import commands
from server.submissions.commands import LIFETIME, commands_forget
from server.submissions.models import Submission
from tests.support.commands import ARCHIVE, ask, rotation, sealed, statement
from tests.support.documents import OTHER_KEY, envelope, keyid

pytestmark = [pytest.mark.django_db, pytest.mark.services]
Publish = Callable[..., Submission]


def kind_of(answer: tuple[int, dict[str, Any]]) -> tuple[int, str]:
    return answer[0], answer[1]["type"].split("/")[-2]


def test_a_key_sees_its_own_runs_and_nobody_elses(client: Client, publish: Publish) -> None:
    run = publish().run
    status, found = ask(client, "runs", after=None)
    assert status == 200
    (row,) = found["results"]
    assert (row["run_id"], row["state"], row["license"]) == (str(run.pk), "published", "CC0-1.0")
    assert row["reason"] == "Every check passed; the run is public."
    assert ask(client, "runs", key=OTHER_KEY, after=None)[1]["results"] == []


def test_a_document_that_was_no_run_is_listed_with_its_reason(client: Client, post: Any) -> None:
    from tests.support.documents import document

    broken = document()
    broken["device"]["capacity_bytes"] = -1
    assert post(broken).status_code == 422
    (row,) = ask(client, "runs", after=None)[1]["results"]
    assert (row["run_id"], row["state"], row["drive"]) == (None, "rejected", None)
    assert "capacity_bytes" in row["reason"]


def test_long_lists_go_on_where_a_page_ended(
    client: Client, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.submissions.holder.PAGE", 2)
    runs = [str(publish().run.pk) for _ in range(3)]
    first = ask(client, "runs", after=None)[1]
    second = ask(client, "runs", after=first["after"])[1]
    found = [row["run_id"] for row in (*first["results"], *second["results"])]
    assert found == runs[::-1]
    assert second["after"] is None


def test_a_command_is_carried_out_once(client: Client, publish: Publish) -> None:
    publish()
    body = sealed(statement("runs", after=None))
    assert ask(client, "runs", body=body)[0] == 200
    status, answer = ask(client, "runs", body=body)
    assert (status, answer["errors"][0]["path"]) == (409, "/nonce")
    assert "was used before" in answer["detail"]


def test_a_nonce_is_spent_whoever_signs_with_it(client: Client) -> None:
    command = statement("runs", after=None)
    assert ask(client, "runs", body=sealed(command))[0] == 200
    assert kind_of(ask(client, "runs", body=sealed(command, OTHER_KEY))) == (409, "bad-nonce")


def test_a_nonce_that_is_old_or_foreign_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind_of(ask(client, "runs", after=None, nonce="x" * 20)) == (409, "bad-nonce")
    command = statement("runs", after=None)
    later = clock.now() + LIFETIME + timedelta(seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert kind_of(ask(client, "runs", body=sealed(command))) == (409, "bad-nonce")


def test_a_command_for_another_archive_is_refused(client: Client) -> None:
    for archive in ("https://other.example", "http://testserver.other.example", "http://testserver:8080"):
        assert kind_of(ask(client, "runs", after=None, archive=archive)) == (422, "other-archive"), archive
    for archive in (ARCHIVE, "https://testserver", "http://TESTSERVER:80"):
        assert ask(client, "runs", after=None, archive=archive)[0] == 200, archive


def test_where_any_host_is_served_only_the_sites_own_address_counts(
    client: Client, settings: LazySettings
) -> None:
    settings.ALLOWED_HOSTS, settings.SITE_URL = ["*"], "https://archive.example"
    assert kind_of(ask(client, "runs", after=None)) == (422, "other-archive")
    assert ask(client, "runs", after=None, archive="https://archive.example")[0] == 200


def test_a_changed_statement_is_refused(client: Client) -> None:
    body = json.loads(sealed(statement("runs", after=None)))
    body["payload"] = json.loads(sealed(statement("runs", after=None)))["payload"]
    assert kind_of(ask(client, "runs", body=json.dumps(body).encode())) == (422, "bad-signature")


def test_one_command_is_not_taken_for_another_nor_a_run_for_a_command(client: Client, post: Any) -> None:
    body = sealed(statement("runs", after=None))
    response = client.post("/api/v1/keys/me/revoke/", data=body, content_type="application/json")
    assert response.status_code == 422
    assert post(body).status_code == 415
    run = envelope({"schema": "command/v1"})
    assert ask(client, "runs", body=run)[0] == 415


def test_unknown_members_and_large_bodies_are_refused(client: Client) -> None:
    assert kind_of(ask(client, "runs", after=None, more=1)) == (422, "schema-violation")
    assert kind_of(ask(client, "runs", body=b" " * 20_000)) == (413, "too-large")


def test_a_revoked_key_commands_nothing(client: Client, publish: Publish) -> None:
    publish()
    ProbeKey.objects.update(status="revoked")
    assert kind_of(ask(client, "runs", after=None)) == (403, "revoked-key")


def test_commands_are_limited_by_address(client: Client, settings: LazySettings) -> None:
    settings.SUBMISSION_RATE = "2/min"
    answers = [ask(client, "runs", after=None)[0] for _ in range(3)]
    assert answers == [200, 200, 429]


def test_reads_are_forgotten_and_changes_are_kept(
    client: Client, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = publish(license="CC-BY-4.0").run
    body = sealed(statement("license", run_id=str(run.pk), license="CC0-1.0"))
    assert ask(client, "license", body=body)[0] == 200
    ask(client, "runs", after=None)
    later = clock.now() + 3 * LIFETIME
    monkeypatch.setattr(clock, "now", lambda: later)
    assert commands_forget() == 1
    kept = KeyCommand.objects.get()
    assert (kept.action, bytes(kept.envelope)) == ("license", body)


@pytest.mark.parametrize("action", ["login", "rotate", "runs"])
def test_18_a_key_that_is_revoked_while_its_command_is_checked_commands_nothing(
    client: Client, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever stole a key has another one follow at the moment at which its holder gives it up."""
    fields = {"login": {"name": None}, "runs": {"after": None}}.get(action, {})
    body = sealed(rotation(OTHER_KEY)) if action == "rotate" else sealed(statement(action, **fields))
    assert ask(client, "runs", after=None)[0] == 200
    checked = commands._check_nonce

    def revoked_meanwhile(nonce: str) -> None:
        checked(nonce)
        probe_key_revoke(key=ProbeKey.objects.get(), since=clock.now())

    monkeypatch.setattr(commands, "_check_nonce", revoked_meanwhile)
    assert kind_of(ask(client, action, body=body)) == (403, "revoked-key")
    assert ProbeKey.objects.count() == 1 and not KeyLogin.objects.exists()


def test_18_of_two_dates_of_a_revocation_the_earlier_holds_whichever_was_read_first(client: Client) -> None:
    ask(client, "runs", after=None)
    early, late = (ProbeKey.objects.get() for _time in range(2))
    probe_key_revoke(key=early, since=clock.now() - timedelta(days=2))
    probe_key_revoke(key=late, since=clock.now() - timedelta(days=1))
    revoked_from = ProbeKey.objects.get().revoked_from
    assert revoked_from is not None and revoked_from < clock.now() - timedelta(days=1.5)


def test_18_commands_of_ever_new_keys_do_not_fill_the_database(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is kept as a proof, padded to 16 kB, sixty times a minute."""
    monkeypatch.setattr(commands, "BYTES_PER_DAY", 40_000)
    padded = [sealed(statement("login", name=None)) + b" " * 15_000 for _time in range(5)]
    answers = [ask(client, "login", body=body) for body in padded]
    assert [status for status, _answer in answers] == [200, 200, 429, 429, 429]
    assert "commands came from your network today" in answers[-1][1]["detail"]
    assert sum(len(bytes(kept.envelope)) for kept in KeyCommand.objects.all()) < 40_000


def test_18_whoever_fills_the_days_uploads_keeps_nobody_from_revoking(
    client: Client, settings: LazySettings
) -> None:
    ask(client, "runs", after=None)
    settings.SUBMISSION_MIB_PER_DAY = dict.fromkeys(settings.SUBMISSION_MIB_PER_DAY, 0)
    assert ask(client, "revoke", keyid=keyid(), **{"from": None})[0] == 200
