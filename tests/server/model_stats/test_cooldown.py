"""Large models rest between computations, and nothing that is published meanwhile is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from server.core import clock
from server.measurements import aggregation, cooldown
from server.measurements.models import Aggregate, AggregateCost, AggregateDue, Run
from server.model_stats.refresh import refresh_model
from server.model_stats.tasks import model_refresh
from server.submissions import sweeper
from server.submissions.events import REFRESH, models_due
from server.submissions.withdrawal import run_withdraw
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db
FACTOR = 30


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[datetime]:
    """A clock that stands still; its one entry is what it says."""
    settings.AGGREGATES_COOLDOWN_FACTOR = FACTOR
    now = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    return now


@pytest.fixture
def takes(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Have each computation take that many seconds."""

    def set_to(seconds: float) -> None:
        began = [0.0]

        def tick() -> float:
            began[0] += seconds * 1000
            return began[0]

        monkeypatch.setattr(clock, "monotonic_ms", tick)

    return set_to


def published(unit: int) -> Run:
    """A run with the row that its publication leaves."""
    run = measured(unit)
    models_due([run.drive_model_id])
    return run


def runs_counted(model: int) -> int:
    return Aggregate.objects.get(drive_model_id=model, metric="zoned.outer_bandwidth", scope="").n


def test_a_large_model_takes_in_together_what_is_published_while_it_rests(
    time: list[datetime],
    takes: Callable[[float], None],
    queue: list[tuple[str, str]],
    django_capture_on_commit_callbacks: Any,
) -> None:
    takes(20.0)
    model = published(1).drive_model_id
    model_refresh(str(model))
    published(2)
    assert model_refresh(str(model)) == 0
    published(3)
    assert model_refresh(str(model)) == 0
    assert runs_counted(model) == 1
    time[0] += timedelta(seconds=FACTOR * 20.0 - 1)
    with django_capture_on_commit_callbacks(execute=True):
        sweeper.submissions_sweep()
    assert queue == []
    time[0] += timedelta(seconds=1)
    with django_capture_on_commit_callbacks(execute=True):
        sweeper.submissions_sweep()
    assert queue == [(REFRESH, str(model))]
    model_refresh(str(model))
    assert runs_counted(model) == 3
    assert not AggregateDue.objects.exists()


def test_a_model_that_is_computed_quickly_follows_every_run(
    time: list[datetime], takes: Callable[[float], None]
) -> None:
    takes(cooldown.QUICK_S)
    for unit in (1, 2):
        model = published(unit).drive_model_id
        model_refresh(str(model))
    assert runs_counted(model) == 2


def test_a_message_that_comes_twice_has_a_large_model_computed_once(
    time: list[datetime], takes: Callable[[float], None]
) -> None:
    takes(20.0)
    model = published(1).drive_model_id
    assert model_refresh(str(model)) > 0
    assert model_refresh(str(model)) == 0
    assert not AggregateDue.objects.exists(), "it would be computed anew at each end of its rest"
    time[0] += timedelta(seconds=FACTOR * 20.0 + 1)
    assert model_refresh(str(model)) == 0, "nothing has changed"


def test_a_withdrawal_ends_the_rest(
    time: list[datetime],
    takes: Callable[[float], None],
    queue: list[tuple[str, str]],
    django_user_model: Any,
) -> None:
    takes(20.0)
    run = published(1)
    published(2)
    model_refresh(str(run.drive_model_id))
    keeper = django_user_model.objects.create_superuser("keeper")
    run_withdraw(run=run, by=keeper, reason="Measured through a broken bridge.")
    model_refresh(str(run.drive_model_id))
    assert runs_counted(run.drive_model_id) == 1


def test_a_computation_that_fails_notes_no_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    model = measured(1).drive_model_id
    AggregateCost.objects.all().delete()
    monkeypatch.setattr(aggregation.Aggregate.objects, "bulk_create", lambda rows: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        refresh_model(drive_model_id=model)
    assert not AggregateCost.objects.exists()
