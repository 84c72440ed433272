"""RANDOM_IO's pictures: requests a second by size and by number under way, and how latencies are spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.contract import Axis, Chart, Extraction, Facts, Series
from server.benchmarks.random_io.combinations import Combination, combinations_of
from server.benchmarks.random_io.definitions import IOPS, MEDIAN, P99, RATE, SCALING, VARIATION, WORST
from server.benchmarks.random_io.extract import USUAL

MODES = {"read": "reads", "mixed": "reads and writes by halves", "write": "writes"}
MOST_POINTS = 200


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    found = combinations_of(entry, facts)
    made = [_by_size(mode, found) for mode in MODES]
    made += [_by_number(found), _latencies(found)]
    return tuple(chart for chart in made if chart is not None)


def _by_size(mode: str, found: list[Combination]) -> Chart | None:
    """As Platinum's Figures 3 to 11 have them: size along, a line for each number of processes."""
    mine = [one for one in found if one.variant == mode and one.pattern == "processes"]
    numbers = sorted({one.concurrency for one in mine})
    if len({one.size for one in mine}) < 2:
        return None
    series = tuple(
        _line(
            f"p{number}",
            "1 process" if number == 1 else f"{number} processes",
            [(one.size / 1024, one.rate) for one in mine if one.concurrency == number],
        )
        for number in numbers
    )
    best = max(mine, key=lambda one: one.rate)
    return Chart(
        id=f"{mode}-by-size",
        shape="curve",
        title=f"Random {MODES[mode]} by size",
        summary=f"At most {best.rate:.0f} a second, of {best.size} bytes with {best.concurrency} at once.",
        x=Axis("Size of a request", "KiB", "log"),
        y=Axis("Requests", "1/s"),
        series=series,
        metrics=(IOPS.key, RATE.key),
    )


def _by_number(found: list[Combination]) -> Chart | None:
    """What more requests under way bring, at the usual size."""
    size = min((one.size for one in found if one.size >= USUAL), default=0)
    lines = []
    for mode in MODES:
        for pattern, words in (("processes", "processes"), ("queue", "queued")):
            points = [
                (float(one.concurrency), one.rate)
                for one in found
                if (one.variant, one.pattern, one.size) == (mode, pattern, size)
            ]
            if len(points) > 1:
                lines.append(_line(f"{mode}-{pattern}", f"{mode}, {words}", points))
    if not lines:
        return None
    return Chart(
        id="by-number",
        shape="curve",
        title="Random requests by number under way",
        summary=f"Requests a second, each of {size} bytes, by how many are under way at once.",
        x=Axis("Requests under way", "1", "log"),
        y=Axis("Requests", "1/s"),
        series=tuple(lines),
        metrics=(IOPS.key, SCALING.key),
    )


def _latencies(found: list[Combination]) -> Chart | None:
    """How many requests took less, alone and with most at once."""
    size = min((one.size for one in found if one.size >= USUAL), default=0)
    reads = sorted(
        (one for one in found if one.variant == "read" and one.size == size and "read" in one.latencies),
        key=lambda one: one.concurrency,
    )
    lines = []
    for one in {id(one): one for one in (*reads[:1], *reads[-1:])}.values():
        latencies = one.latencies["read"]
        stride = -(-len(latencies.upto) // MOST_POINTS)
        points = [
            (float(high), 100 * float(upto) / latencies.count)
            for high, upto in zip(latencies.high[::stride], latencies.upto[::stride], strict=True)
            if high > 0
        ]
        lines.append(_line(one.scope.replace("/", "-"), f"{one.concurrency} under way", points))
    if not lines:
        return None
    return Chart(
        id="latencies",
        shape="curve",
        title="How long random reads take",
        summary=f"Share of the reads of {size} bytes that took less than a time.",
        x=Axis("Latency", "ms", "log"),
        y=Axis("Reads that took less", "%"),
        series=tuple(lines),
        metrics=(MEDIAN.key, P99.key, VARIATION.key, WORST.key),
    )


def _line(key: str, label: str, points: list[tuple[float, float]]) -> Series:
    points = sorted(points)
    return Series(key, label, "line", tuple(x for x, _ in points), tuple(y for _, y in points))
