"""What the probe marks as disturbed, extraction leaves out: of every kind, and the schemas know the marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from server.benchmarks.contract import Kind, Measurement
from server.benchmarks.registry import KINDS
from tests.contract.golden import facts_of, golden_of
from tests.contract.test_golden import schema_errors
from tests.support.probe import entry_of

pytestmark = pytest.mark.parametrize("kind", KINDS, ids=[kind.slug for kind in KINDS])

TIMES = ("elapsed_ns", "latency_ns", "fastest_ns", "median_ns", "percentile_90_ns", "slowest_ns")


def columns_of(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The groups of equally long columns that hold samples."""
    for series in entry["samples"]["series"]:
        groups = [one for one in series.values() if isinstance(one, dict) and "low_ns" not in one]
        yield from (
            group for group in [series, *groups] if any(isinstance(group.get(time), list) for time in TIMES)
        )


def measured(kind: Kind, document: dict[str, Any]) -> tuple[Measurement, ...]:
    return kind.extract(entry_of(document, kind.slug), facts_of(document)).measurements


def with_marks(kind: Kind, absurd: bool) -> dict[str, Any]:
    """The golden run with marks: of nothing, or of one more sample that took a hundred times as long."""
    document = golden_of(kind.slug).document()
    for group in columns_of(entry_of(document, kind.slug)):
        names = [name for name, value in group.items() if isinstance(value, list)]
        count = len(group[names[0]])
        if absurd and count > 0:
            for name in names:
                last = group[name][-1]
                group[name].append(min(last * 100 + 1_000_000, 10**11) if name in TIMES else last)
        group["disturbed"] = [0] * count + [1] * (absurd and count > 0)
    return document


def test_a_marked_sample_changes_no_measurement(kind: Kind) -> None:
    assert measured(kind, with_marks(kind, absurd=True)) == measured(kind, with_marks(kind, absurd=False))


def test_the_schema_of_the_kind_knows_the_marks(kind: Kind) -> None:
    assert schema_errors(kind, with_marks(kind, absurd=True)) == []


def test_a_run_of_which_every_sample_is_marked_gives_reasons(
    kind: Kind,
) -> None:
    document = golden_of(kind.slug).document()
    for group in columns_of(entry_of(document, kind.slug)):
        count = max(len(value) for value in group.values() if isinstance(value, list))
        group["disturbed"] = [1] * count
    for measurement in measured(kind, document):
        assert measurement.value is not None or measurement.reason, measurement
