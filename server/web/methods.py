"""The texts of methods: Markdown as HTML, and what each kind is in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from server.benchmarks.contract import Kind, Topic
from server.drawing.chart_svg import WIDTH_PX

HEADINGS = ("What it measures", "Why it matters", "How to read it", "Known traps", "Source")
"""Every kind's `about.md` has these; a kind may have more between them."""
_SENTENCE = re.compile(r"(.+?\.)(?:\s|$)", re.DOTALL)
LONG = 200
"""A longer first sentence ends at its colon."""


class MethodEntry(NamedTuple):
    """A kind with what it is in a sentence."""

    kind: Kind
    words: str


class MethodGroup(NamedTuple):
    """The kinds of one topic."""

    title: str
    entries: list[MethodEntry]


def method_groups(kinds: Iterable[Kind]) -> tuple[MethodGroup, ...]:
    """Return the topics that have a kind, each with its kinds in the registry's order."""
    entries = [MethodEntry(kind, _words(kind)) for kind in kinds]
    groups = [
        MethodGroup(topic.value, [entry for entry in entries if entry.kind.topic == topic]) for topic in Topic
    ]
    return tuple(group for group in groups if group.entries)


def sections_of(about: str) -> dict[str, str]:
    """Return the text below each second-level heading of an `about.md`, in its order."""
    parts = re.split(r"^## +(.+)$", about, flags=re.MULTILINE)
    return {title.strip(): text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def _words(kind: Kind) -> str:
    text = sections_of(read_about(kind.folder)).get(HEADINGS[0], "")
    plain = re.sub(r"[*`]", "", " ".join(text.split()))
    match = _SENTENCE.match(plain)
    words = match[1] if match else plain
    if len(words) > LONG and ":" in words:
        words = words.partition(":")[0] + "."
    return words


# ---- Markdown as HTML. Raw HTML in the text is shown as text, not obeyed.

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


def _image(_self: Any, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    """A picture with its words, which say all that there is to see."""
    address = str(tokens[index].attrs["src"]).removeprefix("figures/")
    return (
        f'<figure class="explains"><img src="{escape(env["figures_url"] + address)}" alt="" loading="lazy" '
        f'width="{WIDTH_PX}"><figcaption>{escape(tokens[index].content)}</figcaption></figure>\n'
    )


for _rule, _render in (
    ("image", _image),
    ("table_open", _table_open),
    ("table_close", _table_close),
    ("th_open", _header_open),
):
    _renderer.add_render_rule(_rule, _render)


def render_markdown(text: str, *, figures_url: str = "") -> SafeString:
    """Return safe HTML: all markup in the text is escaped, and links that are not web addresses stay text.

    A paragraph that is a picture alone becomes a figure with the picture's words below it; `figures_url` is
    where pictures of `figures/` lie. What is drawn in it stands in its title, which only
    tools/method_figures.py reads.
    """
    tokens = _renderer.parse(text)
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.children and len(token.children) == 1 and token.children[0].type == "image":
            before.hidden = after.hidden = True
    env = {"figures_url": figures_url}
    html = _renderer.renderer.render(tokens, _renderer.options, env)
    return mark_safe(str(html))  # html is off, so nothing unescaped passes


def split_title(text: str) -> tuple[str, str]:
    """Return the first heading's words and the text below it, so that a page has one title only."""
    head, _, rest = text.lstrip().partition("\n")
    return (head[2:].strip(), rest) if head.startswith("# ") else ("", text)


def read_about(folder: Path) -> str:
    """Return the text of a kind's `about.md`, or nothing where a kind has none."""
    path = folder / "about.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""
