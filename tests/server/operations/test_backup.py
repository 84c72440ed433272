"""A backup brings everything back into an empty place, and never lets the publication log fork."""

from __future__ import annotations

import errno
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import LazySettings
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from server.core import clock, locks
from server.core.cache import purges_before, tagged_get, tagged_set
from server.core.envelope_store import envelope_delete
from server.core.signed_note import checkpoint_cosign
from server.operations import backup, tables
from server.operations.backup import BACKUPS, BackupError, backup_make, backups_forget
from server.operations.backup_record import backup_last
from server.operations.restore import backup_restore
from server.operations.tables import MIGRATIONS, sequences_read, table_write, tables_list
from server.submissions.models import Submission
from server.transparency.log_key import _read
from server.transparency.publication_log import log_consistency, log_head
from tests.support.log_verifier import consistency_holds

pytestmark = pytest.mark.django_db(transaction=True)
Publish = Callable[..., Submission]
OTHER_KEY = "CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg="


@pytest.fixture(autouse=True)
def place(settings: LazySettings, tmp_path: Path) -> Iterator[Path]:
    """Folders and a log key as an installation has them."""
    folders = {
        name: {
            "BACKEND": "server.core.envelope_store.WholeFileStorage",
            "OPTIONS": {"location": str(tmp_path / name), "allow_overwrite": True},
        }
        for name in ("envelopes", "datasets")
    }
    settings.STORAGES = {**settings.STORAGES, **folders}
    settings.DATA_DIR = tmp_path
    settings.LOG_KEY = None
    settings.LOG_KEY_FILE = tmp_path / "log-key"
    yield tmp_path
    _read.cache_clear()


def contents() -> dict[str, str]:
    """The digest of every table's rows, of every sequence and of every stored file."""
    found = {"sequences": json.dumps(sequences_read())}
    with transaction.atomic():
        for table in tables_list():
            file = io.BytesIO()
            table_write(table, file)
            found[table.name] = hashlib.sha256(file.getvalue()).hexdigest()
    for name in ("envelopes", "datasets"):
        folder = Path(storages[name].location)  # type: ignore[attr-defined]
        for path in folder.rglob("*"):
            if path.is_file():
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def everything_lost(place: Path) -> None:
    """What a new machine has: migrated tables, no rows, no file, no key."""
    found = [table for table in tables_list() if table.name != MIGRATIONS]
    with transaction.atomic(), tables.tables_replaced(found, {}):
        pass
    for name in ("envelopes", "datasets"):
        for path in (place / name).rglob("*"):
            if path.is_file():
                path.unlink()
    (place / "log-key").unlink(missing_ok=True)
    _read.cache_clear()


def test_a_restore_into_an_empty_place_is_the_same_in_everything(publish: Publish, place: Path) -> None:
    for _ in range(3):
        publish()
    storages["datasets"].save("1/SHA256SUMS", io.BytesIO(b"digests"))  # type: ignore[arg-type]
    head = log_head()
    made = backup_make(where=str(place / "backups"))
    before = contents()
    assert backup_last() is not None and made.log_size == 3 and made.envelopes == 3

    everything_lost(place)
    assert contents() != before
    backup_restore(where=str(place / "backups"), known_head=head.checkpoint)
    assert contents() == before
    assert log_head().checkpoint == head.checkpoint
    assert (place / "log-key").stat().st_mode & 0o777 == 0o600

    publish()
    size, proof = log_consistency(first=3)
    assert consistency_holds(3, size, head.root, log_head().root, proof)


def test_rows_are_sealed_and_touched_again_after_a_restore(publish: Publish, place: Path) -> None:
    publish()
    backup_make(where=str(place / "backups"))
    everything_lost(place)
    backup_restore(where=str(place / "backups"))
    with pytest.raises(Exception, match=r"append|never|sealed|not"), connection.cursor() as cursor:
        cursor.execute("DELETE FROM transparency_logleaf")


def test_a_backup_older_than_a_head_that_is_known_is_refused_and_changes_nothing(
    publish: Publish, place: Path
) -> None:
    publish()
    backup_make(where=str(place / "backups"))
    publish()
    known = log_head()
    everything_lost(place)
    with pytest.raises(BackupError, match="would fork: 2 leaves were signed"):
        backup_restore(where=str(place / "backups"), known_head=known.checkpoint)
    assert not Submission.objects.exists()


def test_the_honest_way_on_is_another_log_under_another_name(
    publish: Publish, place: Path, settings: LazySettings
) -> None:
    publish()
    backup_make(where=str(place / "backups"))
    publish()
    everything_lost(place)
    with pytest.raises(BackupError, match="needs another name"):
        backup_restore(where=str(place / "backups"), new_log=True)
    settings.LOG_ORIGIN, settings.LOG_KEY = "archive.example/second-log", OTHER_KEY
    backup_restore(where=str(place / "backups"), new_log=True)
    head = log_head()
    assert head.origin == "archive.example/second-log" and head.size == 1


def test_a_known_head_of_another_log_or_of_no_log_is_refused(publish: Publish, place: Path) -> None:
    publish()
    backup_make(where=str(place / "backups"))
    genuine = log_head().checkpoint
    everything_lost(place)
    for note, words in (("hello", "not a signed note"), (genuine.replace("\n1\n", "\n0\n"), "is wrong")):
        with pytest.raises(BackupError, match=words):
            backup_restore(where=str(place / "backups"), known_head=note)
    assert not Submission.objects.exists()


