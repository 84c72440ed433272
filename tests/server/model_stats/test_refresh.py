"""A model's numbers are read once, and what follows from them is the same whoever read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from scipy import stats

from server.catalog.models import DriveModel
from server.measurements.model_measurements import _column, model_measurements_read
from server.measurements.models import Aggregate, Measurement, Run
from server.model_stats.models import ModelStatsSnapshot
from server.model_stats.refresh import refresh_model
from server.search.models import DriveSummary
from server.stats.strata import compare_strata
from tests.support.derived_rows import derived_rows_refresh
from tools.sample_archive import filling


@pytest.fixture
def largest(db: None) -> DriveModel:
    call_command("seed_archive", models=3, units=12, runs=36, seed=4, processes=0, verbosity=0)
    return max(DriveModel.objects.exclude(runs=None), key=lambda model: model.runs.count())


def kept(model: DriveModel) -> list[Any]:
    summary = DriveSummary.objects.filter(drive_model=model).values()[0]
    rows = ModelStatsSnapshot.objects.filter(drive_model=model).order_by("provenance")
    del summary["updated_at"]
    return [summary, *rows.values_list("statistics", "overview", "representative_run")]


def test_what_follows_is_the_same_whether_the_numbers_are_handed_on_or_read_anew(
    largest: DriveModel,
) -> None:
    refresh_model(drive_model_id=largest.pk)
    handed_on = kept(largest)
    ModelStatsSnapshot.objects.all().delete()
    DriveSummary.objects.update(measurements=0)
    derived_rows_refresh(drive_model_id=largest.pk)
    assert kept(largest) == handed_on


def test_the_columns_hold_the_numbers_of_the_published_runs_in_order(largest: DriveModel) -> None:
    published = model_measurements_read(drive_model_id=largest.pk)
    runs = list(Run.objects.filter(drive_model=largest).order_by("created_at", "run_id"))
    assert [one.run_id for one in published.runs] == [run.run_id for run in runs]
    for (provenance, metric, scope), column in published.columns.items():
        stored = Measurement.objects.filter(
            benchmark__run__drive_model=largest, metric=metric, scope=scope, value__isnull=False
        ).order_by("id")
        rows = stored.values_list("benchmark__run_id", "value", "low", "quality")
        found = zip(column.runs, column.values, column.lows, column.qualities, strict=True)
        assert [
            (published.runs[run].run_id, value, None if np.isnan(low) else low, quality)
            for run, value, low, quality in found
        ] == list(rows)
        assert {published.runs[run].provenance for run in column.runs} == {provenance}


def test_a_number_of_a_run_that_is_not_among_the_runs_belongs_to_none() -> None:
    ids, benchmarks, qualities = np.array([[2, 1, 3], [7, 8, 7], [1, 3, 2]])
    values = np.array([2.0, 1.0, 3.0])
    column = _column({7: 0}, ids, benchmarks, values, values - 1, values + 1, qualities)
    assert column.values.tolist() == [2.0, 3.0]
    assert column.qualities.tolist() == ["good", "fair"]
    assert column.runs.tolist() == [0, 0]


def test_few_ways_to_deal_units_out_are_all_looked_at_as_scipy_does() -> None:
    groups = {"a": [1.0, 5.0, 3.0], "b": [2.0, 8.0, 9.0, 4.0], "c": [7.0, 6.5]}
    ranks = np.split(stats.rankdata(np.concatenate(list(groups.values()))), [3, 7])
    expected = stats.permutation_test(
        ranks,
        lambda *found, axis: sum(one.sum(axis=axis) ** 2 / one.shape[axis] for one in found),
        permutation_type="independent",
        alternative="greater",
        n_resamples=10_000,
    )
    assert compare_strata(groups, level=0.95).p == pytest.approx(expected.pvalue, rel=1e-12)


def test_what_follows_is_computed_of_models_that_lack_it_where_that_is_asked_for(
    largest: DriveModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def note(drive_model_id: int) -> int:
        asked.append(drive_model_id)
        return 0

    monkeypatch.setattr(filling, "_aggregate", note)
    ModelStatsSnapshot.objects.filter(drive_model=largest).delete()
    call_command("seed_archive", step="derived", missing=True, processes=0, verbosity=0)
    assert asked == [largest.pk]
    assert Aggregate.objects.filter(drive_model=largest).exists()
