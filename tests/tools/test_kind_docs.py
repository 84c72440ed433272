"""What the kinds' folders say stands in the documentation, word for word."""

from __future__ import annotations

import re

import pytest

from server.benchmarks.registry import kinds_by_slug, metrics_by_key
from tools.kinds.docs import PAGES, written
from tools.kinds.layout import ROOT


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_what_the_kinds_folders_say(page: str) -> None:
    assert (ROOT / page).read_text(encoding="utf-8") == written(page), "Call `make kind-docs`."


def test_the_page_of_intervals_says_of_every_metric_what_its_interval_means() -> None:
    """A section that is named like a kind leaves the kind out of its metrics' names."""
    said: set[str] = set()
    kind = ""
    for line in (ROOT / "docs/reference/intervals.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            slug = line.removeprefix("## ").lower()
            kind = f"{slug}." if slug in kinds_by_slug() else ""
        elif line.startswith("| `"):
            names, *rest = line.strip("|").split("|")
            said |= {kind + name for name in re.findall(r"`([a-z_.0-9]+)`", names)}
            assert rest[0].strip(), line
    assert said == set(metrics_by_key())
