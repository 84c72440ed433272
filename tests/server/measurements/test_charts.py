"""Charts are drawn once, stored, and drawn anew when what made them changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import call_command

from server.benchmarks.contract import Axis, Chart, Kind, Series
from server.measurements import charts as charts_module
from server.measurements.charts import charts_of_run, run_chart, run_chart_full
from server.measurements.models import Benchmark, StoredChart
from server.submissions.models import Submission
from tests.support.documents import document, skippy_part

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def commit_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())


def drawing(points: int, *, chart_id: str = "sawtooth") -> Callable[..., tuple[Chart, ...]]:
    def charts(_part: Any, _facts: Any, _extraction: Any) -> tuple[Chart, ...]:
        x = tuple(float(n) for n in range(points))
        series = Series("all", "All", "points", x, tuple(n % 7 for n in x))
        axes = Axis("Step", "blocks"), Axis("Latency", "ms")
        return (Chart(chart_id, "sawtooth", "Sample", "Sample data.", *axes, (series,)),)

    return charts


@pytest.fixture
def benchmark(
    submit: Callable[..., Submission], run_jobs: Callable[[], None], kinds: dict[str, Kind]
) -> Benchmark:
    """An extracted benchmark whose chart has 5,000 points."""
    kinds["skippy"] = replace(kinds["skippy"], charts=drawing(5000))
    submit(document(skippy_part(rotation_ns=8_000_000), rotation_rate_rpm=None))
    run_jobs()
    found: Benchmark = Benchmark.objects.get(kind="skippy")
    return found


@pytest.fixture
def no_envelopes(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(_submission: object) -> dict[str, Any]:
        raise AssertionError("the envelope was opened")

    monkeypatch.setattr(charts_module, "document_load", opened)


def test_a_page_draws_without_the_envelope(benchmark: Benchmark, no_envelopes: None) -> None:
    (chart,) = charts_of_run(run_id=benchmark.run_id)["skippy"]
    assert len(chart.series[0].x) <= 2000
    assert chart.points_total == 5000


def test_the_full_chart_has_every_point(benchmark: Benchmark) -> None:
    chart = run_chart_full(run_id=benchmark.run_id, kind="skippy", chart_id="sawtooth")
    assert chart is not None
    assert len(chart.series[0].x) == 5000


def test_a_run_of_before_gets_its_charts_when_they_are_first_asked_for(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    StoredChart.objects.all().delete()
    Benchmark.objects.update(charts_version="")
    assert run_chart(run_id=benchmark.run_id, kind="skippy", chart_id="sawtooth") is not None
    monkeypatch.setattr(charts_module, "document_load", None)
    assert len(charts_of_run(run_id=benchmark.run_id)["skippy"]) == 1


def test_a_new_way_to_draw_replaces_what_is_stored(benchmark: Benchmark, kinds: dict[str, Kind]) -> None:
    kinds["skippy"] = replace(kinds["skippy"], charts=drawing(9, chart_id="other"), chart_version="2")
    assert [chart.id for chart in charts_of_run(run_id=benchmark.run_id)["skippy"]] == ["other"]
    assert StoredChart.objects.get().chart_id == "other"


def test_extracting_anew_draws_anew(benchmark: Benchmark, kinds: dict[str, Kind], no_envelopes: None) -> None:
    kinds["skippy"] = replace(kinds["skippy"], charts=drawing(9), extractor_version="2")
    call_command("reextract")
    (chart,) = charts_of_run(run_id=benchmark.run_id)["skippy"]
    assert len(chart.series[0].x) == 9


def test_a_picture_that_cannot_be_drawn_costs_no_number(
    submit: Callable[..., Submission], run_jobs: Callable[[], None], kinds: dict[str, Kind]
) -> None:
    def broken(*_: object) -> tuple[Chart, ...]:
        raise KeyError("zones")

    kinds["skippy"] = replace(kinds["skippy"], charts=broken)
    submit(document(skippy_part(rotation_ns=8_000_000), rotation_rate_rpm=None))
    run_jobs()
    benchmark = Benchmark.objects.get(kind="skippy")
    assert benchmark.state == Benchmark.State.EXTRACTED
    assert benchmark.measurements.exists()
    assert charts_of_run(run_id=benchmark.run_id)["skippy"] == ()


def test_a_benchmark_without_pictures_is_not_drawn_at_each_request(
    submit: Callable[..., Submission],
    run_jobs: Callable[[], None],
    kinds: dict[str, Kind],
    no_envelopes: None,
) -> None:
    kinds["skippy"] = replace(kinds["skippy"], charts=lambda *_: ())
    submit(document(skippy_part(rotation_ns=8_000_000), rotation_rate_rpm=None))
    run_jobs()
    assert charts_of_run(run_id=Benchmark.objects.get(kind="skippy").run_id) == {"skippy": ()}
