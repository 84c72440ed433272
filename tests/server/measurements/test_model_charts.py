"""A model's charts: the unit in the middle, the others behind it, measured and simulated apart."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from server.accounts.models import ProbeKey
from server.benchmarks.contract import Chart
from server.catalog.models import DriveModel
from server.core.envelope_store import EnvelopeLost
from server.core.lifecycle import Provenance, State
from server.measurements import charts as charts_module
from server.measurements.model_charts import drive_charts, drive_charts_update, first_charts
from server.measurements.models import Benchmark, DriveChart, Measurement, Run
from server.submissions.models import Submission
from server.web.views.charts import drive_figures
from tests.support.sample_archive import DAY, SampleRun, sample_run
from tests.support.sample_registry import sample_kinds_registered

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sample_kinds() -> Iterator[None]:
    with sample_kinds_registered():
        yield


def runs_of(units: int) -> list[Run]:
    return [sample_run(SampleRun(unit=f"{number:064x}")) for number in range(1, units + 1)]


def averages(runs: list[Run], values: list[float]) -> None:
    for run, value in zip(runs, values, strict=True):
        rows = Measurement.objects.filter(benchmark__run=run, metric="seeker.average")
        assert rows.update(value=value, low=value - 1, high=value + 1)


def charts_of(model: DriveModel, provenance: str = "probe") -> dict[str, Chart]:
    drive_charts_update(drive_model_id=model.pk)
    return {one.kind: one.chart for one in drive_charts(drive_model=model, provenance=provenance)}


def test_the_unit_in_the_middle_is_drawn() -> None:
    runs = runs_of(3)
    averages(runs, [9.0, 30.0, 12.0])
    model = runs[0].drive_model
    drive_charts_update(drive_model_id=model.pk)
    row = DriveChart.objects.get(drive_model=model, kind="seeker")
    assert (row.run_id, row.units) == (runs[2].run_id, 3)


def test_few_other_units_are_points_and_many_are_a_band() -> None:
    few = runs_of(2)
    assert charts_of(few[0].drive_model)["seeker"].series[0].role == "faint"
    runs_of(6)
    assert charts_of(few[0].drive_model)["seeker"].series[0].role == "spread"


def test_simulated_runs_are_never_drawn_behind_measured_ones() -> None:
    (run,) = runs_of(1)
    sample_run(SampleRun(unit="f" * 64, provenance=Provenance.SIMULATED))
    for provenance in ("probe", "simulated"):
        roles = {one.role for one in charts_of(run.drive_model, provenance)["seeker"].series}
        assert not roles & {"faint", "spread"}


def test_two_runs_of_one_unit_are_one_unit() -> None:
    first = sample_run(SampleRun(unit="a" * 64))
    sample_run(SampleRun(unit="a" * 64))
    drive_charts_update(drive_model_id=first.drive_model_id)
    assert set(DriveChart.objects.values_list("units", flat=True)) == {1}


def test_units_measured_under_other_conditions_are_not_drawn() -> None:
    """Though theirs is the number in the middle, and the later run."""
    runs = runs_of(3)
    usb = {"interface": "usb", "bridge": {"vendor": "Acme"}}
    bridged = [
        sample_run(SampleRun(unit=f"{number:064x}", device=usb, at=DAY + timedelta(days=1)))
        for number in (8, 9)
    ]
    averages([*runs, *bridged], [9.0, 30.0, 18.0, 16.0, 17.0])
    drive_charts_update(drive_model_id=runs[0].drive_model_id)
    row = DriveChart.objects.get(kind="seeker")
    assert (row.run_id, row.units) == (runs[2].run_id, 3)


def test_the_caches_that_a_benchmark_told_are_its_conditions() -> None:
    runs = runs_of(3)
    averages(runs, [9.0, 10.0, 30.0])
    Benchmark.objects.filter(run__in=runs[:2], kind="seeker").update(caches={"write": True})
    Benchmark.objects.filter(run=runs[2], kind="seeker").update(caches={"write": False})
    drive_charts_update(drive_model_id=runs[0].drive_model_id)
    units = dict(DriveChart.objects.values_list("kind", "units"))
    assert (units["seeker"], units["zoned"]) == (2, 3)


def test_runs_since_a_revocation_are_not_drawn() -> None:
    run = sample_run(SampleRun(unit="a" * 64))
    sample_run(SampleRun(unit="b" * 64, at=DAY + timedelta(days=1)))
    key = run.submission.probe_key
    assert ProbeKey.objects.filter(pk=key.pk).update(status="revoked", revoked_from=DAY + timedelta(hours=1))
    drive_charts_update(drive_model_id=run.drive_model_id)
    assert set(DriveChart.objects.values_list("units", "run")) == {(1, run.pk)}


def test_keys_that_followed_one_another_are_one_unit_where_runs_do_not_tell_theirs() -> None:
    first, second = sample_run(SampleRun(unit=None)), sample_run(SampleRun(unit=None))
    follower = ProbeKey.objects.create(
        keyid="ee" * 32, public_key=b"\x02" * 32, holder_key=first.submission.probe_key
    )
    Submission.objects.filter(pk=second.submission_id).update(probe_key=follower)
    drive_charts_update(drive_model_id=first.drive_model_id)
    assert set(DriveChart.objects.values_list("units", flat=True)) == {1}


def test_doing_it_twice_changes_nothing() -> None:
    (run,) = runs_of(1)
    assert drive_charts_update(drive_model_id=run.drive_model_id) == 3
    assert drive_charts_update(drive_model_id=run.drive_model_id) == 3
    assert DriveChart.objects.count() == 3


def test_a_lost_envelope_leaves_the_kinds_that_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = runs_of(1)
    drive_charts_update(drive_model_id=run.drive_model_id)
    Benchmark.objects.filter(kind="zoned").update(charts_version="")

    def lost(_submission: object) -> None:
        raise EnvelopeLost("gone")

    monkeypatch.setattr(charts_module, "document_load", lost)
    assert set(charts_of(run.drive_model)) == {"skippy", "seeker"}


def test_the_drive_page_and_the_chart_s_own_addresses_show_it(client: Client) -> None:
    runs = runs_of(3)
    model = runs[0].drive_model
    drive_charts_update(drive_model_id=model.pk)
    base = f"/drives/{model.slug}/charts/probe/seeker/curve"
    page = client.get(f"/drives/{model.slug}/").content.decode()
    assert f'data-chart-url="{base}.json"' in page
    assert "the unit in the middle of 3" in page
    assert client.get(f"{base}.json").json()["series"][0]["role"] == "faint"
    assert client.get(f"{base}.csv").content.startswith(b"series,x,y")
    assert "2 other units" in client.get(f"{base}/").content.decode()
    assert client.get(f"/drives/{model.slug}/charts/literature/seeker/curve.json").status_code == 404


def test_a_model_s_page_shows_the_picture_that_was_drawn_last(client: Client) -> None:
    """Figures are cached between visits, by the number of the chart that they show."""
    first, second = runs_of(2)
    model = first.drive_model

    def shown() -> str:
        return client.get(f"/drives/{model.slug}/").content.decode()

    second.submission.state = State.QUARANTINED
    second.submission.save()
    drive_charts_update(drive_model_id=model.pk)
    assert "one unit, run" in shown() and "the middle one of 2 units" not in shown()
    second.submission.state = State.PUBLISHED
    second.submission.save()
    drive_charts_update(drive_model_id=model.pk)
    assert "the middle one of 2 units" in shown() and "one unit, run" not in shown()
    DriveModel.objects.filter(pk=model.pk).update(number="Renamed 1")
    assert f'data-chart-source="{DriveModel.objects.get(pk=model.pk).title} ·' in shown()
    DriveChart.objects.all().delete()
    assert 'class="chart"' not in shown()


def test_pictures_that_are_not_cached_are_read_at_once_and_only_once(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    model = runs_of(1)[0].drive_model
    drive_charts_update(drive_model_id=model.pk)
    kinds = set(first_charts(drive_model=model, provenance="probe"))
    assert len(kinds) > 2
    with django_assert_num_queries(2):
        first = drive_figures(model, "probe")
    assert set(first) == kinds
    assert model.title in first["seeker"]
    with django_assert_num_queries(1):
        assert drive_figures(model, "probe") == first
    model.name = f"{model.name} of another name"
    assert model.title in drive_figures(model, "probe")["seeker"]
