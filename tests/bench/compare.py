"""One load after the other, the probe beside the programs that can do the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.bench import bars, peers
from tests.bench.peers import MIB, Load, Speed
from tests.bench.rounds import PROBE, Contender, Ratio, Rounds, take_turns

TURN_S = 0.35
"""A turn is so long: longer than the milliseconds that programs count in, short enough for many."""
LEAST_REQUESTS = 32
MOST_KEPT = 16_000
"""Writes of a burst stand in memory, each once."""


@dataclass(slots=True)
class Result:
    """One line of the table."""

    device: str
    what: str
    own: str
    rates: list[Ratio]
    cpu_ns: float | None
    cpus: list[Ratio]
    absent: dict[str, str] = field(default_factory=dict)

    def lines(self) -> Iterable[str]:
        """As it is printed."""
        yield f"  {self.what}: {self.own}{_bracket(bars.RATE, self.rates)}"
        yield from (f"      {ratio}" for ratio in self.rates)
        if self.cpu_ns is not None and self.cpus:
            own = f"processor {self.cpu_ns / 1e3:.2f} us a request"
            yield f"      {own}, {self.cpus[0]}{_bracket(bars.CPU, self.cpus)}"
        yield from (f"      without {peer}: {why}" for peer, why in self.absent.items())

    def row(self) -> str:
        """As a row of a Markdown table."""
        rates = "<br>".join(map(str, self.rates))
        rate_bar, cpu_bar = bars.RATE.of_all(self.rates), bars.CPU.of_all(self.cpus)
        cpu = "<br>".join(map(str, self.cpus))
        own = "" if self.cpu_ns is None or not self.cpus else f"{self.cpu_ns / 1e3:.2f} us"
        cells = (self.device, self.what, self.own, rates, rate_bar, own, cpu, cpu_bar)
        return "| " + " | ".join(cells) + " |"


def _bracket(bar: bars.Bar, ratios: list[Ratio]) -> str:
    verdict = bar.of_all(ratios)
    return f"  [{verdict}: {bar}]" if verdict else ""


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the programs are and how often they take their turns."""

    simtool: Path
    scratch: Path
    rounds: int
    turn_s: float = TURN_S

    def compare(self, device: tuple[str, Path], what: str, load: Load, chosen: tuple[str, ...]) -> Result:
        """Let the probe and the chosen peers take turns; print and return what came of it."""
        name, path = device
        load = self.sized(path, load)
        contenders: dict[str, Contender] = {
            PROBE: lambda: peers.probe(self.simtool, path, load, self.scratch),
            "dd": lambda: peers.dd(path, load),
            "hdparm": lambda: peers.hdparm(path, load),
            "fio psync": lambda: peers.fio(path, load, "psync", self.scratch),
            "fio io_uring": lambda: peers.fio(path, load, "io_uring", self.scratch),
        }
        taken = {key: one for key, one in contenders.items() if key in (PROBE, *chosen)}
        result = _result(name, what, load, take_turns(taken, self.rounds))
        print("\n".join(result.lines()))
        sys.stdout.flush()
        return result

    def sized(self, device: Path, load: Load) -> Load:
        """The same load with as many requests as the probe makes in one turn."""
        speed = peers.probe(self.simtool, device, load, self.scratch)
        count = max(int(speed.requests_per_s * self.turn_s), LEAST_REQUESTS)
        if load.pattern == "random-write" and load.crowded:
            count = min(count, MOST_KEPT)
        if load.pattern == "sequential":
            count = min(count, load.region // load.size)
        if load.places:
            count = min(count, len(load.places))
        return replace(load, count=count - count % load.processes)


def _result(device: str, what: str, load: Load, rounds: Rounds) -> Result:
    sequential = load.pattern == "sequential"

    def rate(speed: Speed) -> float:
        return speed.bytes_per_s if sequential else speed.requests_per_s

    own = rounds.typical(PROBE, rate) or 0.0
    return Result(
        device,
        what,
        f"{own / 1e6:,.0f} MB/s" if sequential else f"{own:,.0f} IOPS",
        rounds.ratios(rate),
        rounds.typical(PROBE, lambda speed: speed.cpu_ns),
        # The bar is fio's psync; with a queue there is only io_uring to compare with.
        [ratio for ratio in rounds.ratios(lambda speed: speed.cpu_ns) if "fio" in ratio.peer][:1],
        rounds.absent,
    )


def sequential(bench: Bench, device: tuple[str, Path], region: int, *, hdparm: bool) -> list[Result]:
    """Requests of a mebibyte as dd and fio make them, and of two as hdparm does."""
    load = Load("sequential", MIB, LEAST_REQUESTS, region)
    found = [bench.compare(device, "sequential read, 1 MiB", load, ("dd", "fio psync"))]
    if hdparm:
        load = replace(load, size=2 * MIB)
        found.append(bench.compare(device, "sequential read, 2 MiB", load, ("hdparm", "fio psync")))
    return found


def one_at_a_time(bench: Bench, device: tuple[str, Path], region: int) -> list[Result]:
    """Random reads and writes, each waited for."""
    found = []
    for pattern in ("random-read", "random-write"):
        for size in (4096, 65_536):
            what = f"{pattern.replace('-', ' ')}, {size >> 10} KiB, one at a time"
            load = Load(pattern, size, 2000, region)
            found.append(bench.compare(device, what, load, ("fio psync", "fio io_uring")))
    return found


def crowds(bench: Bench, device: tuple[str, Path], region: int) -> list[Result]:
    """Many requests at once: one issuer with 32 under way, and eight that wait for their own."""
    found = []
    for pattern in ("random-read", "random-write"):
        words = f"{pattern.replace('-', ' ')}, 4 KiB"
        load = Load(pattern, 4096, 4000, region, depth=32)
        found.append(bench.compare(device, f"{words}, 32 under way", load, ("fio io_uring",)))
        load = Load(pattern, 4096, 4000, region, processes=8)
        found.append(bench.compare(device, f"{words}, 8 processes", load, ("fio psync",)))
    return found


def turning(
    bench: Bench, device: tuple[str, Path], region: int, draw: Callable[[int], int], places: int
) -> list[Result]:
    """A drive that turns. All read the same places in the same order: else chance would choose the way."""
    found = sequential(bench, device, region, hdparm=True)
    drawn = tuple(draw(region // 4096) for _ in range(places))
    load = Load("random-read", 4096, LEAST_REQUESTS, region, drawn)
    what = "random read, 4 KiB, one at a time"
    return [*found, bench.compare(device, what, load, ("fio psync", "fio io_uring"))]
