"""Every page of the site, in both themes, on a phone and on a desk."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from server.catalog.models import DriveModel
from tests.e2e.walk import ANSWERED_404, AXE, PAGES, address_of, findings, heard_errors

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_is_clean(browser: Browser, empty_site: str, sample_model: DriveModel, theme: Any) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: call `npm ci` in frontend/")
    context = browser.new_context(color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    errors = heard_errors(page)
    wrong: dict[str, list[str]] = {}
    for name in PAGES:
        found = findings(page, empty_site + address_of(name, sample_model), name, theme)
        found += [error for error in errors if name not in ANSWERED_404 or "404" not in error]
        errors.clear()
        if found:
            wrong[name] = found
    context.close()
    assert wrong == {}
