"""Summaries of drive models: what they count, and that they follow every change."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from server.catalog.loading import catalog_load
from server.catalog.models import Claim, DriveModel
from server.catalog.signals import catalogue_changed
from server.core.lifecycle import Provenance, State
from server.measurements.documents import timings_count
from server.measurements.models import Aggregate, AggregateDue, Benchmark
from server.model_stats.refresh import refresh_model
from server.search import summaries
from server.search.models import ArchiveCounts, DriveSummary
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


def summary_of(model: DriveModel) -> DriveSummary:
    refresh_model(drive_model_id=model.pk)
    return DriveSummary.objects.get(drive_model=model)


def test_a_summary_counts_published_runs_and_different_drives_by_provenance() -> None:
    for unit in (1, 1, 2, None):
        run = measured(unit)
    measured(3, provenance=Provenance.SIMULATED)
    measured(4, state=State.QUARANTINED)
    summary = summary_of(run.drive_model)
    # A run that does not tell its drive counts as one of the key that signed it.
    assert (summary.measured_runs, summary.simulated_runs, summary.units) == (4, 1, 3)
    assert summary.provenances == ["probe", "simulated"]


def test_headline_numbers_never_mix_provenances() -> None:
    run = measured(1, 100.0)
    measured(2, 110.0)
    measured(3, 900.0, provenance=Provenance.SIMULATED)
    headline = summary_of(run.drive_model).headline
    assert headline["probe"]["zoned.outer_bandwidth|"][0] == 105.0
    assert headline["probe"]["zoned.outer_bandwidth|"][3:5] == [2, 2]
    assert headline["simulated"]["zoned.outer_bandwidth|"][0] == 900.0


def test_only_measured_runs_bring_samples_and_numbers() -> None:
    run = measured(1)
    simulated = measured(2, provenance=Provenance.SIMULATED)
    Benchmark.objects.filter(run__in=[run, simulated]).update(samples=500)
    summary = summary_of(run.drive_model)
    parts = Benchmark.objects.filter(run=run)
    assert summary.samples == 500 * parts.count()
    assert summary.measurements == sum(
        part.measurements.filter(value__isnull=False).count() for part in parts
    )


def test_a_model_that_only_a_held_run_named_is_not_listed() -> None:
    run = measured(1, state=State.QUARANTINED)
    DriveModel.objects.filter(pk=run.drive_model_id).update(curated=False)
    assert not summary_of(run.drive_model).listed
    measured(2)
    assert summary_of(run.drive_model).listed


def test_the_archive_is_the_sum_of_its_models(django_capture_on_commit_callbacks: object) -> None:
    run = measured(1)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        refresh_model(drive_model_id=run.drive_model_id)
    counts = ArchiveCounts.objects.get()
    assert (counts.models_measured, counts.measured_runs, counts.units) == (1, 1, 1)


def test_loading_the_catalogue_sums_up_every_model_in_it_or_has_a_worker_do_it() -> None:
    catalog_load()
    summed = set(DriveSummary.objects.values_list("drive_model_id", flat=True))
    due = set(AggregateDue.objects.values_list("drive_model_id", flat=True))
    assert summed | due == set(DriveModel.objects.values_list("pk", flat=True))
    model = DriveModel.objects.get(slug="seagate-st4000nm0023")
    assert model.pk in due
    refresh_model(drive_model_id=model.pk)
    assert DriveSummary.objects.get(drive_model=model).listed
    samsung = DriveSummary.objects.get(drive_model__slug="samsung-hd103sj")
    assert samsung.listed and samsung.claims and samsung.family == "Spinpoint F3"
    assert "literature" in samsung.provenances


def test_a_person_s_change_of_the_catalogue_makes_the_model_due() -> None:
    catalog_load()
    claim = Claim.objects.first()
    assert claim is not None
    catalogue_changed.send(sender=Claim, drive_model_ids={claim.drive_model_id}, at_once=False)
    assert AggregateDue.objects.filter(drive_model_id=claim.drive_model_id).exists()


def test_a_summary_that_fails_leaves_the_aggregates_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    run = measured(1)
    Aggregate.objects.all().delete()
    monkeypatch.setattr(summaries, "facet_words", lambda *_, **words: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        refresh_model(drive_model_id=run.drive_model_id)
    assert not Aggregate.objects.exists()


def test_refresh_summaries_writes_every_row_and_twice_the_same() -> None:
    measured(1)
    measured(2)
    call_command("refresh_summaries")
    before = list(DriveSummary.objects.values())
    call_command("refresh_summaries")
    after = list(DriveSummary.objects.values())
    assert [row | {"updated_at": 0} for row in before] == [row | {"updated_at": 0} for row in after]
    assert ArchiveCounts.objects.get().measured_runs == 2


def test_refreshing_what_is_missing_leaves_the_other_rows_alone() -> None:
    run = measured(1)
    DriveSummary.objects.filter(drive_model=run.drive_model).delete()
    call_command("refresh_summaries", "--missing")
    assert DriveSummary.objects.get(drive_model=run.drive_model).measured_runs == 1


def test_names_sort_by_their_numbers() -> None:
    names = ["ST10", "ST2", "ST200A", "ST200"]
    assert sorted(names, key=lambda name: summaries.sort_name_of("Sample", name)) == [
        "ST2",
        "ST10",
        "ST200",
        "ST200A",
    ]


def test_a_timing_counts_once_wherever_it_stands() -> None:
    samples = {
        "series": [
            {"latency_ns": [1, 2, 3], "offset_blocks": [1, 2, 3]},
            {"first": {"latency_ns": [1]}, "slices": {"elapsed_ns": [1, 2]}, "elapsed_ns": 9},
        ]
    }
    assert timings_count(samples) == 6
