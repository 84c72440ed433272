"""A webhook's receiver on this machine: keeps what it is sent, and answers as told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.support.loopback import http_server


@dataclass(frozen=True, slots=True)
class Received:
    """One message."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """What came in, and what is answered: `statuses` in turn, the last one for ever."""

    url: str = ""
    statuses: list[int] = field(default_factory=lambda: [204])
    headers: dict[str, str] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Serve on a free port of 127.0.0.1."""
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            state.received.append(Received(self.path, headers, body))
            status = state.statuses.pop(0) if len(state.statuses) > 1 else state.statuses[0]
            self.send_response(status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http_server(Handler) as address:
        state.url = f"{address}/hook"
        yield state
