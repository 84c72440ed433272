"""What the model's other units say of a run: pure, over evidence made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from server.plausibility import peer_units
from server.plausibility.check import Outcome
from server.plausibility.evidence import Evidence, ModelFacts, Number, PeerUnit, nobody_reputable
from server.plausibility.peer_units import peers_gather, peers_of
from server.plausibility.peers import FIRST, confirmed, other_units, same_rotation
from tests.support.documents import document
from tests.support.sample_units import measured

RATE = ("zoned.outer_bandwidth", "")
TURNS = ("skippy.rotation_rate", "")


def number(key: tuple[str, str], value: float) -> Number:
    return Number(*key, value, value, value, "good", "MB/s", "Bandwidth", headline=True)


def peer(name: str, key: tuple[str, str], value: float, keyid: str = "other") -> PeerUnit:
    return PeerUnit(name, (keyid,), {key: value})


def evidence(value: float, others: list[float], key: tuple[str, str] = RATE) -> Evidence:
    peers = tuple(peer(f"unit{index}", key, other, f"key{index}") for index, other in enumerate(others))
    return Evidence(
        document(),
        (number(key, value),),
        ModelFacts("SAMPLE-1"),
        peers,
        keyid="mine",
        reputable_among=frozenset,
    )


def test_a_first_unit_says_that_there_is_nothing_to_compare_with() -> None:
    assert other_units(evidence(100.0, [])).words == FIRST
    assert confirmed(evidence(100.0, [])).words == FIRST


def test_two_other_units_are_too_few_to_judge_by() -> None:
    result = other_units(evidence(500.0, [100.0, 101.0]))
    assert result.outcome is Outcome.NOT_APPLICABLE
    assert "2 other units, of 3" in result.words


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (107.0, Outcome.PASSED),
        (120.0, Outcome.NOTED),
        (180.0, Outcome.NOTED),
        (230.0, Outcome.QUARANTINED),
        (45.0, Outcome.QUARANTINED),
    ],
)
def test_a_number_is_noted_when_it_is_far_and_held_only_beyond_a_factor(
    value: float, outcome: Outcome
) -> None:
    assert other_units(evidence(value, [99.0, 100.0, 101.0, 100.5])).outcome is outcome


def test_a_batch_that_differs_by_a_third_is_never_held() -> None:
    for value in (67.0, 133.0):
        assert other_units(evidence(value, [99.0, 100.0, 101.0] * 5)).outcome is Outcome.NOTED


def test_units_that_differ_widely_make_the_limit_wide() -> None:
    assert other_units(evidence(140.0, [70.0, 85.0, 100.0, 115.0, 130.0])).outcome is Outcome.PASSED


def test_a_number_of_poor_quality_is_not_compared() -> None:
    given = evidence(500.0, [99.0, 100.0, 101.0])
    poor = Number(*RATE, 500.0, None, None, "poor", headline=True)
    assert (
        other_units(Evidence(given.document, (poor,), given.model, given.peers)).outcome
        is Outcome.NOT_APPLICABLE
    )


@pytest.mark.parametrize(("rpm", "outcome"), [(7200.0, Outcome.PASSED), (8000.0, Outcome.QUARANTINED)])
def test_a_rotation_unlike_the_other_units_is_held(rpm: float, outcome: Outcome) -> None:
    assert same_rotation(evidence(rpm, [7199.0, 7201.0], TURNS)).outcome is outcome


def test_confirmations_count_keys_and_not_units() -> None:
    given = evidence(100.0, [99.0, 101.0, 100.0])
    same = tuple(peer(f"unit{index}", RATE, 100.0, "one key") for index in range(3))
    result = confirmed(Evidence(given.document, given.numbers, given.model, same, keyid="mine"))
    assert result.figures["keys"] == 1
    assert confirmed(given).figures["keys"] == 3


def test_the_run_s_own_key_confirms_nothing() -> None:
    given = evidence(100.0, [100.0])
    own = (peer("unit", RATE, 100.0, "mine"),)
    result = confirmed(Evidence(given.document, given.numbers, given.model, own, keyid="mine"))
    assert result.outcome is Outcome.NOTED
    assert result.figures["keys"] == 0


def test_units_of_keys_without_reputation_hold_nothing() -> None:
    given = replace(evidence(230.0, [99.0, 100.0, 101.0, 100.5]), reputable_among=nobody_reputable)
    assert other_units(given).outcome is Outcome.NOTED
    given = replace(evidence(8000.0, [7199.0, 7201.0], TURNS), reputable_among=nobody_reputable)
    assert same_rotation(given).outcome is Outcome.NOTED


def test_units_of_keys_without_reputation_say_not_how_fast_a_model_turns() -> None:
    unrated = document(rotation_rate_rpm=None)
    given = replace(evidence(7200.0, [10_000.0] * 4, TURNS), document=unrated)
    assert given.turn is not None
    assert replace(given, reputable_among=nobody_reputable).turn is None


def test_one_key_s_invented_units_beside_others_are_left_out() -> None:
    given = evidence(230.0, [99.0, 100.0, 101.0, 231.0, 229.0, 230.0])
    honest = frozenset({"key3", "key4", "key5"})
    assert other_units(given).outcome is Outcome.PASSED
    given = evidence(100.0, [300.0, 310.0, 305.0, 99.0, 100.0, 101.0, 302.0, 303.0])
    assert other_units(replace(given, reputable_among=honest.intersection)).outcome is not Outcome.QUARANTINED


@pytest.mark.django_db
def test_runs_without_a_digest_are_one_unit_of_each_key() -> None:
    for key in ("sample-a", "sample-a", "sample-b"):
        measured(None, keyid=key)
    measured(1, keyid="sample-a")
    peers, unlike = peers_gather(run=measured(2, keyid="sample-c"))
    assert (len(peers), unlike) == (3, 0)
    assert sum(peer.name.startswith("key ") for peer in peers) == 2


@pytest.mark.django_db
def test_peers_are_found_behind_many_runs_of_the_own_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_units, "READ_FIRST", 3)
    monkeypatch.setattr(peer_units, "PEER_RUNS", 2)
    for unit in (1, 2, 3):
        measured(unit, keyid=f"sample-{unit}")
    mine = [measured(9, keyid="sample-9") for _run in range(14)]
    peers, _unlike = peers_gather(run=mine[-1])
    assert len(peers) == 2


@pytest.mark.django_db
def test_a_batch_of_one_model_reads_its_latest_runs_once() -> None:
    runs = [measured(unit, keyid=f"sample-{unit}") for unit in (1, 2, 3)]
    with CaptureQueriesContext(connection) as queries:
        found = peers_of(runs)
    assert [len(peers) for peers, _unlike in found] == [2, 2, 2]
    assert sum("measurements_run r" in query["sql"] for query in queries) == 1
