"""`make bench-figures`: what an SVG figure costs: every chart and view of the kinds' golden runs, and one of
2,000 points, the most that is stored.

A report for people: no test asserts a time. With `--out FOLDER` the drawings are written there.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson

from server.benchmarks.chart_json import chart_of, chart_text
from server.benchmarks.contract import Axis, Chart, Series
from server.benchmarks.registry import KINDS
from server.drawing.chart_svg import Credit, chart_svg
from tests.contract.golden import facts_of, golden_of
from tests.support.probe import entry_of

BAR_MS = 30.0
REPEATS = 5
CREDIT = Credit(
    "DiskSim Sampler 1 · simulated drive · run 00000000-0000-0000-0000-000000000000 · DiskAtlas",
    "https://atlas.example/runs/00000000-0000-0000-0000-000000000000/",
    "CC0-1.0",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools.bench_figures", description="CPU time of SVG figures.")
    parser.add_argument("--out", type=Path, help="folder that the drawings are written to")
    arguments = parser.parse_args()
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
    print(f"{'chart':44} {'points':>7} {'KB':>6} {'CPU ms':>7}   bar {BAR_MS:.0f} ms")
    worst_ms = 0.0
    for name, chart in (*_golden(), ("all of 2,000 points", _largest())):
        text = chart_text(chart)
        for view in [one.key for one in chart.views] or [""]:
            spent_ms, svg = _drawn(text, view)
            worst_ms = max(worst_ms, spent_ms)
            label = f"{name}{f' ({view})' if view else ''}"
            points = sum(len(one.x) for one in chart_of(orjson.loads(text)).series)
            print(f"{label:44} {points:7} {len(svg) / 1e3:6.1f} {spent_ms:7.1f}", flush=True)
            if arguments.out:
                file = arguments.out / f"{label.replace(' ', '-').replace('/', '-')}.svg"
                file.write_text(svg, encoding="utf-8")
    print(f"{'slowest':44} {'':7} {'':6} {worst_ms:7.1f}")
    return 0


def _drawn(text: str, view: str) -> tuple[float, str]:
    """Return the least of some tries: reading the stored JSON and drawing it."""
    spent = []
    for _ in range(REPEATS):
        began = time.process_time()
        svg = chart_svg(chart_of(orjson.loads(text)), view=view, credit=CREDIT)
        spent.append(time.process_time() - began)
    return 1e3 * min(spent), svg


def _golden() -> Iterator[tuple[str, Chart]]:
    for kind in KINDS:
        document = golden_of(kind.slug).document()
        entry, facts = entry_of(document, kind.slug), facts_of(document)
        for chart in kind.charts(entry, facts, kind.extract(entry, facts)):
            yield f"{kind.slug}/{chart.id}", chart


def _largest() -> Chart:
    random = np.random.default_rng(1)
    x = tuple(float(one) for one in np.arange(2000) / 10)
    y = tuple(float(one) for one in 100 + random.normal(size=2000))
    points = Series("bandwidth", "Bandwidth", "points", x, y)
    return Chart(
        "all",
        "profile",
        "Bandwidth by position",
        "Drawn numbers.",
        Axis("Position", "GB"),
        Axis("Rate", "MB/s"),
        (points,),
    )


if __name__ == "__main__":
    raise SystemExit(main())
