"""Files that outlast a power cut: their bytes and their names are on the disk before anybody is told of them.

A kernel keeps what was written in memory for half a minute. PostgreSQL has its own on the disk before it says
so, and a row must not stay without the file that it names.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import IO


def bytes_sync(file: IO[bytes]) -> None:
    """Have the bytes that were written to a file on the disk."""
    file.flush()
    os.fsync(file.fileno())


def folder_sync(folder: Path) -> None:
    """Have the names in a folder on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # File systems over a network may have no such call for folders: their server sees to it.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def folders_sync(folder: Path, *, up_to: Path) -> None:
    """Have the names in a folder, and in those above it, on the disk: whoever made one of them may not have
    come so far."""
    folder_sync(folder)
    if folder != up_to:
        folders_sync(folder.parent, up_to=up_to)


def secret_create(path: Path, text: str) -> None:
    """Make a file that nobody else may read, as a whole or not at all; raises FileExistsError where there is
    one."""
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            bytes_sync(file)
        os.link(made, path)
        folders_sync(path.parent, up_to=folder)
    finally:
        os.unlink(made)
