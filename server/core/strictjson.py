"""JSON that has one meaning only: no repeated key, no NaN, no infinity, no unstorable text, bounded depth."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import orjson

from server.core.problems import ErrorItem, Problem, problem

MAX_VALUES = 8_000_000
"""Thirty times what a standard run holds; each takes up to 40 bytes of memory."""
MAX_PARTS = 200_000
"""Objects, lists and texts, a hundred times a standard run's; each takes some hundred bytes."""
_PLAIN = {int, bool, type(None)}


def strict_loads(content: bytes, *, max_depth: int = 32, what: str = "The body") -> Any:
    """Parse UTF-8 JSON; raises Problem `malformed-json` that says where it breaks.

    A float that is whole and exact in a double becomes an int, as JSON Schema takes `1.0` for an integer.
    """
    _check_counts(content, what)
    try:
        return _loads_plain(content, max_depth)
    except (_NotPlain, orjson.JSONDecodeError):
        return _loads_exact(content, max_depth, what)


def _check_counts(content: bytes, what: str) -> None:
    """Refuse what would fill the memory, before anything is built: a value of the bytes `[],` takes seventy.

    Marks within texts count, too: no document that a program writes comes near the limits.
    """
    parts = content.count(b"[") + content.count(b"{") + content.count(b'"') // 2
    for count, limit, noun in (
        (parts, MAX_PARTS, "objects, lists and texts"),
        (content.count(b",") + 1, MAX_VALUES, "values"),
    ):
        if count > limit:
            raise problem(
                "too-large",
                f"{what} holds {count} {noun}; the limit is {limit}. Measure fewer kinds in one run "
                "(`--only KIND`).",
                ErrorItem("", f"holds more than {limit} {noun}"),
            )


# ---- The quick way, for what programs write.


class _NotPlain(Exception):
    """The quick way cannot tell whether this is strict."""


def _loads_plain(content: bytes, max_depth: int) -> Any:
    """Parse JSON without escapes; raises where it is not strict, or where that takes a closer look.

    The parser keeps the last of repeated keys and does not tell. Without escapes every colon of the bytes
    stands behind a key or within a text, so that one which the data lack is that of a key that went missing.
    """
    if b"\\" in content:
        raise _NotPlain
    data = orjson.loads(content)
    if _colons((data,), max_depth) != content.count(b":"):
        raise _NotPlain
    return data


def _colons(children: Iterable[Any], depth: int) -> int:
    """Return how many colons it takes to write these; raises `_NotPlain` for whole floats and for depth."""
    if set(map(type, children)) <= _PLAIN:
        return 0
    if depth < 0:
        raise _NotPlain
    found = 0
    for child in children:
        if isinstance(child, str):
            found += child.count(":")
        elif isinstance(child, float):
            if child.is_integer():
                raise _NotPlain
        elif isinstance(child, dict):
            found += len(child) + "".join(child).count(":") + _colons(child.values(), depth - 1)
        elif isinstance(child, list):
            found += _colons(child, depth - 1)
    return found


# ---- The exact way, which says where it breaks.


def _loads_exact(content: bytes, max_depth: int, what: str) -> Any:
    try:
        data = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
        )
    except UnicodeDecodeError as error:
        raise _malformed(f"{what} is not UTF-8: byte {error.start} cannot be decoded.") from None
    except json.JSONDecodeError as error:
        raise _malformed(
            f"{what} is not JSON: {error.msg} at line {error.lineno}, column {error.colno} of "
            f"{len(content)} bytes. "
            "It may be cut off; send the whole file."
        ) from None
    except RecursionError:
        raise _malformed(
            f"{what} is nested deeper than {max_depth} levels. Send what the probe wrote."
        ) from None
    except _NotStrict as error:
        raise _malformed(f"{what} is not strict JSON: {error}") from None
    except ValueError:
        raise _malformed(
            f"{what} holds a number of thousands of digits. Send what the probe wrote."
        ) from None
    _check_tree(data, max_depth, what)
    return data


class _NotStrict(Exception):
    """What the parser's hooks object to."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _value in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _NotStrict(f"the key {repeated[:60]!r} stands twice in one object. Each key may stand once.")
    return found


def _constant(name: str) -> NoReturn:
    raise _NotStrict(f"{name} is not a JSON number. Every number must be finite.")


def _float(text: str) -> float | int:
    value = float(text)
    if not math.isfinite(value):
        raise _NotStrict(f"{text[:40]} is too large for a number. Every number must be finite.")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _check_tree(data: Any, max_depth: int, what: str) -> None:
    """Check depth and texts level by level; PostgreSQL stores neither NUL nor lone surrogates."""
    level: list[Any] = [[data]]
    for _depth in range(max_depth + 2):
        below: list[Any] = []
        for node in level:
            children = list(node.values()) if isinstance(node, dict) else node
            texts = "".join(child for child in (*node, *children) if isinstance(child, str))
            if _text_fault(texts):
                raise next(_bad_texts("", data))
            below += [child for child in children if isinstance(child, dict | list)]
        if not below:
            return
        level = below
    raise _malformed(f"{what} is nested deeper than {max_depth} levels. Send what the probe wrote.")


def _text_fault(text: str) -> str:
    """Return what is wrong with a text; empty where it can be stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a surrogate pair"
    return "holds a NUL character" if "\0" in text else ""


def _bad_texts(path: str, node: Any) -> Iterator[Problem]:
    """Give the problem of each text that cannot be stored; looked for once it is known that there is one."""
    if isinstance(node, str):
        if fault := _text_fault(node):
            yield _bad_text(path, fault)
    elif isinstance(node, dict):
        for key, child in node.items():
            yield from _bad_texts(path, key)
            yield from _bad_texts(f"{path}/{key}", child)
    elif isinstance(node, list):
        for number, child in enumerate(node):
            yield from _bad_texts(f"{path}/{number}", child)


def _bad_text(path: str, message: str) -> Problem:
    return problem(
        "malformed-json", f"A text {message} (at {path or 'the top'}). Remove it.", ErrorItem(path, message)
    )


def _malformed(detail: str) -> Problem:
    return problem("malformed-json", detail, ErrorItem("", detail))
