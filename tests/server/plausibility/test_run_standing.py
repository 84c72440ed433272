"""How far runs are borne out: corroborated by another holder's unit, as of now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import Permission
from django.test import Client

from server.accounts.models import User
from server.accounts.services import probe_key_revoke
from server.core import clock
from server.core.lifecycle import Standing, State
from server.measurements.conditions import RunConditions
from server.measurements.model_measurements import Column, ModelMeasurements, PublishedRun
from server.measurements.models import Aggregate, Run
from server.plausibility.evidence import Number, PeerUnit
from server.plausibility.peers import keys_agreeing
from server.plausibility.reputation import reputable_against
from server.plausibility.run_standing import corroborated
from server.submissions.models import Decision, Submission
from server.submissions.withdrawal import run_withdraw
from tests.support.commands import ask, rotation, sealed
from tests.support.documents import KEY, OTHER_KEY

pytestmark = pytest.mark.django_db
NEW_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(2, 34)))
REASON = "Sample reason, for this test."


def standing(run: Run) -> str:
    return Run.objects.get(pk=run.pk).standing


def test_a_run_is_corroborated_by_another_holders_unit_and_so_is_that(measure: Callable[..., Run]) -> None:
    first = measure(KEY, "a1")
    assert standing(first) == Standing.PLAUSIBLE
    second = measure(OTHER_KEY, "a2")
    assert (standing(first), standing(second)) == (Standing.CORROBORATED, Standing.CORROBORATED)


def test_ones_own_units_and_ones_own_drive_corroborate_nothing(measure: Callable[..., Run]) -> None:
    runs = [measure(KEY, "a1"), measure(KEY, "a2"), measure(OTHER_KEY, "b1", model="SAMPLE-2")]
    same_drive = measure(OTHER_KEY, "b1", model="SAMPLE-2")
    assert {standing(run) for run in (*runs, same_drive)} == {Standing.PLAUSIBLE}


def test_what_is_withdrawn_corroborates_no_more(
    measure: Callable[..., Run], run_jobs: Callable[[], None]
) -> None:
    first, second = measure(KEY, "a1"), measure(OTHER_KEY, "a2")
    user = User.objects.create_user("sample-keeper")
    user.user_permissions.add(Permission.objects.get(codename="withdraw"))
    run_withdraw(run=second, by=user, reason=REASON)
    run_jobs()
    assert standing(first) == Standing.PLAUSIBLE


def test_keys_that_followed_one_another_are_one_holder(client: Client, measure: Callable[..., Run]) -> None:
    first, untold = measure(KEY, "a1"), measure(KEY, None)
    assert ask(client, "rotate", body=sealed(rotation(NEW_KEY)))[0] == 200
    second, untold_too = measure(NEW_KEY, "a2"), measure(NEW_KEY, None)
    assert {standing(run) for run in (first, second, untold, untold_too)} == {Standing.PLAUSIBLE}
    row = Aggregate.objects.filter(metric="skippy.rotation_time").get()
    assert (row.n, row.units) == (4, 3), "runs without a digest are one unit of their holder"
    other = measure(OTHER_KEY, "a3")
    assert standing(other) == standing(second) == Standing.CORROBORATED


def test_runs_since_a_revocation_leave_the_numbers_and_corroborate_nothing(
    measure: Callable[..., Run], run_jobs: Callable[[], None]
) -> None:
    first, second = measure(KEY, "a1"), measure(OTHER_KEY, "a2")
    assert Aggregate.objects.get(metric="skippy.rotation_time").units == 2
    probe_key_revoke(key=second.submission.probe_key, since=clock.now())
    run_jobs()
    assert Aggregate.objects.get(metric="skippy.rotation_time").units == 2, "it came in before"
    probe_key_revoke(key=second.submission.probe_key, since=second.submission.received_at)
    run_jobs()
    assert Aggregate.objects.get(metric="skippy.rotation_time").units == 1
    assert standing(first) == Standing.PLAUSIBLE
    assert Submission.objects.get(pk=second.submission_id).state == State.PUBLISHED


def test_a_holder_loses_reputation_by_rejections(measure: Callable[..., Run]) -> None:
    measure(KEY, "a1")
    second = measure(OTHER_KEY, "a2")
    elsewhere = measure(KEY, "a3", model="SAMPLE-2")
    theirs = second.submission.probe_key.keyid
    assert reputable_against(elsewhere)([theirs]) == {theirs}
    bad = measure(OTHER_KEY, "a4", model="SAMPLE-3").submission
    Submission.objects.filter(pk=bad.pk).update(state=State.REJECTED)
    assert reputable_against(elsewhere)([theirs]) == {theirs}, "a rule's rejection is no person's"
    by = User.objects.create_user("sample-moderator")
    Decision.objects.create(submission=bad, verdict="rejected", reason=REASON, by=by, at=clock.now())
    assert reputable_against(elsewhere)([theirs]) == frozenset()


def test_pages_and_api_show_and_filter_by_the_standing(client: Client, measure: Callable[..., Run]) -> None:
    run, other = measure(KEY, "a1"), measure(KEY, "b1", model="SAMPLE-2")
    measure(OTHER_KEY, "a2")
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert "Corroborated." in page and 'href="/methods/standing/"' in page
    assert client.get("/methods/standing/").status_code == 200
    assert client.get(f"/api/v1/runs/{other.pk}/").json()["standing"] == "plausible"
    rows = client.get("/api/v1/runs/?standing=plausible").json()["results"]
    assert [row["id"] for row in rows] == [str(other.pk)]
    refused = client.get("/api/v1/runs/?standing=plausable")
    assert refused.status_code == 422
    assert "plausible" in refused.json()["detail"]
    slug = run.drive_model.slug
    for asked, count in (("", 2), ("corroborated", 2), ("signed", 0)):
        shown = client.get(f"/drives/{slug}/?standing={asked}").content.decode()
        assert shown.count('<a class="digest" href="/runs/') == count, asked
        assert f'<strong aria-current="true">{asked or "all"}</strong>' in shown


# The computation alone.


def made(values: np.ndarray, units: list[str], holders: list[str]) -> ModelMeasurements:
    """A model's runs with headline numbers, one row each."""
    from server.benchmarks.registry import metrics_by_key

    names = sorted(key for key, metric in metrics_by_key().items() if metric.headline)[: values.shape[1]]
    now, plain = datetime(2026, 1, 1, tzinfo=UTC), RunConditions({}, {})
    runs = tuple(
        PublishedRun(UUID(int=n), "probe", unit, 512, plain, True, holder, None, "", now, now)
        for n, (unit, holder) in enumerate(zip(units, holders, strict=True))
    )
    columns = {}
    for number, name in enumerate(names):
        told = np.flatnonzero(~np.isnan(values[:, number]))
        column = values[told, number]
        quality = np.full(len(told), "good", dtype=np.object_)
        columns["probe", name, ""] = Column(told, column, column, column, quality)
    nothing = np.zeros(len(runs), dtype=np.int64)
    return ModelMeasurements(runs, columns, nothing, nothing)


def test_it_agrees_with_the_page_s_count_of_confirming_keys_for_any_numbers() -> None:
    random = np.random.default_rng(7)
    for _round in range(20):
        count = 24
        values = random.choice([100.0, 110.0, 130.0, 170.0, np.nan], size=(count, 6))
        # The page takes the median of a unit's runs, which is its only one here.
        units = [f"u{n}" for n in range(count)]
        holders = [f"k{n}" for n in random.integers(0, 4, count)]
        found = corroborated(made(values, units, holders))
        for n in range(count):
            numbers = [
                Number(str(index), "", value, None, None, "good", headline=True)
                for index, value in enumerate(values[n])
                if not np.isnan(value)
            ]
            peers = [
                PeerUnit(
                    units[other],
                    (holders[other],),
                    {(str(p), ""): v for p, v in enumerate(values[other]) if not np.isnan(v)},
                )
                for other in range(count)
                if other != n
            ]
            assert (UUID(int=n) in found) == bool(keys_agreeing(numbers, peers, holders[n]))
