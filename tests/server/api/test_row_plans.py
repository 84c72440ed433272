"""Rows built from columns say what the serializer says that the OpenAPI document describes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer

from server.api.framework.formats import json_bytes
from server.api.framework.plans import RowPlan, plan_of
from server.api.framework.rows import RowSerializer, Shape
from server.api.framework.views import ListView
from server.api.urls import urlpatterns
from server.catalog.loading import catalog_load
from server.catalog.models import Claim, DriveAlias, DriveModel
from server.core.lifecycle import Provenance
from server.measurements.models import Benchmark, Run
from server.subscriptions.events import events_list, release_event_add, run_events_add
from server.subscriptions.models import ArchiveEvent
from tests.support.derived_rows import derived_rows_refresh
from tests.support.sample_archive import SampleRun, sample_archive, sample_run

pytestmark = pytest.mark.django_db
LISTS: dict[str, type[Any]] = {
    view.__name__: view
    for pattern in urlpatterns
    if isinstance(view := getattr(pattern.callback, "cls", None), type) and issubclass(view, ListView)
}


@pytest.fixture
def varied() -> None:
    """Make rows with everything that may be missing, missing."""
    catalog_load()
    model = sample_archive()
    DriveAlias.objects.create(drive_model=model, text="Sample alias", normalized="samplealias")
    named = DriveModel.objects.exclude(claims=None).order_by("slug").first()
    assert named is not None
    derived_rows_refresh(drive_model_id=named.pk)
    # A verdict on terms that were changed since is none.
    Claim.objects.filter(drive_model=named).update(low=1.0, high=1.0)
    run = sample_run(SampleRun(model="Sample 1", unit=None, provenance=Provenance.SIMULATED))
    Run.objects.filter(pk=run.pk).update(batch=None, firmware="")
    Benchmark.objects.filter(run=run, kind="zoned").update(elapsed_ns=None)
    Benchmark.objects.filter(run=run, kind="seeker").delete()
    run_events_add(ArchiveEvent.Kind.RUN_PUBLISHED, [run.pk])
    release_event_add(1)
    events_list()


def shapes_of(row: type[RowSerializer]) -> list[Shape]:
    """Return all fields, every second one, and everything that comes on demand."""
    names = sorted(row().fields)
    return [Shape(), Shape(frozenset(names[::2])), Shape(expand=frozenset(row.on_demand))]


def said_by_both(view: Any, shape: Shape) -> tuple[list[Any], list[Any]]:
    """Return the rows of a list as the plan builds them, and as the serializer does."""
    request = RequestFactory().get("/api/v1/")
    resource = view()
    queryset = resource.rows().order_by("pk")
    row = view.serializer_class(context={"shape": shape, "request": request})
    plan = plan_of(view.serializer_class, queryset.model, view.joined, shape)
    found = list(queryset.prefetch_related(None).values_list(*plan.columns))
    quick = json.loads(json_bytes(plan.rows(found, row)))
    context = {"shape": shape, "request": request}
    told = view.serializer_class(resource.expanded(queryset, shape), many=True, context=context).data
    return quick, json.loads(JSONRenderer().render(told))


@pytest.mark.usefixtures("varied")
def test_every_list_says_what_its_serializer_says() -> None:
    assert len(LISTS) >= 9
    for name, view in LISTS.items():
        for shape in shapes_of(view.serializer_class):
            quick, told = said_by_both(view, shape)
            assert told, f"{name} has no sample rows"
            assert quick == told, (name, shape)
            assert [list(row) for row in quick] == [list(row) for row in told], (name, shape)


@pytest.mark.usefixtures("varied")
def test_what_is_missing_is_null_in_both() -> None:
    quick, told = said_by_both(LISTS["RunsView"], Shape())
    assert (
        quick == told and {None} < {row["batch"] for row in quick} and {None} < {row["unit"] for row in quick}
    )
    claims, _told = said_by_both(LISTS["ClaimsView"], Shape())
    assert {row["verdict"] is None for row in claims} == {True, False}


def test_a_field_that_needs_an_instance_is_refused_when_the_plan_is_made() -> None:
    class Row(RowSerializer):
        title = serializers.SerializerMethodField()

    with pytest.raises(TypeError, match="title is made of a model instance"):
        RowPlan(Row(), DriveModel)
