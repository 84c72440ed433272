"""The first page: how much there is, the picture of all drives, what is wanted and what is new."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client

from server.search.archive_counts import BandwidthRange, bandwidth_ranges_choose, recommended_runs
from server.search.models import DriveSummary
from server.search.summaries import UndecidedClaim, recommended_run_of
from server.web.views.home import bars_of
from tests.support.sample_archive import sample_archive


def edges(outer: float, inner: float, title: str = "Sample") -> BandwidthRange:
    return BandwidthRange("sample", title, "probe", outer, inner, 3)


def test_bars_share_a_logarithmic_axis_that_holds_them_all() -> None:
    bars, ticks = bars_of((edges(160.0, 80.0), edges(16.0, 8.0), edges(2.5, 2.5)))
    assert [tick.label for tick in ticks] == ["2", "5", "10", "20", "50", "100", "200"]
    assert (ticks[0].x, ticks[-1].x) == (0, 1000)
    assert bars[0].width == pytest.approx(bars[1].width, abs=1)
    assert bars[2].width > 0
    assert all(bar.x >= 0 and bar.x + bar.width <= 1000 for bar in bars)


def test_a_bar_s_numbers_carry_the_digits_of_their_interval() -> None:
    known = replace(edges(151.26, 79.04), units=3, outer_interval=(148.0, 155.0), inner_interval=(79.0, 79.1))
    bars, _ticks = bars_of((known, edges(2.0431, 0.0)))
    assert [(bar.outer, bar.inner) for bar in bars] == [("151", "79.04"), ("2.043", "0")]
    assert [bar.behind for bar in bars] == ["median of 3 units", "3 published values"]


def test_no_drive_makes_no_picture() -> None:
    assert bars_of(()) == ([], [])


@pytest.mark.django_db
def test_the_picture_shows_each_drive_by_its_best_provenance_alone() -> None:
    model = sample_archive()
    both = {"zoned.outer_bandwidth|": [100.0, 99, 101, 3, 2], "zoned.inner_bandwidth|": [50.0, 49, 51, 2, 2]}
    other = {"zoned.outer_bandwidth|": [900.0, 9, 9, 1, 1], "zoned.inner_bandwidth|": [800.0, 8, 8, 1, 1]}
    DriveSummary.objects.update(
        headline={"simulated": other, "probe": both}, facets=["numbers:probe", "numbers:simulated"]
    )
    assert bandwidth_ranges_choose() == [
        {
            "slug": model.slug,
            "title": model.title,
            "provenance": "probe",
            "outer": 100.0,
            "inner": 50.0,
            "runs": 2,
            "units": 2,
            "outer_interval": [99, 101],
            "inner_interval": [49, 51],
        }
    ]


@pytest.mark.django_db
def test_the_first_page_counts_names_what_is_wanted_and_what_is_new(client: Client) -> None:
    model = sample_archive()
    page = client.get("/").content.decode()
    recommended = page[page.index("recommended-title") : page.index("latest-title")]
    assert f"/drives/{model.slug}/" in recommended
    assert "Three runs of one unit: a second unit tells the model from the specimen." in recommended
    latest = page[page.index("latest-title") :]
    assert latest.count("/runs/") == 4
    assert [row.pk for row in recommended_runs()] == [model.pk]


def test_a_claim_that_one_run_would_decide_is_wanted_most() -> None:
    near = recommended_run_of(
        measured_runs=6,
        units=3,
        batches=1,
        claims=2,
        undecided=[UndecidedClaim("Average seek, “8.5 ms”", 2, 3), UndecidedClaim("Rotation, “7200”", 1, 3)],
    )
    alone = recommended_run_of(measured_runs=6, units=1, batches=1, claims=2, undecided=[])
    unmeasured = recommended_run_of(measured_runs=0, units=0, batches=0, claims=2, undecided=[])
    batch = recommended_run_of(measured_runs=6, units=3, batches=1, claims=2, undecided=[])
    assert near and alone and unmeasured and batch
    assert near.words == "One unit more would decide a claim of the vendor: Rotation, “7200”."
    assert near.rank < alone.rank < unmeasured.rank < batch.rank


def test_nothing_is_wanted_where_nothing_would_be_settled() -> None:
    far = UndecidedClaim("Average seek", 400, 3)
    assert recommended_run_of(measured_runs=9, units=3, batches=2, claims=1, undecided=[far]) is None
    assert recommended_run_of(measured_runs=0, units=0, batches=0, claims=0, undecided=[]) is None
