"""Cached pages: asked for again they cost no query, a change ends those that show it, and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from server.catalog.models import DriveModel
from server.core.cache import cache_purge, model_tag
from server.core.lifecycle import State
from server.model_stats.refresh import refresh_model
from server.search.models import ArchiveCounts
from server.search.summaries import summary_update
from server.submissions.events import submission_move
from server.web.views import drive
from tests.support.sample_archive import SampleRun, drive_model_curated, sample_run

pytestmark = pytest.mark.django_db
Queries = Callable[[int], Any]


@pytest.fixture(autouse=True)
def caching(settings: LazySettings) -> None:
    settings.PAGE_CACHE_S = 60
    cache.clear()


@pytest.fixture
def model() -> DriveModel:
    return made("Kept 1")


def made(number: str) -> DriveModel:
    drive_model_curated(vendor_name="Sampledata", model_name=number, simulated=False)
    model = DriveModel.objects.get(number=number)
    DriveModel.objects.filter(pk=model.pk).update(curated=True)
    summary_update(drive_model_id=model.pk)
    return model


def words(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    "address", ["/", "/drives/", "/drives/suggest/?q=kept", "/claims/", "/drives/{slug}/"]
)
def test_a_page_that_was_asked_for_before_costs_no_query(
    client: Client, model: DriveModel, django_assert_num_queries: Queries, address: str
) -> None:
    address = address.format(slug=model.slug)
    first = client.get(address)
    with django_assert_num_queries(0):
        again = client.get(address)
    assert again.content == first.content
    assert again["X-Request-Id"] != first["X-Request-Id"]
    assert {**dict(again.items()), "X-Request-Id": ""} == {**dict(first.items()), "X-Request-Id": ""}


def test_what_changes_a_model_ends_its_pages(
    client: Client, model: DriveModel, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    address = f"/drives/{model.slug}/"
    assert "Kept 9" not in words(client, address)
    DriveModel.objects.filter(pk=model.pk).update(number="Kept 9", name="Kept 9")
    assert "Kept 9" not in words(client, address)
    with django_capture_on_commit_callbacks(execute=True):
        refresh_model(drive_model_id=model.pk)
        # Until it is committed everybody else sees what was before, and may keep it.
        assert "Kept 9" not in words(client, address)
    assert "Kept 9" in words(client, address)


def test_a_change_of_one_model_leaves_the_pages_of_others(
    client: Client,
    model: DriveModel,
    django_assert_num_queries: Queries,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    other = made("Kept 2")
    alone = (f"/drives/{other.slug}/numbers/seeker/", f"/drives/{other.slug}/batches/")
    shown = (f"/drives/{model.slug}/batches/", f"/drives/{model.slug}/", "/drives/", "/drives/?q=kept")
    for address in (*alone, *shown):
        words(client, address)
    with django_capture_on_commit_callbacks(execute=True):
        refresh_model(drive_model_id=model.pk)
    with django_assert_num_queries(0):
        for address in alone:
            words(client, address)
    for address in shown:
        with CaptureQueriesContext(connection) as queries:
            words(client, address)
        assert len(queries) > 0, address


def test_what_changed_while_a_page_was_rendered_is_not_hidden_by_it(
    client: Client, model: DriveModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/drives/{model.slug}/"
    render = drive.page

    def and_then(*arguments: Any, **named: Any) -> Any:
        response = render(*arguments, **named)
        DriveModel.objects.filter(pk=model.pk).update(number="Kept 9", name="Kept 9")
        cache_purge(model_tag(model.pk))
        return response

    with monkeypatch.context() as patched:
        patched.setattr(drive, "page", and_then)
        assert "Kept 9" not in words(client, address)
    assert "Kept 9" in words(client, address)


def test_a_published_run_s_page_is_cached_until_its_run_model_or_key_changes(
    client: Client, django_assert_num_queries: Queries, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    run = sample_run()
    address = f"/runs/{run.run_id}/"
    first = words(client, address)
    with django_assert_num_queries(0):
        assert words(client, address) == first
    with django_capture_on_commit_callbacks(execute=True):
        run.submission.probe_key.status = "revoked"
        run.submission.probe_key.save()
    assert "Its holder has revoked the key." in words(client, address)
    with django_capture_on_commit_callbacks(execute=True):
        submission_move(run.submission, State.QUARANTINED, "A sample reason.")
    assert "A sample reason." in words(client, address)


def test_a_run_on_its_way_is_not_cached(client: Client) -> None:
    run = sample_run(SampleRun(state=State.RECEIVED))
    assert "Place 1 in the queue" in words(client, f"/runs/{run.run_id}/")
    run.submission.state = State.QUARANTINED
    run.submission.save()
    assert "Place 1 in the queue" not in words(client, f"/runs/{run.run_id}/")


def test_new_counts_end_the_lists(
    client: Client, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    words(client, "/drives/")
    with django_capture_on_commit_callbacks(execute=True):
        ArchiveCounts.objects.update_or_create(id=1, defaults={"updated_at": timezone.now()})
    with CaptureQueriesContext(connection) as queries:
        words(client, "/drives/")
    assert len(queries) > 0


def test_themes_addresses_and_parts_are_kept_apart(client: Client, model: DriveModel) -> None:
    whole = words(client, "/drives/")
    assert words(client, "/drives/", **{"X-Part": "results"}) != whole
    assert words(client, "/drives/?q=nothing-of-that-name") != whole
    client.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in words(client, "/drives/")
    assert 'data-theme="dark"' not in whole


def test_what_is_not_there_is_asked_for_each_time(client: Client) -> None:
    assert client.get("/drives/sampledata-kept-2/").status_code == 404
    model = made("Kept 2")
    assert "Kept 2" in words(client, f"/drives/{model.slug}/")


def test_zero_seconds_keep_nothing(client: Client, model: DriveModel, settings: LazySettings) -> None:
    settings.PAGE_CACHE_S = 0
    words(client, f"/drives/{model.slug}/")
    DriveModel.objects.filter(pk=model.pk).update(number="Kept 9", name="Kept 9")
    assert "Kept 9" in words(client, f"/drives/{model.slug}/")
