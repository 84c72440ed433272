"""The keyboard's short ways: what a long page is visited for is reached within ten tabs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from server.catalog.models import DriveModel
from tests.e2e.walk import address_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST_TABS = 10
PAGES = {
    "drives": ("Skip to the results",),
    "drive": ("Skip to the results",),
    "drive-numbers": ("Skip to the results",),
    "run": ("Skip to the results", "Skip to the charts"),
    "simulated": ("Skip to the results", "Skip to the charts"),
    "unit-detail": ("Skip to the results",),
    "compare-two": ("Skip to the results",),
    "claims": ("Skip to the results",),
}


def tabs_to(page: Page, words: str) -> int:
    for count in range(1, MOST_TABS + 1):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.replace(/\\s+/g, ' ').trim()") == words:
            return count
    raise AssertionError(f"{page.url}: {words!r} is not within {MOST_TABS} tabs")


@pytest.mark.parametrize("width", [390, 1440])
def test_20_results_and_charts_are_within_ten_tabs(
    page: Page, empty_site: str, sample_model: DriveModel, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for name, links in PAGES.items():
        for words in links:
            page.goto(empty_site + address_of(name, sample_model))
            tabs_to(page, words)
            page.keyboard.press("Enter")
            target = page.locator(page.evaluate("location.hash"))
            expect(target, name).to_be_focused()
            if words.endswith("charts"):
                section = page.locator("section", has=target).last
                expect(section.locator("figure.chart").first, name).to_be_visible()
