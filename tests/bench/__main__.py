"""`make bench-probe`: the probe beside hdparm, dd and fio, each ratio from one run in which they take turns.

Needs root for loop devices. A program that is missing is named. The bars are printed beside the figures and
judge nothing: a busy machine moves them, and a figure that chance could put on the other side of its bar is
called undecided.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench import compare, devices, figures
from tests.bench.compare import Bench, Result
from tests.support.loop_device import why_not
from tools.release.build import STATIC_TARGETS, compile_probe, default_targets

DRIVE = "samsung-hd103sj"
DEVICES = {
    "zram": "A disk in memory that answers within the call (zram)",
    "loop": "A plain loop device over memory",
    "simulated": f"A simulated {DRIVE}, turning in real time",
}
TURNING_BYTES = 8 << 30
GAPS = 100_000
TURNING_GAPS = 300
HEAD = (
    "| device | load | probe | rate: probe over peer | bar 0.98 | processor | processor: probe over fio "
    "| bar 1.1 |\n| --- | --- | ---: | --- | --- | ---: | --- | --- |"
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=25, help="how often each program runs [25]")
    parser.add_argument("--quick", action="store_true", help="short turns: a look, no result")
    parser.add_argument(
        "--device", action="append", choices=list(DEVICES), help="only this one; may be repeated"
    )
    parser.add_argument("--probe", type=Path, help="a probe that is built already")
    parser.add_argument("--simtool", type=Path, help="a diskatlas-simtool that is built already")
    parser.add_argument("--table", type=Path, help="write the results as a Markdown table to this file")
    options = parser.parse_args()
    if reason := why_not():
        print(f"Nothing was measured: {reason}.", file=sys.stderr)
        return 1
    probe = options.probe or _compiled("diskatlas")
    simtool = options.simtool or _compiled("diskatlas-simtool")
    print(_machine(options.rounds), flush=True)
    with tempfile.TemporaryDirectory(prefix="diskatlas-bench-") as scratch, devices.awake() as awake:
        print(f"Idle processors {'poll' if awake else 'may sleep: the kernel takes no request'}", flush=True)
        turn_s = compare.TURN_S / 10 if options.quick else compare.TURN_S
        bench = Bench(simtool, Path(scratch), options.rounds, turn_s)
        told = _all(bench, probe, options.device or list(DEVICES))
    if options.table:
        table = [HEAD, *(result.row() for result in told.results), "", *told.lines]
        options.table.write_text("\n".join([_machine(options.rounds), "", *table]) + "\n")
    return 0


def _machine(rounds: int) -> str:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} processors, Linux {os.uname().release}, load {load}, {rounds} rounds"


@dataclass(slots=True)
class _Told:
    """What the devices gave: rows of the table, and lines that stand below it."""

    results: list[Result] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def say(self, said: Iterable[str]) -> None:
        for line in said:
            print(line, flush=True)
            self.lines.append(line)


def _all(bench: Bench, probe: Path, chosen: Collection[str]) -> _Told:
    told = _Told()
    for name in chosen:
        print(f"\n{DEVICES[name]}", flush=True)
        {"zram": _zram, "loop": _loop, "simulated": _simulated}[name](bench, probe, told)
    if set(chosen) == set(DEVICES):
        told.say(["", "The program", figures.memory(probe, bench.scratch), figures.binary_size(probe)])
    return told


def _zram(bench: Bench, _probe: Path, told: _Told) -> None:
    with devices.immediate() as device:
        if device is None:
            told.say(["  zram was not measured: this kernel gives none"])
            return
        named = ("zram", device)
        told.results += compare.sequential(bench, named, devices.COMPRESSED_BYTES, hdparm=False)
        told.results += compare.one_at_a_time(bench, named, devices.COMPRESSED_BYTES)


def _loop(bench: Bench, _probe: Path, told: _Told) -> None:
    with devices.plain(bench.scratch) as device:
        told.results += compare.sequential(bench, ("loop", device), devices.PLAIN_BYTES, hdparm=True)
        told.results += compare.one_at_a_time(bench, ("loop", device), devices.PLAIN_BYTES)
        told.results += compare.crowds(bench, ("loop", device), devices.PLAIN_BYTES)
        told.say(["", DEVICES["loop"], *figures.gaps(bench.simtool, device, GAPS)])


def _simulated(bench: Bench, probe: Path, told: _Told) -> None:
    with devices.simulated(bench.simtool, DRIVE, bench.scratch / "simulated") as device:
        named, dice = ("simulated", device), random.Random(1)
        told.results += compare.turning(bench, named, TURNING_BYTES, dice.randrange, 400)
        told.say(["", DEVICES["simulated"]])
        told.say(figures.gaps(bench.simtool, device, TURNING_GAPS))
        told.say([figures.skippy(probe, device, bench.scratch)])


def _compiled(binary: str) -> Path:
    """Compile as what is offered for download is compiled."""
    native = [target for target in default_targets()[0] if target.startswith(os.uname().machine)]
    target = next((one for one in native if one in STATIC_TARGETS), native[0])
    print(f"Building {binary} for {target}", flush=True)
    return compile_probe(target, binary=binary, features="simtool" if binary != "diskatlas" else "")


if __name__ == "__main__":
    sys.exit(main())
