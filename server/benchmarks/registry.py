"""Every benchmark kind, in the order in which pages show them. The only module that names them."""

from __future__ import annotations

from functools import cache

from server.benchmarks import (
    access,
    bandwidth,
    buffer,
    fluctuation,
    positional,
    random_io,
    seeker,
    skippy,
    sync_write,
    temperature,
    zoned,
)
from server.benchmarks.contract import Kind, Metric

KINDS: tuple[Kind, ...] = (
    skippy.KIND,
    zoned.KIND,
    seeker.KIND,
    bandwidth.KIND,
    fluctuation.KIND,
    temperature.KIND,
    buffer.KIND,
    positional.KIND,
    sync_write.KIND,
    random_io.KIND,
    access.KIND,
)


@cache
def kinds_by_slug() -> dict[str, Kind]:
    """Return every registered kind."""
    return {kind.slug: kind for kind in KINDS}


def kind_name(slug: str) -> str:
    """Return what a kind is called in lists and sentences: `ZONED` of `ZONED: bandwidth by position`. A slug
    that is none stays as it is."""
    kind = kinds_by_slug().get(slug)
    return kind.title.partition(":")[0] if kind else slug


@cache
def metrics_by_key() -> dict[str, Metric]:
    """Return every metric of every registered kind, in the registry's order."""
    return {metric.key: metric for kind in KINDS for metric in kind.metrics}
