"""Lines through distances that carry none."""

from __future__ import annotations

import math

import numpy as np

from server.benchmarks.seeker.curve import line_at


def test_a_line_through_one_distance_is_worth_whatever_was_met_there() -> None:
    low = np.array([3.0, 3.1, 4.0, 9.0])
    value, error = line_at(np.full(4, 7.0), low, low + 0.2, 7.0)
    assert value - error <= 3.0 and value + error >= 9.2


def test_distances_of_which_all_but_one_lie_off_any_line_have_no_slope() -> None:
    x = np.array([0.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    value, error = line_at(x, np.array([1e9, 1.0, 1.0, 1.0, 1.0, 1.0]), np.full(6, 1e9 + 1), 0.0)
    assert math.isfinite(value) and math.isfinite(error)
