"""Numbers as the database and JSON can hold them."""

from __future__ import annotations

import math
from typing import Any


def finite(value: float | None) -> float | None:
    """Return the number, or None where it is not finite: a page must never show `nan` as a result."""
    return float(value) if value is not None and math.isfinite(value) else None


def finite_json(value: Any) -> Any:
    """Return `value` as JSON can hold it: tuples become lists, numbers that are not finite null."""
    if isinstance(value, dict):
        return {str(key): finite_json(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [finite_json(child) for child in value]
    if isinstance(value, float):
        return finite(value)
    return value
