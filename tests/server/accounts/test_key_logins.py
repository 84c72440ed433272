"""A key is bound to an account by a code: whoever is signed in approves it, nobody else, and once."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from server.accounts.key_logins import LETTERS, LIFETIME, key_claim, key_release, logins_forget
from server.accounts.models import KeyLogin, ProbeKey, User
from server.core import clock
from tests.support.commands import ask, rotation, sealed
from tests.support.documents import KEY, OTHER_KEY, keyid

pytestmark = [pytest.mark.django_db, pytest.mark.services]
DEVICE = "/accounts/device/"


@pytest.fixture
def holder() -> User:
    return User.objects.create_user("sample-holder")


def begun(client: Client, key: Any = KEY, name: str | None = "workshop") -> dict[str, Any]:
    status, answer = ask(client, "login", key=key, name=name)
    assert status == 200, answer
    return answer


def state(client: Client, login: dict[str, Any]) -> str:
    return str(client.get(f"/api/v1/logins/{login['id']}/").json()["state"])


def decide(client: Client, login: dict[str, Any], decision: str = "approve") -> Any:
    return client.post(DEVICE, {"login": login["id"], "decision": decision}, follow=True)


def test_an_approved_key_is_the_accounts_and_the_probe_hears_of_it(client: Client, holder: User) -> None:
    login = begun(client)
    assert re.fullmatch(rf"[{LETTERS}]{{4}}-[{LETTERS}]{{4}}", login["user_code"])
    assert login["verification_uri_complete"] == f"http://testserver{DEVICE}?code={login['user_code']}"
    assert state(client, login) == "pending"
    client.force_login(holder)
    shown = client.get(login["verification_uri_complete"]).content.decode()
    assert keyid() in shown and login["user_code"] in shown and "workshop" in shown
    page = decide(client, login).content.decode()
    assert "The key is yours now" in page and "workshop" in page
    key = ProbeKey.objects.get()
    assert (key.owner, key.status, key.name) == (holder, "claimed", "workshop")
    assert state(client, login) == "approved"


def test_nobody_decides_without_signing_in(client: Client) -> None:
    login = begun(client)
    for answer in (
        client.get(login["verification_uri_complete"]),
        client.post(DEVICE, {"login": login["id"]}),
    ):
        assert answer.status_code == 302 and answer.headers["Location"].startswith("/accounts/login/?next=")
    assert state(client, login) == "pending"


def test_a_look_at_the_link_decides_nothing(client: Client, holder: User) -> None:
    login = begun(client)
    client.force_login(holder)
    client.get(login["verification_uri_complete"])
    assert state(client, login) == "pending" and ProbeKey.objects.get().owner is None


def test_a_refused_key_stays_nobodys(client: Client, holder: User) -> None:
    login = begun(client)
    client.force_login(holder)
    decide(client, login, "deny")
    assert state(client, login) == "denied" and ProbeKey.objects.get().owner is None
    assert "decided about before" in decide(client, login).content.decode()


def test_a_code_lasts_a_quarter_of_an_hour(
    client: Client, holder: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    login = begun(client)
    client.force_login(holder)
    later = clock.now() + LIFETIME + timedelta(seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert state(client, login) == "expired"
    assert "Nothing waits" in client.get(f"{DEVICE}?code={login['user_code']}").content.decode()
    assert "has expired" in decide(client, login).content.decode()
    assert ProbeKey.objects.get().owner is None
    monkeypatch.setattr(clock, "now", lambda: later + timedelta(days=2))
    assert logins_forget() == 1


def test_codes_can_be_typed_in_any_way_and_not_be_guessed_for_long(client: Client, holder: User) -> None:
    login = begun(client)
    client.force_login(holder)
    typed = login["user_code"].lower().replace("-", " ")
    assert keyid() in client.post(DEVICE, {"code": typed}).content.decode()
    answers = [client.post(DEVICE, {"code": "BBBB-BBBB"}).status_code for _ in range(10)]
    assert answers == [200] * 9 + [429]


def test_a_second_request_ends_the_first(client: Client) -> None:
    first, second = begun(client), begun(client)
    assert client.get(f"/api/v1/logins/{first['id']}/").status_code == 404
    assert state(client, second) == "pending"


def test_a_key_of_another_account_is_not_taken(client: Client, holder: User) -> None:
    other = User.objects.create_user("sample-other")
    client.force_login(other)
    decide(client, begun(client))
    client.force_login(holder)
    login = begun(client)
    answer = decide(client, login)
    assert answer.status_code == 409 and "another account already" in answer.content.decode()
    assert ProbeKey.objects.get().owner == other
    assert KeyLogin.objects.get(pk=login["id"]).state == "pending"


def test_keys_that_followed_come_along(client: Client, holder: User) -> None:
    ask(client, "rotate", body=sealed(rotation(OTHER_KEY)))
    client.force_login(holder)
    decide(client, begun(client, key=OTHER_KEY, name=None))
    assert set(ProbeKey.objects.values_list("owner", "status")) == {(holder.pk, "claimed")}


# The page of keys.


def test_an_account_renames_revokes_and_lets_go_its_own_keys_only(client: Client, holder: User) -> None:
    client.force_login(holder)
    decide(client, begun(client))
    key = ProbeKey.objects.get()
    address = f"/accounts/keys/{key.pk}/"
    page = client.post(address, {"action": "rename", "name": "shelf\u202e <b>"}, follow=True).content.decode()
    assert "shelf &lt;b&gt;" in page
    client.force_login(User.objects.create_user("sample-other"))
    for action in ("rename", "revoke", "release"):
        assert client.post(address, {"action": action}).status_code == 404
    client.force_login(holder)
    client.post(address, {"action": "revoke"})
    key.refresh_from_db()
    assert key.status == "revoked" and key.revoked_from is not None
    assert "Revoked" in client.get("/accounts/keys/").content.decode()
    client.post(address, {"action": "release"})
    key.refresh_from_db()
    assert (key.owner, key.status) == (None, "revoked")
    assert client.get(address).status_code == 405


def test_18_a_key_that_was_given_up_goes_to_no_account_that_it_asked_for_before(
    client: Client, holder: User
) -> None:
    """Whoever stole a key asks for their own account, and approves after the holder has revoked it."""
    stolen = begun(client, name=None)
    status, _key = ask(client, "revoke", keyid=keyid(), **{"from": None})
    assert status == 200
    client.force_login(holder)
    assert "Nothing waits" in client.get(stolen["verification_uri_complete"]).content.decode()
    assert "decided about before" in decide(client, stolen).content.decode()
    assert ProbeKey.objects.get().owner is None
    assert state(client, stolen) == "denied"


def test_18_nor_does_one_that_its_account_gave_up(client: Client, holder: User) -> None:
    client.force_login(holder)
    decide(client, begun(client))
    stolen = begun(client)
    key = ProbeKey.objects.get()
    client.post(f"/accounts/keys/{key.pk}/", {"action": "revoke"})
    client.post(f"/accounts/keys/{key.pk}/", {"action": "release"})
    client.force_login(User.objects.create_user("sample-thief"))
    decide(client, stolen)
    assert ProbeKey.objects.get().owner is None


@pytest.mark.parametrize("login", ["x", "", "%00", "\0", "1" * 400, "00000000-0000-0000-0000-000000000000"])
def test_18_what_is_no_request_of_a_key_is_told_so(client: Client, login: str) -> None:
    client.force_login(User.objects.create_user("sample"))
    answer = client.post("/accounts/device/", {"login": login, "decision": "approve"}, follow=True)
    assert answer.status_code == 200 and "was decided about before" in answer.content.decode()


def test_18_letting_a_key_go_twice_takes_it_from_nobody_else(holder: User) -> None:
    """Of two such requests at once the second one knows the key as it was, and another account has it."""
    key = ProbeKey.objects.create(keyid="ab" * 32, public_key=b"x" * 32, owner=holder, status="claimed")
    other = User.objects.create_user("sample-other")
    late = ProbeKey.objects.get(pk=key.pk)
    key_release(key=key)
    key_claim(key=ProbeKey.objects.get(pk=key.pk), owner=other, name="bench")
    key_release(key=late)
    key.refresh_from_db()
    assert (key.owner, key.status, key.name) == (other, "claimed", "bench")
