"""How often a stated interval holds the truth, by metric and quality: a bar of its own beside the errors'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from server.benchmarks.contract import Quality
from tools.accuracy.cases import Row

BARS = {Quality.GOOD: 0.93, Quality.FAIR: 0.90}
"""Of intervals at 95 %. Poor ones are promised nothing."""
ENOUGH = 100
"""Fewer cases than this don't tell 93 % from 95 %."""
HEAD = (
    "| metric | numbers | good | hold | fair | hold | poor | hold | none |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The numbers of one metric in one quality."""

    metric: str
    quality: Quality
    numbers: int
    cases: int
    """Those whose truth is known exactly."""
    held: int

    @property
    def share(self) -> float:
        return self.held / self.cases

    @property
    def failed(self) -> bool:
        bar = BARS.get(self.quality)
        return bar is not None and self.cases >= ENOUGH and self.share < bar


def coverage_of(rows: Iterable[Row]) -> list[Coverage]:
    """By metric and quality, clean and noisy runs together."""
    found: dict[str, dict[Quality, list[bool | None]]] = {}
    for row in rows:
        quality = Quality.NONE if row.found is None or row.found.value is None else row.found.quality
        found.setdefault(row.metric, {}).setdefault(quality, []).append(row.holds)
    return [
        Coverage(metric, quality, len(cases), sum(one is not None for one in cases), sum(map(bool, cases)))
        for metric, qualities in sorted(found.items())
        for quality, cases in sorted(qualities.items(), key=lambda item: list(Quality).index(item[0]))
    ]


def table(coverages: Sequence[Coverage]) -> str:
    """A line for each metric and one for all, as Markdown."""
    lines = [_line(metric, [one for one in coverages if one.metric == metric])
             for metric in dict.fromkeys(one.metric for one in coverages)]  # fmt: skip
    return "\n".join([*HEAD, *lines, _line("all", coverages)]) + "\n"


def _line(name: str, coverages: Sequence[Coverage]) -> str:
    numbers = sum(one.numbers for one in coverages)
    cells = [name, str(numbers)]
    for quality in (Quality.GOOD, Quality.FAIR, Quality.POOR):
        mine = [one for one in coverages if one.quality is quality]
        cases, held = sum(one.cases for one in mine), sum(one.held for one in mine)
        failed = " (!)" if any(one.failed for one in mine) else ""
        cells += [
            str(sum(one.numbers for one in mine)) if mine else "",
            f"{100 * held / cases:.1f} %{failed}" if cases else "",
        ]
    declined = sum(one.numbers for one in coverages if one.quality is Quality.NONE)
    return "| " + " | ".join([*cells, str(declined)]) + " |"


def failures(coverages: Iterable[Coverage]) -> list[str]:
    """A sentence for each metric whose intervals hold the truth too seldom."""
    return [
        f"coverage: {one.quality} intervals of {one.metric} hold the truth in {one.held} of {one.cases} "
        f"({one.share:.1%}), less than {BARS[one.quality]:.0%}"
        for one in coverages
        if one.failed
    ]
