"""Two to eight groups beside each other: who is better in what, where that is shown. Pure.

Every pair of groups is tested in every number (Welch; ranks where a group does not scatter), and all tests of
one comparison are corrected together (Holm): the chance of a single false mark among all is 1 - level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from server.benchmarks.contract import Direction, Metric, MetricKey
from server.comparison.group_numbers import Sample
from server.core.text import natural_order
from server.stats.intervals import check_level, holm, small_sample_factor
from server.stats.paired import compare_paired
from server.stats.power import needed_units
from server.stats.results import Interval, Needed
from server.stats.unpaired import (
    Moments,
    compare_unpaired,
    mean_interval_of,
    moments,
    pooled_stdev_of,
    welch,
)

PAIRS_ENOUGH = 3
"""Drives that are in both groups from which they are compared with themselves."""

LITERATURE = "literature"


@dataclass(frozen=True, slots=True)
class Member:
    """A group as the arithmetic sees it."""

    samples: Mapping[MetricKey, Sample]
    provenance: str
    model: int
    """The drive model: units of two models are never the same drive."""
    run_ids: frozenset[str]
    single: bool
    """Whether all of it is one drive."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two groups in one number, A minus B; `a` and `b` are places among the groups."""

    a: int
    b: int
    method: str
    """`welch`, `ranks`, `paired`, or empty where nothing could be tested."""
    difference: Interval | None
    """Not corrected: of this pair alone."""
    effect: float | None
    """Hedges' g: the difference in standard deviations within the groups."""
    p: float | None
    adjusted_p: float | None = None
    higher: int | None = None
    """The group that is higher for certain, after the correction; None where nothing is shown."""
    better: int | None = None
    needed: Needed | None = None
    """What would decide; of a row's undecided pairs only the one with the largest effect has it."""
    reason: str = ""
    """Why nothing could be tested."""
    stdev: float | None = None
    """Within the groups."""
    sizes: tuple[int, int] = (0, 0)
    equal: bool = False
    """Whether the two are practically equal: nobody would notice what differs."""
    percent: float | None = None
    """By how much A is above B, of the lower of the two."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One group in one number."""

    n: int
    """Drives; runs where each group is one drive."""
    runs: int
    mean: float | None
    interval: Interval | None
    """Of the mean, or of the only measurement."""
    own: bool
    """Whether the interval is the only measurement's own, which says nothing of other drives."""
    better_than: tuple[int, ...] = ()
    worse_than: tuple[int, ...] = ()
    best: bool = False
    """Whether it is better than each other group that has the number."""


@dataclass(frozen=True, slots=True)
class Row:
    """One number over all groups."""

    metric: str
    scope: str
    entry: Metric | None
    cells: tuple[Cell, ...]
    pairs: tuple[Pair, ...]

    @property
    def decided(self) -> tuple[Pair, ...]:
        """The pairs in which a difference is shown."""
        return tuple(pair for pair in self.pairs if pair.higher is not None)


@dataclass(frozen=True, slots=True)
class Table:
    """All numbers over all groups."""

    level: float
    noun: str
    """What repeats: `unit`, or `run` where each group is one drive."""
    tests: int
    """How many tests were corrected together."""
    rows: tuple[Row, ...]


def compare(members: Sequence[Member], metrics: Mapping[str, Metric], *, level: float) -> Table:
    """Compare groups in the metrics given, in their order; rows are of the scopes that any group has."""
    check_level(level)
    by_run = all(member.single for member in members)
    order = {name: index for index, name in enumerate(metrics)}
    keys = sorted(
        {key for member in members for key in member.samples if key[0] in order},
        key=lambda key: (order[key[0]], natural_order(key[1])),
    )
    rows = [_row(members, key, metrics.get(key[0]), level, by_run) for key in keys]
    tested = [pair.p for row in rows for pair in row.pairs if pair.p is not None]
    adjusted = iter(holm(tested))
    corrected = []
    for row in rows:
        pairs = tuple(
            pair if pair.p is None else _corrected(pair, next(adjusted), row.entry, level)
            for pair in row.pairs
        )
        corrected.append(
            replace(row, pairs=_with_needed(pairs, level), cells=cells_compared(row.cells, pairs))
        )
    return Table(level, "run" if by_run else "unit", len(tested), tuple(corrected))


def _row(members: Sequence[Member], key: MetricKey, entry: Metric | None, level: float, by_run: bool) -> Row:
    samples = [member.samples.get(key) for member in members]
    values = [_values(sample, by_run) for sample in samples]
    sums = [moments(list(found.values())) if found else None for found in values]
    cells = tuple(_cell(sample, found, level) for sample, found in zip(samples, sums, strict=True))
    pairs = tuple(
        _pair((a, b), members, (values[a], values[b]), (sums[a], sums[b]), level)
        for a, b in combinations(range(len(members)), 2)
        if values[a] and values[b]
    )
    return Row(key[0], key[1], entry, cells, pairs)


def _values(sample: Sample | None, by_run: bool) -> dict[str, float]:
    if sample is None:
        return {}
    return sample.run_values() if by_run else sample.unit_means()


