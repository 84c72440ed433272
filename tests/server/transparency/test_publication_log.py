"""The publication log in the database: every publication makes a leaf, and no leaf ever changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from server.core import merkle
from server.submissions.models import Submission
from server.transparency import publication_log
from server.transparency.log_entry import LogEntry, entries_write
from server.transparency.models import LogKey, LogLeaf
from tests.support.log_verifier import checkpoint_open, consistency_holds, inclusion_holds

pytestmark = [pytest.mark.django_db, pytest.mark.services]

Publish = Callable[..., Submission]
AT = datetime(2026, 1, 2, tzinfo=UTC)


def entry(number: int) -> LogEntry:
    return LogEntry("published", f"{number:064x}", UUID(int=number), AT)


def append(count: int) -> None:
    with transaction.atomic():
        for number in range(count):
            publication_log.log_append(entry(number))


def test_a_leaf_is_five_lines_that_any_language_can_write() -> None:
    one = LogEntry(
        "published",
        "ab" * 32,
        UUID("01890a5d-ac96-774b-bcce-b302099a8057"),
        datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
    )
    assert one.canonical() == (
        b"diskatlas-log/v1\npublished\n" + b"ab" * 32 + b"\n01890a5d-ac96-774b-bcce-b302099a8057\n"
        b"2026-01-02T03:04:05.000006Z\n"
    )


def test_publishing_appends_a_leaf_that_the_head_proves(publish: Publish) -> None:
    submission = publish()
    [leaf] = publication_log.leaves_list(digest=submission.digest)
    assert (leaf.index, leaf.kind, leaf.run_id) == (0, "published", submission.run.run_id)
    assert leaf.at == submission.published_at
    later = publish(unit_digest="cd" * 32)
    assert [one.index for one in publication_log.leaves_list(run_id=later.run.run_id)] == [1]
    head = publication_log.log_head()
    shown = publication_log.log_inclusion(index=0)
    assert inclusion_holds(0, head.size, shown.leaf_hash, shown.proof, head.root)
    opened = checkpoint_open(head.checkpoint, origin=head.origin, public_key=head.public_key)
    assert (opened.size, opened.root) == (2, head.root)


def test_a_publication_that_is_rolled_back_leaves_no_leaf(publish: Publish) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        publish()
        assert LogLeaf.objects.count() == 1
        raise RuntimeError
    assert not Submission.objects.exists()
    assert not LogLeaf.objects.exists()


def test_every_proof_between_any_two_sizes_holds() -> None:
    append(20)
    heads = [publication_log.log_head(size=size) for size in range(21)]
    for second in range(21):
        for first in range(second + 1):
            _size, proof = publication_log.log_consistency(first=first, second=second)
            assert consistency_holds(first, second, heads[first].root, heads[second].root, proof)
        for index in range(second):
            shown = publication_log.log_inclusion(index=index, size=second)
            assert inclusion_holds(index, second, shown.leaf_hash, shown.proof, heads[second].root)


def test_a_proof_reads_the_same_number_of_queries_however_large_the_log_is(
    django_assert_num_queries: Any,
) -> None:
    append(5)
    with django_assert_num_queries(3):
        publication_log.log_inclusion(index=1)
    with transaction.atomic():
        entries_write(5, [entry(number) for number in range(5, 1500)])
    with django_assert_num_queries(3):
        publication_log.log_inclusion(index=1)
    assert publication_log.log_check() == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE transparency_logleaf SET kind = 'withdrawn' WHERE index = 1",
        "DELETE FROM transparency_logleaf WHERE index = 2",
        "UPDATE transparency_lognode SET hash = hash WHERE position = 1",
        "DELETE FROM transparency_lognode",
    ],
)
def test_the_database_refuses_to_change_or_remove_what_was_logged(statement: str) -> None:
    append(3)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute(statement)
    assert publication_log.log_check() == []


def test_the_database_refuses_a_leaf_that_leaves_a_number_out() -> None:
    append(2)
    with (
        pytest.raises(DatabaseError, match="next leaf of the publication log is 2, not 3"),
        transaction.atomic(),
    ):
        LogLeaf.objects.create(index=3, kind="published", digest="ff" * 32, run_id=UUID(int=9), at=AT)


def test_a_submission_is_published_once_in_the_log() -> None:
    append(1)
    with pytest.raises(DatabaseError), transaction.atomic():
        publication_log.log_append(entry(0))


def test_tampering_behind_the_triggers_is_found() -> None:
    append(7)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE transparency_logleaf DISABLE TRIGGER transparency_logleaf_rows")
        cursor.execute("UPDATE transparency_logleaf SET digest = %s WHERE index = 4", ["ee" * 32])
        cursor.execute("ALTER TABLE transparency_logleaf ENABLE TRIGGER transparency_logleaf_rows")
    found = publication_log.log_check()
    assert found[0].startswith("Leaf 4: the stored hash at level 0, index 4 is not")
    with pytest.raises(CommandError, match="not what its leaves say"):
        call_command("publication_log", "--check")
    shown = publication_log.log_inclusion(index=4)
    head = publication_log.log_head()
    assert not inclusion_holds(4, head.size, shown.leaf_hash, shown.proof, head.root)


def test_runs_that_were_published_before_there_was_a_log_are_filled_in(publish: Publish) -> None:
    first, second = publish(), publish(unit_digest="cd" * 32)
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE transparency_logleaf, transparency_lognode CASCADE")
    assert publication_log.log_fill() == 2
    assert publication_log.log_fill() == 0
    assert list(LogLeaf.objects.values_list("digest", flat=True)) == [first.digest, second.digest]
    assert publication_log.log_check() == []


def test_what_the_log_does_not_hold_is_said_with_what_it_holds() -> None:
    append(2)
    with pytest.raises(publication_log.NotInLog, match="There is no leaf 2 among 2"):
        publication_log.log_inclusion(index=2)
    with pytest.raises(publication_log.NotInLog, match="has 2 leaves"):
        publication_log.log_head(size=3)
    with pytest.raises(publication_log.NotInLog, match="Give the smaller first"):
        publication_log.log_consistency(first=2, second=1)


def test_a_key_that_never_signed_here_stops_the_log_until_it_is_adopted(settings: Any) -> None:
    append(1)
    publication_log.log_head()
    settings.LOG_KEY = "CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg="
    with pytest.raises(ImproperlyConfigured, match="never signed here"):
        publication_log.log_head()
    call_command("log_key", "--adopt")
    assert publication_log.log_head().size == 1
    assert LogKey.objects.count() == 2


def test_a_key_is_made_once_and_kept_to_its_owner(settings: Any, tmp_path: Any) -> None:
    settings.LOG_KEY, settings.LOG_KEY_FILE = None, tmp_path / "data" / "log-key"
    first = publication_log.log_head().public_key
    assert publication_log.log_head().public_key == first
    assert settings.LOG_KEY_FILE.stat().st_mode & 0o777 == 0o600


def test_a_malformed_key_is_named_with_its_place(settings: Any) -> None:
    settings.LOG_KEY = "c2hvcnQ="
    with pytest.raises(ImproperlyConfigured, match="LOG_KEY does not hold 32 bytes"):
        publication_log.log_head()


def test_an_empty_log_has_the_root_of_nothing() -> None:
    assert publication_log.log_head().root == merkle.EMPTY_ROOT


def test_the_digests_of_released_files_become_a_leaf_once(tmp_path: Any, capsys: Any) -> None:
    sums = tmp_path / "SHA256SUMS"
    sums.write_text(f"{'ab' * 32}  diskatlas-sample\n")
    for _time in range(2):
        call_command("publication_log", "--released", str(sums))
    leaf = LogLeaf.objects.get()
    assert (leaf.kind, leaf.digest) == ("released", hashlib.sha256(sums.read_bytes()).hexdigest())
    assert f"Leaf 0 holds {leaf.digest}." in capsys.readouterr().out
    assert publication_log.log_check() == []
