"""Nothing lost, nothing doubled: eight clients send signed runs while one part after the other fails.

`make test-faults` runs it and prints what was sent, hurt, lost and doubled, and how long the site was away.
`FAULTS_ROUNDS` (1) has every fault come more often.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.faults.field.archive import Archive
from tests.faults.field.clients import CLIENTS, Contributor, Ledger, LogReader
from tests.support.receiver import Receiver, receiver

pytestmark = [pytest.mark.processes, pytest.mark.timeout(3600)]
ROUNDS = int(os.environ.get("FAULTS_ROUNDS", "1"))
LASTS_S = 2.5
"""How long a part is away."""
BACK_S = 180.0
SETTLED_S = 600.0
UNDER_WAY = """
SELECT (SELECT count(*) FROM submissions_submission
        WHERE state IN ('received', 'verified', 'validated', 'extracted'))
    + (SELECT count(*) FROM measurements_aggregatedue)
    + (SELECT count(*) FROM subscriptions_pendingnotification)
    + (SELECT count(*) FROM subscriptions_delivery WHERE state = 'waiting')
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong, and comes right again by itself or by whoever runs the archive."""

    name: str
    hurt: Callable[[Archive], None]
    mend: Callable[[Archive], None] = lambda archive: None


def storage(fault: str) -> Fault:
    return Fault(
        f"storage {fault}",
        lambda archive: archive.say("storage-fault", fault),
        lambda archive: archive.say("storage-fault", ""),
    )


def clock_jump(hours: int) -> Fault:
    return Fault(
        f"clock jumps {hours:+d} h",
        lambda archive: archive.say("clock-offset-s", str(3600 * hours)),
        lambda archive: archive.say("clock-offset-s", "0"),
    )


def redis_emptied(archive: Archive) -> None:
    archive.redis.kill()
    archive.redis.start()


def migration(archive: Archive) -> None:
    """Hold the busiest table alone for a while, and change it, as a migration does."""
    with psycopg.connect(archive.database_url, connect_timeout=10) as link:
        link.execute("LOCK TABLE submissions_submission IN ACCESS EXCLUSIVE MODE")
        time.sleep(LASTS_S)
        link.execute("ALTER TABLE submissions_submission ADD COLUMN field_test integer")


def migration_undone(archive: Archive) -> None:
    archive.ask("ALTER TABLE submissions_submission DROP COLUMN field_test")
    archive.manage("migrate", "--verbosity", "0")


FAULTS = (
    Fault("a worker is killed", lambda archive: _void(archive.role_kill("worker-1"))),
    Fault("Redis stops", lambda archive: archive.redis.kill(), lambda archive: archive.redis.start()),
    Fault("Redis is started without its file", redis_emptied),
    Fault("Redis hangs", lambda archive: archive.redis.hang(), lambda archive: archive.redis.go_on()),
    Fault("PostgreSQL is restarted", lambda archive: archive.postgres_restart()),
    Fault("PostgreSQL is killed", lambda archive: archive.postgres_crash()),
    Fault("connections are cut", lambda archive: _void(archive.connections_cut())),
    Fault("web processes are killed", lambda archive: _void(archive.role_kill("web", children_only=True))),
    Fault("the web server is killed", lambda archive: _void(archive.role_kill("web"))),
    storage("refuses"),
    storage("full"),
    storage("slow"),
    storage("fails-after-writing"),
    clock_jump(1),
    clock_jump(-1),
    Fault(
        "beat runs twice",
        lambda archive: archive.beat_start("beat-2"),
        lambda archive: archive.role_end("beat-2"),
    ),
    Fault("a migration runs", migration, migration_undone),
    Fault(
        "all workers are killed",
        lambda archive: _void([archive.role_kill(name) for name in ("worker-1", "worker-2")]),
    ),
)


def _void(_result: object) -> None:
    return None


@pytest.fixture
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    folder = tmp_path_factory.mktemp("field")
    # The account of the embedded servers has to pass.
    for parent in (folder, folder.parent):
        parent.chmod(0o711)
    running = Archive(folder)
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as state:
        yield state


def wait_until(condition: Callable[[], bool], what: str, archive: Archive, limit_s: float) -> float:
    """Return the seconds until it was so."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < limit_s, f"{what} did not come\n{archive.logs()}"
        time.sleep(0.1)
    return time.monotonic() - began


