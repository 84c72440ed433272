"""Ways through the site: from a partial number to a run, by keyboard, without scripts, by shared address."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from server.catalog.models import DriveModel
from server.measurements.models import Run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_drive_is_found_and_its_run_reached_in_clicks_from_the_home_page(
    page: Page, empty_site: str, sample_model: DriveModel
) -> None:
    page.goto(empty_site)
    page.get_by_role("combobox").fill("sample")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("main").get_by_role("link", name="Sampledata Sample 9000").click()
    expect(page).to_have_url(f"{empty_site}/drives/{sample_model.slug}/")
    contents = page.get_by_role("navigation", name="On this page")
    contents.get_by_role("link", name="Runs", exact=True).click()
    runs = page.get_by_role("region", name="Measured runs")
    runs.get_by_role("table").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Verify it yourself")).to_be_visible()


def test_every_link_of_the_contents_leads_to_a_place_on_the_page(
    page: Page, empty_site: str, sample_model: DriveModel
) -> None:
    run = Run.objects.filter(drive_model=sample_model, provenance="probe").latest("created_at")
    for address in (f"/drives/{sample_model.slug}/", f"/runs/{run.pk}/"):
        page.goto(empty_site + address, wait_until="domcontentloaded")
        lost = page.evaluate(
            """[...document.querySelectorAll(".contents a")].map(a => a.hash.slice(1))
                .filter(id => !document.getElementById(id))"""
        )
        assert lost == [], address


def test_the_site_is_used_by_keyboard_alone(page: Page, empty_site: str, sample_model: DriveModel) -> None:
    page.goto(f"{empty_site}/about/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.get_by_role("banner").get_by_role("combobox").focus()
    page.keyboard.type("sample")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/drives/\?q=sample$"))
    link = page.get_by_role("main").get_by_role("link", name="Sampledata Sample 9000")
    link.focus()
    outline = link.evaluate("element => getComputedStyle(element).outlineStyle")
    assert outline != "none"
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sampledata Sample 9000")


def test_a_shared_address_shows_the_same(browser: Browser, empty_site: str, sample_model: DriveModel) -> None:
    first, second = browser.new_context(), browser.new_context()
    page, other = first.new_page(), second.new_page()
    page.goto(f"{empty_site}/drives/?q=sample&sort=-year")
    other.goto(page.url)
    assert other.get_by_role("main").inner_text() == page.get_by_role("main").inner_text()
    first.close()
    second.close()


def test_without_scripts_a_drive_and_its_numbers_are_all_there(
    browser: Browser, empty_site: str, sample_model: DriveModel
) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800})
    page = context.new_page()
    page.goto(f"{empty_site}/methods/")
    page.get_by_role("banner").get_by_role("searchbox").fill("sample")
    page.keyboard.press("Enter")
    page.get_by_role("main").get_by_role("link", name="Sampledata Sample 9000").click()
    expect(page.get_by_role("heading", name="What people ask")).to_be_visible()
    page.get_by_role("link", name=re.compile("^all .* numbers?$")).first.click()
    expect(page.get_by_role("row", name="Rotation time").first).to_be_visible()
    context.close()
