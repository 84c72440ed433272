"""A rate that a slow interface may have held down is nobody's, whichever kind measured it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from server.benchmarks.contract import Extraction, Facts, Quality
from server.benchmarks.interface import HELD, held_rate, is_held, of_interface
from server.benchmarks.registry import kinds_by_slug
from tests.support.kinds import measurement

BLOCKS = 1_000_000
FACTS = Facts(block_bytes=512, capacity_bytes=512 * BLOCKS)
ZONES = np.linspace(140.0, 70.0, 101)
"""Of a disk with zones, MB/s, outside in."""
HALF_HELD, ALL_HELD = np.minimum(ZONES, 100.0), np.minimum(ZONES, 33.0)
"""Through an interface of 100 MB/s, which lets the inner zones through, and of 33."""


def ns(blocks: int, mb_per_s: float) -> int:
    return round(blocks * 512 / mb_per_s * 1e3)


def positional(rates: np.ndarray) -> dict[str, Any]:
    series = []
    for name, share in (("outer", 0), ("middle", 50), ("inner", 99)):
        first, times = BLOCKS * share // 100, [ns(5000, rates[share]) + 1000 * k for k in range(10)]
        series.append(
            {
                "position": name,
                "offset_blocks": [first] * 10,
                "length_blocks": [5000] * 10,
                "elapsed_ns": times,
            }
        )
    return {"params": {"sample_ns": times[0]}, "samples": {"series": series}}


def access(rates: np.ndarray) -> dict[str, Any]:
    shares = {"spread": [k / 34 for k in range(33)], "positions": [0.2775, 0.9025]}
    series = [
        {
            "pattern": pattern,
            "processors": None,
            "offset_blocks": [round(BLOCKS * share) for share in places],
            "length_blocks": [1000] * len(places),
            "elapsed_ns": [ns(1000, rates[round(100 * one)]) + 100 * (k % 5) for k, one in enumerate(places)],
        }
        for pattern, places in shares.items()
    ]
    return {"params": {}, "samples": {"series": series}}


def over_time(rates: np.ndarray) -> dict[str, Any]:
    series = [
        {
            "variant": "read",
            "position": place,
            "offset_blocks": [0] * 24,
            "length_blocks": [100_000] * 24,
            "start_ns": [10**10 * k + 10**8 * place for k in range(24)],
            "elapsed_ns": [ns(100_000, rates[100 * place // 15]) + 10_000 * (k % 5) for k in range(24)],
        }
        for place in range(15)
    ]
    params = {"block_bytes": 512, "positions": 15, "pause_ns": 10**9, "write_cache": False}
    return {"params": params, "samples": {"series": series}}


def sizes(rates: np.ndarray) -> dict[str, Any]:
    blocks = [2**k for k in range(19)]
    series = [
        {
            "variant": "read",
            "position": place,
            "repeat": 0,
            "offset_blocks": [0] * len(blocks),
            "length_blocks": blocks,
            "elapsed_ns": [
                10_000_000 + 300_000 * ((7 * k + place) % 5) + ns(many, rates[100 * place // 16])
                for k, many in enumerate(blocks)
            ],
        }
        for place in range(16)
    ]
    params = {"block_bytes": 512, "positions": 16, "stretch_bytes": 2**27, "write_cache": False}
    return {"params": params, "samples": {"series": series}}


def zoned(rates: np.ndarray) -> dict[str, Any]:
    levels = np.repeat(rates[5::10][:10], 10)
    columns = {
        "offset_blocks": [BLOCKS // 100 * k for k in range(100)],
        "length_blocks": [BLOCKS // 100] * 100,
        "elapsed_ns": [ns(BLOCKS // 100, rate) + 1000 * (k % 3) for k, rate in enumerate(levels)],
    }
    params = {"block_bytes": 512, "mode": "streaming", "transfer_blocks": 100}
    return {"params": params, "samples": {"series": [{"repeat": 0, **columns}]}}


ENTRIES = {
    "positional": positional,
    "access": access,
    "fluctuation": over_time,
    "bandwidth": sizes,
    "zoned": zoned,
}
OUTER = {
    "positional": [("mean_bandwidth", "outer"), ("mean_bandwidth", "middle"), ("inner_to_outer", "")],
    "access": [("transfer_maximum", ""), ("transfer_average", ""), ("rate_at", "27.75")],
    "fluctuation": [("mean", "1s/read/00"), ("deviation", "1s/read/40"), ("variation", "1s/read")],
    "bandwidth": [("peak", "read"), ("outer_inner_ratio", "read"), ("rate", "read/134217728/06")],
    "zoned": [
        ("outer_bandwidth", ""),
        ("mean_bandwidth", ""),
        ("bandwidth_ratio", ""),
        ("fit_error_step", ""),
    ],
}
"""Numbers of which at least one rate lies in the outer half."""
INNER = {
    "positional": [("mean_bandwidth", "inner")],
    "access": [("transfer_minimum", ""), ("rate_at", "90.25")],
    "fluctuation": [("mean", "1s/read/93")],
    "bandwidth": [("fixed_time", "read"), ("rate", "read/134217728/94")],
    "zoned": [("inner_bandwidth", "")],
}
"""Numbers that no interface of 100 MB/s has a part in."""


def qualities(slug: str, rates: np.ndarray, wanted: list[tuple[str, str]]) -> list[Quality]:
    found: Extraction = kinds_by_slug()[slug].extract(ENTRIES[slug](rates), FACTS)
    numbers = {(one.metric, one.scope): one for one in found.measurements}
    return [numbers[f"{slug}.{name}", scope].quality for name, scope in wanted]


@pytest.mark.parametrize("slug", ENTRIES)
def test_rates_that_fall_inwards_are_the_drives(slug: str) -> None:
    assert Quality.POOR not in qualities(slug, ZONES, OUTER[slug] + INNER[slug])


@pytest.mark.parametrize("slug", ENTRIES)
def test_rates_of_which_the_outer_half_is_flat_may_be_the_interfaces_there(slug: str) -> None:
    assert set(qualities(slug, HALF_HELD, OUTER[slug])) == {Quality.POOR}
    assert Quality.POOR not in qualities(slug, HALF_HELD, INNER[slug])


@pytest.mark.parametrize("slug", ENTRIES)
def test_rates_that_are_flat_all_over_may_be_the_interfaces_everywhere(slug: str) -> None:
    rates = [one for one in OUTER[slug] + INNER[slug] if one[0] != "fixed_time"]
    assert set(qualities(slug, ALL_HELD, rates)) == {Quality.POOR}


def test_a_half_that_was_not_measured_tells_nothing() -> None:
    assert held_rate(np.array([0.0, 0.05, 0.9]), np.array([33.0, 33.0, 33.0])) is None
    assert held_rate(np.array([0.5, 0.9]), np.array([33.0, 33.0])) is None
    assert held_rate(np.array([]), np.array([])) is None


def test_no_interface_lets_a_stretch_be_slower_than_those_at_either_side() -> None:
    assert held_rate(np.array([0.0, 0.2, 0.3, 0.5]), np.array([33.0, 30.0, 30.0, 33.0])) is None


def test_what_lies_further_in_is_held_where_it_is_no_slower() -> None:
    assert is_held(33.0, 0.9, 32.9) and not is_held(33.0, 0.9, 30.0)
    assert is_held(33.0, 0.2, 30.0) and not is_held(None, 0.2, 30.0)


def test_a_number_that_may_be_the_interfaces_says_so_and_keeps_a_reason_that_was_poor_before() -> None:
    found = of_interface(measurement("positional.mean_bandwidth", 33.0))
    assert (found.value, found.quality, found.reason) == (33.0, Quality.POOR, HELD)
    assert of_interface(found) is found
