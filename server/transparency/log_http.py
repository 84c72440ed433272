"""Requests to other archives and witnesses, whose answers may be anything: bounded in size and in time as a
whole, and no redirect is followed."""

from __future__ import annotations

import http.client
import ssl
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import urlsplit

TIMEOUT_S = 20
"""From the first byte sent to the last one read."""
MOST_BYTES = 1_000_000
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class NotAsked(Exception):
    """There is no answer that could be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    content_type: str
    body: bytes


Ask = Callable[[str, bytes | None], Answer]
"""Asks an address by GET, or by POST with a body; raises NotAsked."""


def address_read(address: str) -> str:
    """Return an address without a slash at its end; raises NotAsked where it is none. HTTP without TLS is
    for this machine alone."""
    try:
        parts = urlsplit(address.rstrip("/"))
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    known = bool(host) and not parts.query and not parts.fragment and "@" not in parts.netloc
    if not known or (parts.scheme != "https" and not (host in _LOOPBACK and parts.scheme == "http")):
        raise NotAsked(f"{address!r} is no address of an archive: expected https://NAME.")
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def ask(url: str, body: bytes | None = None) -> Answer:
    """Ask an address and return its answer, which is no redirect; raises NotAsked."""
    parts = urlsplit(url)
    connection = _connection(parts.scheme, parts.netloc)
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    # A socket's own timeout begins anew with every byte.
    late = threading.Event()
    ending = threading.Timer(TIMEOUT_S, _cut, (connection, late))
    ending.start()
    try:
        with closing(connection):
            connection.request("GET" if body is None else "POST", path, body, {"Accept-Encoding": "identity"})
            answer = connection.getresponse()
            content = answer.read(MOST_BYTES + 1)
            if late.is_set() or (len(content) <= MOST_BYTES and answer.length):
                raise http.client.IncompleteRead(content[:0], answer.length)
    except (OSError, http.client.HTTPException) as error:
        raise NotAsked(f"{url} could not be read within {TIMEOUT_S} s: {error!r}") from error
    finally:
        ending.cancel()
    if len(content) > MOST_BYTES:
        raise NotAsked(f"{url} gave more than {MOST_BYTES} bytes.")
    if 300 <= answer.status < 400:
        raise NotAsked(f"{url} leads elsewhere, and is not followed there: name the address itself.")
    return Answer(answer.status, answer.headers.get_content_type(), content)


def _connection(scheme: str, netloc: str) -> http.client.HTTPConnection:
    if scheme == "http":
        return http.client.HTTPConnection(netloc, timeout=TIMEOUT_S)
    return http.client.HTTPSConnection(netloc, timeout=TIMEOUT_S, context=ssl.create_default_context())


def _cut(connection: http.client.HTTPConnection, late: threading.Event) -> None:
    """End whatever a connection waits for."""
    late.set()
    if connection.sock is not None:
        try:
            connection.sock.shutdown(2)
        except OSError:
            connection.close()
