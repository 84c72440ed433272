"""Numbers of several series together, with their interval and quality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.benchmarks.contract import Measurement, Metric, Quality

Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    value: float
    error: float
    count: int


def none(what: Metric, scope: str, reason: str) -> Measurement:
    return Measurement(what.key, scope, None, None, None, 0, Quality.NONE, reason)


def pooled(what: Metric, scope: str, estimates: list[Estimate], tolerance: float) -> Measurement:
    """Inverse-variance mean; those further apart than errors and `tolerance` allow lower the quality."""
    values = np.array([one.value for one in estimates])
    errors = np.array([one.error for one in estimates])
    weights = 1 / errors**2
    value = float((values * weights).sum() / weights.sum())
    error = float(1 / np.sqrt(weights.sum()))
    apart = float(np.abs(values - value).max())
    quality, reason = Quality.GOOD, ""
    if apart > max(tolerance, 4 * float(errors.max())):
        quality, reason = Quality.POOR, "The series of this run disagree by more than their noise explains."
        error = max(error, apart / Z95)
    elif Z95 * error > tolerance:
        quality, reason = Quality.FAIR, "The noise of the samples leaves a wide interval."
    count = sum(one.count for one in estimates)
    return Measurement(
        what.key, scope, value, value - Z95 * error, value + Z95 * error, count, quality, reason
    )
