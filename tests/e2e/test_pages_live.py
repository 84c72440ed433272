"""A run's page follows its jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from server.core import clock
from server.core.lifecycle import State
from server.measurements.models import Benchmark, Measurement, Run
from server.submissions.models import Submission
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def advance(run: Run, state: State) -> None:
    """Bring the run on as the pipeline does."""
    published_at = clock.now() if state == State.PUBLISHED else None
    Submission.objects.filter(pk=run.submission_id).update(state=state, published_at=published_at)


def finish(run: Run) -> None:
    """Give the run a number and publish it."""
    benchmark = run.benchmarks.get(kind="skippy")
    Measurement.objects.create(
        benchmark=benchmark,
        extractor_version="1",
        metric="skippy.rotation_time",
        value=8.333,
        low=8.33,
        high=8.336,
        count=9,
        quality="good",
    )
    run.benchmarks.update(state=Benchmark.State.EXTRACTED, extractor_version="1")
    advance(run, State.PUBLISHED)


def test_the_status_goes_live_from_received_to_published(
    page: Page, empty_site: str, screenshots: Path
) -> None:
    run = sample_run(SampleRun(state=State.RECEIVED))
    page.goto(f"{empty_site}/runs/{run.run_id}/")
    state = page.locator("[data-state]")
    expect(state).to_have_text("received")
    page.screenshot(path=screenshots / "run-received.png", full_page=True)
    advance(run, State.VALIDATED)
    expect(state).to_have_text("validated", timeout=10_000)
    finish(run)
    expect(state).to_have_text("published", timeout=10_000)
    expect(page.get_by_role("row", name="Rotation time").first).to_be_visible()
    expect(page.locator("[data-poll-url]")).to_have_count(0)


def test_without_scripts_the_page_refreshes_itself(browser: Browser, empty_site: str) -> None:
    run = sample_run(SampleRun(state=State.RECEIVED))
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{empty_site}/runs/{run.run_id}/")
    expect(page.locator("[data-state]")).to_have_text("received")
    finish(run)
    expect(page.locator("[data-state]")).to_have_text("published", timeout=10_000)
    context.close()
