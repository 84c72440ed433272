"""Look up metrics over all registered kinds."""

from __future__ import annotations

from functools import cache

from server.benchmarks.contract import Metric
from server.benchmarks.registry import KINDS


@cache
def metrics() -> dict[str, Metric]:
    """Every metric by key, in the order of the kinds; raises ValueError where two share a key."""
    found: dict[str, Metric] = {}
    for kind in KINDS:
        for metric in kind.metrics:
            if metric.key in found:
                raise ValueError(f"The metric {metric.key} is defined twice; each key belongs to one kind.")
            found[metric.key] = metric
    return found


def metric(key: str) -> Metric:
    """One metric; raises KeyError with the key in words where none has it."""
    try:
        return metrics()[key]
    except KeyError:
        raise KeyError(f"No registered kind has a metric {key!r}.") from None
