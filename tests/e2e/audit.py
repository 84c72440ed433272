"""The basics of accessibility, read off a page: names, headings, labels, tables and contrast."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

_SCRIPT = Path(__file__).with_name("audit.js").read_text(encoding="utf-8")


def audit(page: Page) -> list[str]:
    """Return what is wrong on the page; an empty list where nothing is.

    Contrast is held against WCAG 2.2, success criterion 1.4.3 (AA): 4.5 to 1, and 3 to 1 for large text.
    """
    findings: list[str] = page.evaluate(_SCRIPT)
    return findings
