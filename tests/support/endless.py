"""A WSGI application for the web server under test: `/endless` never ends, anything else says hello."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

CHUNK = b"sample data\n" * 8192


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
    """Answer without a length."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    if environ["PATH_INFO"] != "/endless":
        yield b"hello"
        return
    while True:
        yield CHUNK
