"""A model by variant, batch or firmware revision: how its drives are distributed, and whether it matters."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Max

from server.benchmarks.contract import Metric, MetricKey
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel
from server.core.cache import cached
from server.core.lifecycle import Provenance
from server.core.numbers import show_deviation, write
from server.measurements.group_keys import Source, batch_key, firmware_key, variant_key
from server.measurements.groups import Group
from server.measurements.model_measurements import PublishedRun
from server.measurements.models import Aggregate
from server.model_stats.confounders import Tested
from server.model_stats.mechanism.features import METRICS
from server.model_stats.statistics import LEVEL, DriveStatistics, drive_statistics, statistics_of
from server.model_stats.values import RunNumbers, model_numbers
from server.stats.spread import Components, variance_components
from server.stats.wording import count_words, quantity

CONDITIONS = {
    "variant": ("variant", "variants"),
    "batch": ("batch", "batches"),
    "firmware": ("firmware revision", "firmware revisions"),
}
_FORM = 1
"""Raised when the dataclasses below change, so that none of an older form comes out of the cache."""


@dataclass(frozen=True, slots=True)
class BreakdownPart:
    """One variant, batch or firmware revision."""

    name: str
    key: str
    """Names it as a group."""
    runs: int
    units: int


@dataclass(frozen=True, slots=True)
class BreakdownNumber:
    """One number over the parts."""

    metric: str
    scope: str
    entry: Metric | None
    values: Mapping[str, tuple[float, ...]]
    """Division to its drives' numbers, each drive with the mean over its runs."""
    tested: Tested | None
    components: Components
    """Drives of one part against parts."""
    words: str


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A model's runs of one provenance by one condition."""

    condition: str
    provenance: str
    parts: tuple[BreakdownPart, ...]
    unidentified_runs: int
    """Runs that do not tell theirs."""
    numbers: tuple[BreakdownNumber, ...]
    words: str
    """What the tests say over all numbers; empty where there is nothing to compare."""
    lack: str
    """What is missing for a comparison; empty where nothing is."""


def provenance_shown(drive_model: DriveModel) -> Provenance | None:
    """Return measured where there are such runs, else simulated; None where there are none."""
    there = set(
        Aggregate.objects.filter(drive_model=drive_model).values_list("provenance", flat=True).distinct()
    )
    return next((provenance for provenance in Provenance if provenance.value in there), None)


def model_breakdown(*, drive_model: DriveModel, condition: str) -> Breakdown | None:
    """Return a model by variant, batch or firmware revision; None where it has no runs with numbers.

    Computed once after each change of the model's aggregates.
    """
    provenance = provenance_shown(drive_model)
    if provenance is None:
        return None
    updated = Aggregate.objects.filter(drive_model=drive_model, provenance=provenance).aggregate(
        at=Max("updated_at")
    )["at"]
    key = f"divided:{_FORM}:{condition}:{drive_model.pk}:{provenance.value}:{updated.timestamp()}"
    return cached(key, lambda: _breakdown(drive_model, provenance, condition))


def _breakdown(drive_model: DriveModel, provenance: Provenance, condition: str) -> Breakdown:
    headline = [name for name, metric in metrics_by_key().items() if metric.headline]
    found = model_numbers(drive_model=drive_model, provenance=provenance, metrics=headline)
    statistics = drive_statistics(drive_model=drive_model, provenance=provenance)
    confounder = next(
        (one for one in statistics.confounders if one.condition == condition) if statistics else iter(()),
        None,
    )
    tests = {(test.metric, test.scope): test for test in confounder.tests} if confounder else {}
    parts = _parts(drive_model, found.runs, condition)
    return Breakdown(
        condition=condition,
        provenance=provenance.value,
        parts=parts,
        unidentified_runs=sum(not run.conditions.whole.get(condition, "") for run in found.runs),
        numbers=tuple(_number(found, key, condition, tests.get(key)) for key in found.keys(headline)),
        words=confounder.words if confounder else "",
        lack=_missing_reason(condition, parts),
    )


_KEYS = {"variant": variant_key, "firmware": firmware_key}


def _parts(
    drive_model: DriveModel, runs: Sequence[PublishedRun], condition: str
) -> tuple[BreakdownPart, ...]:
    slug = drive_model.slug
    keys = (
        {str(batch): batch_key(slug, batch) for batch in drive_model.batches.all()}
        if condition == "batch"
        else {}
    )
    by_state: dict[str, list[PublishedRun]] = {}
    for run in runs:
        if state := run.conditions.whole.get(condition, ""):
            by_state.setdefault(state, []).append(run)
    return tuple(
        BreakdownPart(
            state,
            keys.get(state) or _KEYS.get(condition, firmware_key)(slug, state),
            len(members),
            len({one.unit for one in members}),
        )
        for state, members in sorted(by_state.items())
    )


