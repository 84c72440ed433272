"""How the bench compares: turns, ratios, intervals and bars. Nothing is measured here."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable

import pytest

from tests.bench.bars import CPU, KEPT, MISSED, RATE, UNDECIDED, Bar
from tests.bench.compare import Result
from tests.bench.peers import Load, PeerError, Speed, alike
from tests.bench.rounds import PROBE, Ratio, median_interval, take_turns


def speed(rate: float, cpu_ns: float | None = None) -> Speed:
    return Speed(rate * 4096, rate, cpu_ns)


def contenders(log: list[str], rates: dict[str, list[float]]) -> dict[str, Callable[[], Speed]]:
    """Contenders that do as they are told, one rate after the other, and log their turns."""

    def turn(name: str) -> Speed:
        log.append(name)
        return speed(rates[name].pop(0))

    return {name: lambda name=name: turn(name) for name in rates}  # type: ignore[misc]


def rounds_of(seed: int) -> list[list[str]]:
    log: list[str] = []
    take_turns(contenders(log, {name: [1.0] * 13 for name in (PROBE, "a", "b")}), 12, seed)
    return [log[at : at + 3] for at in range(0, len(log), 3)]


def test_each_round_lets_everyone_run_once_in_an_order_of_its_own() -> None:
    orders = rounds_of(seed=20)
    assert all(sorted(order) == ["a", "b", PROBE] for order in orders)
    assert {order[0] for order in orders} == {PROBE, "a", "b"}
    assert len({tuple(order) for order in orders}) > 3


def test_the_same_seed_gives_the_same_turns_and_another_seed_others() -> None:
    assert rounds_of(seed=20) == rounds_of(seed=20) != rounds_of(seed=21)


def test_a_ratio_is_the_median_of_the_rounds_ratios_and_the_first_round_does_not_count() -> None:
    rates = {PROBE: [1000.0, 90.0, 100.0, 300.0], "a": [1.0, 100.0, 100.0, 100.0]}
    (ratio,) = take_turns(contenders([], rates), 3).ratios(lambda one: one.requests_per_s)
    assert (ratio.peer, ratio.median, ratio.rounds) == ("a", 1.0, 3)
    assert (ratio.low, ratio.high) == (0.9, 3.0), "three rounds have no narrower interval"


@pytest.mark.parametrize(
    ("count", "rank"),
    # Ranks of the 95 % interval of a median as tables of the sign test print them.
    [(5, 1), (6, 1), (8, 1), (9, 2), (15, 4), (20, 6), (25, 8), (30, 10)],
)
def test_the_interval_of_a_median_lies_between_the_ranks_of_the_sign_test(count: int, rank: int) -> None:
    values = [float(value) for value in range(1, count + 1)]
    random.Random(count).shuffle(values)
    assert median_interval(values) == (rank, count + 1 - rank)


def test_the_interval_holds_the_median_as_often_as_it_says_also_for_skewed_values() -> None:
    dice = random.Random(3)
    hits = 0
    for _ in range(2000):
        low, high = median_interval([dice.lognormvariate(0, 1) for _ in range(25)])
        hits += low <= 1 <= high
    assert 0.945 <= hits / 2000 <= 0.972, "25 values: 95.7 %"


def test_an_interval_of_one_value_is_that_value() -> None:
    assert median_interval([2.0]) == (2.0, 2.0)


def test_a_figure_whose_interval_spans_its_bar_is_undecided() -> None:
    assert RATE.verdict(0.97, 1.02) == UNDECIDED
    assert RATE.verdict(0.98, 1.02) == KEPT
    assert RATE.verdict(0.90, 0.979) == MISSED
    assert CPU.verdict(0.9, 1.1) == KEPT
    assert CPU.verdict(0.9, 1.2) == UNDECIDED
    assert CPU.verdict(1.11, 1.2) == MISSED


def test_a_bar_is_held_against_the_best_peer() -> None:
    fast, even = Ratio("fast", 0.8, 0.7, 0.9, 25), Ratio("even", 1.0, 0.99, 1.01, 25)
    unsure = Ratio("unsure", 1.0, 0.9, 1.1, 25)
    assert RATE.of_all([even, fast, unsure]) == MISSED
    assert RATE.of_all([even, unsure]) == UNDECIDED
    assert RATE.of_all([even]) == KEPT
    assert RATE.of_all([]) == ""


def test_a_counted_figure_says_whether_it_keeps_its_bar() -> None:
    assert Bar(6, least=False).of(5.0) == "  [kept: at most 6]"
    assert Bar(6, least=False).of(7.0) == "  [MISSED: at most 6]"
    assert Bar(6, least=False).of(None) == ""


def test_a_result_prints_its_ratios_with_their_intervals_and_what_they_say() -> None:
    rates = [Ratio("fio psync", 1.01, 0.99, 1.03, 25)]
    result = Result("loop", "random read", "9 IOPS", rates, 2500.0, [Ratio("fio psync", 1.0, 0.9, 1.2, 25)])
    assert list(result.lines()) == [
        "  random read: 9 IOPS  [kept: at least 0.98]",
        "      1.010 of fio psync (0.990 to 1.030)",
        "      processor 2.50 us a request, 1.000 of fio psync (0.900 to 1.200)  [undecided: at most 1.1]",
    ]
    assert result.row() == (
        "| loop | random read | 9 IOPS | 1.010 of fio psync (0.990 to 1.030) | kept | 2.50 us "
        "| 1.000 of fio psync (0.900 to 1.200) | undecided |"
    )


def test_all_programs_start_alike_and_a_crowd_may_use_all_processors() -> None:
    alone, crowd = Load("random-read", 4096, 9, 1 << 20), Load("random-read", 4096, 9, 1 << 20, processes=8)
    assert alike(crowd) == alike(alone)[: len(alike(crowd))]
    assert not any("taskset" in word or "chrt" in word for word in alike(crowd))


def test_a_peer_that_can_not_take_part_is_named_with_its_reason_and_left_out() -> None:
    def fails() -> Speed:
        raise PeerError("hdparm: Inappropriate ioctl")

    def missing() -> Speed:
        raise FileNotFoundError

    result = take_turns({PROBE: lambda: speed(1.0), "hdparm": fails, "fio": missing}, 2)
    assert result.absent == {"hdparm": "hdparm: Inappropriate ioctl", "fio": "fio is not installed"}
    assert result.ratios(lambda one: one.requests_per_s) == []


def test_a_bench_without_the_probe_is_no_bench() -> None:
    def fails() -> Speed:
        raise PeerError("no")

    with pytest.raises(PeerError):
        take_turns({PROBE: fails, "a": lambda: speed(1.0)}, 1)


def test_a_figure_that_a_peer_does_not_tell_is_not_compared() -> None:
    result = take_turns({PROBE: lambda: speed(1.0, 5.0), "dd": lambda: speed(1.0)}, 1)
    assert result.ratios(lambda one: one.cpu_ns) == []
    assert result.typical(PROBE, lambda one: one.cpu_ns) == statistics.median([5.0])
