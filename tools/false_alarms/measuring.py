"""Runs of simulated drives, each on a seed of its own, and what the checks say of them."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from server.plausibility.assessment import assess
from server.plausibility.check import Outcome
from tests.support.probe import Probe, simtool_path
from tools.false_alarms.judging import as_measured, evidence_of

NOISES = ("default", "heavy", "off")
KINDS = (
    ("skippy",),
    ("seeker", "access"),
    ("random_io", "positional"),
    ("sync_write", "buffer"),
    ("zoned", "bandwidth", "fluctuation"),
)
"""What one run measures: together every kind but the one that takes a week."""
WRITES = ("destroy", "none")
IDLE = ("chrt", "-i", "0")


@dataclass(frozen=True, slots=True)
class Plan:
    """One run: everything that it depends on."""

    seed: int
    drive: str
    noise: str
    writes: str
    kinds: tuple[str, ...]

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
        made.append(Plan(first_seed + number, drives[drive], noise, writes, kinds))
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
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        caller = Probe(probe, home, before)
        caller.call("key", "new")
        confirm = (f"--confirm={plan.drive[-4:]}",) if plan.writes != "none" else ()
        options = ("--suite", "quick", "--only", ",".join(plan.kinds), "--writes", plan.writes, *confirm)
        document = caller.run(plan.device, home / "run.json", *options)
    answers = assess(evidence_of(document if plan.noise == "off" else as_measured(document)))
    return Judgement(
        seed=plan.seed,
        device=plan.device,
        writes=plan.writes,
        kinds="+".join(plan.kinds),
        outcomes={answer.check.key: answer.result.outcome.value for answer in answers},
        held={a.check.key: a.result.words for a in answers if a.result.outcome is Outcome.HELD},
    )
