"""One holder's drives count at most a third of a model, in everything that is computed over many runs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest
from django.test import Client

from server.claims.assessment import _measured
from server.comparison.group_numbers import group_numbers
from server.core.lifecycle import Provenance
from server.measurements.conditions import RunConditions
from server.measurements.groups import group_get
from server.measurements.model_measurements import PublishedRun
from server.measurements.models import Aggregate, Run
from server.model_stats.breakdown import model_breakdown
from server.model_stats.refresh import refresh_model
from server.model_stats.statistics import drive_statistics, statistics_compute
from server.plausibility import holder_shares
from server.plausibility.holder_shares import runs_beyond_share, share_of
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db
PLACE = ("zoned.outer_bandwidth", "")
HONEST = (98.0, 99.0, 101.0, 102.0)


@pytest.fixture
def flooded() -> list[Run]:
    """Four drives of a holder each, and fifty of a fifth holder's invention."""
    runs = [measured(number, value, keyid=f"honest {number}") for number, value in enumerate(HONEST)]
    runs += [measured(100 + number, 200.0 + number, keyid="flood") for number in range(50)]
    refresh_model(drive_model_id=runs[0].drive_model_id)
    return runs


def aggregate() -> Aggregate:
    return Aggregate.objects.get(metric=PLACE[0], scope=PLACE[1])


def test_a_third_of_the_drives_at_most_are_one_holders_wherever_numbers_are_made(flooded: list[Run]) -> None:
    row, model = aggregate(), flooded[0].drive_model
    assert (row.units, row.n) == (6, 6)
    assert row.median == pytest.approx((101.0 + 102.0) / 2) and row.maximum == pytest.approx(201.0)
    for statistics in (
        drive_statistics(drive_model=model, provenance=Provenance.PROBE),
        statistics_compute(drive_model=model, provenance=Provenance.PROBE),
    ):
        assert statistics is not None
        spread = next(one.spread for one in statistics.numbers if (one.metric, one.scope) == PLACE)
        assert (statistics.units, spread.n) == (6, 6)
    numbers = group_numbers(group_get(model.slug), {PLACE[0]})
    assert sorted(numbers.samples[PLACE].unit_means().values()) == [*HONEST, 200.0, 201.0]
    assert len(_measured(model, {PLACE[0]})[PLACE]) == 6, "verdicts rest on the same drives"
    parts = model_breakdown(drive_model=model, condition="firmware")
    assert parts is not None and parts.parts[0].units == 6


def test_what_is_left_out_says_so_and_is_there(client: Client, flooded: list[Run]) -> None:
    model, last = flooded[0].drive_model, flooded[-1]
    assert "48 runs\n    count in none of these numbers" in client.get(f"/drives/{model.slug}/").text
    assert "In no number of its model" in client.get(f"/runs/{last.pk}/").text
    assert "In no number of its model" not in client.get(f"/runs/{flooded[0].pk}/").text
    assert client.get(f"/api/v1/runs/{last.pk}/").json()["beyond_share"] is True
    assert client.get(f"/api/v1/runs/{flooded[0].pk}/").json()["beyond_share"] is False
    named = group_numbers(group_get(f"run:{last.pk}"), {PLACE[0]})
    assert named.runs == 1, "who names the run compares the run"


def test_others_who_come_later_raise_the_share(flooded: list[Run]) -> None:
    for number in (10, 11):
        measured(number, 100.0, keyid=f"honest {number}")
    refresh_model(drive_model_id=flooded[0].drive_model_id)
    assert aggregate().units == 9
    assert Run.objects.filter(beyond_share=True).count() == 47


def test_runs_of_another_holders_drive_do_not_shift_it() -> None:
    runs = [measured(number, value, keyid=f"honest {number}") for number, value in enumerate(HONEST)]
    runs += [measured(number, 200.0, keyid="liar") for number in range(4)]
    refresh_model(drive_model_id=runs[0].drive_model_id)
    assert aggregate().median == pytest.approx(100.0) and aggregate().maximum == pytest.approx(102.0)


