"""Orders that people expect of text with numbers in it."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


def natural_order(text: str) -> tuple[tuple[int, float, str], ...]:
    """Return a sort key by which numbers in a text count by their value: `at 2.75` before `at 15.25`."""
    parts = (part for part in _NUMBER.split(text) if part)
    return tuple((0, float(part), part) if _NUMBER.fullmatch(part) else (1, 0.0, part) for part in parts)
