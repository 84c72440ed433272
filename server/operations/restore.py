"""Bringing a backup back into an empty place, without the publication log forking.

Whoever saw a signed head of the log keeps it. An archive that goes on from an older state would sign another
log of the same size, and everybody who kept a head could prove it: a fork looks like fraud. So a restore asks
for the newest head that anybody has, and refuses where the backup does not lead to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog
from django.conf import settings
from django.core.files.storage import Storage, storages
from django.db import connection, transaction

from server.core.cache import EVERYTHING, cache_purge
from server.core.durable import secret_create
from server.core.envelope_store import EnvelopeLost, envelope_load
from server.core.signed_note import Checkpoint, NoteError, checkpoint_open, verifier_key
from server.operations.backup import (
    BACKUPS,
    KEYS,
    STORED,
    BackupError,
    Manifest,
    all_names,
    backups_list,
    destination_open,
    manifest_read,
)
from server.operations.tables import (
    MIGRATIONS,
    Table,
    migrations_applied,
    table_read,
    tables_list,
    tables_replaced,
)
from server.submissions.models import Submission
from server.transparency.log_key import key_adopt, signing_key
from server.transparency.models import LogKey
from server.transparency.publication_log import log_check, log_head, log_size

log = structlog.get_logger("diskatlas.restore")

FORK = (
    "The log would fork: {known} leaves were signed, the backup {name} has {size}. Whoever kept that head "
    "would prove that this archive signed two logs. Restore a newer backup. Where there is none, the leaves "
    "after {size} are lost, and the honest way is another log that says so: set LOG_ORIGIN to a new name and "
    "LOG_KEY to a new key (`manage.py log_key --new`), restore with --new-log, and publish why."
)


def backup_restore(
    *, where: str, name: str = "", known_head: str = "", new_log: bool = False, keys: bool = True
) -> Manifest:
    """Restore a backup, the latest where none is named; return what it held. Raises BackupError, and leaves
    the database as it was then.

    `known_head` is the newest checkpoint that anybody has (the signed note), or empty where nobody can have
    one that is newer than the backup.
    """
    source = destination_open(where)
    name = name or next(reversed(backups_list(source)), "")
    if not name:
        raise BackupError(f"There is no whole backup at {where}.")
    manifest = manifest_read(source, name)
    _place_check(manifest, new_log=new_log)
    if keys and not new_log:
        _keys_restore(source, manifest)
    for folder in STORED:
        _files_back(source, folder)
    with TemporaryDirectory() as folder:
        files = _files_checked(source, manifest, Path(folder))
        with transaction.atomic(durable=True):
            _tables_back(manifest, files)
            _log_compare(manifest, known_head, new_log=new_log)
    # What was cached of the archive before is not what it has now.
    cache_purge(EVERYTHING)
    _envelopes_check(manifest)
    log.info("backup restored", name=name, log_size=manifest.log_size, new_log=new_log)
    return manifest


def _place_check(manifest: Manifest, *, new_log: bool) -> None:
    """Refuse a place that holds something, or whose tables are others."""
    if Submission.objects.exists() or log_size():
        raise BackupError("The database holds an archive already. Restore into an empty one.")
    present = migrations_applied()
    if present != manifest.migrations:
        lacking = sorted(set(manifest.migrations) - set(present))
        more = sorted(set(present) - set(manifest.migrations))
        raise BackupError(
            f"The database's tables are not those of the backup (lacking {lacking or 'none'}, more "
            f"{more or 'none'}). Run `manage.py migrate` of the release that made the backup, restore, and "
            "update after that."
        )
    if new_log and manifest.log_origin == settings.LOG_ORIGIN:
        raise BackupError("A new log needs another name: set LOG_ORIGIN, and LOG_KEY to a new key.")
    if not new_log and manifest.log_origin != settings.LOG_ORIGIN:
        raise BackupError(
            f"The backup's log is {manifest.log_origin}, LOG_ORIGIN says {settings.LOG_ORIGIN}. Set it as it "
            "was, or begin a new log with --new-log."
        )


def _keys_restore(source: Storage, manifest: Manifest) -> None:
    """Put the log's key back where no other is given."""
    if KEYS not in manifest.files:
        return
    with source.open(f"{BACKUPS}/{manifest.name}/{KEYS}", "rb") as file:
        secrets: Mapping[str, str] = json.load(file)
    path = Path(settings.LOG_KEY_FILE)
    if not settings.LOG_KEY and not path.exists():
        secret_create(path, secrets["LOG_KEY"] + "\n")
    if secrets["SECRET_KEY"] != settings.SECRET_KEY:
        log.warning("SECRET_KEY is not that of the backup; second factors can't be read with it")


