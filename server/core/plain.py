"""Frozen dataclasses as JSON, and back: for results that are kept in the database."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Return what JSON can hold of a value; numbers that are not finite become words, where msgspec would
    write null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple | frozenset):
        return [to_plain(child) for child in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else repr(float(value))
    return value


def from_plain(kind: type[T], plain: Any) -> T:
    """Return a value of a type of which `to_plain` made `plain`; raises msgspec.ValidationError, which names
    the place where its form is another."""
    return msgspec.convert(plain, kind, strict=False)
