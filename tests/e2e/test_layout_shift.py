"""Nothing moves while a page comes in: pictures, fonts and scripts find their room kept."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from server.catalog.models import DriveModel
from tests.e2e.walk import WIDTHS, address_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = ("home", "drive", "run", "compare-two")
MOST = 0.02
"""Of the score that layout-instability entries add up to; 0.1 is what web.dev calls good."""
WATCH = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput)
    window.shifts.push([entry.value, entry.sources.map((s) => s.node?.nodeName ?? "?").join(" ")]);
}).observe({ type: "layout-shift", buffered: true });
"""


def shifts(page: Page, address: str) -> list[tuple[float, str]]:
    """Open a page, draw every picture on it, and return what moved by itself, and how far."""
    page.goto(address, wait_until="load")
    for figure in page.locator("figure.chart:visible").all():
        figure.scroll_into_view_if_needed()
        page.wait_for_function("e => e.dataset.chartState === 'drawn'", arg=figure.element_handle())
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found: list[tuple[float, str]] = page.evaluate("window.shifts")
    return found


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_no_page_moves_while_it_comes_in(
    browser: Browser, empty_site: str, sample_model: DriveModel, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    context.add_init_script(WATCH)
    page = context.new_page()
    moved = {}
    for name in PAGES:
        found = shifts(page, empty_site + address_of(name, sample_model))
        if sum(value for value, _what in found) > MOST:
            moved[name] = found
    context.close()
    assert moved == {}
