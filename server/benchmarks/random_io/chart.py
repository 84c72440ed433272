"""RANDOM_IO's pictures: requests a second by size and by number under way, and how latencies are spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.contract import Axis, Chart, Extraction, Facts, Series, View
from server.benchmarks.random_io.combinations import Combination, LatencySummary, combinations_of
from server.benchmarks.random_io.definitions import IOPS, MEDIAN, P99, RATE, SCALING, VARIATION, WORST
from server.benchmarks.random_io.extract import USUAL

MODES = {"read": "reads", "mixed": "reads and writes by halves", "write": "writes"}


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    found = combinations_of(entry, facts)
    made = (_by_size(found), _by_number(found), _latencies(found))
    return tuple(chart for chart in made if chart is not None)


def _by_size(found: list[Combination]) -> Chart | None:
    """As Platinum's Figures 3 to 11 have them: size along, a line for each number of processes."""
    mine = [one for one in found if one.pattern == "processes"]
    modes = [mode for mode in MODES if len({one.size for one in mine if one.variant == mode}) > 1]
    if not modes:
        return None
    lines = {mode: _lines_of(mode, mine) for mode in modes}
    best = max((one for one in mine if one.variant in modes), key=lambda one: one.rate)
    return Chart(
        id="by-size",
        shape="iops",
        title="Random requests by size",
        summary=(
            f"At most {best.rate:.0f} {MODES[best.variant]} a second, of {best.size} bytes with "
            f"{best.concurrency} at once; error bars are 95 % intervals."
        ),
        x=Axis("Size of a request", "KiB", "log", switchable=True),
        y=Axis("Requests", "1/s", switchable=True),
        series=tuple(line for mode in modes for line in lines[mode]),
        metrics=(IOPS.key, RATE.key),
        views=tuple(
            View(mode, MODES[mode].capitalize(), tuple(line.key for line in lines[mode])) for mode in modes
        )
        if len(modes) > 1
        else (),
    )


def _lines_of(mode: str, found: list[Combination]) -> tuple[Series, ...]:
    return tuple(
        _rates(
            f"{mode}-p{number}",
            "1 process" if number == 1 else f"{number} processes",
            [(one.size / 1024, one) for one in found if (one.variant, one.concurrency) == (mode, number)],
        )
        for number in sorted({one.concurrency for one in found if one.variant == mode})
    )


def _by_number(found: list[Combination]) -> Chart | None:
    """What more requests under way bring, at the usual size."""
    size = min((one.size for one in found if one.size >= USUAL), default=0)
    lines = []
    for mode in MODES:
        for pattern, words in (("processes", "processes"), ("queue", "queued")):
            points = [
                (float(one.concurrency), one)
                for one in found
                if (one.variant, one.pattern, one.size) == (mode, pattern, size)
            ]
            if len(points) > 1:
                lines.append(_rates(f"{mode}-{pattern}", f"{mode.capitalize()}, {words}", points))
    if not lines:
        return None
    return Chart(
        id="by-number",
        shape="iops",
        title="Random requests by number under way",
        summary=f"Requests a second, each of {size} bytes, by how many are under way at once.",
        x=Axis("Requests under way", "1", "log", switchable=True),
        y=Axis("Requests", "1/s", switchable=True),
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
        if isinstance(latencies, LatencySummary) and not latencies.stated:
            continue
        shares = (
            latencies.shares if isinstance(latencies, LatencySummary) else latencies.upto / latencies.count
        )
        points = [
            (float(high), 100 * float(share))
            for high, share in zip(latencies.high, shares, strict=True)
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
        x=Axis("Latency", "ms", "log", switchable=True),
        y=Axis("Reads that took less", "%"),
        series=tuple(lines),
        metrics=(MEDIAN.key, P99.key, VARIATION.key, WORST.key),
    )


def _line(key: str, label: str, points: list[tuple[float, float]]) -> Series:
    points = sorted(points)
    return Series(key, label, "line", tuple(x for x, _ in points), tuple(y for _, y in points))


def _rates(key: str, label: str, found: list[tuple[float, Combination]]) -> Series:
    """Rates with their intervals."""
    found = sorted(found, key=lambda pair: pair[0])
    return Series(
        key,
        label,
        "points",
        tuple(x for x, _ in found),
        tuple(one.rate for _, one in found),
        low=tuple(one.rate * max(0.0, 1 - one.error) for _, one in found),
        high=tuple(one.rate * (1 + one.error) for _, one in found),
    )
