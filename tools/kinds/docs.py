"""`make kind-docs`: the parts of the documentation that the kinds' folders hold, in the registry's order."""

from __future__ import annotations

import sys
from pathlib import Path

from server.benchmarks.registry import KINDS
from tools.kinds.layout import ARCHIVE_KINDS, PROBE_KINDS, ROOT

START, END = "<!-- kinds: ", "<!-- end of kinds -->"


def texts(folder: Path, name: str) -> list[str]:
    """What each kind says in a file of that name."""
    return [(ROOT / folder / kind.slug / name).read_text(encoding="utf-8") for kind in KINDS]


def texts_there(folder: Path, name: str) -> list[str]:
    """The same of those kinds that have the file: the others' words stand on the page itself."""
    paths = (ROOT / folder / kind.slug / name for kind in KINDS)
    return [path.read_text(encoding="utf-8") for path in paths if path.exists()]


def table(folder: Path, name: str) -> str:
    """The rows of the kinds' tables below one head."""
    tables = [text.splitlines(keepends=True) for text in texts(folder, name)]
    return "".join([*tables[0][:2], *(row for rows in tables for row in rows[2:])])


PAGES = {
    "docs/user/probe.md": lambda: "\n".join(texts(PROBE_KINDS, "guide.md")),
    "docs/reference/run-document.md": lambda: "\n".join(texts(ARCHIVE_KINDS, "schema/v1.md")),
    "docs/reference/intervals.md": lambda: "\n".join(texts_there(ARCHIVE_KINDS, "intervals.md")),
    "docs/reference/metrics.md": lambda: table(ARCHIVE_KINDS, "metrics.md"),
}


def written(page: str) -> str:
    """The page with its kinds as their folders have them."""
    text = (ROOT / page).read_text(encoding="utf-8")
    start = text.index("\n", text.index(START)) + 1
    return f"{text[:start]}{PAGES[page]()}{text[text.index(END) :]}"


def write_pages() -> list[str]:
    """Write what the folders say into the pages and return those that changed."""
    changed = []
    for page in PAGES:
        text = written(page)
        if text != (ROOT / page).read_text(encoding="utf-8"):
            (ROOT / page).write_text(text, encoding="utf-8")
            changed.append(page)
    return changed


if __name__ == "__main__":
    print("\n".join(write_pages()) or "The pages have what the kinds' folders say.", file=sys.stderr)
