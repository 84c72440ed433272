"""A backup: the database as it was at one instant, the envelopes and releases that it names, and the keys.

    DESTINATION/
      backups/20260105T030000Z/manifest.json   what it holds, with digests; written last
                              /tables/*.copy.zst, keys.json
      envelopes/..., datasets/...              shared by all backups: names never change their content

The database comes first. An envelope is stored before its row, so that all that the snapshot names is there;
what was removed since (rejected bytes that expired, withdrawn runs) is listed as such. A backup that was
killed has no manifest and counts as none; the next one removes what it left.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any

import structlog
import zstandard
from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, storages

from server.core import clock
from server.core.envelope_store import EnvelopeLost, WholeFileStorage, envelope_digest, envelope_unpack
from server.core.locks import session_lock
from server.operations.backup_record import backup_note
from server.operations.tables import (
    migrations_applied,
    sequences_read,
    snapshot,
    table_write,
    tables_list,
)
from server.submissions.models import Submission
from server.transparency.log_key import signing_key
from server.transparency.publication_log import log_head, log_size

log = structlog.get_logger("diskatlas.backup")

FORMAT = 1
BACKUPS = "backups"
MANIFEST = "manifest.json"
KEYS = "keys.json"
STORED = ("envelopes", "datasets")
"""Storages that are copied beside the database, and the folders that they are copied to."""
NAME_FORMAT = "%Y%m%dT%H%M%S%fZ"


class BackupError(Exception):
    """A backup can't be made or restored; its words say why and what to do."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a backup: the digest of its bytes, and the rows in it."""

    sha256: str
    size_bytes: int
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds."""

    name: str
    point_in_time: str
    """The instant of the database's snapshot, in ISO 8601: what came later is not in it."""
    migrations: list[str]
    columns: dict[str, list[str]]
    files: dict[str, StoredFile]
    sequences: dict[str, int | None]
    log_size: int
    log_origin: str
    checkpoint: str
    """The log's signed head at that instant."""
    envelopes: int
    removed_since: list[str] = field(default_factory=list)
    format: int = FORMAT

    def text(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self), indent=1)


def manifest_parse(text: str) -> Manifest:
    """Return a manifest; raises BackupError for a format that this release does not know."""
    data = json.loads(text)
    if data.get("format") != FORMAT:
        raise BackupError(f"The backup has format {data.get('format')}; this release reads {FORMAT}.")
    data["files"] = {name: StoredFile(**entry) for name, entry in data["files"].items()}
    return Manifest(**data)


def destination_open(where: str) -> Storage:
    """Return the folder, or the bucket and prefix (`s3://bucket/prefix`), that backups go to."""
    if where.startswith("s3://"):
        from storages.backends.s3 import S3Storage

        bucket, _, prefix = where.removeprefix("s3://").partition("/")
        options = {**settings.S3_OPTIONS, "bucket_name": bucket, "location": prefix}
        return S3Storage(**options)  # type: ignore[no-any-return]
    if not where:
        raise BackupError("Name a folder, or s3://bucket/prefix, as an argument or by BACKUP_TO.")
    return WholeFileStorage(
        location=str(Path(where).absolute()),
        allow_overwrite=True,
        file_permissions_mode=0o600,
        directory_permissions_mode=0o700,
    )


def backup_make(*, where: str, keys: bool = True) -> Manifest:
    """Make a backup; return what it holds. Raises BackupError."""
    destination = destination_open(where)
    with session_lock("backup") as free:
        if not free:
            raise BackupError("Another backup is being made. Wait for its end.")
        names = _folders(destination)
        for name in names:
            if not destination.exists(f"{BACKUPS}/{name}/{MANIFEST}"):
                _folder_remove(destination, f"{BACKUPS}/{name}")
        at = clock.now()
        name = _name_after(names, at)
        try:
            return _made(destination, name, at, keys=keys)
        except BaseException:
            # On a full disk, what half a backup takes is what keeps the next one from being made.
            with suppress(Exception):
                _folder_remove(destination, f"{BACKUPS}/{name}")
            raise


def _name_after(names: Sequence[str], at: datetime) -> str:
    """Return a name that sorts behind all others, whatever a clock said that was ahead: the latest backup is
    the last in their order."""
    name = at.strftime(NAME_FORMAT)
    if names and name <= (last := max(names)):
        name = (datetime.strptime(last, NAME_FORMAT) + timedelta(microseconds=1)).strftime(NAME_FORMAT)
    return name


def _made(destination: Storage, name: str, at: datetime, *, keys: bool) -> Manifest:
    folder = f"{BACKUPS}/{name}"
    files: dict[str, StoredFile] = {}
    # Where no head was ever signed, the key is made and listed now: nothing can be written later.
    signing_key()
    with snapshot():
        tables = tables_list()
        for table in tables:
            path = f"tables/{table.name}.copy.zst"
            files[path] = _packed(destination, f"{folder}/{path}", lambda file, t=table: table_write(t, file))
        names = list(Submission.objects.exclude(storage_name="").values_list("storage_name", flat=True))
        size = log_size()
        manifest = Manifest(
            name=name,
            point_in_time=at.isoformat(),
            migrations=migrations_applied(),
            columns={table.name: list(table.columns) for table in tables},
            files=files,
            sequences=sequences_read(),
            log_size=size,
            log_origin=settings.LOG_ORIGIN,
            checkpoint=log_head(size=size).checkpoint if size else "",
            envelopes=len(names),
        )
    manifest.removed_since.extend(_removed(envelopes_copy(destination, names)))
    files_copy(storages["datasets"], destination, all_names(storages["datasets"]), folder="datasets")
    if keys:
        files[KEYS] = _packed(destination, f"{folder}/{KEYS}", _keys_write)
    destination.save(f"{folder}/{MANIFEST}", ContentFile(manifest.text().encode()))
    backup_note(clock.now().timestamp())
    log.info("backup made", name=name, tables=len(tables), envelopes=len(names), log_size=size)
    return manifest


