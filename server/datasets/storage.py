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

_GZIP_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Written:
    """A file that is stored."""

    path: str
    storage_name: str
    size_bytes: int
    sha256: str
    table: str = ""
    kind: str = ""
    format: str = ""
    rows: int | None = None


@dataclass
class Draft:
    """A file that is being written on this machine."""

    path: str
    local: Path
    table: str = ""
    kind: str = ""
    format: str = ""
    rows: int | None = None


@dataclass
class Workshop:
    """A folder of drafts of one part; they vanish with it."""

    folder: Path
    drafts: list[Draft] = field(default_factory=list)

    def draft(self, path: str, **facts: Any) -> Draft:
        """Begin a file."""
        made = Draft(path, self.folder / str(len(self.drafts)), **facts)
        self.drafts.append(made)
        return made

    def store(self, prefix: str) -> list[Written]:
        """Put every draft into the storage; return what is there now."""
        return [_store(prefix, draft) for draft in self.drafts]


def storage() -> Storage:
    """Return where releases lie."""
    return storages["datasets"]


@contextmanager
def workshop() -> Iterator[Workshop]:
    """Give a folder that is removed at the end, however that comes."""
    with tempfile.TemporaryDirectory(prefix="diskatlas-release-") as folder:
        yield Workshop(Path(folder))


@contextmanager
def gzip_open(path: Path) -> Iterator[gzip.GzipFile]:
    """Give a gzip file whose bytes depend on its content alone: no name, no time."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=raw, mtime=0) as file,
    ):
        yield file


def text_store(prefix: str, path: str, text: str) -> Written:
    """Store a small file."""
    with workshop() as shop:
        shop.draft(path).local.write_text(text, encoding="utf-8")
        return shop.store(prefix)[0]


def _store(prefix: str, draft: Draft) -> Written:
    with draft.local.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        name = f"{prefix}/{draft.path}"
        kept = storage()
        # A build that was killed may have left one of this name that nobody knows of.
        if kept.exists(name):
            kept.delete(name)
        stored = kept.save(name, File(file))
    return Written(
        draft.path,
        stored,
        draft.local.stat().st_size,
        digest,
        draft.table,
        draft.kind,
        draft.format,
        draft.rows,
    )
