"""`make bench-machines`: an archive on several machines. What two worker machines publish beside one, whether
two web machines say the same, what the replica answers, and what is lost when machines die in mid-flow.

    python -m tests.bench.machines [--runs 320] [--rounds 2] [--share 0.1] [--table FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.machines.site import DOMAIN, WEBS, WORKERS, Machines, ask_of, status_of
from tests.faults.field.clients import CLIENTS, Contributor, Ledger, LogReader
from tests.support.s3_server import why_no_s3
from tools.embedded.binaries import PROJECT
from tools.hosts import private, why_no_hosts

PATHS = (
    *("/", "/drives/", "/drives/acme-field-1/", "/drives/acme-field-2/", "/api/v1/drives/"),
    *("/api/v1/drives/acme-field-1/", "/api/v1/vendors/", "/api/v1/runs/?limit=50", "/api/v1/drives.csv"),
    *("/api/v1/log/leaves/?limit=50", "/api/v1/log/"),
)
CHANGING = re.compile(rb'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|"generated_at":"[^"]*"')
"""What differs between any two answers."""
FLOW_S = 12.0
"""So long clients send before a machine dies, and after."""


def rate(machines: Machines, runs: int, workers: tuple[str, ...], share: float) -> float:
    """Return how many runs a second the worker machines publish of a queue that was filled before."""
    for name in workers:
        machines.machine_start(name)
        machines.limit(name, share)
    machines.wait(lambda: all(idle(machines, name) for name in workers), "a worker does not start")
    machines.settle()
    for name in workers:
        machines.signal(name, signal.SIGSTOP)
    ledger, stop = Ledger(), threading.Event()
    stop.set()
    contributors = [Contributor(number, machines.site, ledger, stop) for number in range(CLIENTS)]
    senders = [
        threading.Thread(target=send, args=(one, runs // CLIENTS, machines.next_count))
        for one in contributors
    ]
    machines.next_count += runs // CLIENTS
    for thread in senders:
        thread.start()
    for thread in senders:
        thread.join()
    assert len(ledger.accepted) == runs // CLIENTS * CLIENTS, ledger.unexpected
    ((began_at,),) = machines.ask("SELECT clock_timestamp()::text")
    for name in workers:
        machines.signal(name, signal.SIGCONT)
    machines.settle()
    ((count, took_s),) = machines.ask(
        f"SELECT count(*), extract(epoch FROM max(published_at) - '{began_at}')::float "
        f"FROM submissions_submission WHERE published_at >= '{began_at}'"
    )
    for name in workers:
        machines.kill(name)
    assert isinstance(took_s, float) and count == len(ledger.accepted), f"{count} runs were published"
    return count / took_s


def send(contributor: Contributor, count: int, first: int) -> None:
    """Have so many runs of one client taken."""
    for number in range(count):
        contributor.send(first + number)


def idle(machines: Machines, name: str) -> bool:
    """Return whether a worker machine waits for work."""
    done = machines.call(
        "-c",
        "from server.config.celery import app\n"
        f"print(bool(app.control.ping(destination=['worker@{name}'], timeout=2)))",
    )
    return "True" in done


def answers_alike(machines: Machines) -> tuple[int, list[str]]:
    """Return how many addresses were asked of both web machines, and those answered differently."""
    different = []
    for path in PATHS:
        found = [ask_of(machines.web(name), path) for name in WEBS]
        plain = {(status, CHANGING.sub(b"", body)) for status, body in found}
        if len(plain) != 1 or found[0][0] != 200:
            different.append(f"{path}: {[(status, len(body)) for status, body in found]}")
    return len(PATHS), different


def replica_trial(machines: Machines) -> dict[str, Any]:
    """Return who answered: while the replica follows, lags, is dead, and is back."""
    found: dict[str, Any] = {}

    def asked(words: str) -> None:
        before = machines.replica_reads()
        statuses = [ask_of(machines.web(name), f"/api/v1/vendors/?limit={5 + n}")[0]
                    for n in range(10) for name in WEBS]  # fmt: skip
        after = machines.replica_reads()
        grown = {who: int(after[who] - before.get(who, 0)) for who in after}
        found[words] = {who: count for who, count in grown.items() if count}
        assert set(statuses) == {200}, statuses

    asked("warming up")
    time.sleep(2)
    asked("it follows")
    machines.replica_ask("SELECT pg_wal_replay_pause()")
    machines.ask("CREATE TABLE IF NOT EXISTS lag_test AS SELECT 1 AS one")
    time.sleep(machines.max_lag_s + 2)
    asked("it lags beyond the bound")
    machines.replica_ask("SELECT pg_wal_replay_resume()")
    time.sleep(2)
    asked("it has caught up")
    machines.kill("replica")
    asked("it is dead")
    machines.replica_start()
    found["back after s"] = round(machines.wait(lambda: _reads(machines), "the replica is not used"), 1)
    asked("it is back")
    return found


def _reads(machines: Machines) -> bool:
    before = machines.replica_reads().get("replica", 0)
    status_of(machines.web(WEBS[0]), "/api/v1/vendors/")
    return machines.replica_reads().get("replica", 0) > before


def deaths(machines: Machines) -> dict[str, Any]:
    """Have clients send through the proxy while machines die; return figures and what is wrong."""
    ledger, stop = Ledger(), threading.Event()
    clients = [
        Contributor(number, machines.site, ledger, stop, machines.next_count) for number in range(CLIENTS)
    ]
    reader = LogReader(machines.site, stop)
    for thread in (*clients, reader):
        thread.start()
    away: dict[str, float] = {}
    for words, hurt, mend in _losses(machines):
        time.sleep(FLOW_S)
        hurt()
        away[words] = machines.wait(_taken_since(ledger, time.monotonic()), f"no upload: {words}")
        time.sleep(FLOW_S)
        mend()
    stop.set()
    for thread in (*clients, reader):
        thread.join(120)
    settled_s = machines.settle()
    found: dict[str, Any] = json.loads(machines.call("-m", "tests.faults.field.audit", "look"))
    heads = reader.check()
    doubled = [digest for digest, ids in ledger.accepted.items() if ids != {found["ids"].get(digest)}]
    wrong = {
        "lost": sorted(set(ledger.accepted) - set(found["ended"])),
        "doubled": doubled,
        "ended twice": found["ended_twice"],
        "unexpected": ledger.unexpected,
        "without Retry-After": ledger.without_retry_after,
        "not ended": sum(found["states"].values()) - len(found["ended"]),
        "envelopes": found["rows_without_envelope"] + found["envelopes_without_row"],
        "without leaf": found["published_without_leaf"],
        "aggregates": found["aggregates_changed"],
        "log": found["log_wrong"] + reader.forks,
    }
    return {
        "accepted": len(ledger.accepted),
        "statuses": ledger.statuses,
        "broken": ledger.broken,
        "seconds until an upload": {words: round(seconds, 1) for words, seconds in away.items()},
        "settled_s": round(settled_s, 1),
        "heads": heads,
        "wrong": {words: what for words, what in wrong.items() if what},
    }


def _losses(machines: Machines) -> Iterator[tuple[str, Any, Any]]:
    """Give what dies, how, and how it is replaced."""
    for name in (WORKERS[1], WEBS[1]):
        yield f"{name} is killed", partial(machines.kill, name), partial(machines.machine_start, name)
    for name in (WEBS[0], WORKERS[0]):
        cut, back = (partial(machines.cut_off, name, cut=cut) for cut in (True, False))
        yield f"{name} is cut off", cut, back
    yield "the replica is killed", partial(machines.kill, "replica"), machines.replica_start


def _taken_since(ledger: Ledger, moment: float) -> Any:
    return lambda: ledger.last_answer() > moment


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="bench-machines", description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=320, help="published in each turn")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--share", type=float, default=0.1, help="of a processor, for each worker machine")
    parser.add_argument("--table", type=Path, help="write what was found to a file")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.folder is None:
        reason = (
            why_no_hosts() or why_no_s3() or (None if shutil.which("caddy") else "caddy is not installed")
        )
        if reason is not None:
            print(f"bench-machines: {reason}", file=sys.stderr)
            return 1
        with tempfile.TemporaryDirectory(prefix="diskatlas-machines-") as name:
            Path(name).chmod(0o711)
            again = [sys.executable, "-m", "tests.bench.machines", *sys.argv[1:], "--folder", name]
            return subprocess.run(private(again), cwd=PROJECT, check=False).returncode
    with ExitStack() as stack:
        found = bench(Machines(options.folder, stack), options)
    text = json.dumps(found, indent=2)
    print(text)
    if options.table:
        options.table.write_text(text + "\n", encoding="utf-8")
    wrong = found["deaths"]["wrong"] or found["answers"]["different"]
    return 1 if wrong else 0


def bench(machines: Machines, options: argparse.Namespace) -> dict[str, Any]:
    """Return all figures."""
    machines.start(workers=())
    rates: dict[str, list[float]] = {}
    for share, words in ((0.0, "no limit"), (options.share, f"{options.share:g} of a processor each")):
        for number in range(options.rounds):
            # Whoever is first finds a smaller archive: they change places.
            turns = [WORKERS[:1], WORKERS]
            for workers in turns if number % 2 == 0 else reversed(turns):
                name = f"{words}, {len(workers)}"
                rates.setdefault(name, []).append(rate(machines, options.runs, workers, share))
                print(f"{name}: {rates[name][-1]:.1f} published a second", flush=True)
    for name in WORKERS:
        machines.machine_start(name)
    asked, different = answers_alike(machines)
    print(f"{asked} addresses of both web machines at {DOMAIN}; different: {different}", flush=True)
    replica = replica_trial(machines)
    print(json.dumps(replica), flush=True)
    return {
        "published a second": {name: [round(one, 1) for one in found] for name, found in rates.items()},
        "medians": {name: round(statistics.median(found), 1) for name, found in rates.items()},
        "answers": {"asked": asked, "different": different},
        "replica": replica,
        "deaths": deaths(machines),
    }


if __name__ == "__main__":
    sys.exit(main())
