"""A golden run of each kind walks from its envelope to the pages, which know nothing of the kind by name."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from server.benchmarks.contract import Kind
from server.benchmarks.registry import KINDS, kinds_by_slug
from server.submissions.models import Submission
from tests.contract.golden import golden_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def kinds() -> dict[str, Kind]:
    """The real registry instead of the stand-ins of the other tests."""
    return kinds_by_slug()


def text_of(response: Any) -> str:
    """The words of a page."""
    assert response.status_code == 200, response
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


@pytest.mark.parametrize("kind", KINDS, ids=[kind.slug for kind in KINDS])
def test_a_run_of_the_kind_is_published_and_stands_on_its_pages(
    kind: Kind,
    submit: Callable[[dict[str, Any]], Submission],
    run_jobs: Callable[[], None],
    django_capture_on_commit_callbacks: Any,
    client: Client,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        submission = submit(golden_of(kind.slug).document())
    run_jobs()
    submission.refresh_from_db()
    assert submission.state == "published", list(submission.events.values_list("reason", flat=True))
    run = submission.run
    page = client.get(f"/runs/{run.pk}/")
    words = text_of(page)
    assert kind.title in words
    assert f'id="kind-{kind.slug}"' in page.content.decode()
    benchmark = run.benchmarks.get()
    assert benchmark.state == "extracted" and benchmark.measurements.exists()
    shown = {metric.title for metric in kind.metrics if metric.headline}
    assert any(title in words for title in shown)
    for address in (f"/methods/{kind.slug}/", f"/drives/{run.drive_model.slug}/", "/drives/", "/methods/"):
        assert client.get(address).status_code == 200, address
    charts = client.get(f"/api/v1/runs/{run.pk}/charts/")
    assert charts.status_code == 200 and charts.json()
