"""Reading strangers' files by the probe's own importer, in a process of its own.

`diskatlas import-page` gives up opening files, making connections and starting processes before it reads the
first byte, and bounds its memory and time (client/probe/src/cli/import_page.rs). Here its answer is bounded
too, and its life. Nothing is written to a disk.
"""

from __future__ import annotations

import base64
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import orjson
import structlog
from django.conf import settings

from server.core.large_bodies import turn_taken
from server.core.strictjson import strict_loads

log = structlog.get_logger("diskatlas.import")

MOST_FILES = 100
MOST_BYTES = 16 * 1024**2
"""Of all files together."""
_MOST_ANSWER_BYTES = 8 * 1024**2
_TIME_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class DroppedFile:
    """A file as the browser sends it; its name only pairs logs with jobs and stands in reasons."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class DriveFacts:
    """What a person says of the drive where its files don't."""

    model: str | None = None
    capacity_bytes: int | None = None
    block_bytes: int | None = None
    rotational: bool | None = None
    device: str | None = None
    offset_gib: int | None = None
    source: str | None = None


class NotRead(Exception):
    """The files make no run: which one, and why."""

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"{file}: {why}")
        self.file = file
        self.why = why


class CannotRead(Exception):
    """The archive can't read files at the moment: the program is missing, busy or failed."""


def import_program() -> Path | None:
    """Return the program that reads files, or None where this archive has none."""
    path = Path(settings.IMPORT_PROGRAM)
    return path if path.is_file() else None


def files_read(files: Sequence[DroppedFile], facts: DriveFacts) -> dict[str, Any]:
    """Return the run document of some files, without licence; raises NotRead and CannotRead."""
    program = import_program()
    if program is None:
        raise CannotRead("This archive has no program that reads files here.")
    # It may take a gigabyte. Nobody waits for the turn: whoever does keeps a thread from the site's readers.
    with turn_taken(wait_s=0) as taken:
        if not taken:
            raise CannotRead("Too many people import files just now. Try again in a minute.")
        request = {
            "files": [
                {"name": file.name, "base64": base64.b64encode(file.content).decode()} for file in files
            ],
            **asdict(facts),
        }
        answer = _asked([str(program), "import-page"], orjson.dumps(request))
    if "refused" in answer:
        raise NotRead(str(answer["refused"]["file"]), str(answer["refused"]["why"]))
    document: dict[str, Any] = answer["document"]
    return document


def _asked(command: list[str], request: bytes) -> dict[str, Any]:
    """Hand a process its request and return its answer; raises CannotRead where there is none in time."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={},
        )
    except OSError as error:
        raise _failed(str(error)) from error
    assert process.stdin is not None and process.stdout is not None
    ending = threading.Timer(_TIME_LIMIT_S, process.kill)
    writing = threading.Thread(target=_write, args=(process.stdin, request), daemon=True)
    ending.start()
    writing.start()
    try:
        answer = process.stdout.read(_MOST_ANSWER_BYTES + 1)
        if len(answer) > _MOST_ANSWER_BYTES:
            raise NotRead("the files", "they hold more than the page takes; import them with the program")
        code = process.wait()
    finally:
        process.kill()
        process.wait()
        ending.cancel()
        writing.join()
        process.stdout.close()
    if code != 0:
        raise _failed(f"exit code {code}")
    try:
        found = strict_loads(answer, max_depth=settings.SUBMISSION_MAX_DEPTH)
    except Exception as error:
        raise _failed("no JSON") from error
    return found if isinstance(found, dict) else {}


def _write(pipe: IO[bytes], request: bytes) -> None:
    with suppress(OSError):  # It has ended, and its exit code says how.
        pipe.write(request)
    with suppress(OSError):
        pipe.close()


def _failed(what: str) -> CannotRead:
    log.error("import program failed", what=what)
    return CannotRead(
        "The program that reads the files gave up on these: they may be too large or too unusual for the "
        "page. Import them with the program, or write to the archive's operator."
    )
