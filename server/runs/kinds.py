"""The registered kinds, by slug."""

from __future__ import annotations

from functools import cache

from server.benchmarks.contract import Kind, Metric
from server.benchmarks.registry import KINDS


@cache
def kinds_by_slug() -> dict[str, Kind]:
    """Return every registered kind."""
    return {kind.slug: kind for kind in KINDS}


@cache
def metrics_by_key() -> dict[str, Metric]:
    """Return every metric of every registered kind, in the registry's order."""
    return {metric.key: metric for kind in KINDS for metric in kind.metrics}
