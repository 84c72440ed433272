"""Comparing and judging in a browser: every page clean, and two journeys by keyboard and address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from server.catalog.loading import catalog_load
from server.catalog.models import Citation, Claim, DriveModel
from server.claims.selectors import verdicts_update
from server.measurements.models import Batch, Run
from server.model_stats.refresh import refresh_model
from tests.e2e.audit import audit
from tests.e2e.walk import WIDTHS, heard_errors, settle_charts
from tests.support.sample_archive import drive_model_curated
from tests.support.sample_units import measured

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def compared(empty_site: str) -> DriveModel:
    """Sample data: eight drives in two batches under two revisions, another model, and claims on both."""
    other = drive_model_curated(vendor_name="Sampledata", model_name="Sample 7000", simulated=False)
    for index in range(4):
        model = measured(index, 100 + index).drive_model
        run = measured(10 + index, 120 + index, firmware="S2")
        batch, _made = Batch.objects.get_or_create(drive_model=model, year=2026, week=20)
        Run.objects.filter(pk=run.pk).update(batch=batch)
        Run.objects.filter(pk=measured(20 + index, 101 + 2 * index).pk).update(
            drive_model=other, batch=None, unit=None
        )
    citation = Citation.objects.create(
        key="sheet", authors="Sample vendor", title="A sample sheet", year=2026
    )
    for low in (90.0, 130.0):
        Claim.objects.create(
            **{"drive_model": model, "citation": citation, "metric": "zoned.outer_bandwidth"},
            **{
                "form": "minimum",
                "low": low,
                "unit": "MB/s",
                "locator": f"p. {low:g}",
                "stated_on": "2026-03",
            },
        )
    for one in (model, other):
        refresh_model(drive_model_id=one.pk)
        verdicts_update(drive_model_id=one.pk)
    return model


def addresses(model: DriveModel) -> dict[str, str]:
    slug = model.slug
    return {
        "compare-empty": "/compare/",
        "compare-two": f"/compare/?d={slug}~fw:S1&d={slug}~fw:S2",
        "compare-three": f"/compare/?d={slug}~fw:S1&d={slug}~fw:S2&d=sampledata-sample-7000&level=0.9",
        "claims": "/claims/",
        "batches": f"/drives/{slug}/batches/",
        "batch": f"/drives/{slug}/batches/2026-w20/",
        "firmware": f"/drives/{slug}/firmware/S2/",
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_of_comparing_are_clean_in_every_width_and_theme(
    browser: Browser, empty_site: str, compared: DriveModel, screenshots: Path, theme: Any
) -> None:
    # Narrow first: a picture takes a moment to shrink with its box, and none to be smaller than it.
    narrow: Any = {"width": WIDTHS["phone"], "height": 900}
    context = browser.new_context(color_scheme=theme, reduced_motion="reduce", viewport=narrow)
    # Colours alone differ in the dark, and these three pages have all of them.
    shown = ("compare-three", "claims", "batches") if theme == "dark" else None
    for name, address in addresses(compared).items():
        if shown and name not in shown:
            continue
        page = context.new_page()
        errors = heard_errors(page)
        page.goto(empty_site + address, wait_until="networkidle")
        settle_charts(page)
        for label, width in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, label)
            page.screenshot(path=screenshots / f"{name}-{label}-{theme}.png", full_page=True)
            assert audit(page) == [], (name, label)
        assert errors == [], name
        page.close()
    context.close()


def test_a_comparison_is_put_together_from_a_search_and_its_address_keeps_it(
    page: Page, empty_site: str, compared: DriveModel
) -> None:
    page.goto(f"{empty_site}/compare/?d={compared.slug}~fw:S1&level=0.9")
    field = page.get_by_role("combobox", name="What to add")
    field.press_sequentially("7000")
    offered = page.get_by_role("option", name="Sampledata Sample 7000")
    expect(offered.first).to_be_visible()
    field.press("ArrowDown")
    field.press("Enter")
    expect(page.get_by_role("heading", name="Number by number")).to_be_visible()
    expect(page.locator(".segments a[aria-current]").first).to_have_text("90 %")
    again = page.context.new_page()
    again.goto(page.url)
    assert again.locator("main").inner_text() == page.locator("main").inner_text()
    page.get_by_role("link", name="Take Sampledata Sample 7000 away").click()
    expect(page.get_by_role("heading", name="One more is needed")).to_be_visible()


def test_two_published_drives_are_drawn_place_by_place_with_their_interval(
    page: Page, live_server: LiveServer, built_front_end: None, screenshots: Path
) -> None:
    catalog_load()
    page.goto(f"{live_server.url}/compare/?d=maxtor-2f040l0&d=maxtor-6l040j2&level=0.9")
    settle_charts(page)
    places = page.locator("figure.chart", has_text="place by place")
    expect(places).to_contain_text("The curve of A is 6.3 MB/s higher than that of B")
    expect(places.locator("details")).to_contain_text("mean, 90 %")
    page.screenshot(path=screenshots / "compare-published.png", full_page=True)


def test_the_ledger_is_narrowed_without_scripts(
    browser: Browser, empty_site: str, compared: DriveModel
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{empty_site}/claims/")
    page.locator("select[name=verdict]").select_option("missed")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("table.ledger tbody tr")).to_have_count(1)
    expect(page.locator("table.ledger")).to_contain_text("p. 130")
    assert "verdict=missed" in page.url
    context.close()
