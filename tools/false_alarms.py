"""`make false-alarms`: how often the plausibility checks hold a run that nothing is wrong with.

It measures simulated drives on many seeds and counts the runs that the checks hold. With `--keep FILE` every
run's judgement is a line of FILE, and seeds that stand there are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import django
from scipy.stats import binomtest

from server.benchmarks.contract import Quality
from server.benchmarks.registry import KINDS as ALL_KINDS
from server.plausibility.check import Outcome
from server.plausibility.evidence import Evidence, ModelFacts, Number
from server.plausibility.registry import CHECKS
from tests.support.machines import through_machine
from tests.support.probe import Probe, probe_path, simtool_path
from tools.markdown import filled

MOST_SHARE = 0.01
LEVEL = 0.95
"""Of the interval of a share."""
NOISES = ("default", "heavy", "off")
KINDS = (
    ("skippy",),
    ("seeker", "access"),
    ("random_io", "positional"),
    ("sync_write", "buffer"),
    ("zoned", "bandwidth", "fluctuation"),
    ("skippy", "seeker", "zoned", "access", "positional", "random_io"),
)
"""What one run measures: together every kind but the one that takes a week, alone and beside others."""
WRITES = ("destroy", "none")
MACHINES = ("idle", "bridge", "busy")
"""What stands between probe and drive: nothing, a USB bridge, or a machine that others use too."""
IDLE = ("chrt", "-i", "0")


@dataclass(frozen=True, slots=True)
class Plan:
    """One run: everything that it depends on."""

    seed: int
    drive: str
    noise: str
    writes: str
    kinds: tuple[str, ...]
    machine: str = "idle"

    @property
    def device(self) -> str:
        """As the probe takes it."""
        return f"sim:{self.drive},noise={self.noise},seed={self.seed}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of one run."""

    seed: int
    device: str
    writes: str
    kinds: str
    outcomes: dict[str, str]
    """Outcome by check."""
    held: dict[str, str]
    """Words of the checks that held it."""
    machine: str = "idle"

    def line(self) -> str:
        """As one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


def plans(drives: Sequence[str], count: int, first_seed: int) -> list[Plan]:
    """Spread the seeds over drives, noises, kinds, and runs that write and that don't."""
    combinations = list(product(KINDS, NOISES, WRITES))
    made = []
    for number in range(count):
        around, drive = divmod(number, len(drives))
        kinds, noise, writes = combinations[(around + 7 * drive) % len(combinations)]
        writes = "destroy" if "sync_write" in kinds else writes
        # Without noise a run is judged as the simulation that it is, and no machine stands between.
        machine = MACHINES[number % len(MACHINES)] if noise != "off" else "idle"
        made.append(Plan(first_seed + number, drives[drive], noise, writes, kinds, machine))
    return made


def drives_of(simtool: Path | None = None) -> list[str]:
    """Return the names of the simulated drives. Raises FileNotFoundError where the simulator's tool is
    not built."""
    path = simtool or simtool_path()
    if path is None:
        raise FileNotFoundError("diskatlas-simtool is not built: call `make simtool`")
    done = subprocess.run([str(path), "list"], capture_output=True, text=True, check=True, timeout=60)
    return [line.split()[0] for line in done.stdout.splitlines() if line.strip()]


def judge(probe: Path, plan: Plan, before: tuple[str, ...] = IDLE) -> Judgement:
    """Measure, extract and assess one run. Noisy ones are judged as if a real disk had been measured."""
    from server.plausibility.assessment import assess  # it knows the models of results, which need settings

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        caller = Probe(probe, home, before)
        caller.call("key", "new")
        confirm = (f"--confirm={plan.drive[-4:]}",) if plan.writes != "none" else ()
        options = ("--suite", "quick", "--only", ",".join(plan.kinds), "--writes", plan.writes, *confirm)
        document = caller.run(plan.device, home / "run.json", *options)
    if plan.noise != "off":
        document = through_machine(as_measured(document), plan.machine, plan.seed)
    answers = assess(evidence_of(document))
    return Judgement(
        seed=plan.seed,
        device=plan.device,
        writes=plan.writes,
        kinds="+".join(plan.kinds),
        outcomes={answer.check.key: answer.result.outcome.value for answer in answers},
        held={a.check.key: a.result.words for a in answers if a.result.outcome is Outcome.QUARANTINED},
        machine=plan.machine,
    )


def evidence_of(document: dict[str, Any]) -> Evidence:
    """Return the evidence of a document without a database; the model is known by the device's own capacity
    and rotation."""
    device = document["device"]
    model = ModelFacts(
        title=device["model"],
        curated=True,
        capacity_bytes=device["capacity_bytes"],
        rated_rpm=device["rotation_rate_rpm"],
    )
    return Evidence(document=document, numbers=tuple(numbers_of(document)), model=model, peers=())


def numbers_of(document: dict[str, Any]) -> Iterator[Number]:
    """Return every number that extraction takes from a document."""
    from server.measurements.documents import facts_of  # it knows models, as above

    kinds = {kind.slug: kind for kind in ALL_KINDS}
    for part in document["benchmarks"]:
        if "skipped" in part:
            continue
        kind = kinds[part["kind"]]
        metrics = {metric.key: metric for metric in kind.metrics}
        for entry in kind.extract(part, facts_of(document, part)).measurements:
            metric = metrics[entry.metric]
            if entry.value is not None and entry.quality is not Quality.NONE:
                yield Number(
                    entry.metric,
                    entry.scope,
                    entry.value,
                    entry.low,
                    entry.high,
                    entry.quality.value,
                    metric.unit,
                    metric.title,
                    metric.headline,
                )


def as_measured(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document as if a real disk had been measured, so that the checks for real disks look at
    it too."""
    device = document["device"] | {"interface": "scsi"}
    device["rotational"] = device["rotational"] | {"source": "kernel"}
    return document | {"provenance": "probe", "device": device}


def interval(events: int, of: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share."""
    found = binomtest(events, of).proportion_ci(confidence_level=LEVEL, method="exact")
    return float(found.low), float(found.high)


def render(judged: Sequence[Judgement], command: str) -> str:
    """Return the section that stands in docs/reference/plausibility.md."""
    held = [one for one in judged if one.held]
    lines = [
        filled(
            f"`{command}`: of {len(judged)} runs, {len(held)} held without cause, "
            f"{_share(len(held), len(judged))} (95 % interval after Clopper and Pearson)."
        ),
        "",
        "| check | looked at | held | share held of those | noted |",
        "|---|---:|---:|---:|---:|",
    ]
    for check in CHECKS:
        outcomes = Counter(one.outcomes.get(check.key, "not_applicable") for one in judged)
        looked = len(judged) - outcomes["not_applicable"]
        share = _share(outcomes["held"], looked) if looked else ""
        lines.append(f"| `{check.key}` | {looked} | {outcomes['held']} | {share} | {outcomes['noted']} |")
    lines += ["", "Held:" if held else "No run was held."]
    lines += [
        filled(f"- `{one.device}` {one.kinds}, writes {one.writes}, {one.machine}: {words}", indent="  ")
        for one in held
        for words in one.held.values()
    ]
    return "\n".join(lines) + "\n"


def _share(events: int, of: int) -> str:
    low, high = interval(events, of)
    return f"{100 * events / of:.2f} % ({100 * low:.2f} to {100 * high:.2f} %)"


def main() -> int:
    arguments = _arguments().parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
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
    parser = argparse.ArgumentParser(prog="false-alarms", description="Count runs held without cause.")
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
