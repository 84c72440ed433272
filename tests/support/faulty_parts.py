"""Parts of an archive that fail as files in `FAULTS_DIR` say: `storage-fault` and `web-fault`."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.http import HttpRequest, HttpResponse

from server.core.envelope_store import WholeFileStorage

FOLDER = Path(os.environ.get("FAULTS_DIR", "."))
SLOW_S = 1.0
DIES_AFTER_STORING = "dies-after-storing"
DIES_BEFORE_ANSWERING = "dies-before-answering"


def said(name: str) -> str:
    """Return what a file of the test says; empty where there is none."""
    try:
        return (FOLDER / name).read_text().strip()
    except OSError:
        return ""


def die_where_told(words: str) -> None:
    """End this process at once where the test wants one to end here."""
    if said("web-fault") == words:
        try:
            # Whoever removes it is the one.
            (FOLDER / "web-fault").unlink()
        except FileNotFoundError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


class FaultyStorage(WholeFileStorage):
    """A folder that refuses, is full, is slow, or writes and says that it did not."""

    def _save(self, name: str, content: Any) -> str:
        fault = said("storage-fault")
        if fault == "refuses":
            raise ConnectionRefusedError(errno.ECONNREFUSED, "refused by the test")
        if fault == "slow":
            time.sleep(SLOW_S)
        saved = super()._save(name, content)
        if fault == "fails-after-writing":
            raise TimeoutError(errno.ETIMEDOUT, "no answer after writing")
        return saved

    def _open(self, name: str, mode: str = "rb") -> Any:
        fault = said("storage-fault")
        if fault == "refuses":
            raise ConnectionRefusedError(errno.ECONNREFUSED, "refused by the test")
        if fault == "slow":
            time.sleep(SLOW_S)
        return super()._open(name, mode)


class DeadlyMiddleware:
    """Kills a web process that has written a submission and is about to answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if request.method == "POST" and response.status_code == 202:
            die_where_told(DIES_BEFORE_ANSWERING)
        return response


class FaultyPartsConfig(AppConfig):
    """Has intake die between storing an envelope and writing its row."""

    name = "tests.support"
    label = "faulty_parts"

    def ready(self) -> None:
        from server.submissions import intake  # whose models need all apps

        store = intake._store

        def store_and_die(digest: str, content: bytes) -> str:
            name = store(digest, content)
            die_where_told(DIES_AFTER_STORING)
            return name

        intake._store = store_and_die