def test_nothing_is_lost_or_doubled_while_one_part_after_the_other_fails(
    archive: Archive, hook: Receiver
) -> None:
    ledger, stop = Ledger(), threading.Event()
    clients = [Contributor(number, archive.port, ledger, stop) for number in range(CLIENTS)]
    reader = LogReader(archive.port, stop)
    for client in (*clients, reader):
        client.start()
    wait_until(
        lambda: archive.ask("SELECT count(DISTINCT drive_model_id) FROM measurements_run") == [(3,)],
        "a run of each model",
        archive,
        BACK_S,
    )
    archive.module("tests.faults.field.audit", "follow", hook.url)

    away: dict[str, float] = {}
    for number in range(ROUNDS):
        for fault in FAULTS:
            fault.hurt(archive)
            time.sleep(LASTS_S)
            fault.mend(archive)
            name = f"{fault.name} ({number + 1})" if number else fault.name
            away[name] = until_taken(archive, ledger, name)
    stop.set()
    for client in (*clients, reader):
        client.join(timeout=120)
        assert not client.is_alive(), f"{client.name} did not end\n{archive.logs()}"

    settled_s = settle(archive)
    found: dict[str, Any] = json.loads(archive.module("tests.faults.field.audit", "look"))
    heads = reader.check()
    told = runs_told(hook)
    lost = sorted(set(ledger.accepted) - set(found["ids"]))
    doubled = [digest for digest, ids in ledger.accepted.items() if ids != {found["ids"].get(digest)}]
    told_twice = {run: count for run, count in told.items() if count > 1}
    slowest = max(away, key=lambda name: away[name])
    print(
        f"\n{len(ledger.accepted)} submissions answered 202 by {CLIENTS} clients ({ledger.resent} sent again "
        f"on purpose, {ledger.broken} connections broken, answers {dict(sorted(ledger.statuses.items()))})\n"
        f"{len(away)} faults; {len(lost)} lost, {len(doubled) + found['published_twice']} doubled; "
        f"states {found['states']}\n"
        f"longest until an upload was taken again: {away[slowest]:.1f} s ({slowest}); all settled "
        f"{settled_s:.0f} s after the last\n"
        f"{heads} kept heads of the log fit; {len(told)} runs told to the follower, {len(told_twice)} twice"
    )
    if os.environ.get("FAULTS_TABLE"):
        Path(os.environ["FAULTS_TABLE"]).write_text(json.dumps(away, indent=1))

    assert lost == [] and doubled == []
    assert ledger.unexpected == []
    assert ledger.without_retry_after == 0
    assert found["not_ended"] == 0, found["states"]
    assert found["states"].keys() == {"published"}, found["quarantined"]
    assert found["rows_without_envelope"] == [] and found["envelopes_without_row"] == []
    assert found["published_twice"] == found["measurements_twice"] == found["benchmarks_pending"] == 0
    assert found["published_without_leaf"] == 0 and found["leaves"] == len(found["runs_published"])
    assert found["aggregates"] > 0 and found["aggregates_changed"] == []
    assert found["log_wrong"] == [] and reader.forks == [] and heads > 0
    assert told and told_twice == {} and set(told) <= set(found["runs_published"])


def until_taken(archive: Archive, ledger: Ledger, fault: str) -> float:
    """Return the seconds until an upload was taken again."""
    mended = time.monotonic()
    wait_until(lambda: ledger.last_answer() > mended, f"an upload after {fault}", archive, BACK_S)
    return ledger.last_answer() - mended


def settle(archive: Archive) -> float:
    """Wait until nothing is under way; return how long it took."""

    def idle() -> bool:
        return archive.ask(UNDER_WAY) == [(0,)]

    return wait_until(idle, "the end of all work", archive, SETTLED_S)


def runs_told(hook: Receiver) -> dict[str, int]:
    """Return the runs that the follower heard of, and how often; a message that came again counts once, as
    its receiver knows it by its id."""
    messages = {one.headers["webhook-id"]: json.loads(one.body) for one in hook.received}
    told: dict[str, int] = {}
    for message in messages.values():
        for run in message["data"]["runs"]:
            told[run["id"]] = told.get(run["id"], 0) + 1
    return told
