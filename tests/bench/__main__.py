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
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from tests.bench import compare, devices, figures
from tests.bench.awake import awake
from tests.bench.compare import Bench, Result
from tests.support.loop_device import why_not
from tools.release.build import STATIC_TARGETS, compile_probe, default_targets

DRIVE = "samsung-hd103sj"
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
    with tempfile.TemporaryDirectory(prefix="diskatlas-bench-") as scratch:
        turn_s = compare.TURN_S / 10 if options.quick else compare.TURN_S
        bench = Bench(simtool, Path(scratch), options.rounds, turn_s)
        results, lines = _all(bench, probe)
    if options.table:
        table = [HEAD, *(result.row() for result in results), "", *lines]
        options.table.write_text("\n".join([_machine(options.rounds), "", *table]) + "\n")
    return 0


def _machine(rounds: int) -> str:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} processors, Linux {os.uname().release}, load {load}, {rounds} rounds"


def _all(bench: Bench, probe: Path) -> tuple[list[Result], list[str]]:
    results: list[Result] = []
    lines: list[str] = []

    def say(said: Iterable[str]) -> None:
        for line in said:
            print(line, flush=True)
            lines.append(line)

    with ExitStack() as stack:
        device = stack.enter_context(devices.immediate())
        print("\nA disk in memory that answers within the call (zram)", flush=True)
        if device is None:
            say(["  zram was not measured: this kernel gives none"])
        else:
            named = ("zram", device)
            results += compare.sequential(bench, named, devices.COMPRESSED_BYTES, hdparm=False)
            results += compare.one_at_a_time(bench, named, devices.COMPRESSED_BYTES)
        device = stack.enter_context(devices.plain(bench.scratch))
        print("\nA plain loop device over memory", flush=True)
        with awake():
            results += compare.sequential(bench, ("loop", device), devices.PLAIN_BYTES, hdparm=True)
            results += compare.one_at_a_time(bench, ("loop", device), devices.PLAIN_BYTES)
            results += compare.crowds(bench, ("loop", device), devices.PLAIN_BYTES)
        say(["", "A plain loop device over memory", *figures.gaps(bench.simtool, device, GAPS)])
        device = stack.enter_context(devices.simulated(bench.simtool, DRIVE, bench.scratch / "simulated"))
        print(f"\nA simulated {DRIVE}, turning in real time", flush=True)
        named, dice = ("simulated", device), random.Random(1)
        results += compare.turning(bench, named, TURNING_BYTES, dice.randrange, 400)
        say(["", f"A simulated {DRIVE}, turning in real time"])
        say(figures.gaps(bench.simtool, device, TURNING_GAPS))
        say([figures.skippy(probe, device, bench.scratch)])
    say(["", "The program", figures.memory(probe, bench.scratch), figures.binary_size(probe)])
    return results, lines


def _compiled(binary: str) -> Path:
    """Compile as what is offered for download is compiled."""
    native = [target for target in default_targets()[0] if target.startswith(os.uname().machine)]
    target = next((one for one in native if one in STATIC_TARGETS), native[0])
    print(f"Building {binary} for {target}", flush=True)
    return compile_probe(target, binary=binary, features="simtool" if binary != "diskatlas" else "")


if __name__ == "__main__":
    sys.exit(main())
