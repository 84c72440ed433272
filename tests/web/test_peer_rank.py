"""A run beside its model's other drives: who confirms it, and where its numbers lie."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from server.accounts.models import ProbeKey
from server.core.lifecycle import State
from server.measurements.models import Run
from server.model_stats.refresh import refresh_model
from server.plausibility.evidence import Number, PeerUnit
from server.plausibility.peer_rank import peer_rank_of, run_peer_rank
from server.submissions.models import Submission
from server.web.peer_rank import confirmed_words, peer_rank_view
from tests.support.sample_archive import SampleRun, sample_run
from tests.support.sample_units import measured
from tests.web.test_pages import get, text_of

RATE = ("sample.rate", "")


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    cache.clear()


def number(value: float, *, metric: str = RATE[0], quality: str = "good", headline: bool = True) -> Number:
    return Number(metric, "", value, value - 0.1, value + 0.1, quality, "MB/s", "Rate", headline)


def peer(value: float, key: str = "other") -> PeerUnit:
    return PeerUnit(f"unit{value}", (key,), {RATE: value})


def view_of(value: float, others: list[float]) -> str:
    view = peer_rank_view(peer_rank_of([number(value)], [peer(other) for other in others], "mine"))
    assert view is not None
    return view.rows[0].place


def test_places_are_counted_from_the_lowest() -> None:
    assert view_of(3.0, [1.0, 2.0, 4.0]) == "3rd of 4"
    assert view_of(0.5, [1.0, 2.0]) == "lowest of 3"
    assert view_of(9.0, [1.0, 2.0]) == "highest of 3"
    assert view_of(1.0, [1.0, 1.0]) == "the same"
    assert view_of(1.0, [1.0 + 1e-10, 1.0 + 2e-10]) == "the same"


def test_numbers_beside_each_other_have_the_digits_that_tell_them_apart() -> None:
    view = peer_rank_view(peer_rank_of([number(8.49600)], [peer(8.49647), peer(8.49698)], "mine"))
    assert view is not None
    row = view.rows[0]
    assert row.mine is not None
    assert (row.mine.value, row.range, row.place) == ("8.4960", "8.4965 to 8.4970", "lowest of 3")


@pytest.mark.parametrize(
    ("value", "percent"),
    [(100.25, "+0.25 %"), (100.0, "0 %"), (100.0 - 1e-8, "0 %"), (88.0, "\N{MINUS SIGN}12 %")],
)
def test_a_distance_from_the_others_has_the_digits_that_mean_something(value: float, percent: str) -> None:
    view = peer_rank_view(peer_rank_of([number(value)], [peer(100.0), peer(100.0)], "mine"))
    assert view is not None
    assert view.rows[0].percent == percent


def test_a_number_too_poor_to_count_has_no_place() -> None:
    poor, inner = number(1.0, quality="poor"), number(1.0, headline=False)
    assert peer_rank_of([poor, inner], [peer(1.0)], "mine").numbers == ()


def test_a_key_confirms_where_four_fifths_of_the_numbers_lie_within_15_per_cent() -> None:
    near = peer_rank_of([number(100.0)], [peer(114.0, "near"), peer(130.0, "far")], "mine")
    assert (near.confirming, near.other_keys) == (1, 2)


def test_a_key_does_not_confirm_itself() -> None:
    assert peer_rank_of([number(100.0)], [peer(100.0, "mine")], "mine").confirming == 0


def test_confirmation_is_told_with_how_many_could_have() -> None:
    none = peer_rank_of([number(1.0)], [], "mine")
    assert "No other key has measured" in confirmed_words(none)
    other = peer_rank_of([number(1.0)], [peer(9.0)], "mine")
    assert confirmed_words(other).startswith("Not confirmed by the one other key")
    both = peer_rank_of([number(1.0)], [peer(1.0), peer(1.0, "third")], "mine")
    assert confirmed_words(both).startswith("Confirmed by 2 keys: all 2 other keys")


def resigned(run: Run, keyid: str) -> None:
    key, _made = ProbeKey.objects.get_or_create(keyid=keyid, defaults={"public_key": b"\x02" * 32})
    Submission.objects.filter(pk=run.submission_id).update(probe_key=key)


@pytest.mark.django_db
def test_a_run_that_others_confirm_later_says_so(client: Client) -> None:
    run = measured(1)
    refresh_model(drive_model_id=run.drive_model_id)
    page = text_of(get(client, f"/runs/{run.pk}/"))
    assert "No other unit of this model was measured under like conditions." in page
    resigned(measured(2, 101.0), "ef" * 32)
    refresh_model(drive_model_id=run.drive_model_id)
    page = text_of(get(client, f"/runs/{run.pk}/"))
    assert "Confirmed by the one other key that measured units of this model." in page
    assert "Rotation time whole drive" in page[page.index("Beside other units of its model") :]


@pytest.mark.django_db
def test_a_run_that_is_not_published_stands_nowhere() -> None:
    run = sample_run(SampleRun(state=State.QUARANTINED))
    assert run_peer_rank(run=run) is None


@pytest.mark.django_db
def test_a_run_leads_to_the_comparison_with_its_model(client: Client) -> None:
    run = sample_run()
    page = get(client, f"/runs/{run.pk}/")
    assert f'href="/compare/?d=run%3A{run.pk}&amp;d={run.drive_model.slug}"' in page


@pytest.mark.django_db
def test_a_run_in_work_tells_each_kind_and_how_many_are_through(client: Client) -> None:
    run = sample_run(SampleRun(state=State.VALIDATED))
    run.benchmarks.filter(kind="zoned").update(state="failed", reason="Sample: no series.")
    words = text_of(get(client, f"/runs/{run.pk}/"))
    assert "1 of 3 kinds is through" in words
    assert "failed Sample: no series." in words
