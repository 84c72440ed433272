"""Heads of another archive's log are cosigned where they go on from those before; a fork is found."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import StringIO
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command

from server.core import signed_note
from server.core.merkle import (
    EMPTY_ROOT,
    NodeIndex,
    appended_nodes,
    consistency_proof,
    is_consistent,
    leaf_hash,
    tree_root,
)
from server.core.signed_note import (
    Checkpoint,
    NoteError,
    checkpoint_cosign,
    checkpoint_sign,
    cosignature_open,
)
from server.transparency import log_http
from server.transparency.log_http import Answer, Ask
from server.transparency.models import WitnessedHead
from server.transparency.witness import LogForked, NotWitnessed, head_witness, witness_key
from tests.support.log_verifier import consistency_holds

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(7, 39)))
ORIGIN = "other.example/log"
VKEY = signed_note.verifier_key(ORIGIN, KEY.public_key().public_bytes_raw())
SERVER = "https://other.example"


class OtherLog:
    """Another archive's log, as its API shows it."""

    def __init__(self, entries: Sequence[bytes], key: Ed25519PrivateKey = KEY) -> None:
        self.size, self.key = len(entries), key
        self.nodes: dict[NodeIndex, bytes] = {}
        for index, entry in enumerate(entries):
            self.nodes |= appended_nodes(index, leaf_hash(entry), self.lookup)

    def lookup(self, places: Sequence[NodeIndex]) -> dict[NodeIndex, bytes]:
        return {place: self.nodes[place] for place in places}

    def root(self, size: int) -> bytes:
        return tree_root(size, self.lookup)

    def head(self) -> str:
        return checkpoint_sign(Checkpoint(ORIGIN, self.size, self.root(self.size)), self.key)

    def proof(self, first: int, second: int) -> list[str]:
        proof = consistency_proof(first, second, self.lookup)
        return [base64.b64encode(one).decode() for one in proof]

    def __call__(self, url: str, _body: bytes | None = None) -> Answer:
        parts = urlsplit(url)
        if parts.path == "/api/v1/log/":
            return giving({"verifier_key": VKEY, "checkpoint": self.head()})
        asked = parse_qs(parts.query)
        return giving({"proof": self.proof(int(asked["first"][0]), int(asked["second"][0]))})

    def request(self, old: int) -> bytes:
        """What C2SP tlog-witness has the log send."""
        hashes = "".join(f"{one}\n" for one in self.proof(old, self.size)) if old <= self.size else ""
        return f"old {old}\n{hashes}\n{self.head()}".encode()


def giving(found: object) -> Answer:
    return Answer(200, "application/json", json.dumps(found).encode())


def entries(count: int, name: str = "leaf") -> list[bytes]:
    return [f"{name} {number}".encode() for number in range(count)]


def test_proofs_of_consistency_are_checked_as_an_independent_reader_does() -> None:
    log, forked = OtherLog(entries(24)), OtherLog([*entries(5), b"another", *entries(24)[6:]])
    assert is_consistent(0, 0, (EMPTY_ROOT, EMPTY_ROOT), [])
    for second in range(1, 25):
        for first in range(second + 1):
            proof = consistency_proof(first, second, log.lookup)
            roots = log.root(first), log.root(second)
            assert is_consistent(first, second, roots, proof)
            assert consistency_holds(first, second, *roots, proof)
            if second > 5 and first:
                crossed = (log.root(first), forked.root(second))
                assert not is_consistent(first, second, crossed, proof)
            if first and proof:
                assert not is_consistent(first, second, roots, proof[:-1])
                assert not is_consistent(first, second, roots, [*proof, proof[0]])
    assert not is_consistent(3, 2, (log.root(3), log.root(2)), [])


def test_a_cosignature_has_the_bytes_that_the_specification_says() -> None:
    note = checkpoint_sign(Checkpoint(ORIGIN, 3, b"\x05" * 32), KEY)
    cosigned = checkpoint_cosign(note, name="witness.example/w1", key=KEY, at_s=1679315147)
    text, line = note.rpartition("\n\n")[0] + "\n", cosigned.splitlines()[-1]
    assert cosigned.startswith(note) and line.startswith("\u2014 witness.example/w1 ")
    raw = base64.b64decode(line.rpartition(" ")[2])
    assert raw[4:12] == (1679315147).to_bytes(8, "big") and len(raw) == 4 + 8 + 64
    KEY.public_key().verify(raw[12:], f"cosignature/v1\ntime 1679315147\n{text}".encode())
    public = KEY.public_key().public_bytes_raw()
    vkey = signed_note.verifier_key("witness.example/w1", public, cosigner=True)
    assert cosignature_open(cosigned, vkey) == 1679315147
    assert signed_note.checkpoint_open(cosigned, VKEY).size == 3
    with pytest.raises(NoteError, match="cosignature of witness"):
        cosignature_open(cosigned.replace("\n3\n", "\n4\n"), vkey)
    with pytest.raises(NoteError, match="is not signed by"):
        cosignature_open(note, vkey)


@pytest.mark.django_db
def test_heads_that_go_on_are_cosigned_and_kept() -> None:
    first = head_witness(server=SERVER + "/", ask=OtherLog(entries(3)))
    assert (first.origin, first.size, first.verifier_key) == (ORIGIN, 3, VKEY)
    assert cosignature_open(first.note, witness_key()) == int(first.at.timestamp())
    assert head_witness(server=SERVER, ask=OtherLog(entries(3))) == first
    later = head_witness(server=SERVER, ask=OtherLog(entries(11)))
    assert later.size == 11 and WitnessedHead.objects.count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    "shown",
    [
        OtherLog(entries(8, "another")),
        OtherLog(entries(5, "another")),
        OtherLog([*entries(4), b"changed", b"more"]),
        OtherLog(entries(4)),
    ],
    ids=["another log", "another log of the same size", "a leaf changed", "a leaf taken back"],
)
def test_a_fork_is_found_and_its_two_signed_heads_are_given(shown: OtherLog) -> None:
    first = head_witness(server=SERVER, ask=OtherLog(entries(5)))
    with pytest.raises(LogForked) as found:
        head_witness(server=SERVER, ask=shown)
    before, after = first.note, shown.head()
    assert before in str(found.value) and after in str(found.value)
    assert list(WitnessedHead.objects.all()) == [first], "the fork is not cosigned"


