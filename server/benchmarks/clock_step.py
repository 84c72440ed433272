"""A clock that counts in steps: what a step may hide is in the intervals of numbers, or makes them poor.

A machine without a better source has a clock of some microseconds to milliseconds, and other tools round
what they print. Kinds take each time for exact; here they are asked again with times that a step would have
hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import ExtractFunction, Extraction, Facts, Measurement, MetricKey, Quality

COARSE_NS = 1_000
FEWEST_TIMES, FEWEST_VALUES = 50, 4
"""Fewer times, or values that they have, fall on a step by chance, or were made up."""
ROUNDING_NS = 1
"""A step that is no whole number of nanoseconds was rounded to one each time."""
MOVED = 0.1
"""A number that one step moves by more of it is not told by this clock."""
REASON = (
    "The clock counts in steps of {step:g} µs, or times were rounded to them: the interval reaches as far "
    "as a step may matter."
)
UNTOLD = (
    "The clock counts in steps of {step:g} µs, or times were rounded to them: too coarse for this number."
)

Times = NDArray[np.int64]
Change = Callable[[Times], Times]


def extraction_by_steps(extract: ExtractFunction, entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Extract, with intervals that hold what the steps of the clock may hide."""
    found = extract(entry, facts)
    step = step_ns(entry["samples"])
    if step < COARSE_NS:
        return found
    others = [
        {(one.metric, one.scope): one for one in extract(_with_times(entry, change), facts).measurements}
        for change in _changes(step)
    ]
    measurements = tuple(_by_steps(one, [other.get(_key(one)) for other in others], step)
                         for one in found.measurements)  # fmt: skip
    return replace(found, measurements=measurements)


def _changes(step: int) -> list[Change]:
    """All times longer, all shorter, and thrice each by what its beginning and its end may be off."""
    random = np.random.default_rng(step)

    def blurred(times: Times) -> Times:
        off = random.uniform(-0.5, 0.5, (2, len(times))).sum(axis=0) * step
        moved: Times = np.maximum(times + np.rint(off).astype(np.int64), 1)
        return moved

    # Chance may leave a spread as it was once, and hardly three times.
    return [lambda times: times + step, lambda times: np.maximum(times - step, 1), *[blurred] * 3]


def _by_steps(found: Measurement, others: list[Measurement | None], step: int) -> Measurement:
    if found.value is None or found.quality is Quality.POOR:
        return found
    values = [other.value for other in others if other is not None and other.value is not None]
    moved = max((abs(value - found.value) for value in values), default=0.0)
    if len(values) < len(others) or moved > MOVED * abs(found.value):
        return replace(found, quality=Quality.POOR, reason=UNTOLD.format(step=step / 1e3))
    low, high = (found.value if end is None else end for end in (found.low, found.high))
    if found.value - moved >= low and found.value + moved <= high:
        return found
    return replace(
        found,
        low=min(low, found.value - moved),
        high=max(high, found.value + moved),
        quality=Quality.FAIR,
        reason=f"{REASON.format(step=step / 1e3)} {found.reason}".strip(),
    )


def _key(one: Measurement) -> MetricKey:
    return one.metric, one.scope


def step_ns(samples: Any) -> int:
    """Return the step by whose multiples all times of a kind's samples differ; 1 where there is none."""
    times = np.concatenate([np.empty(0, dtype=np.int64), *_columns(samples)])
    times = times[times > 0]
    if len(times) < FEWEST_TIMES:
        return 1
    # A few hundred tell nearly every clock that has no step.
    some = _step_of(times[:: max(len(times) // 500, 1)])
    return 1 if some < COARSE_NS else _step_of(times)


def _step_of(times: Times) -> int:
    values = np.unique(times)
    if len(values) < FEWEST_VALUES:
        return 1
    whole = int(np.gcd.reduce(np.diff(values)))
    if whole >= COARSE_NS:
        return whole
    step = int(np.diff(values).min())
    # A step of a part of a nanosecond is known the better, the more of them a difference holds.
    exact, unsure = float(step), 2.0 * ROUNDING_NS
    for apart in (values[1:] - values[0]).tolist():
        count = max(round(apart / exact), 1)
        if unsure * count > exact / 2 or abs(apart - count * exact) > unsure * count + ROUNDING_NS:
            return 1
        if ROUNDING_NS * 2 / count < unsure:
            exact, unsure = apart / count, ROUNDING_NS * 2 / count
    return step


def _columns(found: Any) -> list[Times]:
    if isinstance(found, list):
        return [column for one in found if isinstance(one, dict | list) for column in _columns(one)]
    if not isinstance(found, dict):
        return []
    own = [np.array(value, dtype=np.int64) for name, value in found.items() if _is_times(name, value)]
    return own + [column for value in found.values() if isinstance(value, dict | list)
                  for column in _columns(value)]  # fmt: skip


def _with_times(entry: Mapping[str, Any], change: Change) -> Mapping[str, Any]:
    return {**entry, "samples": _changed(entry["samples"], change)}


def _changed(found: Any, change: Change) -> Any:
    if isinstance(found, list):
        return [_changed(one, change) for one in found] if found and isinstance(found[0], dict) else found
    if not isinstance(found, dict):
        return found
    return {
        name: change(np.array(value, dtype=np.int64)).tolist()
        if _is_times(name, value)
        else _changed(value, change)
        for name, value in found.items()
    }


def _is_times(name: str, value: Any) -> bool:
    """Whether a column holds how long something took, and not when it began."""
    return (
        name.endswith("_ns") and name != "start_ns" and isinstance(value, list)
        and bool(value) and None not in value
    )  # fmt: skip
