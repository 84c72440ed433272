"""The mean seek over two places chosen at random, from seeks out of one place and from random pairs.

SEEKER's distances are blocks counted from the longest tracks. Where tracks get shorter the arm moves further
for the same number of blocks, so that the curve alone tells too little for random pairs. How much shorter
they get is one number, and the pairs tell it: each waits between nothing and a turn longer than its seek
takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from server.benchmarks.seeker.curve import FEWEST_FOR_FIT, distinct
from server.benchmarks.seeker.groups import FloatArray, Group, Samples
from server.benchmarks.seeks import places_of_pairs

STEPS = 2000
"""Quantiles of the places that the mean is taken over."""
SHRINKING = np.linspace(0.0, 0.95, 96)
"""Shares by which the square of a track's length may fall over the device: from none to tracks of a fifth."""
BLUR = 0.02
"""Standard deviation of what the curve and the pairs leave open, as a share of a turn."""
STRAYS, STRAY_TURNS = 0.02, 10.0
"""So many pairs something else holds up, by up to so many turns."""
USUAL = 0.8
"""As far as tracks shrink on common drives: the innermost are then 0.45 of the outermost."""


@dataclass(frozen=True, slots=True)
class Average:
    """Mean seek over random pairs of places with its time to media, in ms."""

    value: float
    """As the pairs' waits tell how tracks shrink; without pairs that of tracks that do not."""
    error: float
    """95 % of what the pairs leave open; nought without pairs."""
    level: float
    """Of tracks that do not shrink: the least that it can be."""
    usual: float
    """Of tracks that shrink as on common drives."""
    beyond: float
    """Share of the random pairs that are further apart than any distance measured."""


def along_stroke(places: FloatArray, shrinking: float) -> FloatArray:
    """Where on the stroke (0 to 1) a share of the blocks lies.

    At constant linear density a track's blocks go with its radius, and what lies outside it with the square:
    `1 - shrinking * u` is the square of a track's length at the share `u` of the blocks.
    """
    if shrinking < 1e-9:
        return places
    rest = np.sqrt(np.maximum(1 - shrinking * places, 0.0))
    return np.asarray((1 - rest) / (1 - np.sqrt(1 - shrinking)), dtype=np.float64)


def blocks_at(stroke: FloatArray, shrinking: float) -> FloatArray:
    """The share of the blocks that ends at a place of the stroke: the inverse of `along_stroke`."""
    if shrinking < 1e-9:
        return stroke
    rest = 1 - stroke * (1 - np.sqrt(1 - shrinking))
    return np.asarray((1 - rest**2) / shrinking, dtype=np.float64)


def average_of(
    groups: list[Group], pairs: Samples | None, turn_ms: float, capacity_blocks: float
) -> Average | None:
    """The mean over random pairs; None for too few groups."""
    distance, time = distinct([group for group in groups if group.covered and group.distance > 0])
    if len(distance) < FEWEST_FOR_FIT or capacity_blocks <= 0:
        return None
    share = distance / capacity_blocks

    def seeks(start: FloatArray, end: FloatArray, shrinking: float) -> FloatArray:
        apart = np.abs(along_stroke(start, shrinking) - along_stroke(end, shrinking))
        return np.asarray(np.interp(blocks_at(apart, shrinking), share, time), dtype=np.float64)

    places = places_of_pairs(STEPS)
    beyond = float((np.abs(places[0] - places[1]) > share[-1]).mean())
    usual, level = (float(seeks(*places, one).mean()) for one in (USUAL, 0.0))
    if pairs is None:
        return Average(level, 0.0, level, usual, beyond)
    start, end = (np.clip(at / capacity_blocks, 0.0, 1.0) for at in (pairs.origin, pairs.target))
    likely = np.array([_likelihood(pairs.latency_ms - seeks(start, end, one), turn_ms) for one in SHRINKING])
    weight = np.exp(likely - likely.max())
    weight /= weight.sum()
    means = np.array([float(seeks(*places, one).mean()) for one in SHRINKING])
    value = float(weight @ means)
    error = 1.96 * float(np.sqrt(weight @ (means - value) ** 2))
    return Average(value, error, level, usual, beyond)


def _likelihood(waits_ms: FloatArray, turn_ms: float) -> float:
    """Log likelihood of waits that are even over a turn, but for what is blurred and for strays."""
    blur = BLUR * turn_ms
    inside = (ndtr(waits_ms / blur) - ndtr((waits_ms - turn_ms) / blur)) / turn_ms
    return float(np.log((1 - STRAYS) * inside + STRAYS / (STRAY_TURNS * turn_ms)).sum())