def _missing_reason(condition: str, parts: Sequence[BreakdownPart]) -> str:
    one, several = CONDITIONS[condition]
    if not parts:
        return f"No run here tells its {one}. One that does would make the first of these {several}."
    if len(parts) == 1:
        units = count_words(parts[0].units, "unit")
        return (
            f"All that is known here is of one {one}, {parts[0].name} ({units}). "
            f"A run of a unit of another would tell whether {several} differ."
        )
    if max(part.units for part in parts) < 2:
        return f"Each {one} is known by one unit, so nothing tells how units of one {one} scatter."
    return ""


def _number(found: RunNumbers, key: MetricKey, condition: str, tested: Tested | None) -> BreakdownNumber:
    entry = metrics_by_key().get(key[0])
    by_state = found.states_at(key, found.usable_at(key), condition)
    values = {state: tuple(here.means().values()) for state, here in by_state.items()}
    components = variance_components(list(values.values()), level=LEVEL)
    words = number_words(condition, values, tested, components, entry.unit if entry else "")
    return BreakdownNumber(key[0], key[1], entry, values, tested, components, words)


def number_words(
    condition: str,
    values: Mapping[str, Sequence[float]],
    tested: Tested | None,
    components: Components,
    unit: str,
) -> str:
    """Say whether a number differs between batches or revisions, and how much of its scatter that is."""
    one, several = CONDITIONS[condition]
    if len(values) < 2:
        return ""
    return " ".join(
        text
        for text in (_test_words(several, tested, components), _scatter_words(one, several, components, unit))
        if text
    )


def _test_words(several: str, tested: Tested | None, components: Components) -> str:
    if tested is None or tested.p is None:
        return tested.reason if tested and tested.reason else f"Too few units to compare {several}."
    if not tested.differs and components.share is not None and components.share.low > 0:
        p = show_deviation(tested.adjusted_p or 0.0)
        return (
            f"The scatter speaks for a difference between {several}, but so few units' ranks do not show it "
            f"(corrected p {p}). More units would tell."
        )
    if not tested.differs:
        return f"No difference between {several} is shown, which does not mean that there is none."
    means = {state.state: state.mean for state in tested.states}
    above = [(a, b) if means[a] > means[b] else (b, a) for a, b in tested.pairs]
    pairs = "; ".join(f"{a} is higher than {b}" for a, b in above[:4])
    more = f"; {count_words(len(above) - 4, 'more pair')}" if len(above) > 4 else ""
    return f"{several.capitalize()} differ{': ' + pairs + more if pairs else ''}."


def _scatter_words(one: str, several: str, components: Components, unit: str) -> str:
    within, between = components.within_stdev, components.between_stdev
    if not within or between is None:
        return ""
    share = components.share
    part = ""
    if share is not None:
        low, value, high = (
            write(100 * min(max(bound, 0.0), 1.0), 0) for bound in (share.low, share.value, share.high)
        )
        part = f": {value} % of the variance lies between {several} ({low} to {high} %)"
    return (
        f"Units of one {one} scatter by {quantity(within, unit, within / 4)}, "
        f"{several} by {quantity(between, unit, between / 4) if between else 'no more than that'}{part}."
    )


def part_statistics(group: Group) -> DriveStatistics | None:
    """Return the statistics of one part's runs; None where they have no usable number."""
    updated = Aggregate.objects.filter(
        drive_model=group.drive_model, provenance=group.source.value
    ).aggregate(at=Max("updated_at"))["at"]
    if updated is None or group.source == Source.LITERATURE:
        return None
    name = hashlib.sha256(group.key.encode()).hexdigest()
    key = f"part:{_FORM}:{name}:{group.source.value}:{updated.timestamp()}"
    return cached(key, lambda: _part_statistics(group))


def _part_statistics(group: Group) -> DriveStatistics | None:
    headline = [name for name, metric in metrics_by_key().items() if metric.headline]
    ids = set(group.runs().values_list("run_id", flat=True))
    provenance = Provenance(group.source.value)
    found = model_numbers(
        drive_model=group.drive_model, provenance=provenance, metrics={*headline, *METRICS}, chosen=ids
    )
    return statistics_of(found, headline, provenance=provenance.value) if found.runs else None
