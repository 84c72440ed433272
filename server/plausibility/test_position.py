"""Rates that fall inwards, and those that other work on the machine disturbed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from server.plausibility.position import FALLS, Profile


def profile(mb_per_s: NDArray[np.float64]) -> Profile:
    return Profile("access", np.linspace(0, 1e9, mb_per_s.size), mb_per_s, 30e6)


@pytest.mark.parametrize("count", [30, 100, 5000])
def test_a_flat_profile_falls_by_too_little_for_sure(count: int) -> None:
    flat = profile(np.random.default_rng(count).normal(500.0, 5.0, count))
    assert flat.most_fall < FALLS


def test_a_zoned_disk_whose_outer_transfers_were_delayed_may_fall_far_enough() -> None:
    rates = np.linspace(250.0, 120.0, 24)
    rates[[0, 2, 3, 5, 6]] /= 2.2
    outer, inner = profile(rates).ends
    assert outer / inner < FALLS
    assert profile(rates).most_fall > FALLS


def test_ends_of_too_few_transfers_decide_nothing() -> None:
    assert profile(np.full(9, 100.0)).most_fall == np.inf
