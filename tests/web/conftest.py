"""Fixtures of the pages' tests: sample kinds in place of the registered ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.sample_registry import sample_kinds_registered


@pytest.fixture(autouse=True)
def sample_kinds() -> Iterator[None]:
    with sample_kinds_registered():
        yield
