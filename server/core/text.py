"""Names as people and devices write them, made comparable; and counts as people say them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


def normalize_name(text: str) -> str:
    """Return the letters and digits of `text` alone, in lower case: `WDC WD10EZEX-00` becomes
    `wdcwd10ezex00`."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


_MISLEADING = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff"
    r"\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
    + "".join(rf"\U{plane:04x}fffe-\U{plane:04x}ffff" for plane in range(17))
    + "]"
)
"""Control characters, marks of direction and of no width, tags, halves of surrogates, and code points that
are no characters (Unicode, chapter 23; XML 1.0 refuses most of them)."""


def printable(text: str) -> str:
    """Return a text without what a reader cannot see, or what shows another text than stands there."""
    return _MISLEADING.sub("", text)


def printable_tree(value: Any) -> Any:
    """Return a JSON value with every text in it, names of members too, made `printable`."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(key): printable_tree(entry) for key, entry in value.items()}
    return [printable_tree(entry) for entry in value] if isinstance(value, list) else value


def squeeze_spaces(text: str) -> str:
    """Return `text` with runs of white space as one space, none at the ends, as identify strings are
    padded, and nothing that is not printable."""
    return " ".join(printable(text).split())


def counted(count: int, noun: str) -> str:
    """Return `1 request`, `2 requests`; for nouns that take an s."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


# ---- Orders that people expect of text with numbers in it.

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """Return the question that a misspelt name deserves, with a space before it; empty where none is near."""
    folded = {name.casefold(): name for name in known}
    close = get_close_matches(wanted.casefold(), list(folded), n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(folded[name] for name in close)}?" if close else ""


def natural_order(text: str) -> tuple[tuple[int, float, str], ...]:
    """Return a sort key by which numbers in a text count by their value: `at 2.75` before `at 15.25`."""
    parts = (part for part in _NUMBER.split(text) if part)
    return tuple((0, float(part), part) if _NUMBER.fullmatch(part) else (1, 0.0, part) for part in parts)
