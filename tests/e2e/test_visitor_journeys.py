"""What a buyer, an owner and a researcher come for, in clicks from the home page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from server.catalog.models import Citation, Claim, DriveModel
from server.claims.selectors import verdicts_update
from server.measurements.models import Run
from server.model_stats.refresh import refresh_model
from tests.support.sample_archive import drive_model_curated
from tests.support.sample_units import measured

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


class Clicks:
    """Counts what a visitor presses."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, place: Locator) -> None:
        place.click()
        self.count += 1


@pytest.fixture
def two(empty_site: str) -> tuple[DriveModel, DriveModel]:
    """Sample data: two models of 4 TB with three units each, and a claim on both."""
    other = drive_model_curated(vendor_name="Sampledata", model_name="Sample 7000", simulated=False)
    for index in range(3):
        model = measured((index + 1) << 240, 100 + index).drive_model
        run = measured(None, 150 + index, keyid=f"key {index}")
        Run.objects.filter(pk=run.pk).update(drive_model=other)
    citation = Citation.objects.create(
        key="sheet", authors="Sample vendor", title="A sample sheet", year=2026
    )
    for one in (model, other):
        DriveModel.objects.filter(pk=one.pk).update(capacity_bytes=4 * 10**12, curated=True)
        Claim.objects.create(
            **{
                "drive_model": one,
                "citation": citation,
                "metric": "zoned.outer_bandwidth",
                "form": "minimum",
            },
            **{"low": 130.0, "unit": "MB/s", "locator": "p. 1", "stated_on": "2026-03"},
        )
        refresh_model(drive_model_id=one.pk)
        verdicts_update(drive_model_id=one.pk)
        refresh_model(drive_model_id=one.pk)
    return model, other


def test_20_which_of_two_is_faster_and_do_their_makers_keep_their_word_in_four_clicks(
    page: Page, empty_site: str, two: tuple[DriveModel, DriveModel]
) -> None:
    clicks = Clicks()
    page.goto(empty_site)
    page.get_by_role("combobox", name="Search drives").fill("4 tb")
    clicks.on(page.get_by_role("button", name="Search drives"))
    for model in two:
        clicks.on(page.get_by_role("checkbox", name=f"Compare {model.title}"))
    clicks.on(page.get_by_role("link", name="Compare these 2"))
    expect(page.locator(".opening")).to_contain_text(re.compile("reads .* faster"))
    kept = page.locator("section", has=page.locator("#kept-title"))
    expect(kept).to_contain_text(f"{two[0].title}: ")
    expect(kept).to_contain_text(re.compile("met|missed|inconclusive"))
    assert clicks.count == 4


def test_20_is_my_unit_normal_in_three_clicks(
    page: Page, empty_site: str, two: tuple[DriveModel, DriveModel]
) -> None:
    run = Run.objects.filter(drive_model=two[0], provenance="probe").exclude(unit=None).latest("created_at")
    clicks = Clicks()
    page.goto(empty_site)
    page.get_by_role("combobox", name="Search drives").fill(str(run.run_id))
    clicks.on(page.get_by_role("option", name=str(run.run_id)))
    clicks.on(page.get_by_role("link", name=str(run.unit)).first)
    expect(page.get_by_role("heading", level=1)).to_have_text("Is this unit like the others?")
    expect(page.locator(".unit-strips")).to_contain_text("median")
    assert clicks.count <= 3


def test_20_all_zones_of_7200_rpm_drives_as_a_file_with_a_citation_in_three_clicks(
    page: Page, empty_site: str, two: tuple[DriveModel, DriveModel]
) -> None:
    clicks = Clicks()
    page.goto(empty_site)
    clicks.on(page.get_by_role("navigation", name="Main").get_by_role("link", name="Datasets"))
    page.locator("select[name=table]").select_option(label="Zones")
    page.locator("select[name=rpm]").select_option(label="7,200 rpm drives")
    clicks.on(page.get_by_role("button", name="Show", exact=True))
    citation = page.get_by_role("status").locator("code")
    expect(citation).to_contain_text("Zones of 7,200 rpm drives")
    expect(citation).to_contain_text("/api/v1/zones.csv?provenance=probe&rpm=7200")
    link = page.get_by_role("status").get_by_role("link", name="CSV")
    with page.expect_download() as waiting:
        clicks.on(link)
    assert waiting.value.suggested_filename.endswith(".csv")
    assert clicks.count == 3
