"""The sample archive: whole signed documents, the numbers that extraction gives of them, and no others."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from server.benchmarks.registry import kinds_by_slug
from server.catalog.models import DriveModel
from server.core import clock
from server.core.envelope import signature_check
from server.core.envelope_store import EnvelopeLost
from server.measurements.documents import document_load, envelope_of, facts_of, summary_of
from server.measurements.models import Aggregate, Measurement, Run, Unit
from server.model_stats.refresh import refresh_model
from server.plausibility.assessment import assess, reasons_to_quarantine
from server.plausibility.evidence import Evidence, ModelFacts
from server.submissions.models import Submission
from server.submissions.validation import document_validate
from tests.support.documents import document as document_of
from tests.support.forging import noisy
from tests.support.sample_archive import sample_run
from tools.sample_archive.plan import Sizes, plan_make
from tools.sample_archive.samples import ARCHETYPES, FORMULAS, MOST_LEVEL, Archetype
from tools.sample_archive.tables import without_indexes

pytestmark = pytest.mark.django_db
RUNS = 40


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    """Forget what other tests' archives held."""
    cache.clear()


def seed(**changes: int) -> None:
    sizes = {"models": 6, "units": 12, "runs": RUNS, "seed": 1} | changes
    call_command("seed_archive", processes=0, verbosity=0, **sizes)


def rows(model: Any, *columns: str) -> list[Any]:
    return list(model.objects.order_by("pk").values_list(*columns))


def test_counts_are_those_that_were_asked_for() -> None:
    seed()
    assert Run.objects.count() == Submission.objects.filter(state="published").count() == RUNS
    assert Unit.objects.count() == 12
    assert DriveModel.objects.filter(notes__startswith="Sample data").count() == 6


def test_the_same_seed_gives_the_same_archive_and_another_seed_another() -> None:
    seed()
    first = rows(Submission, "id", "digest")
    numbers = rows(Measurement, "id", "metric", "value", "reason")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("TRUNCATE submissions_submission, catalog_drivemodel, accounts_probekey CASCADE")
    seed()
    assert rows(Submission, "id", "digest") == first
    assert rows(Measurement, "id", "metric", "value", "reason") == numbers
    plans = [plan_make(Sizes(6, 12, RUNS, number)).run_unit.tolist() for number in (1, 2)]
    assert plans[0] != plans[1]


def test_every_envelope_is_one_that_the_archive_would_take_in() -> None:
    seed()
    for submission in Submission.objects.select_related("run", "probe_key"):
        signature_check(envelope_of(submission), bytes(submission.probe_key.public_key))
        document = document_load(submission)
        document_validate(document, now=clock.now() + timedelta(days=3650), tolerance=timedelta(0))
        assert summary_of(document) == submission.run.summary


@pytest.mark.parametrize("drive", ARCHETYPES, ids=lambda drive: f"{drive.capacity_gb}GB")
def test_samples_fit_their_schema_on_every_drive_at_both_ends_of_the_levels(drive: Archetype) -> None:
    for level in (-MOST_LEVEL, MOST_LEVEL):
        parts = [formula(drive, level) for formula in FORMULAS.values()]
        made = document_of(*parts, capacity_bytes=drive.blocks * 512)
        made["conditions"]["writes"] = "none"
        document_validate(made, now=clock.now(), tolerance=timedelta(days=3650))


@pytest.mark.parametrize("drive", ARCHETYPES, ids=lambda drive: f"{drive.capacity_gb}GB")
def test_no_check_holds_samples_with_the_noise_of_a_machine(drive: Archetype) -> None:
    for level in (-MOST_LEVEL, MOST_LEVEL):
        parts = [formula(drive, level) for formula in FORMULAS.values()]
        made = document_of(*parts, capacity_bytes=drive.blocks * 512, rotation_rate_rpm=drive.rpm)
        answers = assess(Evidence(noisy(made, 2000.0), (), ModelFacts("SAMPLE-1")))
        assert reasons_to_quarantine(answers) == []


def test_extraction_of_the_stored_samples_gives_the_stored_numbers() -> None:
    seed()
    run = Run.objects.filter(benchmarks__kind="skippy").latest("created_at")
    document = document_load(run.submission)
    for benchmark in run.benchmarks.all():
        part = document["benchmarks"][benchmark.position]
        found = kinds_by_slug()[benchmark.kind].extract(part, facts_of(document, part))
        stored = list(benchmark.measurements.order_by("id").values_list("metric", "scope", "value", "reason"))
        assert stored == [(row.metric, row.scope, row.value, row.reason) for row in found.measurements]


def test_of_a_share_of_envelopes_those_of_the_richest_runs_are_there() -> None:
    seed(envelope_every=10)
    found = {}
    for submission in Submission.objects.select_related("run"):
        kinds = submission.run.benchmarks.count()
        try:
            found.setdefault(kinds, []).append(bool(document_load(submission)))
        except EnvelopeLost:
            found.setdefault(kinds, []).append(False)
    assert all(found[5])
    assert sum(not there for kinds in (1, 2, 3) for there in found.get(kinds, [])) > RUNS / 2


def test_aggregates_are_those_that_a_publication_would_compute() -> None:
    seed()
    columns = ("drive_model", "provenance", "metric", "scope", "n", "units", "median", "differing")
    filled = sorted(rows(Aggregate, *columns), key=str)
    for model in DriveModel.objects.all():
        refresh_model(drive_model_id=model.pk)
    assert filled == sorted(rows(Aggregate, *columns), key=str) != []


def test_an_archive_with_submissions_is_refused_and_left_alone() -> None:
    sample_run()
    with pytest.raises(CommandError, match="holds 1 submissions"):
        seed()
    assert Run.objects.count() == 1


def test_indexes_and_constraints_are_put_back_also_after_a_failure() -> None:
    def definitions() -> list[Any]:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(
                "SELECT indexdef FROM pg_indexes WHERE tablename = 'measurements_measurement' ORDER BY 1"
            )
            found = cursor.fetchall()
            cursor.execute(
                "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
                " WHERE conrelid = 'measurements_measurement'::regclass ORDER BY 1"
            )
            return found + cursor.fetchall()

    before = definitions()
    with pytest.raises(ZeroDivisionError), without_indexes([Measurement]):
        assert len(definitions()) < len(before)
        raise ZeroDivisionError
    assert definitions() == before


def test_new_rows_get_numbers_behind_those_of_the_sample() -> None:
    seed()
    run = sample_run()
    assert run.benchmarks.count() == 3


def test_every_page_shows_the_sample_archive(client: Client) -> None:
    seed()
    run = Run.objects.filter(benchmarks__kind="skippy").latest("created_at")
    for address in ("/", "/drives/", f"/drives/{run.drive_model.slug}/", f"/runs/{run.pk}/"):
        answer = client.get(address)
        assert answer.status_code == 200
        assert b"ample" in answer.content


@pytest.mark.parametrize("models, units, runs", [(5, 10, 8), (100, 1000, 5000), (1, 1, 1)])
def test_a_plan_has_as_many_runs_as_wanted_and_no_unit_without_one(
    models: int, units: int, runs: int
) -> None:
    plan = plan_make(Sizes(models, units, runs, 3))
    assert plan.model_runs.sum() == runs == len(plan.run_unit)
    assert len(set(plan.run_unit.tolist())) == len(plan.unit_model) == min(units, runs)
    assert plan.run_level.max() <= MOST_LEVEL
