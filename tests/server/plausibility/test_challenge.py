"""Runs that an archive asked for: what follows from a nonce, and who may say "measured on request"."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.test import Client

from server.benchmarks.challenge import LANE_STEP, between, draws, in_order, seed_of
from server.benchmarks.registry import KINDS
from server.core import clock
from server.core.lifecycle import State
from server.measurements.models import Run
from server.plausibility.nonces import LIFETIME, issued_at, nonce_issue
from server.submissions.models import Submission
from tests.contract.golden import facts_of, golden_of
from tests.support import forging

Judge = Callable[[dict[str, Any]], tuple[str, dict[str, str], Run]]


def test_the_seed_is_the_one_that_the_probe_makes_of_a_nonce() -> None:
    # client/probe/src/run/challenge.rs has the same number.
    assert seed_of("sample-nonce-0001") == 581_961_632_574_636_409


def test_the_draws_are_those_of_split_mix_64() -> None:
    # The generator's published numbers for the seed 1234567.
    assert [int(one) for one in draws(1234567, 2)] == [6457827717110365317, 3203168211198807973]


def test_places_that_could_not_be_read_are_no_deviation() -> None:
    expected = np.array([5, 9, 2, 7, 1])
    assert in_order([5, 2, 1], expected).following == 3
    assert in_order([2, 5, 1], expected).following == 2


def test_a_nonce_says_when_it_was_given_and_a_changed_one_nothing() -> None:
    given = nonce_issue()
    at = issued_at(given.nonce)
    assert at is not None and abs(at + LIFETIME - given.expires_at) < timedelta(seconds=2)
    assert issued_at("A" + given.nonce[1:]) is None
    assert issued_at("nonsense") is None


@pytest.fixture
def judge(
    submit: Callable[..., Submission], run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> Judge:
    """Submit a document, run its jobs, return the state, what holds it, and the run."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())

    def judged(content: dict[str, Any]) -> tuple[str, dict[str, str], Run]:
        submission = submit(content)
        run_jobs()
        submission.refresh_from_db()
        run = submission.run
        held = {row.check_key: row.words for row in run.check_results.filter(outcome="held")}
        return submission.state, held, run

    return judged


def under(nonce: str) -> dict[str, Any]:
    """A golden run of ACCESS as it would have been measured under a nonce."""
    content = forging.noisy(forging.claimed_real(golden_of("access").document()), 2_000.0)
    blocks = content["device"]["capacity_bytes"] // content["device"]["block_bytes"]
    for series in content["benchmarks"][0]["samples"]["series"]:
        if series["pattern"] == "random":
            count = len(series["offset_blocks"])
            positions = between(draws(seed_of(nonce), count + 1), 0, blocks)[1:]
            # Each place's time goes with the way to it: the draws replace the places in the order of ways.
            series["offset_blocks"] = [int(place) for place in positions]
            series["elapsed_ns"] = _by_way(positions, series["elapsed_ns"])
    content["challenge"] = {"nonce": nonce}
    return content


def _by_way(positions: Any, times: list[int]) -> list[int]:
    ways = np.abs(np.diff(positions, prepend=positions[0]))
    ranks = np.argsort(np.argsort(ways))
    return [int(time) for time in np.sort(times)[ranks]]


@pytest.fixture
def nonce(monkeypatch: pytest.MonkeyPatch) -> str:
    """A nonce that was given an hour before the run comes in."""
    given_at = clock.now() - timedelta(hours=1)
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: given_at)
        return nonce_issue().nonce


@pytest.mark.django_db
def test_a_run_whose_places_follow_from_a_fresh_nonce_is_measured_on_request(
    judge: Judge, nonce: str, client: Client
) -> None:
    state, held, run = judge(under(nonce))
    assert (state, held, run.measured_on_request) == (State.PUBLISHED, {}, True)
    rows = json.loads(client.get("/api/v1/runs/?measured_on_request=true").content)["results"]
    assert [(row["id"], row["measured_on_request"]) for row in rows] == [(str(run.pk), True)]
    assert json.loads(client.get("/api/v1/runs/?measured_on_request=false").content)["results"] == []
    assert "Measured on request" in client.get(f"/runs/{run.pk}/").content.decode()


@pytest.mark.django_db
def test_an_offline_run_is_welcome_and_says_so(judge: Judge, client: Client) -> None:
    content = under(nonce_issue().nonce)
    del content["challenge"]
    state, _held, run = judge(content)
    assert (state, run.measured_on_request) == (State.PUBLISHED, False)
    assert "Measured offline" in client.get(f"/runs/{run.pk}/").content.decode()


@pytest.mark.django_db
def test_an_old_run_under_a_new_nonce_is_held(judge: Judge, nonce: str) -> None:
    content = forging.noisy(forging.claimed_real(golden_of("access").document()), 2_000.0)
    state, held, run = judge(content | {"challenge": {"nonce": nonce}})
    assert (state, list(held), run.measured_on_request) == (State.QUARANTINED, ["on_request"], False)


@pytest.mark.django_db
def test_a_nonce_is_good_for_one_run(judge: Judge, nonce: str) -> None:
    first = under(nonce)
    assert judge(first)[0] == State.PUBLISHED
    state, held, _run = judge(forging.renewed(forging.jittered(first, 5_000.0)))
    assert state == State.QUARANTINED
    assert first["run_id"] in held["on_request"]


@pytest.mark.django_db
def test_a_run_that_began_before_its_nonce_was_given_is_held(judge: Judge) -> None:
    content = under(nonce_issue().nonce)
    content["benchmarks"][0]["elapsed_ns"] += 600_000_000_000
    state, held, _run = judge(content)
    assert (state, list(held)) == (State.QUARANTINED, ["on_request"])


@pytest.mark.django_db
@pytest.mark.parametrize("age", [LIFETIME + timedelta(days=1), None], ids=["old", "of another archive"])
def test_what_an_old_or_foreign_nonce_asked_for_counts_as_offline(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, age: timedelta | None
) -> None:
    foreign = "0123456789abcdef:1:elsewhere"
    if age is not None:
        given_at: datetime = clock.now() - age
        with monkeypatch.context() as patch:
            patch.setattr(clock, "now", lambda: given_at)
            foreign = nonce_issue().nonce
    state, held, run = judge(under(foreign))
    assert (state, held, run.measured_on_request) == (State.PUBLISHED, {}, False)


def test_each_challenge_is_another_and_is_kept_by_nobody(client: Client, db: None) -> None:
    answers = [client.get("/api/v1/challenges/") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert all("no-store" in answer.headers["Cache-Control"] for answer in answers)
    assert len({json.loads(answer.content)["nonce"] for answer in answers}) == 2


def test_skippy_s_series_begin_at_blocks_with_the_drawn_remainder() -> None:
    (skippy,) = (kind for kind in KINDS if kind.slug == "skippy")
    assert skippy.follows is not None
    document = golden_of("skippy").document()
    (part,) = document["benchmarks"]
    remainder = int(draws(seed_of("sample-nonce-0001"), 1)[0]) % LANE_STEP
    before = skippy.follows(part, facts_of(document), seed_of("sample-nonce-0001"))
    assert before is not None and before.following < before.positions / 2
    for series in part["samples"]["series"]:
        off = min([series["start_block"], *series["offset_blocks"]]) % LANE_STEP - remainder
        series["start_block"] -= off
        series["offset_blocks"] = [block - off for block in series["offset_blocks"]]
    after = skippy.follows(part, facts_of(document), seed_of("sample-nonce-0001"))
    assert after is not None and after.following == after.positions