def _files_back(source: Storage, folder: str) -> None:
    prefix = f"{folder}/"
    target = storages[folder]
    for there in all_names(source, folder):
        name = there.removeprefix(prefix)
        if not target.exists(name):
            with source.open(there, "rb") as file:
                target.save(name, file)


def _files_checked(source: Storage, manifest: Manifest, folder: Path) -> dict[str, Path]:
    """Fetch the tables' files; raises BackupError where one is not what the manifest says."""
    found = {}
    for path, stored in manifest.files.items():
        if path == KEYS:
            continue
        local = folder / path.replace("/", "_")
        digest = hashlib.sha256()
        with source.open(f"{BACKUPS}/{manifest.name}/{path}", "rb") as file, local.open("wb") as made:
            for piece in file.chunks():
                digest.update(piece)
                made.write(piece)
        if digest.hexdigest() != stored.sha256:
            raise BackupError(f"{path} of the backup {manifest.name} is damaged. Restore another backup.")
        found[path] = local
    return found


def _tables_back(manifest: Manifest, files: Mapping[str, Path]) -> None:
    tables = [table for table in tables_list() if table.name != MIGRATIONS]
    with tables_replaced(tables, manifest.sequences):
        for table in tables:
            columns = tuple(manifest.columns[table.name])
            path = f"tables/{table.name}.copy.zst"
            with files[path].open("rb") as file:
                rows = table_read(Table(table.name, columns), file)
            if rows != manifest.files[path].rows:
                raise BackupError(f"{table.name} has {rows} rows, the manifest {manifest.files[path].rows}.")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _log_compare(manifest: Manifest, known_head: str, *, new_log: bool) -> None:
    """Hold the restored log against itself and against the newest head that anybody has."""
    wrong = log_check()
    if wrong or log_size() != manifest.log_size:
        raise BackupError(f"The log in the backup is damaged: {(wrong or ['leaves are missing'])[0]}")
    if new_log:
        key_adopt()
        return
    signing_key()
    if not known_head.strip():
        return
    known = _known_head(known_head)
    if known.size > manifest.log_size:
        raise BackupError(FORK.format(known=known.size, name=manifest.name, size=manifest.log_size))
    if log_head(size=known.size).root != known.root:
        raise BackupError(
            f"The backup's log is not the one whose head of {known.size} leaves was signed: they differ "
            "before the backup was made. One of the two is not this archive's; find out which before "
            "anything is published."
        )


def _known_head(note: str) -> Checkpoint:
    """Return the head in a signed note, whoever else cosigned it; raises BackupError where no key of this log
    signed it."""
    said = []
    for key in LogKey.objects.all():
        try:
            return checkpoint_open(note, verifier_key(key.origin, bytes(key.public_key)))
        except NoteError as error:
            said.append(str(error))
    raise BackupError(f"The known head proves nothing about this log. {' '.join(dict.fromkeys(said))}")


def _envelopes_check(manifest: Manifest) -> None:
    """Read every envelope that a row names; raises BackupError where one is not there."""
    allowed = set(manifest.removed_since)
    rows = Submission.objects.exclude(storage_name="").values_list("digest", "storage_name")
    wrong = []
    for digest, name in rows.iterator():
        try:
            envelope_load(digest=digest, name=name)
        except EnvelopeLost as error:
            if name not in allowed:
                wrong.append(str(error))
    if wrong:
        raise BackupError(f"The database is restored, but {len(wrong)} envelopes are not. {wrong[0]}")
