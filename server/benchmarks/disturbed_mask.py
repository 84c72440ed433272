"""Samples that something disturbed are left out before a kind sees them.

The probe marks a sample in the column `disturbed` of its series, or of a group of columns within a series,
where requests of others, swapping or heat met it. What such a sample says is not the drive's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.contract import ChartFunction, ExtractFunction

COLUMN = "disturbed"


def undisturbed(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The entry without the marked samples; the column stays, all 0, where samples were left out."""
    samples = entry["samples"]
    series = [_left(one) for one in samples["series"]]
    return {**entry, "samples": {**samples, "series": series}}


def _left(columns: Mapping[str, Any]) -> dict[str, Any]:
    groups = {
        name: _left(value) if isinstance(value, Mapping) and COLUMN in value else value
        for name, value in columns.items()
    }
    marks = groups.get(COLUMN)
    if not marks:
        return groups
    return {
        name: [item for item, mark in zip(value, marks, strict=True) if not mark]
        if isinstance(value, list) and len(value) == len(marks)
        else value
        for name, value in groups.items()
    }


def extract_undisturbed(extract: ExtractFunction) -> ExtractFunction:
    """Extraction that never sees a marked sample."""
    return lambda entry, facts: extract(undisturbed(entry), facts)


def chart_undisturbed(charts: ChartFunction) -> ChartFunction:
    """Charts of the samples that extraction saw."""
    return lambda entry, facts, extraction: charts(undisturbed(entry), facts, extraction)
