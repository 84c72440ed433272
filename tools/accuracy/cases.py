"""What is compared: an extraction, and what is true of the drive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from server.benchmarks.contract import Extraction, Measurement, Quality

SERPENTINE = "serpentine"
TRUTH_DIGITS = 1e-6
"""Times are whole nanoseconds and the traces' truths have six digits: no interval holds them more exactly."""
NOISY, CLEAN, OTHER = "noisy", "clean", "other"


@dataclass(frozen=True, slots=True)
class Expected:
    """A true value and how far extraction may be from it."""

    metric: str
    scope: str
    truth: float | None
    """None where the number must be declined."""
    bar: float | None
    """Largest allowed error; None where the row is for information."""
    required: bool = True
    """Whether declining the number breaks the bar."""
    exact: bool = True
    """Whether `truth` is what the metric defines, so that its interval has to hold it, and not a stand-in."""
    blur: float = 0.0
    """How far `truth` itself may be off, as a sweep in steps is."""


@dataclass(frozen=True, slots=True)
class Case:
    """One run of one drive."""

    drive: str
    condition: str
    strictness: str
    """`clean`, `noisy` or `other`: which bars hold."""
    expected: tuple[Expected, ...]
    extract: Callable[[], Extraction]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    drive: str
    condition: str
    metric: str
    scope: str
    truth: float | None
    found: Measurement | None
    bar: float | None
    verdict: str
    """`ok`, `declined`, `said so` (wrong, of poor quality), `broken` or `silent` (wrong, not said)."""
    exact: bool = True
    blur: float = 0.0

    @property
    def failed(self) -> bool:
        return self.verdict in ("broken", "silent")

    @property
    def holds(self) -> bool | None:
        """Whether the stated interval holds the truth; None without a number or an exact truth."""
        found = self.found
        if not self.exact or self.truth is None or found is None or found.value is None:
            return None
        low, high = (found.value if end is None else end for end in (found.low, found.high))
        return _within(low, self, high)


def judge(case: Case) -> list[Row]:
    measured = {(m.metric, m.scope): m for m in case.extract().measurements}
    return [
        _row(case, expected, measured.get((expected.metric, expected.scope))) for expected in case.expected
    ]


def _row(case: Case, expected: Expected, found: Measurement | None) -> Row:
    verdict = _verdict(expected, found)
    return Row(
        case.drive,
        case.condition,
        expected.metric,
        expected.scope,
        expected.truth,
        found,
        expected.bar,
        verdict,
        expected.exact,
        expected.blur,
    )


def _verdict(expected: Expected, found: Measurement | None) -> str:
    if found is None or found.value is None:
        return "broken" if expected.required and expected.truth is not None else "declined"
    if expected.truth is None:
        return "said so" if found.quality is Quality.POOR else "silent"
    if expected.bar is None or abs(found.value - expected.truth) <= expected.bar:
        return "ok"
    if expected.required:
        return "broken"
    return "said so" if found.quality is Quality.POOR or _admits(found, expected) else "silent"


def _admits(found: Measurement, expected: Expected) -> bool:
    """Whether a number of fair quality has an interval that holds the truth."""
    if found.quality is not Quality.FAIR or found.low is None or found.high is None:
        return False
    return _within(found.low, expected, found.high)


def _within(low: float, of: Expected | Row, high: float) -> bool:
    """Whether an interval holds the truth, as far as that is known itself."""
    assert of.truth is not None
    rounding = of.blur + TRUTH_DIGITS * abs(of.truth)
    return low - rounding <= of.truth <= high + rounding


def skippy_expected(
    truth: dict[str, Any], strictness: str, regions: tuple[str, ...], variant: str, serpentine: bool
) -> tuple[Expected, ...]:
    """The bars of the clean and the noisy runs."""
    must = strictness != OTHER and not serpentine
    turn = float(truth["rotation_period_ms"])
    share = 1e-3 if strictness == CLEAN else 4e-3
    rows = [Expected("skippy.rotation_time", "", turn, share * turn, strictness != OTHER)]
    for region in regions:
        local = truth["local"][region]
        rows += _local_expected(local, turn, strictness, region, variant, must)
    surfaces = None if serpentine else float(truth["surfaces"])
    rows.append(Expected("skippy.surfaces", "", surfaces, 0.0, must))
    return tuple(rows)


def _local_expected(
    local: dict[str, Any], turn: float, strictness: str, region: str, variant: str, must: bool
) -> list[Expected]:
    track = float(local.get("lbas_per_track", local.get("blocks_per_track", 0)))
    block_ms = turn / float(local["phys_sectors_per_track"])
    rows = [
        Expected(
            "skippy.sectors_per_track", region, track, 0.0 if strictness == CLEAN else 0.01 * track, must
        )
    ]
    for metric, key in (("head_switch_gap", "track_skew_ms"), ("cylinder_switch_gap", "cylinder_skew_ms")):
        gap = float(local[key]) % turn
        bar = block_ms if strictness == CLEAN else 0.03 * gap
        rows.append(Expected(f"skippy.{metric}", region, gap, bar, must))
    sweep = local["phase_sweep_write" if variant == "write" else "phase_sweep_read_nocache"]
    mtm = float(sweep["min_latency_same_track_ms"])
    share = 0.03 if strictness == CLEAN else 0.06
    rows.append(
        Expected(
            "skippy.mtm",
            f"{region}/{variant}",
            mtm,
            max(share * mtm, block_ms / 2),
            must and strictness == CLEAN,
        )
    )
    return rows