@pytest.mark.django_db
def test_another_key_and_what_is_no_log_are_refused() -> None:
    head_witness(server=SERVER, ask=OtherLog(entries(3)))
    other = Ed25519PrivateKey.from_private_bytes(bytes(range(9, 41)))

    def saying(body: bytes, status: int = 200) -> Ask:
        return lambda _url, _body: Answer(status, "application/json", body)

    refused: list[tuple[Ask, str]] = [
        (OtherLog(entries(4), other), "is not signed by other.example/log"),
        (saying(b"<html>"), "did not give what a publication log says"),
        (saying(b"[]"), "did not give"),
        (saying(b"{}"), "has no verifier_key|has no checkpoint"),
        (saying(b"[" * 100_000), "did not give"),
        (saying(json.dumps({"checkpoint": OtherLog(entries(4)).head()}).encode(), 500), "did not give"),
    ]
    for ask, said in refused:
        with pytest.raises(NotWitnessed, match=said):
            head_witness(server=SERVER, ask=ask)
    for server in (
        "http://other.example",
        "file:///etc/passwd",
        "other.example",
        "https://[",
        "https://a@b.example",
    ):
        with pytest.raises(NotWitnessed, match="no address of an archive"):
            head_witness(server=server, ask=OtherLog(entries(3)))
    assert WitnessedHead.objects.count() == 1


@pytest.mark.django_db
def test_the_command_prints_the_cosigned_head_and_fails_on_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_http, "ask", OtherLog(entries(5)))
    out = StringIO()
    call_command("witness", SERVER, key=VKEY, stdout=out)
    assert cosignature_open(out.getvalue(), witness_key())
    out = StringIO()
    call_command("witness", stdout=out)
    assert f"{SERVER} {ORIGIN} 5" in out.getvalue()
    monkeypatch.setattr(log_http, "ask", OtherLog(entries(9, "another")))
    with pytest.raises(CommandError, match="does not go on"):
        call_command("witness", SERVER, stdout=out)


@pytest.mark.django_db
def test_two_addresses_of_one_log_are_one_history() -> None:
    head_witness(server=SERVER, ask=OtherLog(entries(5)))
    with pytest.raises(LogForked):
        head_witness(server="https://elsewhere.example", ask=OtherLog(entries(9, "another")))
    assert head_witness(server="https://elsewhere.example", ask=OtherLog(entries(9))).size == 9
    with pytest.raises(LogForked):
        head_witness(server=SERVER, ask=OtherLog(entries(7)))


@pytest.mark.parametrize("letter", ["\x1b[2J", "\x0b", "\u2028", "\u202e", "\0"])
def test_a_head_with_characters_that_no_reader_sees_is_none(letter: str) -> None:
    text = f"{ORIGIN}\n3\n{base64.b64encode(bytes(32)).decode()}\nmore{letter}\n"
    signed = base64.b64encode(signed_note.key_id(ORIGIN, KEY.public_key().public_bytes_raw()))
    raw = base64.b64encode(base64.b64decode(signed) + KEY.sign(text.encode())).decode()
    with pytest.raises(NoteError, match="not a signed note"):
        signed_note.checkpoint_open(f"{text}\n\u2014 {ORIGIN} {raw}\n", VKEY)


# Whom one asks may answer anything.


@pytest.fixture
def answering() -> Iterator[Callable[[Callable[[socket.socket], None]], str]]:
    """Serve one connection on loopback by a function, and return the address."""
    opened: list[socket.socket] = []

    def serve(act: Callable[[socket.socket], None]) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        opened.append(listener)

        def once() -> None:
            with suppress(OSError):
                connection, _peer = listener.accept()
                opened.append(connection)
                connection.recv(65536)
                act(connection)

        threading.Thread(target=once, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield serve
    for one in opened:
        one.close()


def _drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        connection.sendall(b"x")
        threading.Event().wait(0.05)


def _drip_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        connection.sendall(b"x")
        threading.Event().wait(0.05)


def _sending(content: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(content)


@pytest.mark.parametrize("act", [_drip, _drip_headers, lambda _connection: threading.Event().wait(5)])
def test_who_answers_a_letter_at_a_time_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, answering: Any, act: Any
) -> None:
    monkeypatch.setattr(log_http, "TIMEOUT_S", 0.5)
    address, began = answering(act), time.monotonic()
    with pytest.raises(log_http.NotAsked, match="could not be read"):
        log_http.ask(address)
    assert time.monotonic() - began < 4


def test_redirects_and_endless_answers_are_refused(answering: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = _sending(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n")
    with pytest.raises(log_http.NotAsked, match="leads elsewhere"):
        log_http.ask(answering(moved))
    monkeypatch.setattr(log_http, "MOST_BYTES", 1000)
    with pytest.raises(log_http.NotAsked, match="more than 1000 bytes"):
        log_http.ask(answering(_sending(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2000)))
    with pytest.raises(log_http.NotAsked, match="could not be read"):
        log_http.ask(answering(_sending(b"no HTTP at all\r\n\r\n")))
