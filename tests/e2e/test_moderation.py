"""The moderators' pages in a browser: clean in both themes and widths, and a decision without a script."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, expect

from server.accounts.models import User
from server.core.lifecycle import State
from server.submissions import moderation
from server.submissions.catalogue_changes import alias_add, models_merge
from server.submissions.models import Submission
from tests.e2e.walk import AXE, findings, heard_errors
from tests.support.moderation import moderator, quarantined
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cases() -> list[Submission]:
    for unit in ("cd", "ef", "01", "23"):
        sample_run(SampleRun(unit=unit * 32))
    return [quarantined(sample_run()) for _number in range(4)]


def signed_in(browser: Browser, site: str, user: User, **options: Any) -> BrowserContext:
    client = Client()
    client.force_login(user)
    context = browser.new_context(**options)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": site}])
    return context


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_moderators_pages_are_clean(
    browser: Browser, empty_site: str, cases: list[Submission], theme: Any
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: call `npm ci` in frontend/")
    user = moderator()
    moderation.submission_reject(cases[1], by=user, reason="Sample reason: looked at.")
    moderation.submission_lift(cases[1], by=user, reason="Sample reason: looked at again.")
    other = sample_run(SampleRun(model="Sample 9000-A", unit="45" * 32)).drive_model
    model = cases[0].run.drive_model
    models_merge(source=other, target=model, by=user, reason="Sample reason: one drive.")
    alias_add(model=model, text="Sample label", by=user, reason="Sample reason: on its label.")
    context = signed_in(browser, empty_site, user, color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    errors = heard_errors(page)
    wrong = {
        name: found
        for name, address in (
            ("moderation", "/moderation/"),
            ("moderation-case", f"/moderation/{cases[0].pk}/"),
            ("moderation-rejected", f"/moderation/{cases[1].pk}/"),
            ("moderation-decisions", "/moderation/decisions/"),
            ("moderation-catalogue", "/moderation/catalogue/"),
            ("moderation-names", f"/moderation/catalogue/{model.slug}/"),
        )
        if (found := findings(page, empty_site + address, name, theme))
    }
    context.close()
    assert (wrong, errors) == ({}, [])


def test_a_decision_needs_no_script(browser: Browser, empty_site: str, cases: list[Submission]) -> None:
    context = signed_in(browser, empty_site, moderator(), java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{empty_site}/moderation/")
    page.get_by_role("link", name="Sample 9000").first.click()
    page.get_by_label("Prepared reason", exact=True).select_option(moderation.PREPARED[0])
    page.get_by_label("What the evidence shows").fill("The rating was wrong.")
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("status")).to_contain_text("The decision stands in the log.")
    page.goto(f"{empty_site}/moderation/")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_label("What the evidence shows").fill("These are copies of one run.")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("status")).to_contain_text("Decided about 3 submissions of 3.")
    context.close()
    assert (
        sorted(Submission.objects.exclude(state=State.PUBLISHED).values_list("state", flat=True))
        == ["rejected"] * 3
    )
