"""What goes wrong in turn, and how it comes right: by itself, or by whoever runs the archive."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import psycopg

from tests.faults.field.archive import Archive, disk_fill, disk_free, may_mount, may_shift_clocks
from tests.support.block import wait_until
from tests.support.faulty_parts import DIES_AFTER_STORING, DIES_BEFORE_ANSWERING

LASTS_S = 2.5
"""How long a part is away."""
DIES_WITHIN_S = 120.0
COLUMN = "ALTER TABLE submissions_submission {} COLUMN field_test{}"
Act = Callable[[Archive], object]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong. `short` says whether `make test` has it too."""

    name: str
    hurt: Act
    mend: Act = lambda archive: None
    short: bool = False
    needs: Callable[[], str | None] = lambda: None
    """Return why it can't be had here."""


def no_mounts() -> str | None:
    return None if may_mount() else "a disk that can be filled needs root to be mounted"


def no_clock() -> str | None:
    return None if may_shift_clocks() else "clocks that jump need Linux and a C compiler (cc)"


def all_workers_kill(archive: Archive) -> None:
    for name in ("worker-1", "worker-2"):
        archive.role_kill(name)


def redis_lose_file(archive: Archive) -> None:
    archive.redis.kill()
    archive.redis.forget()


def migrate(archive: Archive) -> None:
    """Hold the busiest table alone for a while, and change it, as a migration does."""
    with psycopg.connect(archive.database_url, connect_timeout=10) as link:
        link.execute("LOCK TABLE submissions_submission IN ACCESS EXCLUSIVE MODE")
        time.sleep(LASTS_S)
        link.execute(COLUMN.format("ADD", " integer").encode())


def migrate_back(archive: Archive) -> None:
    archive.ask(COLUMN.format("DROP", ""))
    archive.manage("migrate", "--verbosity", "0")


def database_room(archive: Archive) -> None:
    disk_free(archive.database_disk)
    # A database that could not write its log ends, and is started again as any container.
    archive.postgres_start()


def web_dies(words: str) -> Act:
    def hurt(archive: Archive) -> None:
        archive.say("web-fault", words)
        told = archive.folder / "web-fault"
        wait_until(lambda: not told.exists(), f"a web process that {words}", DIES_WITHIN_S)

    return hurt


def storage(fault: str, *, short: bool = False) -> Fault:
    return Fault(
        f"storage {fault}",
        lambda archive: archive.say("storage-fault", fault),
        lambda archive: archive.say("storage-fault", ""),
        short,
    )


def s3(fault: str, *, short: bool = False) -> Fault:
    def act(words: str) -> Act:
        def say(archive: Archive) -> None:
            assert archive.s3 is not None
            archive.s3.fault = words

        return say

    return Fault(f"S3 {fault}", act(fault), act(""), short)


def s3_server(act: str) -> Act:
    return lambda archive: getattr(archive.s3, act)()


def clock_jump(hours: int, *, short: bool = False) -> Fault:
    return Fault(
        f"clocks jump {hours:+d} h",
        lambda archive: archive.clocks_shift(hours),
        lambda archive: archive.clocks_shift(0),
        short,
        no_clock,
    )


FOLDER = (
    storage("refuses"),
    storage("slow"),
    storage("fails-after-writing", short=True),
    Fault(
        "the disk of the envelopes is full",
        lambda archive: disk_fill(archive.envelopes_disk),
        lambda archive: disk_free(archive.envelopes_disk),
        short=True,
        needs=no_mounts,
    ),
)
S3 = (
    Fault("the S3 server is killed", s3_server("kill"), s3_server("start"), short=True),
    s3("refuses"),
    s3("slow"),
    s3("errors"),
    s3("fails-after-writing", short=True),
    s3("hangs"),
)
PARTS = (
    Fault("a worker is killed", lambda archive: archive.role_kill("worker-1")),
    Fault("Redis stops", lambda archive: archive.redis.kill(), lambda archive: archive.redis.start()),
    Fault("Redis is emptied", lambda archive: archive.redis.empty()),
    Fault(
        "Redis starts without its file", redis_lose_file, lambda archive: archive.redis.start(), short=True
    ),
    Fault("Redis hangs", lambda archive: archive.redis.hang(), lambda archive: archive.redis.go_on()),
    Fault("PostgreSQL is restarted", Archive.postgres_stop, Archive.postgres_start),
    Fault("PostgreSQL is killed", Archive.postgres_kill, Archive.postgres_start, short=True),
    Fault("connections are cut", lambda archive: archive.connections_cut(), short=True),
    Fault(
        "the disk of PostgreSQL is full",
        lambda archive: disk_fill(archive.database_disk),
        database_room,
        short=True,
        needs=no_mounts,
    ),
    Fault("web processes are killed", lambda archive: archive.role_kill("web", children_only=True)),
    Fault("a web process dies between storing and row", web_dies(DIES_AFTER_STORING), short=True),
    Fault("a web process dies between row and answer", web_dies(DIES_BEFORE_ANSWERING), short=True),
    Fault("the web server is killed", lambda archive: archive.role_kill("web")),
    clock_jump(1),
    clock_jump(-1, short=True),
    Fault(
        "beat runs twice",
        lambda archive: archive.beat_start("beat-2"),
        lambda archive: archive.role_end("beat-2"),
        short=True,
    ),
    Fault("a migration runs", migrate, migrate_back, short=True),
    Fault("all workers are killed", all_workers_kill, short=True),
)


def faults_of(archive: Archive, *, short: bool) -> list[Fault]:
    """Return the faults in their order, without those that can't be had here."""
    every = (*(FOLDER if archive.s3 is None else S3), *PARTS)
    return [fault for fault in every if (fault.short or not short) and fault.needs() is None]
