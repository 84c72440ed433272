"""Where releases lie, and files on their way there: written aside, hashed, stored whole, then known."""

from __future__ import annotations

import gzip
import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.files.storage import Storage, storages

from server.datasets.models import ReleaseFile

_GZIP_LEVEL = 6


@dataclass
class Draft:
    """A file that is being written on this machine."""

    file: ReleaseFile
    """What is known of it; where it is stored, its size and its digest come with the end."""
    local: Path


@dataclass
class Staging:
    """A folder of drafts of one part; they vanish with it."""

    folder: Path
    drafts: list[Draft] = field(default_factory=list)

    def draft(self, path: str, **facts: Any) -> Draft:
        made = Draft(ReleaseFile(path=path, **facts), self.folder / str(len(self.drafts)))
        self.drafts.append(made)
        return made

    def store(self, prefix: str) -> list[ReleaseFile]:
        """Put every draft into the storage; return what is there now."""
        return [_store(prefix, draft) for draft in self.drafts]


def storage() -> Storage:
    return storages["datasets"]


@contextmanager
def staging_open() -> Iterator[Staging]:
    """Give a folder that is removed at the end, however that comes."""
    with tempfile.TemporaryDirectory(prefix="diskatlas-release-") as folder:
        yield Staging(Path(folder))


@contextmanager
def gzip_open(path: Path) -> Iterator[gzip.GzipFile]:
    """Give a gzip file whose bytes depend on its content alone: no name, no time."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=raw, mtime=0) as file,
    ):
        yield file


def text_store(prefix: str, path: str, text: str) -> ReleaseFile:
    with staging_open() as staging:
        staging.draft(path).local.write_text(text, encoding="utf-8")
        return staging.store(prefix)[0]


def _store(prefix: str, draft: Draft) -> ReleaseFile:
    file = draft.file
    with draft.local.open("rb") as content:
        file.sha256 = hashlib.file_digest(content, "sha256").hexdigest()
        content.seek(0)
        name = f"{prefix}/{file.path}"
        store = storage()
        # A build that was killed may have left one of this name that nobody knows of.
        if store.exists(name):
            store.delete(name)
        file.storage_name = store.save(name, File(content))
    file.size_bytes = draft.local.stat().st_size
    return file
