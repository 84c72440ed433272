"""Finding a drive: by typing, by narrowing, with the keyboard only, on a phone, and without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from server.catalog.models import DriveModel
from server.measurements.models import Run
from server.search.archive_counts import archive_counts_update
from tests.e2e.audit import audit
from tests.support.derived_rows import derived_rows_refresh
from tests.support.sample_archive import drive_model_curated

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site(empty_site: str, sample_model: DriveModel) -> Iterator[str]:
    """The sample archive with a few more models that differ in their rated rpm."""
    for number, rpm in (("SD5400NM", 5400), ("SD7200NM", 7200), ("SD7200VX", 7200)):
        model = drive_model_curated(vendor_name="Otherdata", model_name=number, simulated=False)
        DriveModel.objects.filter(pk=model.pk).update(curated=True, rated_rpm=rpm)
        derived_rows_refresh(drive_model_id=model.pk)
    archive_counts_update()
    yield empty_site


def errors_of(page: Page) -> list[str]:
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    return errors


@pytest.mark.parametrize("width", [360, 1440])
def test_a_drive_is_reached_from_a_mistyped_number_with_the_keyboard_alone(
    page: Page, site: str, width: int
) -> None:
    errors = errors_of(page)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(site + "/")
    box = page.get_by_role("combobox", name="Search drives")
    box.focus()
    page.keyboard.type("sd7200mn", delay=15)
    options = page.get_by_role("option")
    expect(options.first).to_contain_text("Otherdata SD7200NM")
    expect(box).to_have_attribute("aria-expanded", "true")
    assert audit(page) == []
    page.keyboard.press("ArrowDown")
    first = options.first.get_attribute("id")
    expect(box).to_have_attribute("aria-activedescendant", str(first))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/drives/otherdata-sd7200nm/$"))
    assert errors == []


def test_escape_closes_the_suggestions_and_enter_then_searches(page: Page, site: str) -> None:
    page.goto(site + "/")
    box = page.get_by_role("combobox", name="Search drives")
    box.press_sequentially("sd7200", delay=15)
    expect(page.get_by_role("option")).to_have_count(2)
    box.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(box).to_have_value("sd7200")
    box.press("Enter")
    expect(page).to_have_url(re.compile(r"/drives/\?q=sd7200$"))


def test_a_pasted_run_id_leads_to_the_run(page: Page, site: str) -> None:
    run = Run.objects.filter(provenance="probe").first()
    assert run is not None
    page.goto(site + "/methods/")
    box = page.get_by_role("combobox", name="Search drives")
    box.fill(str(run.run_id))
    page.get_by_role("option", name=str(run.run_id)).click()
    expect(page).to_have_url(re.compile(f"/runs/{run.run_id}/$"))


def test_choices_narrow_the_list_in_place_and_the_address_shows_the_same_again(
    page: Page, browser: Browser, site: str
) -> None:
    errors = errors_of(page)
    page.set_viewport_size({"width": 1440, "height": 1000})
    page.goto(site + "/drives/")
    page.evaluate("window.same = true")
    choice = page.get_by_role("checkbox", name=re.compile("^7200"))
    choice.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("rowheader")).to_have_count(3)
    expect(choice).to_be_focused()
    expect(page).to_have_url(site + "/drives/?rpm=7200")
    page.get_by_role("checkbox", name=re.compile("^Otherdata")).check()
    expect(page.get_by_role("rowheader")).to_have_count(2)
    assert page.evaluate("window.same") is True
    address = page.url
    assert audit(page) == []
    page.get_by_role("link", name="Vendor: Otherdata").click()
    expect(page.get_by_role("rowheader")).to_have_count(3)
    page.go_back()
    expect(page.get_by_role("rowheader")).to_have_count(2)
    assert errors == []
    other = browser.new_context().new_page()
    other.goto(address)
    expect(other.get_by_role("rowheader")).to_have_count(2)
    expect(other.locator("input[name=rpm][value='7200']")).to_be_checked()
    other.context.close()


def test_without_scripts_a_phone_searches_narrows_and_sorts(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800})
    page = context.new_page()
    page.goto(site + "/")
    page.get_by_role("searchbox").fill("sd72")
    page.get_by_role("button", name="Search drives").click()
    expect(page.get_by_role("rowheader")).to_have_count(2)
    page.get_by_text("Filters and columns").click()
    page.get_by_role("checkbox", name=re.compile("^Otherdata")).check()
    page.get_by_role("button", name="Apply").click()
    assert "vendor=otherdata" in page.url and "q=sd72" in page.url
    expect(page.get_by_role("rowheader")).to_have_count(2)
    page.get_by_role("columnheader", name="Rated rpm").get_by_role("link").click()
    assert "sort=-rpm" in page.url
    width = page.locator("body").bounding_box()
    assert width is not None and width["width"] <= 360
    context.close()


def test_ticked_drives_are_compared(page: Page, site: str, sample_model: DriveModel) -> None:
    page.goto(site + "/drives/")
    page.get_by_role("checkbox", name="Compare Otherdata SD7200NM").check()
    page.get_by_role("checkbox", name=f"Compare {sample_model.title}").check()
    page.get_by_role("button", name="Compare the ticked ones").click()
    # In the order of the list, which begins with what is measured.
    assert page.url.endswith(f"/compare/?d={sample_model.slug}&d=otherdata-sd7200nm")
