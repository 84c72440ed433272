"""Exports of drive models over the API."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from django.test import Client

from server.core import clock
from server.runs.models import Aggregate, Benchmark, Provenance, Run
from tests.support.sample_archive import SampleRun, sample_run

CAPACITY = 100_000_000_000
NUMBERS = {
    ("skippy.rotation_time", ""): 8.0,
    ("skippy.surfaces", ""): 4.0,
    ("skippy.mtm", ""): 1.0,
    ("skippy.mtm", "outer/write"): 1.0,
    ("skippy.head_switch_gap", "outer"): 0.8,
    ("skippy.cylinder_switch_gap", "outer"): 1.6,
    ("skippy.sectors_per_track", "outer"): 1000.0,
    ("zoned.outer_bandwidth", ""): 57.0,
    ("access.burst_rate", ""): 200.0,
}
ZONES = [
    {"start_mb": 0.0, "end_mb": 60_000.0, "mb_per_s": 56.889},
    {"start_mb": 60_000.0, "end_mb": 100_000.0, "mb_per_s": 45.511},
]


def points() -> list[dict[str, Any]]:
    """Seeks of 2 ms and the root of the way: 45 cylinders of 4,000 blocks and more."""
    return [
        {
            "pattern": "outward",
            "variant": "write",
            "distance_blocks": 4000.0 * cylinders,
            "latency_ms": 1.0 + 2.0 + 0.05 * cylinders**0.5,
            "covered": True,
        }
        for cylinders in (1, 2, 4, 8, 16, 45, 100, 400, 1000, 4000, 10_000, 25_000)
    ]


@pytest.fixture
def run(db: None) -> Run:
    """A published run whose numbers make a drive."""
    run = sample_run(SampleRun())
    details = {"skippy": {"layout": "cylinder"}, "zoned": {"zones": ZONES}, "seeker": {"points": points()}}
    for kind, found in details.items():
        Benchmark.objects.filter(run=run, kind=kind).update(details=found)
    Aggregate.objects.bulk_create(
        Aggregate(
            drive_model=run.drive_model,
            provenance=Provenance.PROBE,
            metric=metric,
            scope=scope,
            n=3,
            units=2,
            **dict.fromkeys(("mean", "median", "q1", "q3", "minimum", "maximum"), value),
            updated_at=clock.now(),
        )
        for (metric, scope), value in NUMBERS.items()
    )
    return run


def test_the_drive_file_holds_what_was_measured_and_says_what_it_rests_on(client: Client, run: Run) -> None:
    response = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/simulated/")
    assert response.status_code == 200, response.content
    text = response.content.decode()
    file = tomllib.loads(text)
    assert file["media"]["heads"] == 4 and file["media"]["rpm"] == pytest.approx(7500)
    assert [zone["sectors_per_track"] for zone in file["zones"]] == [1000, 800]
    assert file["media"]["capacity_bytes"] == CAPACITY
    assert file["seek"]["one_cylinder_ms"] < 1.6
    assert "3 measured runs of 2 units" in text and f"run {run.pk} (CC0-1.0)" in text
    assert "Assumed: " in text
    assert response.headers["Content-Disposition"].endswith(f'{run.drive_model.slug}.toml"')


def test_every_form_that_is_listed_can_be_had(client: Client, run: Run) -> None:
    base = f"/api/v1/drives/{run.drive_model.slug}/exports/"
    forms = client.get(base).json()
    assert [one["form"] for one in forms] == ["simulated", "disksim", "fio"]
    for one in forms:
        answer = client.get(one["url"])
        assert answer.status_code == 200
        assert run.drive_model.number in answer.content.decode()


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("nothing/exports/simulated/", 404, "There is no drive 'nothing'"),
        ("{slug}/exports/spice/", 404, "There are simulated, disksim, fio"),
        ("{slug}/exports/fio/?provenance=simulated", 404, "has no published run of that provenance"),
        ("{slug}/exports/fio/?provenance=hearsay", 400, "provenance is one of probe, simulated"),
    ],
)
def test_what_can_t_be_exported_is_said(
    client: Client, run: Run, address: str, status: int, words: str
) -> None:
    answer = client.get(f"/api/v1/drives/{address.format(slug=run.drive_model.slug)}")
    assert answer.status_code == status
    assert words in answer.json()["detail"]


def test_a_drive_whose_runs_lack_the_seeks_is_refused_with_the_reason(client: Client, run: Run) -> None:
    Benchmark.objects.filter(run=run, kind="seeker").update(details={})
    answer = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/simulated/")
    assert answer.status_code == 404
    assert "do not carry the seek curve" in answer.json()["detail"]
