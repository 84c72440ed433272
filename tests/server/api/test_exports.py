"""Exports of drive models over the API."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from django.test import Client

from server.core import clock
from server.core.lifecycle import Provenance
from server.measurements.models import Aggregate, Benchmark, Run
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
    ("seeker.full_stroke", "with_mtm"): 11.9,
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


def test_each_provenance_is_listed_with_the_reason_where_it_has_no_file(client: Client, run: Run) -> None:
    other = sample_run(SampleRun(provenance=Provenance.SIMULATED, unit="cd" * 32))
    assert other.drive_model == run.drive_model
    forms = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/").json()
    told = {(one["provenance"], one["form"]): one["reason"] for one in forms}
    assert told["probe", "fio"] == "" and len(told) == 6
    assert "do not carry the rotation time" in told["simulated", "fio"]
    for one in forms:
        assert client.get(one["url"]).status_code == (404 if one["reason"] else 200)


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("nothing/exports/simulated/", 404, "There is no drive 'nothing'"),
        ("{slug}/exports/spice/", 404, "There are simulated, disksim, fio"),
        ("{slug}/exports/fio/?provenance=simulated", 404, "of that provenance. There are runs of probe."),
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


def _tracks(run: Run, rate: float, outer: float, middle: float, inner: float) -> None:
    """Let SKIPPY count so many blocks on three tracks of a drive that gives one rate everywhere."""
    zones = [{"start_mb": 0.0, "end_mb": 100_000.0, "mb_per_s": rate}]
    Benchmark.objects.filter(run=run, kind="zoned").update(details={"zones": zones})
    rows = Aggregate.objects.filter(drive_model=run.drive_model)
    rows.filter(metric="zoned.outer_bandwidth").update(median=rate)
    known = rows.get(metric="skippy.sectors_per_track", scope="outer")
    for scope, count in (("outer", outer), ("middle", middle), ("inner", inner)):
        known.pk = rows.filter(metric=known.metric, scope=scope).values_list("pk", flat=True).first()
        known.scope, known.median = scope, count
        known.save()


def test_a_drive_behind_a_slow_bus_keeps_the_tracks_that_were_counted(client: Client, run: Run) -> None:
    """The rate of the bus makes no tracks: 10 MB/s would be some 170 blocks on tracks that hold 1,000."""
    _tracks(run, 10.0, 1000, 1000, 998)
    text = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/simulated/").content.decode()
    file = tomllib.loads(text)
    assert [zone["sectors_per_track"] for zone in file["zones"]] == [1000]
    assert file["command"]["bus_bytes_per_s"] == 10_000_000
    assert file["zones"][0]["cylinders"] == pytest.approx(CAPACITY / (4 * 1000 * 512), abs=1)
    assert "Assumed: The bus is what limits the bandwidth" in text


@pytest.mark.parametrize("counts", [(1000, 900, 700), (100, 100, 100), (1000, 170, 170)])
def test_a_drive_whose_counts_and_rates_disagree_is_refused(
    client: Client, run: Run, counts: tuple[int, int, int]
) -> None:
    _tracks(run, 10.0, *counts)
    answer = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/disksim/")
    assert answer.status_code == 404
    assert "SKIPPY counts other tracks than the bandwidth carries" in answer.json()["detail"]


def test_a_drive_whose_seeks_are_too_poor_for_a_number_gets_no_curve(client: Client, run: Run) -> None:
    Aggregate.objects.filter(drive_model=run.drive_model, metric="seeker.full_stroke").delete()
    answer = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/simulated/")
    assert answer.status_code == 404
    assert "do not carry the full stroke" in answer.json()["detail"]


def test_a_switch_of_heads_takes_no_longer_than_the_shortest_seek(client: Client, run: Run) -> None:
    """Tracks may be laid out for a longer one: of that the seeks know nothing."""
    rows = Aggregate.objects.filter(drive_model=run.drive_model, metric="skippy.head_switch_gap")
    for gap, switch in ((0.8, 0.8 * 0.97), (1.7, None)):
        rows.update(median=gap)
        text = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/simulated/").content.decode()
        file = tomllib.loads(text)
        told = file["seek"]["head_switch_ms"]
        assert told == pytest.approx(switch or file["seek"]["one_cylinder_ms"] * 0.97, rel=1e-3)
        assert file["zones"][0]["track_skew_ms"] == gap


def test_a_bus_is_no_slower_than_what_came_over_it(client: Client, run: Run) -> None:
    """A burst of short requests shows what each takes, and not how fast the bus is."""
    Aggregate.objects.filter(drive_model=run.drive_model, metric="access.burst_rate").update(median=40.0)
    text = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/simulated/").content.decode()
    command = tomllib.loads(text)["command"]
    assert command["bus_bytes_per_s"] == 4 * 57_000_000
    short = 16 * 1024
    taken_s = (command["hit_before_ms"] + command["hit_after_ms"]) / 1e3 + short / command["bus_bytes_per_s"]
    assert short / taken_s == pytest.approx(40e6, rel=1e-3)


def test_the_bulk_transfer_of_disksim_is_a_block_over_the_bus_in_milliseconds(
    client: Client, run: Run
) -> None:
    text = client.get(f"/api/v1/drives/{run.drive_model.slug}/exports/disksim/").content.decode()
    line = next(line for line in text.splitlines() if "Bulk sector transfer time" in line)
    assert float(line.split("=")[1].strip(" ,")) == pytest.approx(512 / 200e6 * 1e3, rel=1e-6)
