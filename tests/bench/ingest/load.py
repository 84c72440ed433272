"""Sending a pool with some clients at once, and waiting until all that came of it is done."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.bench.ingest.pool import Upload
from tests.bench.ingest.system import System

DONE_S = 900.0
POLL_S = 0.1
TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of one pool."""

    runs: int
    accepted_per_s: float
    published_per_s: float
    """From the first request to the end of the last publication."""
    refreshed_s: float
    """From the last publication until nothing of a model was due any more."""
    held: int
    answers_ms: tuple[float, ...]
    """Sorted."""
    cpu_ms: dict[str, float]
    """Of each part, by run."""

    @property
    def cpu_ms_of_all(self) -> float:
        """CPU time of a run in all parts together."""
        return sum(self.cpu_ms.values())

    def percentile_ms(self, share: float) -> float:
        """Return the time by which so many answers were there."""
        return self.answers_ms[min(int(share * len(self.answers_ms)), len(self.answers_ms) - 1)]


def measure(system: System, pool: Sequence[Upload], clients: int) -> Figures:
    """Send the pool and wait for its end; raises SystemExit where something is not accepted."""
    (began_at,) = system.ask("SELECT clock_timestamp()")
    before, began = system.cpu(), time.monotonic()
    answers = _send(system.port, pool, clients)
    accepted_s = time.monotonic() - began
    _wait(system, began_at, len(pool))
    cpu = {part: 1000 * (seconds - before[part]) / len(pool) for part, seconds in system.cpu().items()}
    published, took_s, refreshed_s = system.ask(
        "SELECT count(*) FILTER (WHERE state = 'published'),"
        " extract(epoch FROM max(published_at) - %s)::float,"
        " extract(epoch FROM clock_timestamp() - max(published_at))::float"
        " FROM {submissions} WHERE received_at >= %s",
        began_at,
        began_at,
    )
    if not published:
        raise SystemExit(f"bench-ingest: none of {len(pool)} runs was published.\n{system.log_tails()}")
    assert isinstance(published, int) and isinstance(took_s, float) and isinstance(refreshed_s, float)
    return Figures(
        runs=len(pool),
        accepted_per_s=len(pool) / accepted_s,
        published_per_s=published / took_s,
        refreshed_s=refreshed_s,
        held=len(pool) - published,
        answers_ms=tuple(sorted(answers)),
        cpu_ms=cpu,
    )


def median_of(found: Sequence[Figures]) -> Figures:
    """Return the round with the middle rate of publications, with all rounds' answers."""
    middle = sorted(found, key=lambda one: one.published_per_s)[len(found) // 2]
    return replace(middle, answers_ms=tuple(sorted(ms for one in found for ms in one.answers_ms)))


def _wait(system: System, began_at: object, count: int) -> None:
    deadline = time.monotonic() + DONE_S
    while time.monotonic() < deadline:
        (left,) = system.ask(
            "SELECT %s - count(*) FROM {submissions} WHERE received_at >= %s"
            " AND state IN ('published', 'quarantined', 'rejected')",
            count,
            began_at,
        )
        # A model that cools down is due at a time that lies ahead; nothing is left to do for it now.
        (due,) = system.ask("SELECT count(*) FROM {due} WHERE not_before IS NULL OR not_before <= now()")
        if left == 0 and due == 0:
            return
        time.sleep(POLL_S)
    raise SystemExit(f"bench-ingest: {left} runs and {due} models were left.\n{system.log_tails()}")


def _send(port: int, pool: Sequence[Upload], clients: int) -> list[float]:
    requests = [_request(one.body) for one in pool]
    answers: list[float] = []
    trouble: list[bytes] = []

    def client(mine: Sequence[bytes]) -> None:
        for request in mine:
            ms, answer = _ask(port, request)
            answers.append(ms)
            if not answer.startswith(b"HTTP/1.1 202"):
                trouble.append(answer)

    threads = [threading.Thread(target=client, args=(requests[n::clients],)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if trouble:
        raise SystemExit(f"bench-ingest: {len(trouble)} uploads were not accepted, as {trouble[0]!r}")
    return answers


def _request(body: bytes) -> bytes:
    head = (
        "POST /api/v1/submissions/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Encoding: zstd\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def _ask(port: int, request: bytes) -> tuple[float, bytes]:
    """Send one request over a connection of its own, as the probe does; return milliseconds and answer."""
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return 1000 * (time.perf_counter() - began), answer
