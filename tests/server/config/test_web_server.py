"""The web server itself: a reader who stops reading gives its thread back."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[3]
CONFIG = "python:server.config.gunicorn"
PATIENCE_S = 30


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A listening socket that the server inherits: who connects early waits, and nobody asks again."""
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


@pytest.fixture
def server(listener: socket.socket) -> Iterator[str]:
    """Run gunicorn with one thread and the archive's hooks; a reader may take nothing for one second."""
    options = [
        "--bind",
        f"fd://{listener.fileno()}",
        "--workers",
        "1",
        "--threads",
        "1",
    ]
    command = [sys.executable, "-m", "gunicorn", "tests.support.endless:application", *options]
    child = subprocess.Popen(
        [*command, "--config", CONFIG],
        cwd=ROOT,
        env={**os.environ, "WEB_SEND_TIMEOUT_S": "1"},
        pass_fds=[listener.fileno()],
    )
    host, port = listener.getsockname()
    try:
        yield f"http://{host}:{port}"
    finally:
        child.terminate()
        child.wait(PATIENCE_S)


def test_it_has_no_control_socket() -> None:
    """It would be a file below the account's home, which is read-only in a container."""
    command = [sys.executable, "-m", "gunicorn", "tests.support.endless:application", "--config", CONFIG]
    done = subprocess.run([*command, "--print-config"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.search(r"^control_socket_disable += True$", done.stdout, re.MULTILINE)


def test_a_reader_who_stops_reading_does_not_keep_the_only_thread(
    server: str, listener: socket.socket
) -> None:
    with urlopen(f"{server}/", timeout=PATIENCE_S) as answer:
        assert answer.status == 200  # a connection made before the server was ready has no limit
    with socket.create_connection(listener.getsockname(), timeout=PATIENCE_S) as reader:
        reader.sendall(b"GET /endless HTTP/1.1\r\nHost: sample\r\n\r\n")
        assert reader.recv(12) == b"HTTP/1.1 200"  # and nothing more is read
        with urlopen(f"{server}/", timeout=PATIENCE_S) as answer:
            assert answer.read() == b"hello"


def test_20_an_address_that_is_too_long_is_told_by_a_problem_document(server: str) -> None:
    with pytest.raises(HTTPError) as caught:
        urlopen(f"{server}/api/v1/drives/?q={'x' * 5000}", timeout=PATIENCE_S)
    assert caught.value.code == 414
    assert caught.value.headers["Content-Type"] == "application/problem+json"
    told = json.loads(caught.value.read())
    assert told["status"] == 414 and "4094 bytes" in told["detail"]


def test_the_image_and_the_demo_start_the_server_with_these_hooks() -> None:
    for file in ("docker/entrypoint.sh", "tools/demo.py"):
        words = shlex.split((ROOT / file).read_text(encoding="utf-8"), comments=True, posix=False)
        assert any(CONFIG in word for word in words), file
