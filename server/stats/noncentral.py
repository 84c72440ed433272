"""The noncentral t, by its definition: a shifted normal over the root of a chi-square share.

scipy's own (1.17) gives nan for some ordinary arguments, for example t -1.9, 18 degrees, noncentrality 11.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import special

from server.stats.samples import Values

_NODES = 160
_TAIL = 1e-13
"""What is left out of the integral on either side."""


def noncentral_t_below(t: float, degrees: float, noncentrality: float) -> float:
    """Return P(T <= t), good to about 1e-10."""
    scale, weight = _chi_nodes(degrees)
    return float(weight @ special.ndtr(t * scale - noncentrality))


def noncentral_t_above(t: float, degrees: float, noncentrality: float) -> float:
    """Return P(T > t), without the loss of digits of one minus a number close to one."""
    scale, weight = _chi_nodes(degrees)
    return float(weight @ special.ndtr(noncentrality - t * scale))


@lru_cache(maxsize=4096)
def _chi_nodes(degrees: float) -> tuple[Values, Values]:
    """Return values of sqrt(chi-square / degrees) with the weights of Gauss-Legendre over them."""
    half = degrees / 2
    low = math.sqrt(float(special.gammaincinv(half, _TAIL)) / half)
    high = math.sqrt(float(special.gammainccinv(half, _TAIL)) / half)
    nodes, weights = _legendre()
    scale = (high - low) / 2 * nodes + (high + low) / 2
    log_density = (degrees - 1) * np.log(scale) - half * scale**2
    weight = weights * np.exp(log_density - log_density.max())
    return scale, weight / weight.sum()


@lru_cache(maxsize=1)
def _legendre() -> tuple[Values, Values]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights
