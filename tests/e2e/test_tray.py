"""Gathering drives for a comparison while one browses."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from server.catalog.models import DriveModel
from tests.e2e.audit import audit
from tests.support.sample_archive import drive_model_curated

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_20_drives_are_gathered_over_pages_and_compared_without_a_cookie(
    page: Page, empty_site: str, sample_model: DriveModel
) -> None:
    other = drive_model_curated(vendor_name="Otherdata", model_name="SD7200NM", simulated=False)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{empty_site}/drives/{other.slug}/")
    tray = page.get_by_role("complementary", name="Gathered for a comparison")
    expect(tray).to_be_hidden()
    page.get_by_role("button", name="Gather for a comparison").click()
    expect(tray.get_by_role("link", name="Compare it")).to_be_visible()
    assert audit(page) == []
    page.goto(f"{empty_site}/drives/?q=9000")
    box = page.get_by_role("checkbox", name=f"Compare {sample_model.title}")
    box.check()
    page.reload()
    expect(box).to_be_checked()
    assert page.context.cookies() == []
    tray.get_by_role("link", name="Compare these 2").click()
    expect(page).to_have_url(f"{empty_site}/compare/?d={other.slug}&d={sample_model.slug}")
    expect(tray).to_be_hidden()
    page.goto(f"{empty_site}/drives/")
    tray.get_by_role("button", name=f"Take {sample_model.title} away").click()
    expect(page.get_by_role("checkbox", name=f"Compare {sample_model.title}")).not_to_be_checked()
    tray.get_by_role("button", name="Clear").click()
    expect(tray).to_be_hidden()
