"""Markdown that tools write: in lines that nobody has to scroll sideways for."""

from __future__ import annotations

import textwrap

from tools.repository_rules import LINE_WIDTH


def filled(words: str, indent: str = "") -> str:
    """A paragraph or an item in lines of the repository's width."""
    return textwrap.fill(
        words, LINE_WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
