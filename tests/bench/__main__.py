"""`make bench-probe`: the probe beside hdparm, dd and fio, each ratio from one run in which they take turns.

Needs root for loop devices. A program that is missing is named. The bars are printed beside the figures and
judge nothing: a busy machine moves them.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.bench import devices, figures, peers
from tests.bench.peers import MIB, Load, Speed
from tests.bench.rounds import PROBE, Contender, Rounds, take_turns
from tests.support.loop_device import why_not
from tools.release.build import STATIC_TARGETS, compile_probe, default_targets

RATE_BAR, CPU_BAR = 0.98, 1.10
DRIVE = "samsung-hd103sj"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="how often each program runs [7]")
    parser.add_argument("--quick", action="store_true", help="fewer requests: a look, no result")
    parser.add_argument("--probe", type=Path, help="a probe that is built already")
    parser.add_argument("--simtool", type=Path, help="a diskatlas-simtool that is built already")
    options = parser.parse_args()
    if reason := why_not():
        print(f"Nothing was measured: {reason}.", file=sys.stderr)
        return 1
    probe, simtool = (
        options.probe or _compiled("diskatlas"),
        options.simtool or _compiled("diskatlas-simtool"),
    )
    print(
        f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds each",
        flush=True,
    )
    scale = 10 if options.quick else 1
    with tempfile.TemporaryDirectory(prefix="diskatlas-bench-") as scratch, ExitStack() as stack:
        folder = Path(scratch)
        device = stack.enter_context(devices.plain(folder))
        print("\nA plain loop device over memory", flush=True)
        _plain(simtool, device, folder, options.rounds, scale)
        figures.gaps(simtool, device, scale)
        device = stack.enter_context(devices.simulated(simtool, DRIVE, folder / "simulated"))
        print(f"\nA simulated {DRIVE}, turning in real time", flush=True)
        _simulated(simtool, device, folder, options.rounds, scale)
        figures.skippy(probe, device, folder)
        print("\nThe program", flush=True)
        figures.memory(probe, folder)
        figures.binary_size(probe)
    return 0


def _compiled(binary: str) -> Path:
    """Compile as what is offered for download is compiled."""
    native = [target for target in default_targets()[0] if target.startswith(os.uname().machine)]
    target = next((one for one in native if one in STATIC_TARGETS), native[0])
    print(f"Building {binary} for {target}", flush=True)
    return compile_probe(target, binary=binary, features="simtool" if binary != "diskatlas" else "")


def _plain(simtool: Path, device: Path, scratch: Path, rounds: int, scale: int) -> None:
    region = devices.PLAIN_BYTES
    load = Load("sequential", MIB, region // MIB // scale, region)
    _compare("sequential read, 1 MiB", simtool, device, load, scratch, rounds, ("dd", "hdparm", "psync"))
    for pattern in ("random-read", "random-write"):
        for size, count in ((4096, 40_000), (65_536, 10_000)):
            load = Load(pattern, size, count // scale, region)
            name = f"{pattern.replace('-', ' ')}, {size >> 10} KiB, one at a time"
            _compare(name, simtool, device, load, scratch, rounds, ("psync", "io_uring"))

    _crowds(simtool, device, scratch, rounds, scale)


def _crowds(simtool: Path, device: Path, scratch: Path, rounds: int, scale: int) -> None:
    """Many requests at once: one issuer with 32 under way, and eight processes that wait for their own."""
    for pattern, count in (("random-read", 40_000), ("random-write", 16_000)):
        words = pattern.replace("-", " ")
        load = Load(pattern, 4096, count // scale, devices.PLAIN_BYTES, depth=32)
        _compare(f"{words}, 4 KiB, 32 under way", simtool, device, load, scratch, rounds, ("io_uring",))
        load = Load(pattern, 4096, count // scale, devices.PLAIN_BYTES, processes=8)
        _compare(f"{words}, 4 KiB, 8 processes", simtool, device, load, scratch, rounds, ("psync",))


def _simulated(simtool: Path, device: Path, scratch: Path, rounds: int, scale: int) -> None:
    load = Load("sequential", MIB, 256 // scale, 256 * MIB)
    _compare("sequential read, 1 MiB", simtool, device, load, scratch, rounds, ("dd", "hdparm", "psync"))
    # All read the same places in the same order: else chance would choose who has the shorter way.
    count, region = 300 // scale, 64 * MIB
    dice = random.Random(1)
    places = tuple(dice.randrange(region // 4096) for _ in range(count))
    load = Load("random-read", 4096, count, region, places)
    _compare(
        "random read, 4 KiB, one at a time", simtool, device, load, scratch, rounds, ("psync", "io_uring")
    )


def _compare(
    name: str, simtool: Path, device: Path, load: Load, scratch: Path, rounds: int, chosen: tuple[str, ...]
) -> None:
    contenders: dict[str, Contender] = {
        PROBE: lambda: peers.probe(simtool, device, load, scratch),
        "dd": lambda: peers.dd(device, load),
        "hdparm": lambda: peers.hdparm(device),
        "fio psync": lambda: peers.fio(device, load, "psync", scratch),
        "fio io_uring": lambda: peers.fio(device, load, "io_uring", scratch),
    }
    taken = {
        key: one for key, one in contenders.items() if key == PROBE or key.removeprefix("fio ") in chosen
    }
    _print(name, load, take_turns(taken, rounds))


def _print(name: str, load: Load, result: Rounds) -> None:
    def rate(speed: Speed) -> float:
        return speed.bytes_per_s if load.pattern == "sequential" else speed.requests_per_s

    own = result.typical(PROBE, rate) or 0.0
    shown = f"{own / 1e6:,.0f} MB/s" if load.pattern == "sequential" else f"{own:,.0f} IOPS"
    ratios = result.ratios(rate)
    worst = min((ratio.median for ratio in ratios), default=None)
    print(f"  {name}: {shown}{figures.verdict(worst, RATE_BAR, least=True)}")
    for ratio in ratios:
        print(f"      {ratio}")
    cpu = [ratio for ratio in result.ratios(lambda speed: speed.cpu_ns) if "fio" in ratio.peer][:1]
    for ratio in cpu:
        own_ns = result.typical(PROBE, lambda speed: speed.cpu_ns) or 0.0
        bar = figures.verdict(ratio.median, CPU_BAR, least=False)
        print(f"      processor {own_ns / 1e3:.2f} us a request, {ratio}{bar}")
    for peer, why in result.absent.items():
        print(f"      without {peer}: {why}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
