"""What logs tell of followed drives: no link of a mail, which gives a right to whoever has it."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest
import structlog

from server.config.logging import configure

TOKEN = "01a201550bf77f95b5593ae02b9dc17d.c4abDTvhmq7R8C8yMQ9Lxssn"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Log as a server does, to what the test reads, and put logging back."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    configure({"level": "INFO", "json": True})
    stream = io.StringIO()
    for handler in root.handlers:
        if isinstance(handler.formatter, structlog.stdlib.ProcessorFormatter):
            handler.stream = stream  # type: ignore[attr-defined] # a StreamHandler, by `configure`
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize("step", ["confirm", "stop"])
def test_a_mails_token_is_in_no_line_of_the_log(written: io.StringIO, step: str) -> None:
    path = f"/follow/{step}/{TOKEN}/"
    structlog.get_logger("diskatlas.http").info("request", path=path)
    logging.getLogger("django.request").error("Internal Server Error: %s", path)
    try:
        raise ValueError(f"GET {path}")
    except ValueError:
        logging.getLogger("django.request").exception("failed")
    lines = written.getvalue().splitlines()
    assert len(lines) == 3 and all(f"/follow/{step}/..." in line for line in lines)
    assert TOKEN not in written.getvalue()
