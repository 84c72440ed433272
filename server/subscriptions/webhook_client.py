"""Posting a message to a webhook: one request, to a checked address, without redirects, within bounds."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from server.subscriptions.targets import BadTarget, Target, addresses_of, target_read

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 10.0
WHOLE_TIMEOUT_S = 20.0
"""The whole request: whoever answers a byte now and then is cut off too."""
MOST_READ_BYTES = 4096


class PostFailed(Exception):
    """No answer came; its words say why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a receiver answered."""

    status: int
    retry_after_s: int | None = None

    @property
    def taken(self) -> bool:
        """Whether the message was taken."""
        return 200 <= self.status < 300


def message_post(*, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Post a body; raises PostFailed."""
    try:
        target = target_read(url)
        addresses = addresses_of(target)
    except BadTarget as error:
        raise PostFailed(str(error)) from None
    except OSError as error:
        raise PostFailed(f"The name could not be looked up: {error.strerror or error}.") from None
    trouble = "The name has no address."
    for address in addresses[:4]:
        try:
            sock = _connect(target, address)
        except OSError as error:
            trouble = f"No connection to {address}: {error.strerror or error}."
            continue
        try:
            with _deadline(sock):
                return _ask(sock, target, body, headers)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # The receiver may have got it: another address is not tried with the same attempt.
            raise PostFailed(f"No answer: {str(error)[:150] or type(error).__name__}.") from None
        finally:
            sock.close()
    raise PostFailed(trouble)


def _connect(target: Target, address: str) -> socket.socket:
    """Connect to one address; TLS will check the certificate against the name, not the address."""
    sock = socket.create_connection((address, target.port), timeout=CONNECT_TIMEOUT_S)
    sock.settimeout(READ_TIMEOUT_S)
    if target.scheme == "http":
        return sock
    return ssl.create_default_context().wrap_socket(
        sock, server_hostname=target.host, do_handshake_on_connect=False
    )


def _ask(sock: socket.socket, target: Target, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send the request and read what tells how it went. No redirect is followed, no proxy is known."""
    if isinstance(sock, ssl.SSLSocket):
        sock.do_handshake()
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.sock = sock
    own = {"Host": urlsplit(target.url).netloc, "Connection": "close"}
    connection.request("POST", target.path, body=body, headers={**headers, **own})
    response = connection.getresponse()
    with contextlib.suppress(OSError, http.client.HTTPException):
        response.read(MOST_READ_BYTES)
    wait = response.headers.get("Retry-After", "")
    seconds = int(wait) if wait.isascii() and wait.isdecimal() and len(wait) <= 6 else None
    return Answer(response.status, seconds)


@contextlib.contextmanager
def _deadline(sock: socket.socket) -> Iterator[None]:
    """Shut the connection down once the whole request took too long."""

    def shut() -> None:
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(WHOLE_TIMEOUT_S, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
