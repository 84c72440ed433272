"""Words in a drawing: escaped, measured and shortened."""

from __future__ import annotations

import re
from html import escape as html_escape

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write."""
WIDTH_EM = 0.54
"""Mean width of a character, a little generous: no font is at hand when a drawing is made."""


def escape(words: str) -> str:
    """Return words as they stand in an element or in an attribute of an XML document."""
    return html_escape(_FORBIDDEN.sub("\ufffd", words)).replace("&#x27;", "&#39;")


def width_of(words: str, size_px: float) -> float:
    """Return about how wide words are, in pixels."""
    return len(words) * WIDTH_EM * size_px


def shortened(words: str, width_px: float, size_px: float) -> str:
    """Return words that fit so many pixels, with an ellipsis where some were left out."""
    most = max(4, int(width_px / (WIDTH_EM * size_px)))
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def wrapped(words: str, width_px: float, size_px: float) -> list[str]:
    """Return words as lines that fit so many pixels; a word that is longer, as an address is, is broken."""
    most = max(4, int(width_px / (WIDTH_EM * size_px)))
    lines: list[str] = []
    line = ""
    for word in words.split():
        if line and len(line) + 1 + len(word) > most:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
        while len(line) > most:
            lines.append(line[:most])
            line = line[most:]
    return [*lines, line] if line else lines
