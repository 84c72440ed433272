"""Importing in the browser, by keyboard alone: files, what would be published, consent, a link, and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import LazySettings
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from server.measurements.models import Run
from server.submissions.models import Submission
from server.submissions.pipeline import submissions_process
from tests.e2e.walk import AXE, WIDTHS, axe_findings, heard_errors
from tests.server.submissions.test_file_import import DATA, reader

pytestmark = [pytest.mark.browser, pytest.mark.probe, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site(live_server: LiveServer, built_front_end: None, settings: LazySettings) -> str:
    """The address of a site with the real kinds and a program that reads files."""
    settings.IMPORT_PROGRAM = reader()
    return str(live_server.url)


def look(page: Page, name: str, screenshots: Path) -> None:
    """Take pictures of a step in both widths and themes; nothing scrolls sideways, and axe finds nothing."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        for label, width in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=screenshots / f"import-{name}-{label}-{theme}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, label)
        if AXE.is_file():
            assert axe_findings(page) == [], name


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")


def test_files_become_a_run_by_keyboard_alone(browser: Browser, site: str, screenshots: Path) -> None:
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    errors = heard_errors(page)
    page.goto(f"{site}/contribute/")
    page.get_by_role("link", name="Import the files in your browser").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Import files")).to_be_visible()
    look(page, "form", screenshots)

    field = page.get_by_label("Files of one drive")
    field.set_input_files([DATA / "w4k_lat.1.log"])
    press(page, "Read the files")
    expect(page.get_by_role("alert")).to_contain_text("w4k_lat.1.log: nothing says which drive it was")
    look(page, "refused", screenshots)
    errors.clear()  # The browser notes the 422.

    field.set_input_files([DATA / "fio-json-plus.json", DATA / "reads_lat.1.log", DATA / "identity.json"])
    press(page, "Read the files")
    expect(page.get_by_role("heading", level=1, name="This would be published")).to_be_visible()
    expect(page.get_by_role("heading", name="EXAMPLE DISK-8")).to_be_visible()
    look(page, "consent", screenshots)
    assert not Submission.objects.exists()

    page.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    page.get_by_role("checkbox").focus()
    page.keyboard.press("Space")
    press(page, "Publish")
    expect(page.get_by_role("heading", level=1, name="Your run of a")).to_be_visible()
    submissions_process(submission_id=Submission.objects.get().pk)
    page.reload()
    expect(page.get_by_text("It is published.")).to_be_visible()
    look(page, "own", screenshots)
    own = page.url

    page.get_by_role("link", name="The run's page").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("No probe signed it.")).to_be_visible()
    look(page, "run", screenshots)

    page.goto(own)
    page.get_by_text("Take the run back", exact=True).focus()
    page.keyboard.press("Enter")
    press(page, "Take it back")
    expect(page.get_by_role("heading", level=1, name="The run is taken back")).to_be_visible()
    assert Run.objects.get().submission.state == "withdrawn"
    assert errors == []
    context.close()
