"""Nothing lost, nothing doubled: eight clients send signed runs while one part after the other fails.

`make test` has some of the faults on an archive with a folder. `make test-faults` has all, also with an S3
server, and prints what was sent, hurt, lost and doubled, and how long the archive was away. `FAULTS_ROUNDS`
has every fault come so often; `FAULTS_TABLE` names a file for the figures.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.faults.field.archive import Archive
from tests.faults.field.clients import CLIENTS, MODELS, Contributor, Ledger, LogReader, Site
from tests.faults.field.faults import FOLDER, LASTS_S, PARTS, S3, faults_of
from tests.support.receiver import Receiver, receiver
from tests.support.s3_server import s3_server

pytestmark = [pytest.mark.processes, pytest.mark.timeout(3600)]
ROUNDS = int(os.environ.get("FAULTS_ROUNDS", "0"))
"""None is once through the faults that `make test` has."""
BACK_S = 240.0
SETTLED_S = 900.0
UNDER_WAY = """
SELECT (SELECT count(*) FROM submissions_submission
        WHERE state IN ('received', 'verified', 'validated', 'extracted'))
    + (SELECT count(*) FROM measurements_aggregatedue)
    + (SELECT count(*) FROM subscriptions_pendingnotification)
    + (SELECT count(*) FROM subscriptions_delivery WHERE state = 'waiting')