def test_a_known_head_that_a_witness_cosigned_is_one_of_this_log(publish: Publish, place: Path) -> None:
    publish()
    backup_make(where=str(place / "backups"))
    witness = Ed25519PrivateKey.generate()
    cosigned = checkpoint_cosign(log_head().checkpoint, name="witness.example", key=witness, at_s=1)
    everything_lost(place)
    backup_restore(where=str(place / "backups"), known_head=cosigned)
    assert Submission.objects.count() == 1


def test_a_place_that_holds_an_archive_is_not_overwritten(publish: Publish, place: Path) -> None:
    publish()
    backup_make(where=str(place / "backups"))
    with pytest.raises(BackupError, match="holds an archive already"):
        backup_restore(where=str(place / "backups"))


def test_a_damaged_file_is_found_before_anything_is_written(publish: Publish, place: Path) -> None:
    publish()
    made = backup_make(where=str(place / "backups"))
    file = place / "backups" / BACKUPS / made.name / "tables" / "submissions_submission.copy.zst"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    everything_lost(place)
    with pytest.raises(BackupError, match="is damaged"):
        backup_restore(where=str(place / "backups"))


def test_a_backup_that_lacks_an_envelope_does_not_call_itself_whole(publish: Publish, place: Path) -> None:
    envelope_delete(name=publish().storage_name)
    with pytest.raises(BackupError, match="1 envelopes are not in the storage"):
        backup_make(where=str(place / "backups"))
    with pytest.raises(BackupError, match="no whole backup"):
        backup_restore(where=str(place / "backups"))


def test_old_backups_go_and_with_them_the_envelopes_that_none_names(publish: Publish, place: Path) -> None:
    kept = publish()
    first = backup_make(where=str(place / "backups"))
    gone = publish()
    backup_make(where=str(place / "backups"))
    envelope_delete(name=gone.storage_name)
    Submission.objects.filter(pk=gone.pk).update(storage_name="")
    last = backup_make(where=str(place / "backups"))
    removed = backups_forget(where=str(place / "backups"), keep=1)
    assert first.name in removed and len(removed) == 2
    assert sorted(
        p.name for p in (place / "backups" / "backups").iterdir() if (p / "manifest.json").exists()
    ) == [last.name]
    assert (place / "backups" / "envelopes" / kept.storage_name).exists()
    assert not (place / "backups" / "envelopes" / gone.storage_name).exists()


def test_a_backup_that_lacks_room_gives_it_back_and_the_next_one_removes_what_a_kill_left(
    publish: Publish, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish()
    backups = place / "backups" / BACKUPS
    left = backups / "20200101T000000000000Z" / "tables"
    left.mkdir(parents=True)
    (left / "a.copy.zst").write_bytes(b"half")
    (left / "b.copy.zst.0123456789abcdef.part").write_bytes(b"ha")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space left"):
        patch.setattr(backup, "envelopes_copy", full)
        backup_make(where=str(place / "backups"))
    assert list(backups.iterdir()) == []
    made = backup_make(where=str(place / "backups"))
    assert [folder.name for folder in backups.iterdir()] == [made.name]


def test_one_backup_is_made_at_a_time(publish: Publish, place: Path) -> None:
    publish()
    with psycopg.connect(**connection.get_connection_params()) as other:
        number = locks._number(("backup",))
        other.execute("SELECT pg_advisory_lock(%s)", [number])
        with pytest.raises(BackupError, match="Another backup is being made"):
            backup_make(where=str(place / "backups"))
        other.execute("SELECT pg_advisory_unlock(%s)", [number])
    backup_make(where=str(place / "backups"))


def test_a_damaged_envelope_is_found_by_the_backup_and_not_by_the_restore(
    publish: Publish, place: Path
) -> None:
    stored = place / "envelopes" / publish().storage_name
    stored.write_bytes(stored.read_bytes()[:-3])
    with pytest.raises(BackupError, match=r"1 envelopes are not in the storage, or damaged"):
        backup_make(where=str(place / "backups"))


def test_the_latest_backup_is_the_last_one_made_whatever_the_clock_said(
    publish: Publish, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish()
    present = clock.now()
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: present + timedelta(days=400))
        backup_make(where=str(place / "backups"))
    publish()
    made = backup_make(where=str(place / "backups"))
    assert made.point_in_time < (present + timedelta(days=1)).isoformat()
    everything_lost(place)
    assert backup_restore(where=str(place / "backups")).name == made.name
    assert Submission.objects.count() == 2


def test_nothing_that_was_cached_before_a_restore_is_shown_after_it(publish: Publish, place: Path) -> None:
    publish()
    backup_make(where=str(place / "backups"))
    tagged_set("page", "as it was later", tags=["runs"], purges=purges_before(), keep_s=60)
    assert tagged_get("page") == "as it was later"
    everything_lost(place)
    backup_restore(where=str(place / "backups"))
    assert tagged_get("page") is None


def test_the_commands_say_what_they_did_and_a_restore_asks_for_the_newest_head(
    publish: Publish, place: Path
) -> None:
    publish()
    said = io.StringIO()
    call_command("backup", str(place / "backups"), stdout=said)
    assert "1 envelopes, a log of 1 leaves" in said.getvalue()
    everything_lost(place)
    with pytest.raises(CommandError, match="known-head"):
        call_command("restore", str(place / "backups"))
    call_command("restore", str(place / "backups"), "--no-newer-head", stdout=said)
    assert "Restored " in said.getvalue()
    assert Submission.objects.count() == 1
    with pytest.raises(CommandError, match="Name a folder"):
        call_command("backup", "")
