"""How the bench compares: turns, ratios and bars. Nothing is measured here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.bench.figures import verdict
from tests.bench.peers import PeerError, Speed
from tests.bench.rounds import PROBE, take_turns


def speed(rate: float, cpu_ns: float | None = None) -> Speed:
    return Speed(rate * 4096, rate, cpu_ns)


def contenders(log: list[str], rates: dict[str, list[float]]) -> dict[str, Callable[[], Speed]]:
    """Contenders that do as they are told, one rate after the other, and log their turns."""

    def turn(name: str) -> Speed:
        log.append(name)
        return speed(rates[name].pop(0))

    return {name: lambda name=name: turn(name) for name in rates}  # type: ignore[misc]


def test_contenders_take_turns_and_each_round_begins_with_another() -> None:
    log: list[str] = []
    take_turns(contenders(log, {PROBE: [1.0] * 4, "a": [1.0] * 4, "b": [1.0] * 4}), 3)
    assert [log[at : at + 3] for at in (0, 3, 6, 9)] == [
        [PROBE, "a", "b"],
        ["a", "b", PROBE],
        ["b", PROBE, "a"],
        [PROBE, "a", "b"],
    ]


def test_a_ratio_is_the_median_of_the_rounds_ratios_and_the_first_round_does_not_count() -> None:
    rates = {PROBE: [1000.0, 90.0, 100.0, 300.0], "a": [1.0, 100.0, 100.0, 100.0]}
    (ratio,) = take_turns(contenders([], rates), 3).ratios(lambda one: one.requests_per_s)
    assert (ratio.peer, ratio.median, ratio.least, ratio.most) == ("a", 1.0, 0.9, 3.0)


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


def test_a_bar_says_whether_it_is_kept() -> None:
    assert verdict(0.98, 0.98, least=True) == "  [kept: at least 0.98]"
    assert verdict(0.97, 0.98, least=True) == "  [MISSED: at least 0.98]"
    assert verdict(1.2, 1.1, least=False) == "  [MISSED: at most 1.1]"
    assert verdict(None, 1.1, least=False) == ""
