"""What runs of one model differ in beside the drive: what confounds a comparison, in words that compare."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from server.runs.models import Run, State

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
    "firmware": "firmware",
    "year": "batch__year",
    "week": "batch__week",
    "label": "batch__label",
    "bridge": "summary__device__bridge",
    "interface": "summary__device__interface",
    "link_speed": "summary__device__link_speed_bits_per_s",
    "hba": "summary__host__hba",
    "kernel": "summary__host__kernel",
    "write_cache": "summary__conditions__write_cache_during",
    "look_ahead": "summary__conditions__look_ahead_during",
    "probe": "summary__probe__version",
}


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


def _switch(key: str) -> Callable[[Fields], str]:
    return lambda fields: {True: "on", False: "off"}.get(fields[key], "")


def _link_speed(fields: Fields) -> str:
    speed = fields["link_speed"]
    return f"{speed / 1e9:g} Gb/s" if speed else ""


CONDITIONS = (
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


def run_conditions(*, drive_model_id: int) -> dict[UUID, dict[str, str]]:
    """Return the conditions of a model's published runs."""
    return conditions_of(Run.objects.filter(drive_model_id=drive_model_id, submission__state=State.PUBLISHED))


def conditions_of(runs: QuerySet[Run]) -> dict[UUID, dict[str, str]]:
    """Return the conditions of some runs."""
    rows = runs.values_list("run_id", *_FIELDS.values())
    found = {}
    for run_id, *columns in rows.iterator(chunk_size=2000):
        fields = dict(zip(_FIELDS, columns, strict=True))
        found[run_id] = {condition.key: condition.of(fields) for condition in CONDITIONS}
    return found


def differing_of(runs: Iterable[Mapping[str, str]]) -> Differing:
    """Return the conditions of which at least two states are known, with the number of runs of each."""
    conditions = list(runs)
    found: Differing = {}
    for condition in CONDITIONS:
        states = Counter(run.get(condition.key, "") for run in conditions)
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
