"""The seek curve that simulators take, fitted to what SEEKER measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from server.benchmarks.seeks import beside, places_of_pairs
from server.exports.drive import SeekCurve

Values = NDArray[np.float64]
FEWEST_POINTS = 8
_KNEES = 40
_PAIRS = 4096
_ROUNDING_MS = 1e-3
"""So much longer is a full stroke than a seek at the knee: files round their terms, and must not turn it."""


def seek_fit(
    distances: Values, times_ms: Values, *, cylinders: int, reaches_ms: Values | None = None
) -> SeekCurve | None:
    """Fit a curve to seek times.

    Parameters
    ----------
    distances
        Shape (n,), in cylinders, at least 1.
    times_ms
        Shape (n,), in ms, of the seek alone.
    cylinders
        Of the whole drive.
    reaches_ms
        Shape (n,), in ms: how far to either side of its time a seek may lie. Nowhere without.

    Returns None where fewer than eight points lie on the drive.
    """
    inside = (distances >= 1) & (distances <= cylinders - 1) & np.isfinite(times_ms)
    reaches_ms = np.zeros(times_ms.shape) if reaches_ms is None else reaches_ms
    distances, times_ms, reaches_ms = distances[inside], times_ms[inside], reaches_ms[inside]
    if distances.size < FEWEST_POINTS or cylinders < 4:
        return None
    # To the next cylinder some arms take a way of their own.
    far = distances >= 2
    if int(far.sum()) < FEWEST_POINTS:
        far = distances >= 1
    fits = [
        _with_knee(distances[far], times_ms[far], reaches_ms[far], knee, cylinders - 1)
        for knee in _knees(cylinders)
    ]
    _cost, knee, (base, root, full) = min(fits, key=lambda fit: fit[0])
    base, root = max(base, 0.0), max(root, 0.0)
    at_knee = base + root * knee**0.5
    return SeekCurve(
        next_ms=_next(times_ms[~far], reaches_ms[~far], base + root),
        base_ms=base,
        root_ms=root,
        knee_cylinders=knee,
        full_stroke_ms=max(full, at_knee + _ROUNDING_MS),
        cylinders=cylinders,
    )


def _next(times_ms: Values, reaches_ms: Values, on_curve: float) -> float:
    """Return the way to the next cylinder: on the curve where most of them reach it, else their median."""
    if times_ms.size == 0 or float(np.median(np.abs(times_ms - on_curve) - reaches_ms)) <= 0:
        return on_curve
    return max(float(np.median(times_ms)), 0.0)


def _knees(cylinders: int) -> list[int]:
    """Return where the root may end: between the shortest seeks and four fifths of the stroke."""
    return sorted({int(knee) for knee in np.geomspace(2, max(0.8 * cylinders, 2), _KNEES)})


def _with_knee(
    distances: Values, times_ms: Values, reaches_ms: Values, knee: int, longest: int
) -> tuple[float, int, tuple[float, float, float]]:
    """Fit base, root and full stroke by least squares that a few strays don't pull.

    What lies within its reach pulls only a little: many intervals leave a curve less room than their middles.
    """
    share = np.clip((distances - knee) / max(longest - knee, 1), 0.0, 1.0)
    columns = np.stack([1 - share, (1 - share) * np.sqrt(np.minimum(distances, knee)), share], axis=1)
    start, *_ = np.linalg.lstsq(columns, times_ms, rcond=None)
    scale = max(float(np.median(np.abs(times_ms - columns @ start))), 1e-6)

    def misses_of(terms: Values) -> Values:
        return beside(columns @ terms - times_ms, reaches_ms)

    found: Any = least_squares(
        misses_of, np.maximum(start, 0.0), bounds=(0.0, np.inf), loss="soft_l1", f_scale=scale, x_scale="jac"
    )
    misses = np.abs(misses_of(found.x))
    return float(np.mean(misses)), knee, (float(found.x[0]), float(found.x[1]), float(found.x[2]))


def cylinders_of(blocks: Values, zone_blocks: Sequence[int], zone_cylinders: Sequence[int]) -> Values:
    """Return on which cylinder each block lies, as a fraction, by how many of both each zone holds."""
    ends, ways = (np.concatenate([[0.0], np.cumsum(counts)]) for counts in (zone_blocks, zone_cylinders))
    return np.asarray(np.interp(blocks, ends, ways), dtype=np.float64)


def mean_seek(curve: SeekCurve, zone_blocks: Sequence[int], zone_cylinders: Sequence[int]) -> float:
    """Return the mean seek in ms between two blocks chosen at random."""
    total = float(sum(zone_blocks))
    start, end = (
        cylinders_of(places * total, zone_blocks, zone_cylinders) for places in places_of_pairs(_PAIRS)
    )
    apart = np.abs(start - end)
    short = curve.base_ms + curve.root_ms * np.sqrt(apart)
    long = curve.knee_ms + (apart - curve.knee_cylinders) * curve.ms_per_cylinder
    return float(np.where(apart < curve.knee_cylinders, short, long).mean())
