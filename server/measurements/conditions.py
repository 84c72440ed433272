"""What runs of one model differ in beside the drive: what confounds a comparison, in words that compare."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, QuerySet, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Concat

from server.measurements.models import Benchmark, Run
from server.measurements.variants import variant_reported

Fields = Mapping[str, Any]
"""The columns that `_FIELDS` names."""
Differing = dict[str, dict[str, int]]
"""Condition to value to number of runs, the most frequent first; an empty value was not told."""

NAMES_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that runs may differ in."""

    key: str
    title: str
    plural: str
    of: Callable[[Fields], str]
    """Returns the state in words, or nothing where it was not told."""


_FIELDS = {
    "vendor": KT("summary__device__vendor"),
    "model": KT("summary__device__model"),
    "firmware": F("firmware"),
    "year": F("batch__year"),
    "week": F("batch__week"),
    "label": F("batch__label"),
    "interface": KT("summary__device__interface"),
    "kernel": KT("summary__host__kernel"),
    "probe": KT("summary__probe__version"),
    "bridge": KT("summary__device__bridge"),
    "link_speed": KT("summary__device__link_speed_bits_per_s"),
    "hba": KT("summary__host__hba"),
    "write_cache": KT("summary__conditions__write_cache_during"),
    "look_ahead": KT("summary__conditions__look_ahead_during"),
}
_CACHES = {"write_cache": "write", "look_ahead": "look_ahead"}
"""Conditions that a benchmark may tell apart from its run, and their names there."""
_OF_KINDS = ArraySubquery(
    Benchmark.objects.filter(run=OuterRef("pk"), caches__isnull=False)
    .order_by("kind")
    .values_list(Concat("kind", Value(" "), Cast("caches", TextField()), output_field=TextField()))
)
_AS_JSON = ("bridge", "link_speed", "hba", "write_cache", "look_ahead")
"""Columns whose text is JSON."""


def _variant(fields: Fields) -> str:
    """Return what the maker tells drives of one model apart by, which may be different mechanisms."""
    return variant_reported(fields["vendor"], fields["model"])


def _batch(fields: Fields) -> str:
    week = f"{fields['year']}-W{fields['week']:02d}" if fields["year"] and fields["week"] else ""
    return " ".join(part for part in (week, fields["label"]) if part)


def _bridge(fields: Fields) -> str:
    bridge = fields["bridge"]
    if not bridge:
        return "" if fields["interface"] in (None, "usb", "unknown") else "none"
    name = " ".join(part for part in (bridge.get("vendor"), bridge.get("product")) if part)
    numbers = _ids(bridge.get("usb_vendor_id"), bridge.get("usb_product_id"))
    return f"{name} {numbers}".strip() or "of unknown make"


def _hba(fields: Fields) -> str:
    hba = fields["hba"] or {}
    return f"{hba.get('driver') or ''} {_ids(hba.get('pci_vendor_id'), hba.get('pci_device_id'))}".strip()


def _ids(vendor: str | None, product: str | None) -> str:
    return f"({vendor}:{product})" if vendor and product else ""


def _kernel(fields: Fields) -> str:
    """Return the series alone: what a distribution appends changes nothing that a disk notices."""
    text = fields["kernel"] or ""
    found = re.match(r"(\D*\d+\.\d+)", text)
    return found.group(1).strip() if found else text


_STATES: Mapping[bool | None, str] = {True: "on", False: "off"}


def _switch(key: str) -> Callable[[Fields], str]:
    return lambda fields: _STATES.get(fields[key], "")


def _link_speed(fields: Fields) -> str:
    speed = fields["link_speed"]
    return f"{speed / 1e9:g} Gb/s" if speed else ""


CONDITIONS = (
    Condition("variant", "variant of the model", "variants of the model", _variant),
    Condition("firmware", "firmware revision", "firmware revisions", lambda fields: fields["firmware"] or ""),
    Condition("batch", "batch", "batches", _batch),
    Condition("interface", "interface", "interfaces", lambda fields: fields["interface"] or ""),
    Condition("bridge", "USB bridge", "USB bridges", _bridge),
    Condition("hba", "host adapter", "host adapters", _hba),
    Condition("link_speed", "link speed", "link speeds", _link_speed),
    Condition("kernel", "kernel", "kernels", _kernel),
    Condition("write_cache", "state of the write cache", "states of the write cache", _switch("write_cache")),
    Condition("look_ahead", "state of the look-ahead", "states of the look-ahead", _switch("look_ahead")),
    Condition("probe", "probe version", "probe versions", lambda fields: fields["probe"] or ""),
)
BY_KEY = {condition.key: condition for condition in CONDITIONS}


