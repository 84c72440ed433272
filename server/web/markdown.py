"""Turns the kinds' `about.md` into HTML. Raw HTML in the text is shown as text, not obeyed."""

from __future__ import annotations

from pathlib import Path

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_renderer = MarkdownIt("commonmark", {"html": False}).enable("table")


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
