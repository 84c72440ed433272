"""What a person takes from a picture: an image that explains itself, its numbers, and paper."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from server.catalog.models import DriveModel

SHAPES = ("sawtooth", "profile", "curve")
PNG_SIZE = slice(16, 24)
"""Where a PNG tells its width and height, big-endian."""


@pytest.fixture
def run_page(page: Page, empty_site: str, sample_model: DriveModel) -> Page:
    """The page of a run with a picture of each sample shape."""
    page.set_viewport_size({"width": 1440, "height": 900})
    run = sample_model.runs.filter(provenance="probe").latest("created_at")
    page.goto(f"{empty_site}/runs/{run.run_id}/")
    return page


def test_a_comparison_is_on_paper_of_one_size(page: Page, empty_site: str, sample_model: DriveModel) -> None:
    """What follows a page of another size is laid out for that one's width, and cut."""
    page.goto(f"{empty_site}/compare/?d={sample_model.slug}&d={sample_model.slug}~sim")
    sizes = re.findall(rb"/MediaBox \[([^\]]*)\]", page.pdf(format="A4", prefer_css_page_size=True))
    assert len(set(sizes)) == 1


def drawn(page: Page, shape: str) -> Locator:
    figure = page.locator(f'figure.chart[data-shape="{shape}"]').first
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-chart-state", "drawn")
    return figure


def test_every_shape_is_zoomed_moved_and_brought_back(run_page: Page) -> None:
    for shape in SHAPES:
        canvas = drawn(run_page, shape).locator("canvas")
        canvas.focus()
        seen = [picture(canvas)]
        for key in ("+", "Shift+ArrowLeft", "Escape"):
            run_page.keyboard.press(key)
            seen.append(picture(canvas))
        before, zoomed, moved, after = seen
        assert before != zoomed != moved, shape
        assert after == before, shape


def picture(canvas: Locator) -> str:
    data: str = canvas.evaluate("canvas => canvas.toDataURL()")
    return data


def test_a_picture_taken_along_is_sharp_has_its_key_and_leaves_the_page_as_it_was(run_page: Page) -> None:
    figure = drawn(run_page, "sawtooth")
    canvas = figure.locator("canvas")
    before = picture(canvas)
    width, height = png_size(run_page, figure)
    assert width >= 2 * canvas.evaluate("canvas => canvas.clientWidth")
    assert picture(canvas) == before
    for button in figure.locator("[data-chart-legend] button").all():
        button.click()
    # Two rows of pixels for each of the style sheet: a key of one line is 20 px high.
    assert height - png_size(run_page, figure)[1] >= 40


def png_size(page: Page, figure: Locator) -> tuple[int, int]:
    """Take the picture along and return its width and height."""
    with page.expect_download() as download:
        figure.get_by_role("button", name="PNG").click()
    size = download.value.path().read_bytes()[PNG_SIZE]
    return int.from_bytes(size[:4], "big"), int.from_bytes(size[4:], "big")


def test_the_numbers_taken_along_are_those_of_the_table(run_page: Page) -> None:
    for shape in SHAPES:
        figure = drawn(run_page, shape)
        with run_page.expect_download() as download:
            figure.get_by_role("link", name="CSV").click()
        first = download.value.path().read_text().splitlines()[1].split(",")
        figure.get_by_text("The data as a table").click()
        cells = figure.get_by_role("table").last.locator("tbody tr").first.locator("td").all_text_contents()
        shown = [float(cell) for cell in cells[1:]]
        assert shown == pytest.approx([float(cell) for cell in first[1 : 1 + len(shown)]], rel=1e-5), shape


def test_paper_shows_pictures_that_were_not_scrolled_to(
    browser: Browser, empty_site: str, sample_model: DriveModel
) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 300}, color_scheme="dark")
    page = context.new_page()
    run = sample_model.runs.filter(provenance="probe").latest("created_at")
    page.goto(f"{empty_site}/runs/{run.run_id}/")
    # The script of the charts comes after the page: where it has drawn one, it also hears of paper.
    first = page.locator("figure.chart:visible").first
    first.scroll_into_view_if_needed()
    expect(first).to_have_attribute("data-chart-state", "drawn")
    last = page.locator("figure.chart:visible").last
    assert last.get_attribute("data-chart-state") is None
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(last).to_have_attribute("data-chart-state", "drawn")
    page.emulate_media(media="print")
    ink = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink')")
    assert ink in ("#000", "#000000")
    for frame in page.locator(".chart-box:visible").all():
        assert frame.evaluate("box => box.querySelector('canvas').offsetWidth <= box.offsetWidth")
    context.close()
