"""A phone: long pages are folded below their headings, links open what they lead to, lists keep their
numbers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from server.catalog.models import DriveModel
from server.search.models import DriveSummary
from tests.e2e.walk import address_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WIDTH, HEIGHT = 390, 844


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A page as wide and high as a phone."""
    viewport: ViewportSize = {"width": WIDTH, "height": HEIGHT}
    page = browser.new_context(viewport=viewport, reduced_motion="reduce").new_page()
    yield page
    page.context.close()


def screens(page: Page) -> float:
    height: int = page.evaluate("document.documentElement.scrollHeight")
    return height / HEIGHT


def test_20_sections_are_folded_on_a_phone_and_open_by_touch(
    phone: Page, empty_site: str, sample_model: DriveModel
) -> None:
    phone.goto(empty_site + address_of("run", sample_model))
    kind = phone.locator("section", has=phone.locator("#kind-skippy"))
    expect(kind.get_by_role("region", name="Measurements: SKIPPY")).to_be_hidden()
    folded = screens(phone)
    assert folded <= 8
    heights = phone.locator(".section:has(> .fold)").evaluate_all("all => all.map(e => e.offsetHeight)")
    assert heights and max(heights) <= 180, "a run of twelve kinds has many of them"
    kind.get_by_text("1 picture").click()
    expect(kind.get_by_role("region", name="Measurements: SKIPPY")).to_be_visible()
    assert screens(phone) > folded


def test_20_a_link_opens_the_section_that_it_leads_to(
    phone: Page, empty_site: str, sample_model: DriveModel
) -> None:
    phone.goto(empty_site + address_of("run", sample_model))
    phone.get_by_role("navigation", name="On this page").get_by_role("link", name="Who says so").click()
    expect(phone.get_by_text("checked when it came in")).to_be_visible()
    phone.goto(f"{empty_site}{address_of('drive', sample_model)}#runs-title")
    runs = phone.locator("section", has=phone.locator("#runs-title"))
    expect(runs.get_by_role("table", include_hidden=True)).to_be_visible()


def test_20_nothing_is_folded_on_a_desk_nor_on_paper(
    phone: Page, empty_site: str, sample_model: DriveModel
) -> None:
    phone.goto(empty_site + address_of("run", sample_model))
    who = phone.get_by_text("checked when it came in")
    expect(who).to_be_hidden()
    phone.emulate_media(media="print")
    expect(who).to_be_visible()
    phone.emulate_media(media="screen")
    phone.set_viewport_size({"width": 1440, "height": 900})
    expect(who).to_be_visible()
    expect(phone.locator("details.fold > summary").first).to_be_hidden()


def test_20_a_list_shows_its_numbers_on_a_phone_without_scrolling_sideways(
    phone: Page, empty_site: str, sample_model: DriveModel
) -> None:
    phone.goto(f"{empty_site}/drives/?col=outer&col=none")
    row = phone.get_by_role("row", name=sample_model.title)
    number = row.get_by_role("cell", name="9.680")
    expect(number).to_be_visible()
    box = number.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= WIDTH
    assert number.evaluate("e => getComputedStyle(e, '::before').content") == '"Outer bandwidth"'


def test_20_no_number_of_a_card_runs_out_of_its_place(
    phone: Page, empty_site: str, sample_model: DriveModel
) -> None:
    """The first number of a second line stood in the column of the box to tick, and on the next number."""
    DriveSummary.objects.update(year=1998, capacity_bytes=10**12, rpm=7200, measured_runs=0, units=0)
    phone.goto(f"{empty_site}/drives/")
    row = phone.get_by_role("row", name=sample_model.title)
    expect(row.get_by_role("cell", name="9.680")).to_be_visible()
    wide = row.locator("td.num:visible").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.trim())"
    )
    assert wide == []
