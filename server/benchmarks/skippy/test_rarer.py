"""Boundaries that differ in every so many, and noise that only looks so."""

from __future__ import annotations

import numpy as np
import pytest

from server.benchmarks.skippy.rarer import Rarer, find_rarer
from server.benchmarks.skippy.rhythm import Beat
from server.benchmarks.skippy.series import FloatArray
from server.benchmarks.skippy.steps import Spikes, Steps

TRACK_BLOCKS, TURN_MS, GAP_MS, NOISE_MS = 60.0, 4.0, 0.96, 0.03
SERIES, BOUNDARIES = 4, 70


def found_in(noise_ms: FloatArray, *, more_ms: float = 0.0, tracks: int = 20) -> Rarer | None:
    """Return what is found in steps over one boundary each; every `tracks`-th has a gap larger by `more_ms`.

    `noise_ms` has a row for each series.
    """
    number: FloatArray = np.tile(np.arange(1.0, BOUNDARIES + 1), SERIES)
    rare = number % tracks == tracks // 2
    steps = Steps(
        low=number * TRACK_BLOCKS - 20,
        high=number * TRACK_BLOCKS + 20,
        rest_ms=GAP_MS + more_ms * rare + noise_ms.ravel(),
        series=np.repeat(np.arange(SERIES), BOUNDARIES),
        place=np.arange(SERIES * BOUNDARIES),
        turn_ms=TURN_MS,
        block_ms=TURN_MS / TRACK_BLOCKS,
        noise_ms=NOISE_MS,
        count=SERIES,
    )
    beat = Beat(TRACK_BLOCKS, np.zeros(SERIES), 1.0)
    return find_rarer(steps, Spikes(5 * NOISE_MS, GAP_MS, number.size), beat)


def long_tailed(seed: int) -> FloatArray:
    """Return noise of which one value in some thirty lies far out, as where other programs use the disk."""
    random = np.random.default_rng(seed)
    noise = random.normal(0, NOISE_MS, (SERIES, BOUNDARIES))
    far = random.random(noise.shape) < 1 / 30
    return np.asarray(np.where(far, noise + random.exponential(6 * NOISE_MS, noise.shape), noise))


def test_single_steps_that_are_far_off_are_hardly_ever_a_rarer_boundary() -> None:
    assert sum(found_in(long_tailed(seed)) is not None for seed in range(200)) <= 10


@pytest.mark.parametrize("tracks", [2, 7, 20])
def test_a_rarer_boundary_is_found_beside_steps_that_are_far_off(tracks: int) -> None:
    found = [found_in(long_tailed(seed), more_ms=6 * NOISE_MS, tracks=tracks) for seed in range(50)]
    assert sum(one is not None and one.tracks == tracks for one in found) >= 49
