"""What a model's page says of its runs is kept with the aggregates, and is what would be computed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from msgspec import ValidationError

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance, State
from server.core.plain import from_plain, to_plain
from server.measurements.conditions import conditions_of, differing_of
from server.measurements.model_measurements import model_measurements_read
from server.measurements.models import Run
from server.model_stats.models import ModelStatsSnapshot
from server.model_stats.overview import drive_overview, overview_compute
from server.model_stats.refresh import refresh_model
from server.model_stats.selectors import drive_representative_run, representative_compute
from server.model_stats.statistics import drive_statistics, statistics_compute
from server.stats.strata import compare_strata
from tests.support.sample_archive import SampleRun, sample_run

PROBE = Provenance.PROBE


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Leaf:
    value: float
    colour: Colour


@dataclass(frozen=True)
class Tree:
    leaves: tuple[Leaf, ...]
    pair: tuple[str, int]
    by_name: dict[str, Leaf | None]
    nothing: float | None


def test_a_dataclass_comes_back_out_of_plain_data_as_it_was() -> None:
    leaf = Leaf(math.inf, Colour.RED)
    tree = Tree((leaf, leaf), ("a", 1), {"x": leaf, "y": None}, None)
    assert from_plain(Tree, to_plain(tree)) == tree


def test_plain_data_of_another_form_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"missing required field `colour` - at `\$.leaves\[0\]`"):
        from_plain(Tree, {"leaves": [{"value": 1.0}], "pair": ["a", 1], "by_name": {}, "nothing": None})


def test_a_group_of_one_among_many_can_be_tested() -> None:
    many = [10.0 + number / 100 for number in range(60)]
    far = compare_strata({"many": many, "one": [99.0]}, level=0.95)
    within = compare_strata({"many": many, "one": [10.305]}, level=0.95)
    assert far.p is not None and within.p is not None
    assert far.p == pytest.approx(2 / 61, abs=0.01)
    assert within.p > 0.9


@pytest.fixture
def largest(db: None) -> DriveModel:
    call_command("seed_archive", models=3, units=30, runs=90, seed=4, processes=0, verbosity=0)
    return max(DriveModel.objects.exclude(runs=None), key=lambda model: model.runs.count())


def test_what_is_kept_is_what_would_be_computed(largest: DriveModel) -> None:
    asked = {"drive_model": largest, "provenance": PROBE}
    assert ModelStatsSnapshot.objects.filter(**asked).exists()
    assert drive_statistics(**asked) == statistics_compute(**asked) is not None
    published = model_measurements_read(drive_model_id=largest.pk)
    assert drive_overview(**asked) == overview_compute(**asked, published=published)
    shown = drive_representative_run(**asked)
    assert shown is not None and shown.pk == representative_compute(published, PROBE)


def test_a_page_reads_no_measurement_for_statistics_that_are_kept(largest: DriveModel) -> None:
    with CaptureQueriesContext(connection) as queries:
        drive_statistics(drive_model=largest, provenance=PROBE)
        drive_overview(drive_model=largest, provenance=PROBE)
    assert len(queries) == 2
    assert not [
        query
        for query in queries
        if any(table in query["sql"] for table in ("measurements_", "submissions_"))
    ]


def test_what_is_kept_follows_the_runs_and_goes_with_the_last(largest: DriveModel) -> None:
    asked = {"drive_model": largest, "provenance": PROBE}
    before = drive_overview(**asked).runs
    last = Run.objects.filter(drive_model=largest).latest("created_at")
    type(last.submission).objects.filter(pk=last.submission_id).update(state=State.QUARANTINED)
    refresh_model(drive_model_id=largest.pk)
    assert drive_overview(**asked).runs == before - 1
    type(last.submission).objects.update(state=State.QUARANTINED)
    refresh_model(drive_model_id=largest.pk)
    assert not ModelStatsSnapshot.objects.filter(**asked).exists()
    assert drive_statistics(**asked) is None


@pytest.mark.django_db
def test_variants_are_strata_of_one_model() -> None:
    """Two mechanisms may be sold under one name: their runs are of one model, and tell which variant."""
    for unit, variant in (("a" * 64, "75WN4A0"), ("b" * 64, "75WN4A0"), ("c" * 64, "21WN4A0")):
        run = sample_run(SampleRun(vendor="ATA", model=f"WDC WD10EZEX-{variant}", unit=unit))
    assert run.drive_model.title == "Western Digital WD10EZEX"
    found = drive_overview(drive_model=run.drive_model, provenance=Provenance(run.provenance))
    assert [(part.label, part.units) for part in found.variants] == [("21WN4A0", 1), ("75WN4A0", 2)]
    made = [one.whole for one in conditions_of(Run.objects.all()).values()]
    assert differing_of(made)["variant"] == {"75WN4A0": 2, "21WN4A0": 1}
