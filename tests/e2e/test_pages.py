"""Pages in a browser: charts, themes, keyboard, with and without scripts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from server.catalog.models import DriveModel
from tests.e2e.audit import audit
from tests.e2e.walk import address_of, settle_charts

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_charts_are_drawn_and_not_empty(page: Page, empty_site: str, sample_model: DriveModel) -> None:
    page.goto(empty_site + address_of("run", sample_model))
    settle_charts(page)
    assert page.locator("figure.chart").count() == 3
    for canvas in page.locator("figure.chart canvas").all():
        colors = canvas.evaluate(
            """canvas => {
                const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
                const seen = new Set();
                for (let i = 0; i < data.length; i += 4)
                    if (data[i + 3] > 128) seen.add((data[i] << 16) + (data[i+1] << 8) + data[i+2]);
                return seen.size;
            }"""
        )
        assert colors > 3


def test_drawing_a_chart_moves_nothing(page: Page, empty_site: str, sample_model: DriveModel) -> None:
    page.add_init_script(
        """window.shifts = 0;
        new PerformanceObserver(list => {
            for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifts += e.value;
        }).observe({ type: "layout-shift", buffered: true });"""
    )
    page.set_viewport_size({"width": 1280, "height": 2400})
    page.goto(empty_site + address_of("run", sample_model), wait_until="networkidle")
    settle_charts(page)
    assert page.evaluate("window.shifts") < 0.02


def test_the_legend_hides_a_series_by_keyboard(page: Page, empty_site: str, sample_model: DriveModel) -> None:
    page.goto(empty_site + address_of("run", sample_model))
    settle_charts(page)
    button = page.get_by_role("button", name="L1: next turn")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "false")


def test_a_chart_is_exported_as_png(page: Page, empty_site: str, sample_model: DriveModel) -> None:
    page.goto(empty_site + address_of("run", sample_model))
    settle_charts(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="PNG").first.click()
    assert waiting.value.suggested_filename.endswith(".png")
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")


def test_the_chosen_theme_is_remembered_on_the_next_page(
    page: Page, empty_site: str, sample_model: DriveModel
) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(empty_site + address_of("run", sample_model))
    settle_charts(page)
    before = page.locator("canvas").first.evaluate("canvas => canvas.toDataURL()")
    page.get_by_role("button", name="Switch to the dark theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    after = page.locator("canvas").first.evaluate("canvas => canvas.toDataURL()")
    assert before != after
    page.goto(empty_site + "/drives/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("button", name="Switch to the light theme")).to_be_visible()


def test_without_scripts_pages_work_and_charts_show_their_tables(
    browser: Browser, empty_site: str, sample_model: DriveModel, screenshots: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(empty_site + address_of("run", sample_model))
    page.screenshot(path=screenshots / "run-noscript.png", full_page=True)
    figure = page.locator("figure.chart").first
    expect(figure.locator("canvas")).to_be_hidden()
    expect(figure.get_by_role("table").last).to_be_visible()
    expect(page.get_by_role("button", name="PNG")).to_have_count(0)
    page.goto(empty_site + "/drives/")
    page.get_by_role("searchbox").fill("sample")
    page.get_by_role("button", name="Search").click()
    assert re.search(r"[?&]q=sample(&|$)", page.url)
    expect(page.get_by_role("link", name="Sampledata Sample 9000")).to_be_visible()
    context.close()


def test_the_skip_link_is_the_first_stop_and_leads_to_the_content(
    page: Page, empty_site: str, sample_model: DriveModel
) -> None:
    page.goto(empty_site + "/drives/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_an_empty_archive_is_clean_and_says_what_to_do(
    page: Page, empty_site: str, screenshots: Path
) -> None:
    for name, address in (("home-empty", "/"), ("drives-empty", "/drives/")):
        page.goto(empty_site + address)
        page.screenshot(path=screenshots / f"{name}.png", full_page=True)
        expect(page.locator(".empty").get_by_role("link", name="How to contribute").first).to_be_visible()
        assert audit(page) == []
