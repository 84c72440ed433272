"""Inputs made of a corpus: one of its members, changed in a few places, with an eye for what parsers stumble
over. Each is decided by the bytes that Hypothesis draws, so that a failing one is made smaller and shown."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

import orjson
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

BY_HYPOTHESIS = 2_000
"""Inputs that Hypothesis draws, which makes a failing one smaller; a generator draws the rest forty times as
fast."""
WORDS = [
    *(b"0", b"-1", b"1e999", b"18446744073709551616", b"9223372036854775808", b"-0.0", b"1.0", b"NaN"),
    *(b"null", b'"', b"{", b"}", b"[", b"]", b"[[[[[[[[", b":", b",", b"\\", b"\\u0000", b"\\ud800", b"=1+1"),
    *(b"\n", b"\0", b"\xff", "\u202e".encode(), "\ufeff".encode(), b"<b>", b"%", b"+", b"../"),
]
LEAVES: list[Any] = [
    *(None, True, 0, -1, 1.0, 1.5, 1e300, 2**63, 2**64, -(2**63) - 1, "", "=1+1", "\u202e\0<b>", "\ud800"),
    *([], {}, [0, 1, 2], [[]], "x" * 300, "01890a5d-ac96-774b-bcce-b302099a8057", "2026-01-02T03:04:05Z"),
]
_DIGITS = re.compile(rb"\d+")
_STEP = 6


def fuzzed(inputs: int, check: Callable[[bytes], None]) -> int:
    """Call a check with so many draws of bytes, the same ones each time, and return how often it was called;
    raises what it raises."""
    calls = 0

    def counted(draw: bytes) -> None:
        nonlocal calls
        calls += 1
        check(draw)

    bounds = settings(
        max_examples=min(BY_HYPOTHESIS, inputs),
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    seed(1)(bounds(given(st.binary(min_size=2 + _STEP, max_size=2 + 5 * _STEP))(counted)))()
    generator = random.Random(1)
    while calls < inputs:
        draw = generator.randbytes(2 + _STEP * generator.randint(1, 5))
        try:
            counted(draw)
        except Exception as error:
            error.add_note(f"Drawn: bytes.fromhex({draw.hex()!r})")
            raise
    return calls


def _changes(draw: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Give changes: which, where, how far from there, and a byte."""
    for at in range(2, len(draw) - _STEP + 1, _STEP):
        how, first, second, third, length, byte = draw[at : at + _STEP]
        yield how, first << 16 | second << 8 | third, length, byte


def member(corpus: Sequence[bytes], draw: bytes) -> bytes:
    """Return the member that a draw begins with."""
    return corpus[(draw[0] << 8 | draw[1]) % len(corpus)]


def mutated(corpus: Sequence[bytes], draw: bytes) -> bytes:
    """Return a member of the corpus with the changes of a draw."""
    content = member(corpus, draw)
    for how, place, length, byte in _changes(draw):
        at = place % (len(content) + 1)
        word = WORDS[byte % len(WORDS)]
        match how % 8:
            case 0:
                content = content[:at] + bytes([byte]) + content[at + 1 :]
            case 1:
                content = content[:at] + content[at + length :]
            case 2:
                content = content[: at + length] + content[at:]
            case 3:
                content = content[:at] + word + content[at:]
            case 4:
                content = content[:at]
            case 5:
                other = corpus[byte % len(corpus)]
                start = place % (len(other) + 1)
                content = content[:at] + other[start : start + length] + content[at:]
            case _:
                if found := _DIGITS.search(content, at):
                    content = content[: found.start()] + word + content[found.end() :]
    return content


def tree_mutated(corpus: Sequence[bytes], draw: bytes) -> Any:
    """Return what a JSON text of the corpus holds, changed within its form: members are taken away, doubled,
    put in each other's place and given other values."""
    document = orjson.loads(member(corpus, draw))
    for how, place, length, byte in _changes(draw):
        holders = _holders(document)
        holder = holders[place % len(holders)]
        keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            continue
        key = keys[length % len(keys)]
        match how % 8:
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.append(holder[key])
            case 2 if isinstance(holder[key], int):
                holder[key] += byte - 128
            case 3:
                other = holders[byte % len(holders)]
                holder[key] = deepcopy(other) if other is not document else None
            case 4:
                holder[key] = [holder[key]]
            case 5 if isinstance(holder, dict):
                holder[f"{key}x"] = holder[key]
            case _:
                holder[key] = deepcopy(LEAVES[byte % len(LEAVES)])
    return document


def _holders(document: Any) -> list[Any]:
    """Return every object and list, the outermost first."""
    found = [document]
    for node in found:
        children = node.values() if type(node) is dict else node
        found += [child for child in children if type(child) is dict or type(child) is list]
    return found
