"""Clients as the probe is one: each signs runs, sends them until they are taken, and keeps the answers; and
one that keeps every head of the publication log."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import random
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.support.documents import document, envelope, skippy_part
from tests.support.log_verifier import consistency_holds

CLIENTS = 8
MODELS = ("FIELD-1", "FIELD-2", "FIELD-3")
HELD_RPM = 15_000
"""What a drive says of its rotation that turned otherwise while it was measured."""
MOST_WAIT_S = 2.0
"""A test does not wait for minutes, whatever `Retry-After` says; that it says something is checked."""
PAUSE_S = 2.5
"""So that a slow machine gets through what it promised while it is hurt."""
RESENT, GIVEN_UP, HELD = 0.1, 0.1, 0.1
"""Shares of runs that are sent again on purpose, that are not sent again after a failure, and that a check
holds."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where an archive is reached."""

    port: int
    address: str = "127.0.0.1"
    domain: str = ""
    """Its name where it is reached by TLS, with a certificate that nobody vouches for."""

    def link(self, timeout_s: float) -> http.client.HTTPConnection:
        """Return a connection; raises OSError where TLS does not come about."""
        if not self.domain:
            return http.client.HTTPConnection(self.address, self.port, timeout=timeout_s)
        link = http.client.HTTPConnection(self.domain, timeout=timeout_s)
        raw = socket.create_connection((self.address, self.port), timeout=timeout_s)
        link.sock = ssl._create_unverified_context().wrap_socket(raw, server_hostname=self.domain)
        return link


@dataclass
class Ledger:
    """What was promised to whom."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    accepted: dict[str, set[str]] = field(default_factory=dict)
    """Digest of the bytes to the ids that 202 answers gave for them: one."""
    held: set[str] = field(default_factory=set)
    """Digests of what has to be quarantined; all other is published."""
    answered_at: list[float] = field(default_factory=list)
    """When each 202 came, by the monotonic clock."""
    statuses: dict[int, int] = field(default_factory=dict)
    broken: int = 0
    without_retry_after: int = 0
    resent: int = 0
    given_up: int = 0
    unexpected: list[str] = field(default_factory=list)

    def last_answer(self) -> float:
        with self.lock:
            return self.answered_at[-1] if self.answered_at else 0.0


class Contributor(threading.Thread):
    """Sends one run after the other until told to stop, and ends with what it began taken."""

    def __init__(
        self, number: int, site: Site, ledger: Ledger, stop: threading.Event, first: int = 0
    ) -> None:
        """Take the number of the first run: no two of a client may have the same."""
        super().__init__(name=f"contributor-{number}", daemon=True)
        self._number, self._site, self._ledger, self._stop_event = number, site, ledger, stop
        self._key = Ed25519PrivateKey.from_private_bytes(bytes([number + 1]) * 32)
        self._random = random.Random(number)
        self._first = first

    def run(self) -> None:
        count = self._first + 1
        while not self._stop_event.is_set():
            body = self._next(count, held=self._random.random() < HELD)
            count += 1
            taken = self._deliver(body, gives_up=self._random.random() < GIVEN_UP)
            if taken and self._random.random() < RESENT:
                # A person who is not sure whether it arrived.
                with self._ledger.lock:
                    self._ledger.resent += 1
                self._deliver(body)
            time.sleep(PAUSE_S)

    def first_run(self) -> None:
        """Have one run taken, before anything goes wrong."""
        self.send(self._first)

    def send(self, count: int) -> None:
        """Have the run of a number taken."""
        self._deliver(self._next(count))

    def _next(self, count: int, *, held: bool = False) -> bytes:
        # No two runs are alike, or one would be held as a copy of the other.
        part = skippy_part(steps=120 + CLIENTS * count + self._number)
        unit = hashlib.sha256(f"{self._number}-{count % 3}".encode()).hexdigest()
        model = MODELS[(self._number + count) % len(MODELS)]
        run = document(part, model=model, unit_digest=unit, rotation_rate_rpm=HELD_RPM if held else None)
        body = envelope({**run, "license": "CC0-1.0"}, self._key)
        if held:
            with self._ledger.lock:
                self._ledger.held.add(hashlib.sha256(body).hexdigest())
        return body

    def _deliver(self, body: bytes, *, gives_up: bool = False) -> bool:
        """Send until it is taken, or until the first failure; return whether it was taken."""
        digest = hashlib.sha256(body).hexdigest()
        # A proxy speaks for a site that it can't reach.
        again = (0, 429, 503, 502, 504) if self._site.domain else (0, 429, 503)
        while True:
            status, answer, retry_after = self._send(body)
            with self._ledger.lock:
                self._ledger.statuses[status] = self._ledger.statuses.get(status, 0) + 1
                if status == 202:
                    self._ledger.accepted.setdefault(digest, set()).add(json.loads(answer)["id"])
                    self._ledger.answered_at.append(time.monotonic())
                    return True
                if status in (502, 503, 504) and not retry_after:
                    self._ledger.without_retry_after += 1
                if status not in again:
                    self._ledger.unexpected.append(f"{status} {answer[:300]!r}")
                if gives_up or status not in again:
                    self._ledger.given_up += 1
                    return False
            time.sleep(min(float(retry_after or 0.3), MOST_WAIT_S))

    def _send(self, body: bytes) -> tuple[int, bytes, str]:
        link = None
        try:
            link = self._site.link(60)
            link.request("POST", "/api/v1/submissions/", body, {"Content-Type": "application/json"})
            response = link.getresponse()
            return response.status, response.read(), response.headers.get("Retry-After", "")
        except (OSError, http.client.HTTPException):
            with self._ledger.lock:
                self._ledger.broken += 1
            return 0, b"", ""
        finally:
            if link is not None:
                link.close()


@dataclass(frozen=True, slots=True)
class Head:
    """A head that a reader kept."""

    size: int
    root: bytes


class LogReader(threading.Thread):
    """Keeps the heads that it sees, as somebody who trusts nobody does."""

    def __init__(self, site: Site, stop: threading.Event) -> None:
        super().__init__(name="log-reader", daemon=True)
        self._site, self._stop_event = site, stop
        self.heads: dict[int, Head] = {}
        self.forks: list[str] = []

    def run(self) -> None:
        while not self._stop_event.wait(0.7):
            try:
                self.look()
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                continue

    def look(self) -> Head:
        """Fetch the head and keep it."""
        data = self._get("/api/v1/log/")
        head = Head(int(data["size"]), base64.b64decode(str(data["root_hash"])))
        kept = self.heads.setdefault(head.size, head)
        if kept.root != head.root:
            self.forks.append(f"two roots of {head.size} leaves")
        return head

    def check(self) -> int:
        """Hold every head that was kept against the present one; return how many fitted. Adds to `forks`."""
        present = self.look()
        held = 0
        for size, head in sorted(self.heads.items()):
            if size in (0, present.size):
                continue
            data = self._get(f"/api/v1/log/proofs/consistency?first={size}&second={present.size}")
            proof = [base64.b64decode(one) for one in data["proof"]]
            if consistency_holds(size, present.size, head.root, present.root, proof):
                held += 1
            else:
                self.forks.append(f"{size} leaves do not begin {present.size}")
        return held

    def _get(self, address: str) -> dict[str, Any]:
        link = self._site.link(20)
        try:
            link.request("GET", address)
            answer = link.getresponse()
            if answer.status != 200:
                raise ValueError(f"{address} was answered {answer.status}")
            return dict(json.load(answer))
        finally:
            link.close()
