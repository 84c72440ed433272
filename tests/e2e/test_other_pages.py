"""Pages that only some people see: runs in every state, the links of mails, errors, and drives that nobody
measured. Each is held to what every page is held to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponseBase
from django.test import RequestFactory
from playwright.sync_api import Browser, Page, Route

from server.catalog.models import DriveModel
from server.config import error_views
from server.core import clock
from server.core.lifecycle import State
from server.core.problems import PROBLEM_TYPES
from server.measurements.models import Run
from server.submissions.models import Submission
from server.subscriptions.messages import confirm_url, stop_url
from server.subscriptions.models import Subscription
from server.transparency.log_entry import LogEntry
from server.transparency.models import LogLeaf, Withdrawal
from server.transparency.publication_log import log_append
from tests.e2e.walk import AXE, findings, heard_errors
from tests.support.derived_rows import derived_rows_refresh
from tests.support.sample_archive import SampleRun, drive_model_curated, sample_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
STATES = (State.RECEIVED, State.VALIDATED, State.REJECTED, State.QUARANTINED)
ERRORS = ("bad-request", "forbidden", "too-many-requests", "server-error", "unavailable")


def withdraw(run: Run) -> None:
    """Leave of a run what a withdrawal leaves."""
    from server.accounts.models import User

    entry = LogEntry(str(LogLeaf.Kind.WITHDRAWN), run.submission.digest, run.run_id, clock.now())
    by = User.objects.create_user("sample-keeper")
    Withdrawal.objects.create(
        submission=run.submission, leaf=log_append(entry), reason="Sample reason.", envelope="removed", by=by
    )
    Submission.objects.filter(pk=run.submission_id).update(state=State.WITHDRAWN)


def followed(model: DriveModel) -> Iterator[tuple[str, str]]:
    """The addresses that mails carry, of a follow that waits and of one that is active."""
    for number, state in enumerate(("unconfirmed", "active")):
        active_since = clock.now() if state == "active" else None
        follow = Subscription.objects.create(
            drive_model=model,
            channel="mail",
            mail=f"sample-{number}@example.org",
            state=state,
            created_at=clock.now(),
            active_since=active_since,
        )
        yield f"confirm-{state}", confirm_url(follow).partition("/follow/")[2]
        yield f"stop-{state}", stop_url(follow).partition("/follow/")[2]
    yield "expired", "confirm/nonsense/"


@pytest.fixture
def others(sample_model: DriveModel) -> dict[str, str]:
    """Pages by name, each with its address."""
    pages = {
        "api": "/api/",
        "sign-in": "/accounts/login/",
        "sign-up": "/accounts/signup/",
        "forgotten": "/accounts/password/reset/",
        "compare-one": f"/compare/?d={sample_model.slug}",
    }
    for state in STATES:
        pages[f"run-{state}"] = f"/runs/{sample_run(SampleRun(state=state)).pk}/"
    gone = sample_run(SampleRun(state=State.PUBLISHED))
    withdraw(gone)
    pages["run-withdrawn"] = f"/runs/{gone.pk}/"
    empty = drive_model_curated(vendor_name="Otherdata", model_name="Unmeasured 1", simulated=False)
    DriveModel.objects.filter(pk=empty.pk).update(curated=True)
    derived_rows_refresh(drive_model_id=empty.pk)
    pages["drive-unmeasured"] = f"/drives/{empty.slug}/"
    pages["follow-asked"] = f"/drives/{sample_model.slug}/follow/?asked"
    pages |= {f"follow-{name}": f"/follow/{rest}" for name, rest in followed(sample_model)}
    return pages | {f"error-{slug}": f"/sample-error/{slug}/" for slug in ERRORS}


def error_answer(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Answer as the site does where nothing can be asked of the database."""
    return error_views.error_response(request, slug, "Sample detail: what failed, the limit, and what to do.")


def fail(route: Route) -> None:
    """Answer for the server with one of its own error pages."""
    slug = route.request.url.rstrip("/").rpartition("/")[2]
    answer: Any = error_answer(RequestFactory().get("/sample-error/"), slug)
    route.fulfill(status=PROBLEM_TYPES[slug].status, content_type="text/html", body=answer.content.decode())


def expected(error: str) -> bool:
    """Whether the browser's console tells of a page's own status, as of every page that is an error."""
    return "the server responded with a status of" in error


def walk(page: Page, site: str, pages: dict[str, str], theme: str) -> dict[str, list[str]]:
    errors = heard_errors(page)
    wrong: dict[str, list[str]] = {}
    for name, address in pages.items():
        found = findings(page, site + address, name, theme)
        found += [error for error in errors if not expected(error)]
        errors.clear()
        if found:
            wrong[name] = found
    return wrong


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_of_every_state_are_clean(
    browser: Browser, empty_site: str, others: dict[str, str], theme: Any
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: call `npm ci` in frontend/")
    context = browser.new_context(color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    page.route("**/sample-error/*/", fail)
    wrong = walk(page, empty_site, others, theme)
    context.close()
    assert wrong == {}
