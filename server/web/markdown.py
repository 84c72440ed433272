"""Turns the kinds' `about.md` into HTML. Raw HTML in the text is shown as text, not obeyed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

_renderer = MarkdownIt("commonmark", {"html": False}).enable("table")


def _table_open(_self: Any, _tokens: Sequence[Token], _index: int, _options: Any, _env: Any) -> str:
    """A wide table scrolls in a frame of its own, also by keyboard."""
    return '<div class="table-frame" tabindex="0" role="region" aria-label="Table"><table>\n'


def _table_close(_self: Any, _tokens: Sequence[Token], _index: int, _options: Any, _env: Any) -> str:
    return "</table></div>\n"


def _header_open(self: Any, tokens: Sequence[Token], index: int, options: Any, _env: Any) -> str:
    """A header cell of Markdown heads its column."""
    tokens[index].attrSet("scope", "col")
    return str(self.renderToken(tokens, index, options, _env))


for _rule, _render in (("table_open", _table_open), ("table_close", _table_close), ("th_open", _header_open)):
    _renderer.add_render_rule(_rule, _render)


def render_markdown(text: str) -> SafeString:
    """Return safe HTML: all markup in the text is escaped, and links that are not web addresses stay text."""
    return mark_safe(str(_renderer.render(text)))  # html is off, so nothing unescaped passes


def split_title(text: str) -> tuple[str, str]:
    """Return the first heading's words and the text below it, so that a page has one title only."""
    head, _, rest = text.lstrip().partition("\n")
    return (head[2:].strip(), rest) if head.startswith("# ") else ("", text)


def read_about(folder: Path) -> str:
    """Return the text of a kind's `about.md`, or nothing where a kind has none."""
    path = folder / "about.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""
