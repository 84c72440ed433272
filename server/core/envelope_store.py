"""The storage of envelopes: content-addressed, compressed, never changed."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any

import zstandard
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage, storages

from server.core import clock
from server.core.durable import bytes_sync, folders_sync
from server.core.envelope import sha256_hex
from server.core.locks import session_lock, session_lock_shared
from server.core.metrics import storage_operations, storage_seconds

_LOCK = "envelope"
_NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{2}/[0-9a-f]{64}\.json\.zst(\.[0-9a-f]{16}\.part)?")
_LEVEL = 3
"""Level 6 takes three times as long for 6 % fewer bytes."""


class EnvelopeLost(Exception):
    """The storage backend has no bytes, or other bytes, under an envelope's name."""


class StorageUnavailable(OSError):
    """The storage of envelopes does not answer, or can't do what it was asked."""


class WholeFileStorage(FileSystemStorage):
    """A folder in which a file stands as a whole or not at all, however its writer, or the machine, ends."""

    def _save(self, name: str, content: Any) -> str:
        path = Path(self.path(name))
        # Two writers of the same bytes at once must not share it.
        part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
        try:
            self._write(part, content)
        except FileNotFoundError:
            part.parent.mkdir(parents=True, exist_ok=True)
            self._write(part, content)
        part.replace(path)
        # What is answered with 202 after this must outlast a power cut, as its row does.
        folders_sync(path.parent, up_to=Path(self.location))
        return name

    def _write(self, part: Path, content: Any) -> None:
        mode = self.file_permissions_mode or 0o666
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(content.chunks())
                bytes_sync(file)
        except BaseException:
            # Where the disk is full, half a file is what keeps it so.
            part.unlink()
            raise


def _storage() -> Storage:
    return storages["envelopes"]


def envelope_name(digest: str) -> str:
    """Return the name under which the envelope with that SHA-256 is stored."""
    return f"{digest[:2]}/{digest[2:4]}/{digest}.json.zst"


@contextmanager
def _measured(operation: str) -> Iterator[None]:
    try:
        with storage_seconds.labels(operation).time():
            yield
    except Exception as error:
        storage_operations.labels(operation, "failed").inc()
        if isinstance(error, FileNotFoundError):
            raise
        # Libraries of object stores have errors of their own, which nobody else need know.
        raise StorageUnavailable(f"{type(error).__name__}: {error}") from error
    storage_operations.labels(operation, "done").inc()


@contextmanager
def envelope_kept(*, digest: str) -> Iterator[None]:
    """Keep the envelope of that digest for the block, in which it is stored and its row is written; raises
    OSError. One that is there already may have no row for long, and the sweeper be about to remove it."""
    with _measured("look"):
        there = _storage().exists(envelope_name(digest))
    with session_lock_shared(_LOCK, digest) if there else nullcontext():
        yield


@contextmanager
def envelope_removable(*, digest: str) -> Iterator[bool]:
    """Give whether the envelope of that digest may be removed in the block: nobody stores it meanwhile."""
    with session_lock(_LOCK, digest) as free:
        yield free


def envelope_age(*, name: str) -> timedelta:
    """Return how long ago an envelope was written; raises FileNotFoundError."""
    return clock.now() - _storage().get_modified_time(name)


def envelope_names(folder: str) -> Iterator[str]:
    """Yield the names of all envelopes below one of the 256 folders, also of parts that a killed writer left;
    raises OSError. Object storage may hold other things beside them, which are nobody's here."""
    with _measured("list"):
        try:
            folders, _files = _storage().listdir(folder)
        except FileNotFoundError:
            return
        inner = [f"{folder}/{name}" for name in folders]
        names = [f"{one}/{file}" for one in inner for file in _storage().listdir(one)[1]]
    yield from (name for name in names if _NAME.fullmatch(name))


def envelope_digest(name: str) -> str:
    """Return the digest that is in an envelope's name."""
    return name.split("/")[2][:64]


def envelope_store(*, digest: str, content: bytes) -> str:
    """Store the envelope's bytes, as a whole or not at all, and return their name; raises OSError."""
    packed = ContentFile(zstandard.ZstdCompressor(level=_LEVEL).compress(content))
    with _measured("write"):
        return _storage().save(envelope_name(digest), packed)


def envelope_load(*, digest: str, name: str) -> bytes:
    """Return the envelope's bytes; raises EnvelopeLost where they are missing or are not those of the
    digest, OSError where the storage is away."""
    try:
        with _measured("read"), _storage().open(name, "rb") as file:
            packed = file.read()
    except FileNotFoundError:
        raise EnvelopeLost(
            f"No envelope is stored under {name}. Restore it from a backup of the storage."
        ) from None
    return envelope_unpack(packed, digest=digest, name=name)


def envelope_unpack(packed: bytes, *, digest: str, name: str) -> bytes:
    """Return the envelope's bytes of those that are stored; raises EnvelopeLost where they are not those of
    the digest."""
    try:
        content = zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as error:
        raise EnvelopeLost(
            f"The stored envelope {name} is damaged ({error}). Restore it from a backup."
        ) from error
    if sha256_hex(content) != digest:
        raise EnvelopeLost(f"The stored envelope {name} does not have its digest. Restore it from a backup.")
    return content


SPARE_BYTES = 256 * 1024**2
"""A folder with less room is as good as full: the largest uploads and a release's parts are some tens."""


def storage_check() -> None:
    """Raise OSError, or what the backend raises, where envelopes can't be stored."""
    storage = _storage()
    if isinstance(storage, FileSystemStorage):
        folder = Path(storage.location)
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "not writable", str(folder))
        free_bytes = shutil.disk_usage(folder).free
        if free_bytes < SPARE_BYTES:
            raise OSError(errno.ENOSPC, f"{free_bytes // 1024**2} MiB are free", str(folder))
    else:
        storage.exists("readiness")


def envelope_delete(*, name: str) -> None:
    """Remove an envelope's bytes, as of rejected and withdrawn runs; raises OSError."""
    with _measured("delete"):
        _storage().delete(name)
