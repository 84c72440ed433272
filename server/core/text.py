"""Names as people and devices write them, made comparable; and counts as people say them."""

from __future__ import annotations

import re
import unicodedata


def normalize_name(text: str) -> str:
    """Return the letters and digits of `text` alone, in lower case: `WDC WD10EZEX-00` becomes
    `wdcwd10ezex00`."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def squeeze_spaces(text: str) -> str:
    """Return `text` with runs of white space as one space, and none at the ends, as identify strings are
    padded."""
    return " ".join(text.split())


def counted(count: int, noun: str) -> str:
    """Return `1 request`, `2 requests`; for nouns that take an s."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


# ---- Orders that people expect of text with numbers in it.

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


def natural_order(text: str) -> tuple[tuple[int, float, str], ...]:
    """Return a sort key by which numbers in a text count by their value: `at 2.75` before `at 15.25`."""
    parts = (part for part in _NUMBER.split(text) if part)
    return tuple((0, float(part), part) if _NUMBER.fullmatch(part) else (1, 0.0, part) for part in parts)
