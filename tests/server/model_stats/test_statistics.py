"""A model's statistics over units: provenances apart, a drive counts once, confounders tested, mechanisms
flagged."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance, State
from server.measurements.conditions import conditions_of
from server.measurements.models import Benchmark, Run
from server.model_stats.refresh import refresh_model
from server.model_stats.statistics import DriveStatistics, drive_statistics
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_cache() -> Iterator[None]:
    cache.clear()
    yield


def statistics(model: DriveModel, provenance: Provenance = Provenance.PROBE) -> DriveStatistics:
    refresh_model(drive_model_id=model.pk)
    found = drive_statistics(drive_model=model, provenance=provenance)
    assert found is not None
    return found


def test_a_drive_counts_once_however_often_it_was_measured() -> None:
    for value in (100.0, 102.0, 101.0, 99.0, 103.0):
        model = measured(1, value).drive_model
    measured(2, 111.0)
    found = statistics(model)
    (row,) = (entry for entry in found.numbers if entry.metric == "zoned.outer_bandwidth")
    assert (found.runs, found.units) == (6, 2)
    assert (row.runs, row.spread.n) == (6, 2)
    assert row.spread.mean == pytest.approx((101 + 111) / 2)


def test_simulated_and_measured_runs_are_never_in_one_number() -> None:
    model = measured(1, 100.0).drive_model
    measured(2, 102.0)
    measured(3, 500.0, provenance=Provenance.SIMULATED)
    real, simulated = (statistics(model, of) for of in (Provenance.PROBE, Provenance.SIMULATED))
    assert (real.units, simulated.units) == (2, 1)
    (row,) = (entry for entry in real.numbers if entry.metric == "zoned.outer_bandwidth")
    assert row.spread.mean == pytest.approx(101)


def test_quarantined_runs_and_models_without_runs_have_no_statistics() -> None:
    model = measured(1, state=State.QUARANTINED).drive_model
    refresh_model(drive_model_id=model.pk)
    assert drive_statistics(drive_model=model, provenance=Provenance.PROBE) is None


def test_a_firmware_revision_that_changes_the_bandwidth_is_named() -> None:
    for index in range(8):
        model = measured(index, 100 + index % 4).drive_model
        measured(100 + index, 120 + index % 4, firmware="S2")
    found = statistics(model)
    (firmware,) = found.confounders
    assert firmware.matters
    assert found.mixture == "16 runs under 2 firmware revisions (S1: 8, S2: 8)"
    assert firmware.words.startswith("Firmware revisions differ in")
    assert "S1: 102 MB/s (eight units), S2: 122 MB/s (eight units)" in firmware.words


def test_the_cache_that_is_compared_is_that_of_the_benchmark() -> None:
    """Nothing of the runs tells them apart: one of their benchmarks was measured with the cache on."""
    for index in range(8):
        model = measured(index, 100 + index % 4).drive_model
        told = measured(100 + index, 120 + index % 4)
        told.benchmarks.filter(kind="zoned").update(caches={"write": True, "look_ahead": None})
    Benchmark.objects.filter(kind="skippy").update(caches={"write": False, "look_ahead": None})
    for run in Run.objects.all():
        # The document says nothing where its benchmarks were measured with different states.
        run.summary["conditions"]["write_cache_during"] = None
        run.save(update_fields=["summary"])
    (cache,) = statistics(model).confounders
    assert cache.condition == "write_cache"
    assert dict(cache.states) == {"off": 8, "off and on": 8}
    rotation = next(test for test in cache.tests if test.metric == "skippy.rotation_time")
    assert [state.state for state in rotation.states] == ["off"]


def test_a_benchmark_that_switched_the_cache_itself_tells_no_state_of_it() -> None:
    model = measured(1).drive_model
    Benchmark.objects.filter(kind="zoned").update(caches={"write": None, "look_ahead": True})
    (run,) = conditions_of(Run.objects.filter(drive_model=model)).values()
    assert run.whole["write_cache"] == run.during("skippy")["write_cache"] != ""
    assert (run.during("zoned")["write_cache"], run.during("zoned")["look_ahead"]) == ("", "on")


def test_firmware_revisions_of_few_units_are_mixed_but_not_judged() -> None:
    model = measured(1, 100.0).drive_model
    measured(2, 150.0, firmware="S2")
    (firmware,) = statistics(model).confounders
    assert not firmware.matters
    assert firmware.words == "Firmware revisions: too few units to tell whether they matter."


def test_twenty_runs_of_two_drives_decide_nothing_about_firmware() -> None:
    for index in range(10):
        model = measured(1, 100 + 0.1 * index).drive_model
        measured(2, 120 + 0.1 * index, firmware="S2")
    (firmware,) = statistics(model).confounders
    assert not firmware.matters


def test_drives_measured_under_both_revisions_are_compared_with_themselves() -> None:
    for index in range(5):
        model = measured(index, 100 + 20 * index).drive_model
        measured(index, 103 + 20 * index + 0.2 * (index % 3), firmware="S2")
    found = statistics(model)
    (test,) = (test for test in found.confounders[0].tests if test.metric == "zoned.outer_bandwidth")
    assert test.within_units and test.differs


def test_a_unit_that_stands_apart_is_named() -> None:
    for index in range(12):
        model = measured(index, 100 + 0.5 * (index % 5)).drive_model
    measured(99, 140.0)
    found = statistics(model)
    assert [(unit.unit, unit.metric) for unit in found.apart] == [(f"{99:064x}", "zoned.outer_bandwidth")]


def test_a_new_run_changes_what_was_computed_before() -> None:
    model = measured(1).drive_model
    assert statistics(model).runs == 1
    measured(2)
    assert statistics(model).runs == 2
