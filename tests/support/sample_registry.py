"""Puts the sample kinds in the registry's place for a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from django.core.cache import cache

from server.benchmarks import measurands, registry
from tests.support.sample_kinds import SAMPLE_KINDS


def _forget() -> None:
    registry.kinds_by_slug.cache_clear()
    registry.metrics_by_key.cache_clear()
    measurands._defining.cache_clear()
    cache.clear()


@contextmanager
def sample_kinds_registered() -> Iterator[None]:
    """Let the archive know the sample kinds only, for as long as the context lasts."""
    with mock.patch.object(registry, "KINDS", SAMPLE_KINDS):
        _forget()
        yield
    _forget()
