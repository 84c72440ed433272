"""Heads that logs send are cosigned as C2SP tlog-witness has it, and what witnesses signed is published."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import LazySettings
from django.core.checks import run_checks
from django.core.management import call_command
from django.test import Client

from server.core.signed_note import (
    NoteError,
    checkpoint_cosign,
    checkpoint_open,
    cosignature_open,
    verifier_key,
)
from server.submissions.models import Submission
from server.transparency import log_http, witness
from server.transparency.cosignatures import cosignatures_ask, head_cosigned
from server.transparency.log_http import Answer
from server.transparency.models import Cosignature, WitnessedHead
from server.transparency.publication_log import log_head
from server.transparency.witness import LogForked, head_witness, witness_key
from tests.server.transparency.test_witness import KEY, ORIGIN, VKEY, OtherLog, entries

pytestmark = [pytest.mark.django_db, pytest.mark.services]
ADDRESS = "/api/v1/log/witness/add-checkpoint"
URL = "https://witness.example/api/v1/log/witness"
OTHER_NAME = "witness.example/log"
OTHER_WITNESS = Ed25519PrivateKey.from_private_bytes(bytes(range(11, 43)))
OTHER_KEY = verifier_key(OTHER_NAME, OTHER_WITNESS.public_key().public_bytes_raw(), cosigner=True)


@pytest.fixture
def send(client: Client, settings: LazySettings) -> Callable[[bytes], tuple[int, str, str]]:
    """Send a request of the witnessed log; return status, media type and text of the answer."""
    settings.WITNESSED_LOGS = [VKEY]

    def sent(body: bytes) -> tuple[int, str, str]:
        answer = client.post(ADDRESS, body, content_type="text/plain")
        return answer.status_code, answer["Content-Type"].partition(";")[0], answer.content.decode()

    return sent


Send = Callable[[bytes], tuple[int, str, str]]


def test_a_named_log_has_its_heads_cosigned_as_it_grows(send: Send) -> None:
    for old, new in ((0, 3), (3, 3), (3, 11)):
        log = OtherLog(entries(new))
        status, media, line = send(log.request(old))
        assert (status, media) == (200, "text/plain"), line
        assert line.startswith("\u2014 ") and line.count("\n") == 1
        assert cosignature_open(log.head() + line, witness_key())
        assert checkpoint_open(log.head() + line, VKEY).size == new
    assert [(head.server, head.size) for head in WitnessedHead.objects.all()] == [("", 11)], "one is kept"


def test_the_size_of_the_last_head_is_told_to_who_goes_on_from_another(send: Send) -> None:
    assert send(OtherLog(entries(5)).request(0))[0] == 200
    for request in (OtherLog(entries(9)).request(0), OtherLog(entries(9)).request(3)):
        assert send(request) == (409, "text/x.tlog.size", "5\n")
    another = OtherLog(entries(5, "another"))
    assert send(another.request(5)) == (409, "text/x.tlog.size", "5\n")
    # What is behind the last head can't be cosigned again, with whatever proof.
    assert send(OtherLog(entries(4)).request(4))[:2] == (409, "text/x.tlog.size")


def test_a_fork_is_not_cosigned(send: Send) -> None:
    assert send(OtherLog(entries(5)).request(0))[0] == 200
    forked = OtherLog([*entries(4), b"changed", b"more"])
    assert send(forked.request(5))[0] == 422
    assert WitnessedHead.objects.get().size == 5


def test_what_was_asked_for_and_what_was_sent_is_one_history(send: Send) -> None:
    head_witness(server="https://other.example", ask=OtherLog(entries(5)))
    assert send(OtherLog(entries(9, "another")).request(0)) == (409, "text/x.tlog.size", "5\n")
    assert send(OtherLog(entries(9)).request(5))[0] == 200
    with pytest.raises(LogForked):
        head_witness(server="https://other.example", ask=OtherLog(entries(12, "another")))


@pytest.mark.parametrize(
    ("status", "request_of"),
    [
        (403, lambda log: OtherLog(entries(3), OTHER_WITNESS).request(0)),
        (404, lambda log: log.request(0).replace(ORIGIN.encode(), b"third.example/log")),
        (400, lambda log: log.request(0).replace(b"old 0", b"old 00")),
        (400, lambda log: log.request(0).replace(b"old 0", b"old 9")),
        (400, lambda log: log.request(0).replace(b"old 0", b"old -1")),
        (400, lambda log: b"old 0\n" + b"A" * 44 + b"\n\n" + log.head().encode()),
        (400, lambda log: b"old 0\n" + b"Zm9v\n" * 64 + b"\n" + log.head().encode()),
        (400, lambda log: b""),
        (400, lambda log: b"\xff" * 100),
        (400, lambda log: b"\n" * 30_000),
        (413, lambda log: b"x" * 40_000),
        (422, lambda log: log.request(2).replace(b"old 2", b"old 0")),
    ],
)
def test_what_is_not_such_a_request_is_refused_by_its_status(
    send: Send, status: int, request_of: object
) -> None:
    assert callable(request_of)
    answered = send(request_of(OtherLog(entries(3))))
    assert (answered[0], answered[1]) == (status, "application/problem+json"), answered
    assert not WitnessedHead.objects.exists()


def test_an_archive_that_names_no_log_witnesses_none(client: Client) -> None:
    answer = client.post(ADDRESS, OtherLog(entries(3)).request(0), content_type="text/plain")
    assert answer.status_code == 404
    assert client.get(ADDRESS).status_code == 405


# Two archives that witness one another: here one settings file plays both.


@dataclass
class Witnesses:
    """Another archive that witnesses this one's log, with this archive's own code."""

    client: Client
    settings: LazySettings
    asked: int = 0

    def __call__(self, url: str, body: bytes | None) -> Answer:
        self.asked += 1
        assert url == f"{URL}/add-checkpoint"
        own = log_head().verifier_key
        origin, key = self.settings.LOG_ORIGIN, self.settings.LOG_KEY
        head = self.settings.WITNESSED_LOGS, self.settings.LOG_WITNESSES
        self.settings.WITNESSED_LOGS = [own]
        signing, name = witness.signing_key, origin
        witness.signing_key = lambda: OTHER_WITNESS  # type: ignore[assignment]
        self.settings.LOG_ORIGIN = OTHER_NAME
        try:
            answer = self.client.post(urlsplit(url).path, body, content_type="text/plain")
        finally:
            witness.signing_key = signing
            self.settings.LOG_ORIGIN, self.settings.LOG_KEY = name, key
            self.settings.WITNESSED_LOGS, self.settings.LOG_WITNESSES = head
        return Answer(answer.status_code, answer["Content-Type"].partition(";")[0], answer.content)


@pytest.fixture
def witnesses(client: Client, settings: LazySettings) -> Witnesses:
    settings.LOG_WITNESSES = [f"{URL} {OTHER_KEY}"]
    return Witnesses(client, settings)


def test_what_another_archive_signed_is_published_with_the_head(
    witnesses: Witnesses, client: Client, publish: Callable[..., Submission]
) -> None:
    assert client.get("/api/v1/log/cosigned").status_code == 404
    publish()
    assert cosignatures_ask(ask=witnesses) == [f"{OTHER_NAME} cosigned 1 leaves"]
    note = client.get("/api/v1/log/cosigned").content.decode()
    assert checkpoint_open(note, log_head().verifier_key).size == 1 and cosignature_open(note, OTHER_KEY)
    publish()
    # Until it is asked again, the head that it cosigned stands there, whole.
    assert client.get("/api/v1/log/cosigned").content.decode() == note
    assert cosignatures_ask(ask=witnesses) == [f"{OTHER_NAME} cosigned 2 leaves"]
    assert Cosignature.objects.get().size == 2
    assert checkpoint_open(str(head_cosigned()), log_head().verifier_key).size == 2


def test_a_witness_that_knows_more_than_we_remember_is_asked_again(
    witnesses: Witnesses, publish: Callable[..., Submission]
) -> None:
    publish()
    cosignatures_ask(ask=witnesses)
    Cosignature.objects.all().delete()
    publish()
    witnesses.asked = 0
    assert cosignatures_ask(ask=witnesses) == [f"{OTHER_NAME} cosigned 2 leaves"]
    assert witnesses.asked == 2, "the first answer tells the size"


def test_a_witness_that_saw_a_longer_log_gives_the_rollback_away(
    witnesses: Witnesses, publish: Callable[..., Submission]
) -> None:
    publish()

    def longer(_url: str, _body: bytes | None) -> Answer:
        return Answer(409, "text/x.tlog.size", b"9\n")

    [told] = cosignatures_ask(ask=longer)
    assert "seen this log with 9 leaves, of which there are 1" in told
    assert not Cosignature.objects.exists()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(200, "text/plain", b""), "no cosignature that holds"),
        (Answer(200, "text/plain", b"\xff\n" * 5000), "no cosignature that holds"),
        (
            Answer(200, "text/plain", "\u2014 witness.example/log AAAA\n".encode()),
            "no cosignature that holds",
        ),
        (Answer(409, "text/x.tlog.size", b"0\n"), "status 409"),
        (Answer(409, "text/x.tlog.size", b"-1"), "status 409"),
        (Answer(409, "text/x.tlog.size", b"9" * 500), "status 409"),
        (Answer(500, "text/html", b"<b>"), "status 500"),
    ],
)
def test_a_witness_may_answer_anything_and_nothing_of_it_is_published(
    settings: LazySettings, answer: Answer, said: str
) -> None:
    settings.LOG_WITNESSES = [f"{URL} {OTHER_KEY}"]
    [told] = cosignatures_ask(ask=lambda _url, _body: answer)
    assert said in told
    assert head_cosigned() is None


def test_a_cosignature_of_another_key_head_or_day_is_none(settings: LazySettings) -> None:
    settings.LOG_WITNESSES = [f"{URL} {OTHER_KEY}"]
    head = log_head().checkpoint
    thief = checkpoint_cosign(head, name=OTHER_NAME, key=KEY, at_s=1)
    elsewhere = checkpoint_cosign(OtherLog(entries(3)).head(), name=OTHER_NAME, key=OTHER_WITNESS, at_s=1)
    early = checkpoint_cosign(head, name=OTHER_NAME, key=OTHER_WITNESS, at_s=1)
    for note, said in ((thief, "no cosignature"), (elsewhere, "no cosignature"), (early, "another day")):
        line = f"{note.splitlines()[-1]}\n".encode()
        [told] = cosignatures_ask(ask=lambda _url, _body, line=line: Answer(200, "text/plain", line))
        assert said in told
    assert not Cosignature.objects.exists()


def test_one_witness_that_fails_keeps_no_other_from_being_asked(
    witnesses: Witnesses, settings: LazySettings
) -> None:
    away = f"https://away.example/w {OTHER_KEY}"
    settings.LOG_WITNESSES = [away, *settings.LOG_WITNESSES]

    def ask(url: str, body: bytes | None) -> Answer:
        if "away" in url:
            raise log_http.NotAsked("It is away.")
        return witnesses(url, body)

    first, second = cosignatures_ask(ask=ask)
    assert "It is away." in first and second == f"{OTHER_NAME} cosigned 0 leaves"


def test_what_no_longer_holds_or_is_no_longer_named_is_not_published(
    witnesses: Witnesses, settings: LazySettings
) -> None:
    cosignatures_ask(ask=witnesses)
    assert head_cosigned() is not None
    line = Cosignature.objects.get().line
    Cosignature.objects.update(line=line.replace("\u2014 witness", "\u2014 another"))
    assert head_cosigned() is None
    Cosignature.objects.update(line=line, size=99)
    assert head_cosigned() is None
    Cosignature.objects.update(size=0)
    settings.LOG_WITNESSES = []
    assert head_cosigned() is None


def test_the_command_asks_now(witnesses: Witnesses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_http, "ask", witnesses)
    out = StringIO()
    call_command("publication_log", ask_witnesses=True, stdout=out)
    assert f"{OTHER_NAME} cosigned 0 leaves" in out.getvalue()


def test_a_witness_or_log_that_is_written_wrong_stops_the_check(settings: LazySettings) -> None:
    settings.LOG_WITNESSES, settings.WITNESSED_LOGS = [f"http://w.example {OTHER_KEY}", URL], [OTHER_KEY]
    wrong = [found for found in run_checks() if found.id == "diskatlas.E015"]
    assert len(wrong) == 3
    settings.LOG_WITNESSES, settings.WITNESSED_LOGS = [f"{URL} {OTHER_KEY}"], [VKEY]
    assert not [found for found in run_checks() if found.id == "diskatlas.E015"]


def test_a_key_of_heads_is_no_key_of_cosignatures() -> None:
    assert base64.b64decode(OTHER_KEY.rpartition("+")[2])[:1] == b"\x04"
    with pytest.raises(NoteError, match="not a verifier key"):
        checkpoint_open(log_head().checkpoint, OTHER_KEY)
