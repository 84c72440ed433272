"""Cases of the kinds that time long transfers: by size and position, over time, and over temperature."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from server.benchmarks.contract import Extraction, Facts
from server.benchmarks.registry import KINDS
from tests.support.probe import ROOT, Probe, entry_of
from tools.accuracy.cases import CLEAN, OTHER, Case, Expected

DRIVE = "samsung-hd103sj"
FILE = ROOT / "client/probe/src" / "sim" / "drives" / f"{DRIVE}.toml"
COURSES = {
    "noise of 4 % for each transfer": "jitter_percent = 4.0",
    "5 % slower with every day": "jitter_percent = 2.0\ndrift_percent_per_day = 5.0",
    "6 % slower from the twelfth hour on": "jitter_percent = 2.0\njump_percent = 6.0\njump_after_s = 43200.0",
    "a wave of 5 % in six hours": "jitter_percent = 0.5\nwander_percent = 5.0\nwander_period_s = 21600.0",
}


def bandwidth_expected(truth: dict[str, Any], entry: dict[str, Any]) -> tuple[Expected, ...]:
    """The law's parts from the truth's zones and seek curve."""
    rows: list[Expected] = []
    uneven = truth["layout"] == "surface_serpentine"
    for variant in ("read",) if truth["write_cache"] else ("read", "write"):
        series = [one for one in entry["samples"]["series"] if one["variant"] == variant]
        longest = max(max(one["length_blocks"]) for one in series)
        ends = [(one["offset_blocks"][-1], longest) for one in (series[0], series[-1])]
        outer, inner = (_rate(truth, block, count) for block, count in ends)
        fixed = _fixed_ms(truth, entry["params"]["positions"], variant)
        # One transfer of a drive whose heads differ stands on few of them.
        rows += [
            Expected(
                "bandwidth.outer_inner_ratio",
                variant,
                outer / inner,
                (0.1 if uneven else 0.02) * outer / inner,
                False,
            ),
            Expected("bandwidth.fixed_time", variant, fixed, 0.08 * fixed, False),
            Expected(
                "bandwidth.half_peak_size", variant, fixed * outer / 1e3, 0.1 * fixed * outer / 1e3, False
            ),
        ]
    return tuple(rows)


def _rate(truth: dict[str, Any], block: int, count: int) -> float:
    """MB/s over a stretch of blocks: bytes over the zones' times."""
    time = 0.0
    for zone in truth["zones"]:
        inside = min(block + count, zone["last_block"] + 1) - max(block, zone["first_block"])
        time += max(inside, 0) / zone["bandwidth_mb_s"]
    return count / time


def _fixed_ms(truth: dict[str, Any], positions: int, variant: str) -> float:
    """Overhead, half a turn, and the seek from the dummy reads to each position, half of the drive away."""
    spacing = truth["capacity_blocks"] / positions
    seeks = []
    for position in range(positions):
        far = ((position + positions // 2) % positions + 0.75) * spacing
        distance = abs(_cylinder(truth, far) - _cylinder(truth, position * spacing))
        seeks.append(_seek_ms(truth, distance, variant))
    turn = float(truth["rotation_period_ms"])
    return float(truth["mtm_ms"][variant]) + turn / 2 + sum(seeks) / positions


def _between(points: list[tuple[float, float]], x: float) -> float:
    index = min(max(bisect_right([point[0] for point in points], x), 1), len(points) - 1)
    (x0, y0), (x1, y1) = points[index - 1], points[index]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def _cylinder(truth: dict[str, Any], block: float) -> float:
    return _between([(point["block"], point["cylinders"]) for point in truth["seek_by_block"]], block)


def _seek_ms(truth: dict[str, Any], cylinders: float, variant: str) -> float:
    return _between([(p["cylinders"], p[f"{variant}_ms"]) for p in truth["seek_curve"]], cylinders)


def over_time_cases(probe: Probe, truth_of: Callable[[str], dict[str, Any]], folder: Path) -> Iterator[Case]:
    """A day of reads on drives whose rate changes, and a week of temperatures."""
    for words, keys in COURSES.items():
        path = folder / f"{len(words)}.toml"
        path.write_text(f"{FILE.read_text(encoding='utf-8')}\n[unsteady]\n{keys}\n", encoding="utf-8")
        document = probe.run(
            f"sim:{path},noise=default,seed=1", folder / "day.json", "--only", "fluctuation", "--suite", "day"
        )
        expected = _day_expected(truth_of(str(path))["unsteady"], entry_of(document, "fluctuation"))
        yield _case("fluctuation", f"FLUCTUATION over a day, {words}", document, expected)
    truth = truth_of(DRIVE)
    options = ("--only", "temperature", "--writes", "preserve", f"--confirm={DRIVE[-4:]}")
    document = probe.run(f"sim:{DRIVE},noise=default,seed=1", folder / "week.json", *options)
    cold = truth["cold_writes"]
    yield _case(
        "temperature",
        "TEMPERATURE over a week, default noise",
        document,
        (
            Expected("temperature.threshold", "write", cold["celsius"] + 0.5, 0.5),
            # Of the medium alone: a transfer's way to its place takes as long in the cold.
            Expected("temperature.share_left", "write", cold["share"], 0.02, exact=False),
            Expected("temperature.threshold", "read", None, None),
            Expected("temperature.slope", "read", 0.0, 0.05),
        ),
    )


def _day_expected(unsteady: dict[str, float], entry: dict[str, Any]) -> tuple[Expected, ...]:
    starts = [start for one in entry["samples"]["series"] for start in one["start_ns"]]
    days = (max(starts) - min(starts)) / 86_400e9
    drift = 100 * (1 / (1 + unsteady["drift_percent_per_day"] / 100 * days) - 1)
    rows = [Expected("fluctuation.jumps", "1h/read", 1.0 if unsteady["jump_percent"] else 0.0, 0.0)]
    if not unsteady["wander_percent"]:
        rows.append(Expected("fluctuation.drift", "1h/read", drift, 1.5))
    if not any(unsteady[key] for key in ("wander_percent", "drift_percent_per_day", "jump_percent")):
        share = unsteady["jitter_percent"] / 100
        # Of the medium alone: what the drive reads ahead and the way to the place do not vary.
        rows.append(Expected("fluctuation.variation", "1h/read", share, 0.15 * share, exact=False))
    return tuple(rows)


def _case(slug: str, condition: str, document: dict[str, Any], expected: tuple[Expected, ...]) -> Case:
    kind = next(kind for kind in KINDS if kind.slug == slug)
    device, entry = document["device"], json.loads(json.dumps(entry_of(document, slug)))
    facts = Facts(device["block_bytes"], device["capacity_bytes"], None, simulated=True)

    def extract() -> Extraction:
        return kind.extract(entry, facts)

    strictness = CLEAN if slug == "temperature" else OTHER
    return Case(DRIVE, condition, strictness, expected, extract)
