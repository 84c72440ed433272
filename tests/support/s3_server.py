"""An S3 server of one's own (versitygw on a folder, loopback), behind a proxy that does what a test says."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tools.embedded.binaries import PROJECT
from tools.embedded.postgres import free_port

PROGRAM = PROJECT / ".build" / "tools" / "bin" / "versitygw"
BUCKET = "archive"
REGION = "us-east-1"
ACCESS_KEY, SECRET_KEY = "sample-access", "sample-secret-sample-secret"
READY_S = 60.0
SLOW_S = 1.0
FAULTS = ("refuses", "slow", "errors", "fails-after-writing", "hangs")


def why_no_s3() -> str | None:
    """Return why no S3 server can be started here; None where one can."""
    if PROGRAM.exists():
        return None
    if shutil.which("go") is None:
        return "no S3 server: versitygw is built with Go, which is not installed"
    return "no S3 server: versitygw is not built; call `make object-storage`, which needs a Go module proxy"


class S3Server:
    """The server, and the proxy in front of it that clients are given."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "s3"
        self._log = folder / "s3.log"
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.fault = ""
        """What the proxy does to requests: one of `FAULTS`, or nothing."""
        self._proxy = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._proxy.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._proxy.server_port}"

    def settings(self) -> dict[str, str]:
        """Return the archive's environment variables for it."""
        return {
            "S3_BUCKET": BUCKET,
            "S3_ENDPOINT_URL": self.url,
            "S3_REGION": REGION,
            "S3_ACCESS_KEY": ACCESS_KEY,
            "S3_SECRET_KEY": SECRET_KEY,
        }

    def start(self) -> None:
        """Start it, with an empty bucket where it has none; return once it answers."""
        # With --nometa a bucket is a folder, and any file system will do.
        (self._folder / BUCKET).mkdir(parents=True, exist_ok=True)
        command = [PROGRAM, "--port", f"127.0.0.1:{self._port}", "--quiet", "--region", REGION]
        secrets = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "posix", "--nometa", str(self._folder)],
                env={**os.environ, **secrets},
                stdout=log,
                stderr=log,
            )
        if self._proxy_idle:
            threading.Thread(target=self._proxy.serve_forever, args=[0.05], daemon=True).start()
            self._proxy_idle = False
        deadline = time.monotonic() + READY_S
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < deadline, self._log.read_text()
            time.sleep(0.05)

    _proxy_idle = True

    def kill(self) -> None:
        """End the server; its files stay, and the proxy finds nobody."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """End server and proxy."""
        self.kill()
        self.fault = ""
        if not self._proxy_idle:
            self._proxy.shutdown()
        self._proxy.server_close()

    def files(self) -> set[str]:
        """Return the names of all objects, as they lie in the folder."""
        bucket = self._folder / BUCKET
        return {str(path.relative_to(bucket)) for path in bucket.rglob("*") if path.is_file()}

    def ask(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, Any, bytes]:
        """Give a request to the server as it came; return status, headers and body of the answer."""
        link = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                link.putheader(name, value)
            link.endheaders(body)
            answer = link.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            link.close()

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=1.0):
            return True
        return False


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """Give a running server; skips the test where there can't be one."""
    reason = why_no_s3()
    if reason is not None:
        pytest.skip(reason)
    server = S3Server(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def _handler(server: S3Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _forward(self) -> None:
            self.close_connection = True
            body = self._body()
            fault = server.fault
            if fault == "refuses":
                return
            if fault == "errors":
                self._answer(503, {}, b"")
                return
            if fault == "slow":
                time.sleep(SLOW_S)
            while server.fault == "hangs":
                time.sleep(0.1)
            hidden = {"expect", "connection"}
            headers = {name: value for name, value in self.headers.items() if name.lower() not in hidden}
            try:
                status, found, content = server.ask(self.command, self.path, body, headers)
            except (OSError, http.client.HTTPException):
                return
            if fault == "fails-after-writing" and self.command in ("PUT", "POST"):
                self._answer(500, {}, b"")
                return
            self._answer(status, found, content)

        def _body(self) -> bytes:
            """Return the body as it came, in its chunks where it has some."""
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length", "0")))
            pieces = []
            while True:
                head = self.rfile.readline()
                piece = self.rfile.read(int(head.split(b";")[0], 16) + 2)
                pieces += [head, piece]
                if len(piece) == 2:
                    return b"".join(pieces)

        def _answer(self, status: int, headers: Any, content: bytes) -> None:
            with suppress(OSError):
                self.send_response(status)
                dropped = {"connection", "transfer-encoding", "content-length", "server", "date"}
                for name, value in headers.items():
                    if name.lower() not in dropped:
                        self.send_header(name, value)
                length = headers.get("Content-Length", "0") if self.command == "HEAD" else len(content)
                self.send_header("Content-Length", str(length))
                self.send_header("Connection", "close")
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _forward

        def log_message(self, *_: object) -> None:
            pass

    return Handler
