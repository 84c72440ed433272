"""What a person does with a picture: walks along it, changes its view and axes, scrolls past it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from server.catalog.models import DriveModel


@pytest.fixture
def curve(page: Page, empty_site: str, sample_model: DriveModel) -> Locator:
    """The seek curve of a run's page, drawn."""
    run = sample_model.runs.filter(provenance="probe").latest("created_at")
    page.goto(f"{empty_site}/runs/{run.run_id}/")
    figure = page.locator('figure.chart[data-chart-url*="/seeker/"]')
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-chart-state", "drawn")
    return figure


def picture(figure: Locator) -> str:
    data: str = figure.locator("canvas").evaluate("canvas => canvas.toDataURL()")
    return data


def test_arrow_keys_walk_along_the_points_and_have_them_read_out(page: Page, curve: Locator) -> None:
    spoken = curve.locator("[data-chart-live]")
    curve.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    expect(spoken).to_have_text("From the start: 3.4\u00a0ms at 1\u00a0GB")
    page.keyboard.press("ArrowRight")
    expect(spoken).to_have_text("From the start: 4.8\u00a0ms at 4\u00a0GB")
    page.keyboard.press("ArrowDown")
    expect(spoken).to_contain_text("Fit: ")
    page.keyboard.press("End")
    expect(spoken).to_contain_text("at 96\u00a0GB")


def test_another_view_shows_its_series_alone(curve: Locator) -> None:
    legend = curve.locator("[data-chart-legend] button")
    expect(legend).to_have_count(2)
    curve.get_by_role("button", name="The fit alone").click()
    expect(legend).to_have_text(["Fit"])
    expect(curve.get_by_role("button", name="The fit alone")).to_have_attribute("aria-pressed", "true")
    expect(curve.get_by_role("button", name="Both")).to_have_attribute("aria-pressed", "false")


def test_an_axis_is_switched_to_logarithms_and_back(curve: Locator) -> None:
    before = picture(curve)
    switch = curve.get_by_role("button", name="log x")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert picture(curve) != before
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert picture(curve) == before


def test_a_plain_wheel_scrolls_the_page_and_with_ctrl_it_zooms(page: Page, curve: Locator) -> None:
    before, top = picture(curve), page.evaluate("scrollY")
    curve.locator("canvas").hover()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -240)
    page.keyboard.up("Control")
    assert page.evaluate("scrollY") == top
    page.mouse.move(0, 0)
    assert picture(curve) != before
    curve.get_by_role("button", name="Reset").click()
    curve.locator("canvas").hover()
    page.evaluate(
        "() => { window.scrolled = new Promise(done => addEventListener('scroll', done, { once: true })); }"
    )
    page.mouse.wheel(0, -240)
    page.evaluate("() => window.scrolled.then(() => null)")
    assert page.evaluate("scrollY") < top


def test_pictures_are_drawn_in_the_systems_own_colours(page: Page, curve: Locator) -> None:
    before = picture(curve)
    page.emulate_media(forced_colors="active")
    page.evaluate("() => new Promise(requestAnimationFrame)")
    assert picture(curve) != before


def test_a_picture_whose_data_do_not_come_says_so_and_keeps_its_table(
    page: Page, empty_site: str, sample_model: DriveModel
) -> None:
    run = sample_model.runs.filter(provenance="probe").latest("created_at")
    page.route("**/charts/seeker/**", lambda route: route.fulfill(status=503, body=""))
    page.goto(f"{empty_site}/runs/{run.run_id}/")
    figure = page.locator('figure.chart[data-chart-url*="/seeker/"]')
    figure.scroll_into_view_if_needed()
    expect(figure.locator("[data-chart-message]")).to_contain_text("The server answered 503")
    figure.get_by_text("The data as a table").click()
    expect(figure.get_by_role("table").last).to_be_visible()