def backups_list(destination: Storage) -> list[str]:
    """Return the names of whole backups, oldest first."""
    return [name for name in _folders(destination) if destination.exists(f"{BACKUPS}/{name}/{MANIFEST}")]


def _folders(destination: Storage) -> list[str]:
    """Return the names of all backups, whole or not, oldest first."""
    try:
        return sorted(destination.listdir(BACKUPS)[0])
    except FileNotFoundError:
        return []


def _folder_remove(destination: Storage, folder: str) -> None:
    """Remove all that lies below a folder, parts of files too."""
    try:
        folders, files = destination.listdir(folder)
    except FileNotFoundError:
        return
    for name in files:
        destination.delete(f"{folder}/{name}")
    for name in folders:
        _folder_remove(destination, f"{folder}/{name}")
    # The folder itself, where the storage has such.
    destination.delete(folder)


def backups_forget(*, where: str, keep: int) -> list[str]:
    """Remove all but the latest backups, and the envelopes that no backup left names; return their names.

    What a law had removed from the archive leaves its backups so, at the latest after `keep` of them.
    """
    destination = destination_open(where)
    names = backups_list(destination)
    gone, left = names[:-keep] if keep else [], names[-keep:] if keep else names
    for name in gone:
        # The manifest first: half a backup counts as none.
        destination.delete(f"{BACKUPS}/{name}/{MANIFEST}")
        _folder_remove(destination, f"{BACKUPS}/{name}")
    if gone:
        present = set(all_names(storages["envelopes"])) if left else set()
        named = present.union(*(_envelopes_named(destination, name) for name in left))
        for stored in all_names(destination, "envelopes"):
            if stored.removeprefix("envelopes/") not in named:
                destination.delete(stored)
    return gone


def manifest_read(destination: Storage, name: str) -> Manifest:
    """Return what a backup holds; raises BackupError."""
    try:
        with destination.open(f"{BACKUPS}/{name}/{MANIFEST}", "rb") as file:
            return manifest_parse(file.read().decode())
    except FileNotFoundError:
        known = ", ".join(backups_list(destination)) or "none"
        raise BackupError(f"There is no whole backup {name}; there are: {known}.") from None


def envelopes_copy(destination: Storage, names: Iterable[str]) -> list[str]:
    """Copy envelopes that are not there yet; return those that the archive's storage lacks, or has damaged: a
    copy that nobody read would be found out by the restore that needs it."""
    missing = []
    for name in names:
        there = f"envelopes/{name}"
        if destination.exists(there):
            continue
        try:
            with storages["envelopes"].open(name, "rb") as file:
                packed = file.read()
            envelope_unpack(packed, digest=envelope_digest(name), name=name)
        except (FileNotFoundError, EnvelopeLost):
            missing.append(name)
        else:
            destination.save(there, ContentFile(packed))
    return missing


def files_copy(source: Storage, target: Storage, names: Iterable[str], *, folder: str) -> None:
    """Copy files that are not there yet, from the storage to its folder in the backup."""
    for name in names:
        there = f"{folder}/{name}"
        if not target.exists(there):
            # What was removed meanwhile is nobody's any more.
            with suppress(FileNotFoundError), source.open(name, "rb") as file:
                target.save(there, File(file))


def all_names(storage: Storage, folder: str = "") -> Iterator[str]:
    """Yield the names of all files of a storage below a folder; none where there is no folder."""
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:
        return
    prefix = f"{folder}/" if folder else ""
    yield from (f"{prefix}{name}" for name in files if not name.endswith(".part"))
    for name in folders:
        yield from all_names(storage, f"{prefix}{name}")


def _removed(missing: list[str]) -> list[str]:
    """Return which of the missing were removed on purpose since the snapshot; raises BackupError for
    others: a backup must not call itself whole that lacks an envelope."""
    lost = list(Submission.objects.filter(storage_name__in=missing).values_list("storage_name", flat=True))
    if lost:
        raise BackupError(
            f"{len(lost)} envelopes are not in the storage, or damaged, such as {lost[0]}. Restore them from "
            "a backup before, or withdraw their runs; this backup was not finished."
        )
    return missing


def _envelopes_named(destination: Storage, name: str) -> set[str]:
    manifest = manifest_read(destination, name)
    index = manifest.columns[Submission._meta.db_table].index("storage_name")
    with (
        destination.open(f"{BACKUPS}/{name}/tables/{Submission._meta.db_table}.copy.zst", "rb") as file,
        zstandard.ZstdDecompressor().stream_reader(file) as plain,
    ):
        return {line.split("\t")[index] for line in plain.read().decode().splitlines()}


def _keys_write(file: IO[bytes]) -> int:
    """Write what is secret: without it sign-ins have to be made anew, and the log would need a new key."""
    key = settings.LOG_KEY or Path(settings.LOG_KEY_FILE).read_text().strip()
    secrets = {"SECRET_KEY": settings.SECRET_KEY, "LOG_KEY": key, "LOG_ORIGIN": settings.LOG_ORIGIN}
    file.write(json.dumps(secrets, indent=1).encode())
    return len(secrets)


def _packed(destination: Storage, path: str, write: Any) -> StoredFile:
    """Write a file of its own and give it to the destination as a whole."""
    with tempfile.TemporaryFile() as file:
        rows = write(file)
        size_bytes = file.seek(0, os.SEEK_END)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        destination.save(path, File(file))
    return StoredFile(digest, size_bytes, rows)