@dataclass(frozen=True, slots=True)
class RunConditions:
    """What one run was made under; runs that were made alike share one."""

    whole: Mapping[str, str]
    """Condition to state. The state of a cache that the run's benchmarks found in several is `off and on`."""
    kinds: Mapping[str, Mapping[str, str]]
    """The same during one benchmark, of those that told their caches."""

    def during(self, kind: str) -> Mapping[str, str]:
        """Return the conditions during a benchmark of that kind; the run's where it told none of its own."""
        return self.kinds.get(kind, self.whole)


UNKNOWN_CONDITIONS = RunConditions({}, {})


def conditions_of(runs: QuerySet[Run]) -> dict[UUID, RunConditions]:
    """Return the conditions of some runs; those of runs that were made alike are one."""
    return {run_id: made for made, run_id in rows_with_conditions(runs, "run_id")}


def rows_with_conditions(runs: QuerySet[Run], *wanted: str) -> Iterator[tuple[Any, ...]]:
    """Give each run's conditions, and behind them the columns that are wanted of it, in the runs' order."""
    rows = runs.annotate(**{f"of_{name}": column for name, column in _FIELDS.items()}, of_kinds=_OF_KINDS)
    known: dict[tuple[Any, ...], RunConditions] = {}
    names = [f"of_{name}" for name in _FIELDS]
    for row in rows.values_list(*wanted, "of_kinds", *names).iterator(chunk_size=2000):
        own, kinds, columns = row[: len(wanted)], row[len(wanted)], row[len(wanted) + 1 :]
        key = (*kinds, *columns)
        if key not in known:
            known[key] = _conditions(dict(zip(_FIELDS, columns, strict=True)), kinds)
        yield known[key], *own


def _conditions(fields: dict[str, Any], kinds: Iterable[str]) -> RunConditions:
    for name in _AS_JSON:
        fields[name] = json.loads(fields[name]) if fields[name] is not None else None
    whole = {condition.key: condition.of(fields) for condition in CONDITIONS}
    by_kind = dict(kind.split(" ", 1) for kind in kinds)
    own = {kind: _caches(json.loads(text)) for kind, text in by_kind.items()}
    for name in _CACHES:
        states = sorted({states[name] for states in own.values()} - {""})
        whole[name] = whole[name] or " and ".join(states)
    return RunConditions(whole, {kind: whole | states for kind, states in own.items()})


def _caches(caches: Mapping[str, Any]) -> dict[str, str]:
    """Return the states that a benchmark told; none of a cache that it switched itself."""
    return {name: _STATES.get(caches.get(key), "") for name, key in _CACHES.items()}


def differing_of(runs: Iterable[Mapping[str, str]]) -> Differing:
    """Return the conditions of which at least two states are known, with the number of runs of each."""
    # Most runs share their mapping with others: each is looked at once.
    alike: dict[int, tuple[Mapping[str, str], int]] = {}
    for run in runs:
        alike[id(run)] = (run, alike[id(run)][1] + 1 if id(run) in alike else 1)
    found: Differing = {}
    for condition in CONDITIONS:
        states: Counter[str] = Counter()
        for run, count in alike.values():
            states[run.get(condition.key, "")] += count
        if len(states.keys() - {""}) > 1:
            found[condition.key] = dict(sorted(states.items(), key=lambda item: (-item[1], item[0])))
    return found


def differing_words(differing: Mapping[str, Mapping[str, int]], runs: int) -> str:
    """Return `4 runs under 2 firmware revisions (S1: 3, S2: 1)`; empty where they were alike."""
    parts = [
        f"{len(states.keys() - {''})} {BY_KEY[key].plural} ({_states_words(states)})"
        for key, states in differing.items()
        if key in BY_KEY
    ]
    if not parts:
        return ""
    listed = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
    return f"{runs} runs under {listed}"


def _states_words(states: Mapping[str, int]) -> str:
    shown = [f"{state or 'not told'}: {count}" for state, count in states.items()]
    more = len(shown) - NAMES_SHOWN
    return ", ".join(shown[:NAMES_SHOWN]) + (f", {more} more" if more > 0 else "")
