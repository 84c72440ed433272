"""Two groups at the same positions: the t interval of their differences (Jain 1991, 13.4.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy import stats

from server.stats.intervals import (
    Values,
    check_level,
    mean_interval,
    small_sample_factor,
    usable_by_key,
    varies,
)
from server.stats.power import decide, needed_pairs
from server.stats.results import Decision, Paired


def compare_paired(
    a: Mapping[str, float | None], b: Mapping[str, float | None], *, level: float, margin: float | None = None
) -> Paired:
    """Compare A with B where both have a value; the rest is left out and named.

    `margin` is the largest difference that does not matter, in the values' unit.
    """
    check_level(level)
    first, second = usable_by_key(a), usable_by_key(b)
    keys = tuple(key for key in first if key in second)
    differences = np.asarray([first[key] - second[key] for key in keys], dtype=np.float64)
    size = max((abs(value) for key in keys for value in (first[key], second[key])), default=0.0)
    testable = varies(differences, size)
    found = mean_interval(differences, level) if testable else None
    stdev = float(differences.std(ddof=1)) if testable else None
    decision, reason = _outcome(differences, found is not None, bool(first and second))
    t = p = effect = None
    if found is not None and stdev is not None:
        t = found.value / (stdev / math.sqrt(differences.size))
        p = 2 * float(stats.t.sf(abs(t), differences.size - 1))
        effect = small_sample_factor(differences.size - 1) * found.value / stdev
        decision, reason = decide(found, margin), ""
    return Paired(
        level=level,
        n=len(keys),
        keys=keys,
        only_a=tuple(key for key in first if key not in second),
        only_b=tuple(key for key in second if key not in first),
        without_number=tuple(key for key in {**a, **b} if key not in first and key not in second),
        differences=tuple(float(value) for value in differences),
        difference=found,
        stdev=stdev,
        t=t,
        p=p,
        effect=effect,
        needed=needed_pairs(found, stdev, differences.size, margin) if decision is _UNDECIDED else None,
        decision=decision,
        reason=reason,
    )


_UNDECIDED = Decision.UNDECIDED


def _outcome(differences: Values, testable: bool, both: bool) -> tuple[Decision, str]:
    """Return what is said where no interval can be had."""
    if testable:
        return Decision.UNDECIDED, ""
    if not both:
        return Decision.NOT_COMPARABLE, "One of the two has no value at all."
    if differences.size == 0:
        return Decision.NOT_COMPARABLE, "The two have no position in common, so nothing can be paired."
    if differences.size == 1:
        return Decision.UNDECIDED, "They have one position in common; an interval takes at least two."
    if not differences.any():
        return Decision.UNDECIDED, (
            "Both have the same value at every position. That may be rounding or a copy: without any scatter "
            "there is no interval."
        )
    return Decision.UNDECIDED, (
        "The difference is the same at every position. Without any scatter there is no interval; real "
        "measurements scatter, so the values may be rounded or computed."
    )
