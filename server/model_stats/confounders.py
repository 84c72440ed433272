"""Whether batches, firmware revisions and other conditions of a model's runs matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from server.benchmarks.contract import Metric, MetricKey
from server.benchmarks.registry import metrics_by_key
from server.core.scopes import scope_text
from server.measurements.conditions import BY_KEY, CONDITIONS
from server.model_stats.values import RunNumbers
from server.stats.intervals import holm
from server.stats.paired import compare_paired
from server.stats.strata import compare_strata
from server.stats.wording import count_words, quantity

OF_STRATA = ("interface", "bridge", "write_cache", "look_ahead")
"""Conditions that strata are told apart by."""
PAIRS_ENOUGH = 3
"""Drives measured in both states from which the comparison is made within drives."""


@dataclass(frozen=True, slots=True)
class StateValues:
    """One state of a condition, for one number."""

    state: str
    units: int
    mean: float


@dataclass(frozen=True, slots=True)
class Tested:
    """One number compared over the states of one condition."""

    metric: str
    scope: str
    states: tuple[StateValues, ...]
    within_units: bool
    """Whether the same drives were measured in both states, and only they were compared."""
    p: float | None
    """None where nothing could be tested; `reason` says why."""
    adjusted_p: float | None
    differs: bool
    pairs: tuple[tuple[str, str], ...]
    """Which states differ from each other."""
    reason: str


@dataclass(frozen=True, slots=True)
class Confounder:
    """One condition that runs differ in, and what it does to the numbers."""

    condition: str
    states: Mapping[str, int]
    """Runs of each state; the empty one was not told."""
    tests: tuple[Tested, ...]
    words: str

    @property
    def matters(self) -> bool:
        """Whether it changes a number for certain."""
        return any(test.differs for test in self.tests)


def confounders(
    numbers: RunNumbers,
    keys: Sequence[MetricKey],
    differing: Mapping[str, Mapping[str, int]],
    level: float,
) -> tuple[Confounder, ...]:
    """Test every number over every condition that differs; all tests together are corrected (Holm).

    `places` stand in the order in which they are told of; what the way to the disk and its caches do is told
    by the numbers of all strata.
    """
    tests = {
        condition: [_tested(numbers, key, condition, level) for key in keys]
        for condition in differing
        if condition in BY_KEY
    }
    flat = [test for group in tests.values() for test in group if test.p is not None]
    adjusted = iter(holm([test.p for test in flat if test.p is not None]))
    found = []
    for condition in CONDITIONS:
        if condition.key not in tests:
            continue
        judged = tuple(
            test if test.p is None else _judged(test, next(adjusted), level) for test in tests[condition.key]
        )
        words = _words(condition.key, judged, len(flat))
        found.append(Confounder(condition.key, dict(differing[condition.key]), judged, words))
    return tuple(found)


def _tested(numbers: RunNumbers, key: MetricKey, condition: str, level: float) -> Tested:
    here = numbers.usable_at(key, every_stratum=condition in OF_STRATA)
    by_state = numbers.states_at(key, here, condition)
    means = {
        state: {numbers.unit_names[unit]: mean for unit, mean in found.means().items()}
        for state, found in by_state.items()
    }
    states = tuple(
        StateValues(state, len(units), sum(units.values()) / len(units)) for state, units in means.items()
    )
    if len(means) == 2:
        first, second = means.values()
        if len(first.keys() & second.keys()) >= PAIRS_ENOUGH:
            paired = compare_paired(first, second, level=level)
            pairs = (tuple(means),) if paired.p is not None else ()
            return Tested(*key, states, True, paired.p, None, False, pairs, paired.reason)  # type: ignore[arg-type]
    strata = compare_strata({state: list(units.values()) for state, units in means.items()}, level=level)
    apart = tuple((pair.a, pair.b) for pair in strata.pairs if pair.differs)
    return Tested(*key, states, False, strata.p, None, False, apart, strata.reason)


def _judged(test: Tested, adjusted_p: float, level: float) -> Tested:
    differs = adjusted_p <= 1 - level
    return replace(test, adjusted_p=adjusted_p, differs=differs, pairs=test.pairs if differs else ())


def _words(condition: str, tests: Sequence[Tested], comparisons: int) -> str:
    plural = BY_KEY[condition].plural
    plural = plural[0].upper() + plural[1:]
    differing = [test for test in tests if test.differs]
    if differing:
        numbers = "; ".join(_test_words(test) for test in differing[:3])
        more = f"; {len(differing) - 3} more" if len(differing) > 3 else ""
        return f"{plural} differ in {numbers}{more} (corrected for {count_words(comparisons, 'comparison')})."
    tested = [test for test in tests if test.p is not None]
    if not tested:
        return f"{plural}: too few units to tell whether they matter."
    return (
        f"{plural}: no difference is shown in {count_words(len(tested), 'number')} compared, "
        "which does not mean that there is none."
    )


def _test_words(test: Tested) -> str:
    metric: Metric | None = metrics_by_key().get(test.metric)
    title, unit = (metric.title.lower(), metric.unit) if metric else (test.metric, "")
    where = f" ({scope_text(test.scope)})" if test.scope else ""
    spread = max(one.mean for one in test.states) - min(one.mean for one in test.states)
    states = ", ".join(
        f"{one.state}: {quantity(one.mean, unit, spread)} ({count_words(one.units, 'unit')})"
        for one in test.states
    )
    return f"{title}{where}, {states}"
