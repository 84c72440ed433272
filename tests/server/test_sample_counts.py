"""Runs from before samples were counted get their number from the stored documents."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.files.storage import storages
from django.core.management import call_command

from server.compare.models import DriveSummary
from server.runs.models import Benchmark, Submission

pytestmark = [pytest.mark.django_db, pytest.mark.services]

Publish = Callable[..., Submission]


def count(**options: object) -> str:
    out = StringIO()
    call_command("count_samples", stdout=out, **options)
    return out.getvalue()


def test_samples_of_older_runs_are_counted_and_summed_up(publish: Publish) -> None:
    submissions = [publish(), publish()]
    kept = dict(Benchmark.objects.values_list("pk", "samples"))
    assert all(kept.values())
    Benchmark.objects.update(samples=None)
    DriveSummary.objects.update(samples=0)
    assert "2 runs counted; the documents of 0" in count()
    assert dict(Benchmark.objects.values_list("pk", "samples")) == kept
    summary = DriveSummary.objects.get(drive_model=submissions[0].run.drive_model)
    assert summary.samples == sum(number for number in kept.values() if number)
    assert "0 runs counted" in count()


def test_a_limit_leaves_the_rest_to_the_next_call(publish: Publish) -> None:
    for _ in range(2):
        publish()
    Benchmark.objects.update(samples=None)
    assert "1 run counted" in count(limit=1)
    assert Benchmark.objects.filter(samples=None).count() == 1
    assert "1 run counted" in count(limit=1)


def test_a_lost_document_is_told_and_stops_nothing(publish: Publish) -> None:
    lost, there = publish(), publish()
    storages["envelopes"].delete(lost.storage_name)
    Benchmark.objects.update(samples=None)
    assert "1 run counted; the documents of 1" in count()
    assert there.run.benchmarks.get().samples
    assert lost.run.benchmarks.get().samples is None
