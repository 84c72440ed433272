"""What an account takes along, and what is left when it goes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.usersessions.models import UserSession
from django.conf import LazySettings
from django.contrib.auth.models import Group
from django.contrib.sessions.models import Session
from django.core import mail as mails
from django.test import Client

from server.accounts.models import ApiToken, KeyCommand, ProbeKey, User
from server.accounts.services import api_token_create
from server.measurements.models import Run
from server.submissions.models import Decision
from server.subscriptions.models import Subscription
from server.subscriptions.services import webhook_create
from tests.support.people import second_factor
from tests.support.sample_archive import sample_run
from tests.web.test_second_factor import PASSWORD, confirmed, member, sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    """A published run whose key the account has."""
    made = sample_run()
    owner = member()
    ProbeKey.objects.filter(pk=made.submission.probe_key_id).update(
        owner=owner, status="claimed", name="workshop"
    )
    api_token_create(owner=owner, name="notebook")
    webhook_create(owner=owner, model=made.drive_model, url="https://example.org/hook", simulated=False)
    return made


@pytest.fixture
def owner(run: Run) -> User:
    return User.objects.get(username="sample")


def taken_along(client: Client) -> dict[str, Any]:
    confirmed(client, "/accounts/delete/")
    answer = client.get("/accounts/data/account.json")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "no-store" in answer.headers["Cache-Control"]
    found: dict[str, Any] = json.loads(b"".join(answer.streaming_content))  # type: ignore[attr-defined]
    return found


def test_everything_of_an_account_is_in_one_document(client: Client, run: Run, owner: User) -> None:
    other = member("other")
    ProbeKey.objects.create(keyid="ab" * 32, public_key=b"x" * 32, owner=other, status="claimed")
    for mail in ("Sample@example.org", "other@example.org"):
        Subscription.objects.create(
            drive_model=run.drive_model, channel="mail", mail=mail, created_at=run.created_at
        )
    now, mine = run.created_at, run.submission.probe_key
    for place, key in enumerate((mine, ProbeKey.objects.get(owner=other))):
        KeyCommand.objects.create(
            nonce_digest=f"{place:064}", key=key, action="label", envelope=b"{}", at=now
        )
    sign_in(client, owner)
    assert "Download" in client.get("/accounts/data/").content.decode()
    found = taken_along(client)
    assert found["account"]["user_name"] == "sample"
    assert [row["email"] for row in found["mail_addresses"]] == ["sample@example.org"]
    assert [row["name"] for row in found["keys"]] == ["workshop"]
    [command] = found["commands"]
    assert (command["key__keyid"], command["action"]) == (mine.keyid, "label")
    assert [row["name"] for row in found["tokens"]] == ["notebook"]
    assert [row["url"] for row in found["webhooks"]] == ["https://example.org/hook"]
    assert [row["mail"] for row in found["followed_by_mail"]] == ["Sample@example.org"]
    [sent] = found["runs"]
    assert (sent["run"], sent["state"], sent["license"]) == (str(run.pk), "published", run.license)
    assert sent["envelope"] == f"http://testserver/runs/{run.pk}/envelope.json"
    assert len(found["sessions"]) == 1


def test_no_secret_is_in_it(client: Client, owner: User) -> None:
    sign_in(client, owner)
    confirmed(client, "/accounts/delete/")
    second_factor(owner)
    RecoveryCodes.activate(owner)
    text = json.dumps(taken_along(client))
    token, follow = ApiToken.objects.get(), Subscription.objects.get()
    for secret in (owner.password, token.digest, follow.secret, "seed", client.session.session_key):
        assert secret and secret not in text


def test_it_is_not_asked_for_without_end(client: Client, owner: User) -> None:
    sign_in(client, owner)
    taken_along(client)
    answers = [client.get("/accounts/data/account.json").status_code for _ in range(10)]
    assert answers == [200] * 9 + [429]


def test_a_deleted_account_leaves_its_runs_and_nothing_else(client: Client, run: Run, owner: User) -> None:
    elsewhere, secret = Client(), api_token_create(owner=owner, name="other")[1]
    sign_in(elsewhere, owner)
    sign_in(client, owner)
    assert "can't be undone" in confirmed(client, "/accounts/delete/")
    done = client.post("/accounts/delete/", follow=True)
    assert "The account is deleted." in done.content.decode()
    assert not User.objects.exists() and not ApiToken.objects.exists() and not Subscription.objects.exists()
    assert not UserSession.objects.exists()
    key = ProbeKey.objects.get()
    assert (key.owner, key.status, key.name) == (None, "unclaimed", "")
    assert client.get(f"/runs/{run.pk}/").status_code == 200
    assert Run.objects.get().license == run.license
    assert elsewhere.get("/accounts/keys/").status_code == 302
    refused = client.get("/api/v1/follows/", headers={"Authorization": f"Bearer {secret}"})
    assert refused.status_code == 401
    assert Session.objects.count() <= 1  # that of the page which says so


def test_nobody_deletes_without_the_password(client: Client, owner: User) -> None:
    client.force_login(owner)
    for method in (client.get, client.post):
        answer = method("/accounts/delete/")
        assert answer.status_code == 302 and "/accounts/reauthenticate/" in answer.headers["Location"]
    assert User.objects.filter(pk=owner.pk).exists()


def test_who_moderates_is_told_why_not(client: Client, owner: User) -> None:
    sign_in(client, owner)
    confirmed(client, "/accounts/delete/")
    second_factor(owner)
    owner.groups.add(Group.objects.get_or_create(name="moderators")[0])
    answer = client.post("/accounts/delete/")
    assert answer.status_code == 409 and "Ask an administrator" in answer.content.decode()


def test_a_former_moderators_decisions_stay_by_nobody_in_particular(
    client: Client, run: Run, owner: User, settings: LazySettings
) -> None:
    Decision.objects.create(
        submission=run.submission, verdict="accepted", reason="Looks right.", by=owner, at=run.created_at
    )
    sign_in(client, owner)
    confirmed(client, "/accounts/delete/")
    client.post("/accounts/delete/")
    left = Decision.objects.get().by
    assert left.username.startswith("former-") and not left.is_active and left.email == ""
    assert not left.emailaddress_set.exists() and not ApiToken.objects.exists()
    assert not Client().login(username=left.username, password=PASSWORD)


def test_18_a_session_left_open_makes_no_token_and_takes_no_key_away(
    client: Client, run: Run, owner: User
) -> None:
    """What outlasts a session wants the password once more, and is told by mail."""
    sign_in(client, owner)
    key, form = ProbeKey.objects.get(), {"name": "thief", "scope": ["manage"], "days": "365"}
    mails.outbox.clear()
    for address, posted in (
        ("/accounts/tokens/", form),
        *((f"/accounts/keys/{key.pk}/", {"action": action}) for action in ("revoke", "release")),
    ):
        answer = client.post(address, posted)
        assert answer.status_code == 302 and "/accounts/reauthenticate/" in answer.headers["Location"]
    key.refresh_from_db()
    assert (key.owner, key.status) == (owner, "claimed")
    assert [token.name for token in ApiToken.objects.all()] == ["notebook"] and mails.outbox == []


def test_18_with_the_password_they_are_done_and_told(client: Client, run: Run, owner: User) -> None:
    sign_in(client, owner)
    key, form = ProbeKey.objects.get(), {"name": "mine", "scope": ["read"], "days": "30"}
    mails.outbox.clear()
    asked = client.post("/accounts/tokens/", form)
    made = client.post(asked.headers["Location"], {"password": PASSWORD})
    assert "datk_" in made.content.decode(), "what was asked for is done once the password is given"
    client.post(f"/accounts/keys/{key.pk}/", {"action": "revoke"})
    key.refresh_from_db()
    assert key.status == "revoked"
    subjects = [message.subject for message in mails.outbox]
    assert subjects == ["An API token was made", "A key of your account was revoked"]
    assert all("mine" not in str(message.body) for message in mails.outbox)
