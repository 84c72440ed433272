"""Conditions under which numbers are never put into one median: the way to the disk, and its caches on or
off.

Of a model's numbers at one place, those of the conditions under which most units were measured stand for it;
what was measured under others stands beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.measurements.model_measurements import Column, ModelMeasurements

FIELDS = ("way", "write_cache", "look_ahead")
"""What a stratum is told by. A state that nobody told is one of its own: it may be either."""
_WORDS = {
    ("way", "direct"): "without a bridge",
    ("way", "bridged"): "through a USB bridge",
    ("write_cache", "on"): "write cache on",
    ("write_cache", "off"): "write cache off",
    ("look_ahead", "on"): "look-ahead on",
    ("look_ahead", "off"): "look-ahead off",
}


# The same in SQL, of a run `r`.


def _state(value: str) -> str:
    return f"CASE {value} WHEN 'true' THEN 'on' WHEN 'false' THEN 'off' END"


def _cache(of_run: str, of_kind: str) -> str:
    """The state of a cache during a run; where that is not told, what its benchmarks found."""
    state = _state(f"o.caches ->> '{of_kind}'")
    cache = _state(f"r.summary -> 'conditions' ->> '{of_run}'")
    return (
        f"coalesce({cache}, "
        f"(SELECT string_agg(DISTINCT {state}, ' and ' ORDER BY {state}) "
        "FROM measurements_benchmark o WHERE o.run_id = r.run_id AND o.caches IS NOT NULL), '')"
    )


WAY_SQL = """CASE
    WHEN coalesce(nullif(r.summary -> 'device' -> 'bridge', '{}'), 'null') <> 'null'
        OR r.summary -> 'device' ->> 'interface' = 'usb' THEN 'bridged'
    WHEN coalesce(r.summary -> 'device' ->> 'interface', 'unknown') = 'unknown' THEN ''
    ELSE 'direct' END"""
WRITE_CACHE_SQL = _cache("write_cache_during", "write")
LOOK_AHEAD_SQL = _cache("look_ahead_during", "look_ahead")
_WRITE, _AHEAD = _state("b.caches ->> 'write'"), _state("b.caches ->> 'look_ahead'")


def stratum_sql(run: str) -> str:
    """Return the stratum during a benchmark `b`, from the columns `way`, `write_cache` and `look_ahead` of a
    table of runs that were made by the expressions above."""
    return (
        f"concat_ws('/', {run}.way, CASE WHEN b.caches IS NULL THEN {run}.write_cache "
        f"ELSE coalesce({_WRITE}, '') END, CASE WHEN b.caches IS NULL THEN {run}.look_ahead "
        f"ELSE coalesce({_AHEAD}, '') END)"
    )


def stratum_of(conditions: Mapping[str, str]) -> str:
    """Return the stratum of what was measured under some conditions, as `direct/off/on`."""
    bridge = conditions.get("bridge", "")
    if bridge == "none":
        way = "direct"
    else:
        way = "bridged" if bridge or conditions.get("interface") == "usb" else ""
    return "/".join((way, conditions.get("write_cache", ""), conditions.get("look_ahead", "")))


def stratum_states(stratum: str) -> dict[str, str]:
    """Return the states of a stratum by their fields, those that were told."""
    return {field: state for field, state in zip(FIELDS, stratum.split("/"), strict=True) if state}


def stratum_words(states: Mapping[str, str]) -> str:
    """Return `through a USB bridge, write cache on`; `not told` where nothing is known."""
    words = [_WORDS.get((field, state), f"{field}: {state}") for field, state in states.items()]
    return ", ".join(words) or "conditions not told"


def strata_ranked(counts: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return strata, given with the units and runs of each, in their order: the first one, of most units,
    then most runs, then by name, stands for the model."""
    return sorted(counts, key=lambda name: (-counts[name][0], -counts[name][1], name))


@dataclass(frozen=True, slots=True)
class Split:
    """The usable numbers of a column by stratum, as places in the column."""

    lead: str
    """The stratum that stands for the model."""
    of_lead: NDArray[np.int64]
    others: Mapping[str, NDArray[np.int64]]
    """Those with most units first."""


class Strata:
    """The strata of a model's runs."""

    def __init__(self, published: ModelMeasurements) -> None:
        """Take the runs whose columns will be asked for."""
        self._runs = published.runs
        numbers: dict[str, int] = {}
        self.units: NDArray[np.int64] = np.asarray(
            [numbers.setdefault(run.unit, len(numbers)) for run in published.runs], dtype=np.int64
        )
        """The unit of each run, as a number."""
        self._telling = {kind for run in published.runs for kind in run.conditions.kinds}
        self._of_kind: dict[str, tuple[list[str], NDArray[np.int64]]] = {}

    def split(self, metric: str, column: Column) -> Split | None:
        """Return the usable numbers of a column by stratum; None where there are none."""
        usable = np.flatnonzero(column.usable)
        if not usable.size:
            return None
        names, codes = self._codes(metric.partition(".")[0])
        here = codes[column.runs[usable]]
        if (here == here[0]).all():
            return Split(names[here[0]], usable, {})
        parts = {names[code]: usable[here == code] for code in np.unique(here)}
        order = strata_ranked({name: self._counts(column.runs[part]) for name, part in parts.items()})
        return Split(order[0], parts[order[0]], {name: parts[name] for name in order[1:]})

    def _counts(self, runs: NDArray[np.int64]) -> tuple[int, int]:
        return np.unique(self.units[runs]).size, runs.size

    def _codes(self, kind: str) -> tuple[list[str], NDArray[np.int64]]:
        """Return the strata, and each run's number among them, during benchmarks of a kind."""
        key = kind if kind in self._telling else ""
        if key not in self._of_kind:
            known: dict[str, int] = {}
            # Runs that were made alike share their conditions: each is looked at once.
            alike: dict[int, int] = {}
            codes = []
            for run in self._runs:
                if (code := alike.get(id(run.conditions))) is None:
                    stratum = stratum_of(run.conditions.during(kind))
                    code = alike[id(run.conditions)] = known.setdefault(stratum, len(known))
                codes.append(code)
            self._of_kind[key] = list(known), np.asarray(codes, dtype=np.int64)
        return self._of_kind[key]
