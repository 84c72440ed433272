"""Models of the zone profile: linear, quadratic and step, from all points and from the ends (Skippy 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.benchmarks.zoned.profile import FloatArray, Profile, noise_of
from server.benchmarks.zoned.zones import Zone
from server.core.robust import median


@dataclass(frozen=True, slots=True)
class Fit:
    """Bandwidth in MB/s as a function of x, the position as a share of the capacity (0 to 1)."""

    name: str
    a: float
    b: float
    power: int
    """1 for `a x + b`, 2 for `a x^2 + b`."""
    error: float
    """Root mean square over the device, MB/s."""

    def at(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.a * x**self.power + self.b, dtype=np.float64)


def fits_of(profile: Profile) -> tuple[Fit, ...]:
    x = profile.position_mb / profile.capacity_mb
    fits = []
    for name, power in (("linear", 1), ("quadratic", 2)):
        fits.append(_fit(profile, x, name, power, *_regression(x**power, profile.mb_per_s, profile.share)))
        fits.append(_fit(profile, x, f"{name}_ends", power, *_through_ends(x**power, profile.mb_per_s)))
    return tuple(fits)


def _regression(x: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Least squares, each point weighted by the part of the device for which it stands."""
    total = float(weight.sum())
    mean_x, mean_y = float((x * weight).sum()) / total, float((y * weight).sum()) / total
    variance = float((weight * (x - mean_x) ** 2).sum())
    slope = float((weight * (x - mean_x) * (y - mean_y)).sum()) / variance if variance > 0 else 0.0
    return slope, mean_y - slope * mean_x


def _through_ends(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Through the bandwidths at both ends; each end is the median of the nearest few regions."""
    few = max(1, min(5, len(x) // 20))
    first, last = median(y[:few]), median(y[-few:])
    width = float(x[-1] - x[0])
    slope = (last - first) / width if width > 0 else 0.0
    return slope, first - slope * float(x[0])


def _fit(profile: Profile, x: FloatArray, name: str, power: int, a: float, b: float) -> Fit:
    fitted = a * x**power + b
    return Fit(name, a, b, power, rms(profile, fitted))


def rms(profile: Profile, fitted: FloatArray) -> float:
    return float(np.sqrt((profile.share * (profile.mb_per_s - fitted) ** 2).sum() / profile.share.sum()))


def steps_at(zones: list[Zone], position_mb: FloatArray) -> FloatArray:
    starts = np.array([zone.start_mb for zone in zones])
    speeds = np.array([zone.mb_per_s for zone in zones])
    return np.asarray(speeds[np.maximum(np.searchsorted(starts, position_mb, side="right") - 1, 0)])


def choose(profile: Profile, zones: list[Zone], fits: tuple[Fit, ...]) -> tuple[str, dict[str, float]]:
    """Which model to use: the least Bayesian information criterion.

    A step function of z zones has 2 z - 1 parameters, linear and quadratic have two, a single value one.
    Errors below the noise between neighbours are not counted as better.
    """
    count = max(len(profile), 2)
    floor = max(noise_of(profile.mb_per_s), 1e-4 * median(np.abs(profile.mb_per_s)), 1e-12)
    errors = {fit.name: fit.error for fit in fits if not fit.name.endswith("_ends")}
    errors["step"] = rms(profile, steps_at(zones, profile.position_mb))
    errors["single"] = rms(profile, np.full(len(profile), float((profile.share * profile.mb_per_s).sum())))
    parameters = {"single": 1, "linear": 2, "quadratic": 2, "step": 2 * len(zones) - 1}
    criterion = {
        name: count * float(np.log(error**2 + floor**2)) + parameters[name] * float(np.log(count))
        for name, error in errors.items()
    }
    if len(zones) == 1:
        criterion.pop("step")
    return min(criterion, key=lambda name: criterion[name]), criterion