"""


@pytest.fixture(params=["folder", "s3"] if ROUNDS else ["folder"])
def archive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    folder = tmp_path_factory.mktemp("field")
    # The account of the embedded servers has to pass.
    for parent in (folder, folder.parent):
        parent.chmod(0o711)
    with ExitStack() as stack:
        s3 = stack.enter_context(s3_server(folder)) if request.param == "s3" else None
        running = Archive(folder, s3)
        stack.callback(running.stop)
        running.start()
        yield running


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as state:
        yield state


def test_every_fault_can_be_had_here() -> None:
    reasons = {reason for fault in (*FOLDER, *S3, *PARTS) if (reason := fault.needs()) is not None}
    if reasons:
        pytest.skip(f"faults are left out: {'; '.join(sorted(reasons))}")


def test_nothing_is_lost_or_doubled_while_one_part_after_the_other_fails(
    archive: Archive, hook: Receiver
) -> None:
    ledger, stop = Ledger(), threading.Event()
    clients = [Contributor(number, Site(archive.port), ledger, stop) for number in range(CLIENTS)]
    reader = LogReader(Site(archive.port), stop)
    for client in clients[: len(MODELS)]:
        client.first_run()
    settle(archive)
    archive.module("tests.faults.field.audit", "follow", hook.url)
    before = archive.published()
    for thread in (*clients, reader):
        thread.start()
    wait_until(lambda: archive.published() > before, "a run that is published", archive, BACK_S)

    away = {
        f"{fault.name} ({number + 1})" if number else fault.name: hurt_and_mended(archive, ledger, fault)
        for number in range(max(ROUNDS, 1))
        for fault in faults_of(archive, short=not ROUNDS)
    }
    stop.set()
    for thread in (*clients, reader):
        thread.join(timeout=BACK_S)
        assert not thread.is_alive(), f"{thread.name} did not end\n{archive.logs()}"

    settled_s = settle(archive)
    found: dict[str, Any] = json.loads(archive.module("tests.faults.field.audit", "look"))
    heads = reader.check()
    told = runs_told(hook)
    lost = sorted(set(ledger.accepted) - set(found["ended"]))
    doubled = [digest for digest, ids in ledger.accepted.items() if ids != {found["ids"].get(digest)}]
    told_twice = {run: count for run, count in told.items() if count > 1}
    said(archive, ledger, away, found, f"{len(lost)} lost, {len(doubled) + found['ended_twice']} doubled")
    print(
        f"all settled {settled_s:.0f} s after the last; {heads} kept heads of the log fit; "
        f"{len(told)} runs told to the follower, {len(told_twice)} twice; "
        f"{found['orphans']} envelopes without a row swept"
    )

    assert lost == [] and doubled == [] and found["ended_twice"] == 0
    assert ledger.unexpected == [] and ledger.without_retry_after == 0
    assert sum(found["states"].values()) == len(found["ended"]), found["states"]
    wrong = {digest for digest, state in found["ended"].items() if state != outcome(ledger, digest)}
    assert wrong == set(), [one for one in found["quarantined"] if one.split()[0] in wrong]
    assert found["rows_without_envelope"] == [] and found["envelopes_without_row"] == []
    assert found["measurements_twice"] == found["benchmarks_pending"] == 0
    assert found["published_without_leaf"] == 0 and found["leaves"] == len(found["runs_published"])
    assert found["aggregates"] > 0 and found["aggregates_changed"] == []
    assert found["log_wrong"] == [] and reader.forks == [] and heads > 0
    assert told_twice == {} and set(told) <= set(found["runs_published"])
    assert len(told) == len(found["runs_published"]) - before, "the follower was not told of all"


def outcome(ledger: Ledger, digest: str) -> str:
    """Return what has to become of a run that was taken."""
    return "quarantined" if digest in ledger.held else "published"


def hurt_and_mended(archive: Archive, ledger: Ledger, fault: Any) -> tuple[float, float]:
    """Return the seconds from the mending until an upload was taken, and until a run was published."""
    print(f"{fault.name} ", end="", flush=True)
    fault.hurt(archive)
    time.sleep(LASTS_S)
    fault.mend(archive)
    mended, before = time.monotonic(), -1
    while before < 0:
        before = archive.published()
        assert time.monotonic() - mended < BACK_S, f"no database after {fault.name}\n{archive.logs()}"
    wait_until(lambda: ledger.last_answer() > mended, f"an upload after {fault.name}", archive, BACK_S)
    taken_s = ledger.last_answer() - mended
    wait_until(lambda: archive.published() > before, f"a run after {fault.name}", archive, BACK_S)
    published_s = time.monotonic() - mended
    print(f"{taken_s:.1f} {published_s:.1f}", flush=True)
    return taken_s, published_s


def said(
    archive: Archive, ledger: Ledger, away: dict[str, tuple[float, float]], found: dict[str, Any], ends: str
) -> None:
    """Print the figures, and write them where `FAULTS_TABLE` says."""
    taken, published = (max(away, key=lambda name: away[name][place]) for place in (0, 1))
    print(
        f"\n{len(ledger.accepted)} submissions answered 202 by {CLIENTS} clients ({ledger.resent} sent again "
        f"on purpose, {ledger.given_up} given up, {ledger.broken} connections broken, answers "
        f"{dict(sorted(ledger.statuses.items()))})\n"
        f"{len(away)} faults; {ends}; states {found['states']}\n"
        f"longest until an upload was taken again: {away[taken][0]:.1f} s ({taken})\n"
        f"longest until a run was published again: {away[published][1]:.1f} s ({published})"
    )
    if os.environ.get("FAULTS_TABLE"):
        storage = "folder" if archive.s3 is None else "s3"
        path = Path(os.environ["FAULTS_TABLE"])
        rows = [
            f"| {name} | {taken_s:.1f} | {published_s:.1f} |\n"
            for name, (taken_s, published_s) in away.items()
        ]
        with path.open("a", encoding="utf-8") as table:
            table.write(f"| {storage} | upload, s | published, s |\n|---|---|---|\n{''.join(rows)}\n")


def wait_until(condition: Callable[[], bool], what: str, archive: Archive, limit_s: float) -> float:
    """Return the seconds until it was so."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < limit_s, f"{what} did not come\n{archive.logs()}"
        time.sleep(0.1)
    return time.monotonic() - began


def settle(archive: Archive) -> float:
    """Wait until nothing is under way; return how long it took."""

    def idle() -> bool:
        try:
            return archive.ask(UNDER_WAY) == [(0,)]
        except psycopg.Error:
            return False

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
