"""What a model's page says of its units, batches, conditions and mechanisms."""

from __future__ import annotations

from dataclasses import dataclass

from server.benchmarks.registry import metrics_by_key
from server.core.numbers import Shown, show, show_deviation, write
from server.model_stats.statistics import DriveStatistics, NumberOfUnits, UnitOutlier
from server.stats.results import Interval
from server.stats.wording import level_text
from server.web.rows import Name, metric_name

DIGEST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """One number over the units."""

    name: Name
    mean: Shown | None
    interval: str
    deviation: str
    variation: str
    share: str
    """How much of the variance lies between units; empty where no unit has two runs."""
    units: int
    runs: int


@dataclass(frozen=True, slots=True)
class UnitsSection:
    """The section of a model's page."""

    flag: str
    mechanisms: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Units and runs of each group of drives under the model's name."""
    mixture: str
    sentences: tuple[str, ...]
    rows: tuple[SpreadRow, ...]
    level: str

    def __bool__(self) -> bool:
        return bool(self.flag or self.mixture or self.rows)


def units_section(statistics: DriveStatistics | None) -> UnitsSection | None:
    """Return what the page shows of a model's statistics over units; None where there is nothing to say."""
    if statistics is None:
        return None
    groups = statistics.mechanisms.groups if statistics.mechanism_flag else ()
    section = UnitsSection(
        flag=statistics.mechanism_flag,
        mechanisms=tuple((tuple(map(unit_name, group.units)), group.runs) for group in groups),
        mixture=f"These numbers are of {statistics.mixture}." if statistics.mixture else "",
        sentences=(
            *map(_outlier_words, statistics.apart),
            *(found.words for found in statistics.confounders),
        ),
        rows=tuple(_spread_row(number) for number in statistics.numbers if number.spread.n > 1),
        level=level_text(statistics.level),
    )
    return section or None


def unit_name(unit: str) -> str:
    """Return a drive's digest as pages show it, or whose key measured it where no run names it."""
    return f"the one of {unit[:DIGEST_SHOWN]}" if unit.startswith("key ") else unit[:DIGEST_SHOWN]


def _unit_of(metric: str) -> str:
    entry = metrics_by_key().get(metric)
    return entry.unit if entry else ""


def _spread_row(number: NumberOfUnits) -> SpreadRow:
    spread, share = number.spread, number.components.share
    interval = spread.mean_interval
    mean = show(
        spread.mean,
        _unit_of(number.metric),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )
    return SpreadRow(
        name=metric_name(number.metric, number.scope),
        mean=mean,
        interval=mean.interval if mean else "",
        deviation=show_deviation(spread.stdev) if spread.stdev is not None else "",
        variation=f"{show_deviation(100 * spread.variation)} %" if spread.variation is not None else "",
        share=_share_words(share),
        units=spread.n,
        runs=number.runs,
    )


def _share_words(share: Interval | None) -> str:
    if share is None:
        return ""
    low, value, high = (
        write(100 * min(max(bound, 0.0), 1.0), 0) for bound in (share.low, share.value, share.high)
    )
    return f"{value} % ({low} to {high})"


def _outlier_words(unit: UnitOutlier) -> str:
    name = metric_name(unit.metric, unit.scope)
    where = f" ({name.scope})" if name.scope else ""
    value = show(unit.value, _unit_of(unit.metric))
    shown = f"{value.value} {value.unit}".strip() if value else ""
    side = "above" if unit.distance > 0 else "below"
    return (
        f"Unit {unit_name(unit.unit)} stands apart in {name.title.lower()}{where}: {shown}, "
        f"{write(abs(unit.distance), 1)} robust standard deviations {side} the median."
    )
