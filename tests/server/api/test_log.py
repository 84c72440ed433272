"""The publication log over HTTP."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from server.accounts.models import User
from server.api.framework import keyset
from server.core import merkle
from server.submissions.models import Submission
from server.submissions.withdrawal import run_withdraw
from server.transparency.log_entry import LogEntry, time_text
from server.transparency.models import LogLeaf
from tests.support.log_verifier import checkpoint_open, consistency_holds, inclusion_holds

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def get(client: Client) -> Callable[..., Any]:
    def one(address: str, status: int = 200) -> Any:
        answer = client.get(f"/api/v1/{address}")
        assert answer.status_code == status, answer.content
        return json.loads(answer.content)

    return one


@pytest.fixture
def logged(publish: Callable[..., Submission]) -> list[Submission]:
    """Three published runs, the second of them withdrawn."""
    found = [publish() for _ in range(3)]
    keeper = User.objects.create_user("keeper")
    keeper.user_permissions.add(*Permission.objects.filter(codename="withdraw"))
    run_withdraw(run=found[1].run, by=keeper, reason="Measured through a broken bridge.")
    return found


def raw(texts: list[str]) -> list[bytes]:
    return [base64.b64decode(text) for text in texts]


def test_who_asks_can_prove_that_a_run_is_in_the_log(
    get: Callable[..., Any], logged: list[Submission], client: Client
) -> None:
    head = get("log/")
    [leaf] = get(f"log/leaves/?run={logged[2].run.run_id}")["results"]
    shown = get(f"log/proofs/inclusion?leaf={leaf['index']}")
    entry = LogEntry(leaf["kind"], leaf["digest"], leaf["run_id"], logged[2].published_at)  # type: ignore[arg-type]
    hashed = merkle.leaf_hash(entry.canonical())
    assert (leaf["at"], leaf["digest"]) == (time_text(entry.at), logged[2].digest)
    assert base64.b64decode(shown["leaf_hash"]) == hashed
    root = base64.b64decode(head["root_hash"])
    assert inclusion_holds(leaf["index"], shown["size"], hashed, raw(shown["proof"]), root)
    public = base64.b64decode(head["keys"][0]["public_key"].removeprefix("ed25519:"))
    opened = checkpoint_open(head["checkpoint"], origin=head["origin"], public_key=public)
    assert (opened.size, opened.root) == (4, root)
    assert client.get("/api/v1/log/checkpoint").content.decode() == head["checkpoint"]


def test_a_later_log_is_proved_to_go_on_from_an_earlier_one(
    get: Callable[..., Any], logged: list[Submission]
) -> None:
    old, new = get("log/?size=2"), get("log/")
    shown = get("log/proofs/consistency?first=2")
    roots = [base64.b64decode(head["root_hash"]) for head in (old, new)]
    assert consistency_holds(2, shown["second"], *roots, raw(shown["proof"]))


def test_leaves_come_in_pages(get: Callable[..., Any], logged: list[Submission]) -> None:
    first = get("log/leaves/?limit=3")
    assert [leaf["index"] for leaf in first["results"]] == [0, 1, 2]
    second = get(f"log/leaves/?limit=3&start={first['next']}")
    assert [(leaf["index"], leaf["kind"]) for leaf in second["results"]] == [(3, "withdrawn")]
    assert second["next"] is None
    both = get(f"log/leaves/?digest={logged[1].digest}")["results"]
    assert [leaf["kind"] for leaf in both] == ["published", "withdrawn"]


def test_the_lines_of_all_leaves_leave_none_out_between_two_chunks(
    client: Client, logged: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "CHUNK_ROWS", 1)
    answer: Any = client.get("/api/v1/log/leaves.ndjson")
    lines = b"".join(answer.streaming_content).splitlines()
    assert [json.loads(line)["index"] for line in lines] == [0, 1, 2, 3]


def test_tombstones_say_what_went_and_why(get: Callable[..., Any], logged: list[Submission]) -> None:
    [tombstone] = get("tombstones/")["results"]
    assert tombstone["run_id"] == str(logged[1].run.run_id)
    assert tombstone["reason"] == "Measured through a broken bridge."
    assert tombstone["leaf"] == 3
    at = LogLeaf.objects.get(index=3).at
    assert get(f"tombstones/?since={at.isoformat()}")["results"] == [tombstone]
    assert get("tombstones/?since=2999-01-01")["results"] == []


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("log/?size=-1", "not a whole number"),
        ("log/?size=99999999999999999999", "not a whole number"),
        ("log/proofs/inclusion", "leaf is missing"),
        ("log/leaves/?run=x", "not a UUID"),
        ("log/leaves/?digest=AB", "64 lower-case hex"),
        ("log/leaves/?limit=1001", "from 0 to 1000"),
        ("tombstones/?since=yesterday", "not an instant"),
        ("tombstones/?since=2026-13-45", "not an instant"),
    ],
)
def test_a_parameter_that_is_not_understood_is_named(
    get: Callable[..., Any], address: str, words: str
) -> None:
    assert words in get(address, 400)["detail"]


def test_what_the_log_does_not_hold_is_not_found(get: Callable[..., Any]) -> None:
    assert "has 0 leaves" in get("log/?size=7", 404)["detail"]
    assert "no leaf 0 among 0" in get("log/proofs/inclusion?leaf=0", 404)["detail"]
    assert "does not begin" in get("log/proofs/consistency?first=1&second=0", 404)["detail"]
