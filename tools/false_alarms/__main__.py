"""`make false-alarms`: measures simulated drives on many seeds and counts the runs that the checks hold.

With `--keep FILE` every run's judgement is a line of FILE, and seeds that stand there are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.support.probe import probe_path
from tools.false_alarms.measuring import Judgement, drives_of, judge, plans
from tools.false_alarms.table import render

MOST_SHARE = 0.01


def main() -> int:
    arguments = _arguments().parse_args()
    probe = probe_path()
    if probe is None:
        print("The probe is not built. Call `make probe`.", file=sys.stderr)
        return 2
    judged = list(_judged(probe, arguments))
    command = f"make false-alarms RUNS={arguments.runs} SEED={arguments.seed}"
    print(render(sorted(judged, key=lambda one: one.seed), command))
    held = sum(bool(one.held) for one in judged)
    return 1 if held > MOST_SHARE * len(judged) else 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tools.false_alarms", description="Count runs held without cause.")
    parser.add_argument("--runs", type=int, default=1000, help="how many runs, each on its own seed")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time, at idle priority")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep judgements here and go on from them")
    parser.add_argument("--table-only", action="store_true", help="run nothing, print what FILE holds")
    return parser


def _judged(probe: Path, arguments: argparse.Namespace) -> Iterator[Judgement]:
    kept = {one.seed: one for one in _read(arguments.keep)}
    wanted = plans(drives_of(), arguments.runs, arguments.seed)
    yield from (kept[plan.seed] for plan in wanted if plan.seed in kept)
    due = [] if arguments.table_only else [plan for plan in wanted if plan.seed not in kept]
    with ProcessPoolExecutor(arguments.jobs, initializer=_idle) as pool:
        for one in pool.map(partial(judge, probe), due):
            if arguments.keep:
                with arguments.keep.open("a", encoding="utf-8") as file:
                    file.write(one.line() + "\n")
            for words in one.held.values():
                print(f"held: {one.device} {one.kinds} {one.writes}: {words}", file=sys.stderr, flush=True)
            yield one


def _read(path: Path | None) -> Iterator[Judgement]:
    if path is not None and path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            yield Judgement(**json.loads(line))


def _idle() -> None:
    """Take only what nobody else wants."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


if __name__ == "__main__":
    raise SystemExit(main())
