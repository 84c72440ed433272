"""Frozen dataclasses as JSON, and back: for results that are kept in the database."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Return what JSON can hold of a value; numbers that are not finite become words."""
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
    """Return a value of a type of which `to_plain` made `plain`; raises KeyError, TypeError or ValueError
    where it is of another form."""
    found: T = _restored(kind, plain)
    return found


def _restored(kind: Any, plain: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        wanted = [one for one in get_args(kind) if one is not type(None)]
        return None if plain is None else _restored(wanted[0], plain)
    if origin is tuple:
        return _tuple(get_args(kind), plain)
    if origin is not None and issubclass(origin, Mapping):
        child = get_args(kind)[1]
        return {key: _restored(child, value) for key, value in plain.items()}
    if not isinstance(kind, type):
        return plain
    if is_dataclass(kind):
        return kind(**{name: _restored(hint, plain[name]) for name, hint in _hints(kind)})
    if issubclass(kind, Enum) or kind is float:
        return kind(plain)
    return plain


def _tuple(children: tuple[Any, ...], plain: Any) -> tuple[Any, ...]:
    if children[-1] is not Ellipsis:
        return tuple(_restored(child, value) for child, value in zip(children, plain, strict=True))
    if children[0] in (str, int, bool):
        return tuple(plain)
    return tuple(_restored(children[0], value) for value in plain)


@cache
def _hints(kind: Any) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field.name, hints[field.name]) for field in fields(kind))
