"""Scopes of measurements in words: `read/33554432/94` is `read, 32 MiB, at 94 %`.

A scope is made of parts with a slash between. What a part says follows from its form, whatever kind it is of;
a part of no known form is shown as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from server.core.numbers import write

_UNITS = ("bytes", "KiB", "MiB", "GiB")
_WORDS = {
    "off": "write cache off",
    "on": "write cache on",
    "with_mtm": "with MTM",
    "without_mtm": "without MTM",
}
LEAST_BYTES = 512
"""No request is shorter than a sector, no share of a disk above 100 %: a number is one or the other."""


def size_text(count: int) -> str:
    """Return a request's size in the largest binary unit that leaves it whole."""
    power = 0
    while power + 1 < len(_UNITS) and count >= 1024 and count % 1024 == 0:
        count //= 1024
        power += 1
    return f"{write(count, 0)}\N{NO-BREAK SPACE}{_UNITS[power]}"


def _number_text(match: re.Match[str]) -> str:
    number = float(match[0])
    if number >= LEAST_BYTES:
        return size_text(int(number))
    return f"at {number:g}\N{NO-BREAK SPACE}%" if number <= 100 else match[0]


def _plural(word: str, others: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{match[1]} {word if match[1] == '1' else others}"


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\d+(?:\.\d+)?"), _number_text),
    (re.compile(r"(\d+)([KMG]iB)"), lambda match: f"{match[1]}\N{NO-BREAK SPACE}{match[2]}"),
    (re.compile(r"p(\d+)"), _plural("process", "processes")),
    (re.compile(r"q(\d+)"), lambda match: f"{match[1]} queued"),
    (re.compile(r"(\d+)(s|h)"), lambda match: f"pauses of {match[1]}\N{NO-BREAK SPACE}{match[2]}"),
)


def scope_text(scope: str) -> str:
    """Return a scope in words; empty for the whole drive."""
    return ", ".join(_part_text(part) for part in scope.split("/")) if scope else ""


def _part_text(part: str) -> str:
    if part in _WORDS:
        return _WORDS[part]
    for pattern, text in _FORMS:
        if match := pattern.fullmatch(part):
            return text(match)
    return part.replace("_", " ")