def _cell(sample: Sample | None, found: Moments | None, level: float) -> Cell:
    if sample is None or found is None:
        return Cell(0, 0, None, None, False)
    interval = mean_interval_of(found, level)
    own = found.n == 1 and sample.bounds is not None
    if own and sample.bounds is not None:
        low, high, of = sample.bounds
        interval = Interval(found.mean, low, high, of)
    return Cell(sample.drives or found.n, sample.runs, found.mean, interval, own)


def _pair(
    indices: tuple[int, int],
    members: Sequence[Member],
    values: tuple[Mapping[str, float], Mapping[str, float]],
    sums: tuple[Moments | None, Moments | None],
    level: float,
) -> Pair:
    a, b = members[indices[0]], members[indices[1]]
    missing = _missing_reason(a, b, values)
    if missing:
        return Pair(*indices, "", None, None, None, reason=missing)
    if a.model == b.model and len(values[0].keys() & values[1].keys()) >= PAIRS_ENOUGH:
        paired = compare_paired(values[0], values[1], level=level)
        method = "paired" if paired.p is not None else ""
        return Pair(
            *indices,
            method,
            paired.difference,
            paired.effect,
            paired.p,
            needed=paired.needed,
            reason=paired.reason,
        )
    test = welch(sums[0], sums[1], level) if sums[0] and sums[1] else None
    if test is None or not sums[0] or not sums[1]:
        return _by_ranks(indices, list(values[0].values()), list(values[1].values()), level)
    stdev, sizes = pooled_stdev_of(sums[0], sums[1]), (sums[0].n, sums[1].n)
    effect = small_sample_factor(sum(sizes) - 2) * test.difference.value / stdev if stdev else None
    return Pair(*indices, "welch", test.difference, effect, test.p, stdev=stdev, sizes=sizes)


def _missing_reason(a: Member, b: Member, values: tuple[Mapping[str, float], Mapping[str, float]]) -> str:
    """Return why two groups can't be tested against each other, or nothing."""
    if a.provenance != b.provenance:
        return "One is measured in another way than the other: side by side only."
    if a.provenance == LITERATURE:
        return "A document gives one number and not those of the units behind it."
    if a.run_ids & b.run_ids:
        return "The two share runs, which would count on both sides."
    fewest = min(len(found) for found in values)
    if fewest < 2:
        what = "run" if a.single and b.single else "unit"
        return f"One {what} alone does not tell how far {what}s scatter: at least two of each are needed."
    return ""


def _by_ranks(indices: tuple[int, int], a: Sequence[float], b: Sequence[float], level: float) -> Pair:
    """Compare where a group does not scatter: the full comparison knows when ranks may decide."""
    full = compare_unpaired(a, b, level=level)
    interval = full.ranks.shift_interval if full.ranks else None
    method = "ranks" if full.p is not None else ""
    return Pair(*indices, method, interval, None, full.p, needed=full.needed, reason=full.reason)


def _corrected(pair: Pair, adjusted_p: float, entry: Metric | None, level: float) -> Pair:
    """Return the pair with what is shown once all tests are counted."""
    shown = adjusted_p <= 1 - level and pair.difference is not None and pair.difference.value != 0
    if not shown or pair.difference is None:
        return replace(pair, adjusted_p=adjusted_p)
    higher, lower = (pair.a, pair.b) if pair.difference.value > 0 else (pair.b, pair.a)
    direction = entry.direction if entry else Direction.NEITHER
    better = {Direction.HIGHER: higher, Direction.LOWER: lower}.get(direction)
    return replace(pair, adjusted_p=adjusted_p, higher=higher, better=better, needed=None)


def _with_needed(pairs: Sequence[Pair], level: float) -> tuple[Pair, ...]:
    """Return the pairs, the undecided one with the largest effect with what would decide it."""
    undecided = [pair for pair in pairs if pair.higher is None and pair.method == "welch"]
    if not undecided:
        return tuple(pairs)
    chosen = max(undecided, key=lambda pair: (abs(pair.effect or 0.0), -pair.a, -pair.b))
    difference = chosen.difference.value if chosen.difference else 0.0
    needed = needed_units(difference, chosen.stdev, chosen.sizes, level, None)
    return tuple(replace(pair, needed=needed) if pair is chosen else pair for pair in pairs)


def cells_compared(cells: Sequence[Cell], pairs: Sequence[Pair]) -> tuple[Cell, ...]:
    """Return cells with which others each is better than."""
    marked = []
    there = {index for index, cell in enumerate(cells) if cell.mean is not None}
    for index, cell in enumerate(cells):
        wins = tuple(sorted(_other(pair, index) for pair in pairs if pair.better == index))
        losses = tuple(
            sorted(
                _other(pair, index)
                for pair in pairs
                if pair.better not in (None, index) and index in (pair.a, pair.b)
            )
        )
        best = len(there) > 1 and set(wins) == there - {index}
        marked.append(replace(cell, better_than=wins, worse_than=losses, best=best))
    return tuple(marked)


def _other(pair: Pair, index: int) -> int:
    return pair.b if pair.a == index else pair.a
