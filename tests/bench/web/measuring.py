"""Asking for an address again and again, with one client and with eight at once."""

from __future__ import annotations

import http.client
import threading
import time
from dataclasses import dataclass

CLIENTS = 8
WARM = 4
REQUESTS = 40
FIRST_VISITS = 20
AT_MOST_S = 8.0
"""A slow page is asked less often: the load stays bounded."""


Answer = tuple[int, float]
"""Status and milliseconds."""


@dataclass(frozen=True, slots=True)
class Times:
    """What an address took, in milliseconds, and how large its answer is."""

    status: int
    size_bytes: int
    median_ms: float
    p95_ms: float
    median_of_eight_ms: float
    p95_of_eight_ms: float
    first_ms: float
    """Median of visits that were rendered, as no page was cached."""


def measure(host: str, port: int, address: str, uncached: int | None = None) -> Times:
    """Return what an address takes; `uncached` is the port of a server that caches no page, of which first
    visits are asked: what no page reads in an address leads to the cached page without it."""
    ends = time.monotonic() + AT_MOST_S
    for _time in range(WARM):
        status, size, _ms = ask(host, port, address)
        if time.monotonic() > ends:
            break
    alone = _many(host, port, address, REQUESTS)
    first = first_visits(host, uncached, address) if uncached is not None else alone
    together: list[Answer] = []
    threads = [
        threading.Thread(target=lambda: together.extend(_many(host, port, address, REQUESTS // CLIENTS * 2)))
        for _client in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # What is refused costs nothing: one such answer, and the times say nothing of the page.
    status = next((answer for answer, _ms in (*first, *alone, *together) if answer != status), status)
    at = (_at(alone, 0.5), _at(alone, 0.95), _at(together, 0.5), _at(together, 0.95), _at(first, 0.5))
    return Times(status, size, *at)


def ask(host: str, port: int, address: str) -> tuple[int, int, float]:
    """Ask once; return status, bytes and milliseconds until the last byte."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection(host, port, timeout=300)
    try:
        connection.request("GET", address)
        response = connection.getresponse()
        size = len(response.read())
    finally:
        connection.close()
    return response.status, size, (time.perf_counter() - began) * 1000


def first_visits(host: str, port: int, address: str) -> list[Answer]:
    """Ask a server that caches no page; the first of all visits warms what is behind the pages."""
    ask(host, port, address)
    return _many(host, port, address, FIRST_VISITS)


def _many(host: str, port: int, address: str, requests: int) -> list[Answer]:
    times: list[Answer] = []
    ends = time.monotonic() + AT_MOST_S
    while len(times) < requests and (time.monotonic() < ends or not times):
        status, _size, ms = ask(host, port, address)
        times.append((status, ms))
    return times


def _at(times: list[Answer], share: float) -> float:
    ordered = sorted(ms for _status, ms in times)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
