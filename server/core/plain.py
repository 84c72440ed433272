"""Frozen dataclasses as JSON, and back: for results that are kept in the database."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
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
    wanted: Any = kind
    found: T = _restorer(wanted)(plain)
    return found


@cache
def _restorer(kind: Any) -> Callable[[Any], Any]:
    """Return what restores values of a type: the type is looked at once, and not for each value."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        wanted = _restorer(next(one for one in get_args(kind) if one is not type(None)))
        return lambda plain: None if plain is None else wanted(plain)
    if origin is tuple:
        return _tuple_restorer(get_args(kind))
    if origin is not None and issubclass(origin, Mapping):
        child = _restorer(get_args(kind)[1])
        return lambda plain: {key: child(value) for key, value in plain.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass_restorer(kind)
    if isinstance(kind, type) and (issubclass(kind, Enum) or kind is float):
        return kind
    return _as_it_is


def _as_it_is(plain: Any) -> Any:
    return plain


def _dataclass_restorer(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    # A type may hold values of its own type, so the fields' restorers are looked up when first needed.
    restorers: list[tuple[str, Callable[[Any], Any]]] = []

    def restore(plain: Any) -> Any:
        if not restorers:
            restorers.extend((field.name, _restorer(hints[field.name])) for field in fields(kind))
        return kind(**{name: one(plain[name]) for name, one in restorers})

    return restore


def _tuple_restorer(children: tuple[Any, ...]) -> Callable[[Any], Any]:
    if children[-1] is not Ellipsis:
        parts = [_restorer(child) for child in children]
        return lambda plain: tuple(one(value) for one, value in zip(parts, plain, strict=True))
    if children[0] in (str, int, bool):
        return tuple
    each = _restorer(children[0])
    return lambda plain: tuple(map(each, plain))