def test_keys_without_reputation_take_nothing_from_a_holder_who_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = [measured(number, 100.0 + number, keyid="laboratory") for number in range(8)]
    runs += [measured(20 + number, 300.0, keyid=f"sybil {number}") for number in range(2)]
    refresh_model(drive_model_id=runs[0].drive_model_id)
    assert aggregate().units == 3, "nobody has a reputation: each counts a third"
    confirmed = frozenset({Run.objects.get(pk=runs[0].pk).submission.probe_key.keyid})

    def among(keyids: Iterable[str]) -> frozenset[str]:
        return confirmed & frozenset(keyids)

    monkeypatch.setattr(holder_shares, "reputable_elsewhere", lambda **_of: among)
    refresh_model(drive_model_id=runs[0].drive_model_id)
    assert (aggregate().units, Run.objects.filter(beyond_share=True).count()) == (10, 0)


# The choice alone.


def drives(*units: int) -> list[PublishedRun]:
    """Runs of so many drives of each holder, those of the first one published first."""
    began, alike = datetime(2026, 1, 1, tzinfo=UTC), RunConditions({}, {})
    made: list[PublishedRun] = []
    for holder, count in enumerate(units):
        for number in range(count):
            at = began + timedelta(minutes=len(made))
            of = UUID(int=len(made)), "probe", f"u{holder}-{number}"
            made.append(PublishedRun(*of, 512, alike, True, f"h{holder}", None, "", at, at))
    return made


def nobody(_keyids: Iterable[str]) -> frozenset[str]:
    return frozenset()


@pytest.mark.parametrize(
    ("units", "most"),
    [((50, 1, 1, 1, 1), 2), ((50, 50, 1), 1), ((50, 50, 10), 10), ((5, 5, 5), 5), ((2, 1, 1), 1)],
)
def test_a_share_is_the_most_that_is_a_third_of_all_that_count(units: tuple[int, ...], most: int) -> None:
    assert share_of({str(holder): count for holder, count in enumerate(units)}) == most
    left = [run for run in drives(*units) if run.run_id not in runs_beyond_share(drives(*units), nobody)]
    counted = [sum(run.keyid == f"h{holder}" for run in left) for holder in range(len(units))]
    assert counted == [min(count, most) for count in units]
    assert max(counted) * 3 <= sum(counted)


def test_two_holders_are_left_as_they_are_and_drives_added_later_change_nothing() -> None:
    assert runs_beyond_share(drives(50, 1), nobody) == set()
    few, many = drives(3, 1, 1), drives(3, 1, 1) + drives(0, 0, 0, 0, 0)
    later = datetime(2026, 2, 1, tzinfo=UTC)
    many += [
        PublishedRun(
            UUID(int=1000 + n), "probe", f"x{n}", 512, few[0].conditions, True, "h0", None, "", later, later
        )
        for n in range(40)
    ]
    assert runs_beyond_share(many, nobody) == runs_beyond_share(few, nobody) | {
        UUID(int=1000 + n) for n in range(40)
    }


def test_one_key_with_fifty_invented_drives_leaves_the_median_within_what_the_others_measured() -> None:
    random = np.random.default_rng(20261123)
    moved, moved_before = [], []
    for _round in range(500):
        honest = random.normal(100.0, 2.0, 4)
        invented = np.full(50, random.choice([0.5, 0.9, 1.1, 2.0]) * 100.0)
        runs = drives(1, 1, 1, 1, 50)
        values = np.concatenate([honest, invented])
        left = runs_beyond_share(runs, nobody)
        counted = np.asarray([run.run_id not in left for run in runs])
        median = float(np.median(values[counted]))
        assert honest.min() <= median <= honest.max()
        moved.append(abs(median - float(np.median(honest))))
        moved_before.append(abs(float(np.median(values)) - float(np.median(honest))))
    # In honest drives' standard deviations, which are 2.
    assert np.median(moved) / 2 < 0.7 and max(moved) / 2 < 3.0
    assert np.median(moved_before) / 2 > 4.0
