"""docker/replica.sh makes a standby that streams, and goes on after whatever broke it off."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import psycopg
import pytest
from django.db import connection

from tests.support.block import wait_until
from tests.support.replica_server import ReplicaServer, replica_folder

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


@pytest.fixture
def primary_url() -> str:
    there = connection.settings_dict
    address = f"postgresql://{there['USER']}:{there['PASSWORD']}@/{there['NAME']}"
    return f"{address}?host={quote(str(there['HOST']), safe='')}"


@pytest.fixture
def replica(primary_url: str) -> Iterator[ReplicaServer]:
    with replica_folder(primary_url) as server:
        yield server


def slot_state(primary_url: str, slot: str) -> tuple[object, ...]:
    """Return whether the slot is in use, and whether it holds the primary's log back."""
    with psycopg.connect(primary_url) as link:
        query = "SELECT active, restart_lsn IS NOT NULL FROM pg_replication_slots WHERE slot_name = %s"
        return tuple(link.execute(query, [slot]).fetchone() or ())


def test_it_streams_what_the_primary_writes(replica: ReplicaServer, primary_url: str) -> None:
    replica.start()
    assert replica.ask("SELECT pg_is_in_recovery()") is True
    assert slot_state(primary_url, replica.slot) == (True, True)
    with psycopg.connect(primary_url, autocommit=True) as link:
        link.execute("CREATE TABLE replica_test AS SELECT 4711 AS number")
        replica.wait_replayed(primary_url)
        assert replica.ask("SELECT number FROM replica_test") == 4711
        link.execute("DROP TABLE replica_test")


def test_one_that_was_away_catches_up_from_its_slot(replica: ReplicaServer, primary_url: str) -> None:
    replica.start()
    replica.kill()
    wait_until(lambda: slot_state(primary_url, replica.slot) == (False, True), "a slot that waits", 20)
    with psycopg.connect(primary_url, autocommit=True) as link:
        link.execute("CREATE TABLE replica_test AS SELECT 4712 AS number")
        # All of it would be gone, but for the slot.
        for _ in range(3):
            link.execute("SELECT pg_switch_wal()")
            link.execute("CHECKPOINT")
        replica.start()
        replica.wait_replayed(primary_url)
        assert replica.ask("SELECT number FROM replica_test") == 4712
        link.execute("DROP TABLE replica_test")


def test_a_copy_that_was_broken_off_is_begun_anew(replica: ReplicaServer, primary_url: str) -> None:
    child = replica.launch()
    wait_until(lambda: (replica.data / "incomplete" / "PG_VERSION").exists(), "a copy that has begun", 30)
    replica.stop()
    assert child.returncode != 0 and not (replica.data / "cluster").exists()
    # As a program that was killed leaves it, whatever it tidied up here.
    (replica.data / "incomplete").mkdir(exist_ok=True)
    (replica.data / "incomplete" / "PG_VERSION").write_text("15\n")
    wait_until(lambda: slot_state(primary_url, replica.slot)[0] is False, "a slot that nobody uses", 30)
    replica.start()
    replica.wait_replayed(primary_url)
    assert replica.ask("SELECT pg_is_in_recovery()") is True
