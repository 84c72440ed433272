"""Which models, units and runs a sample archive has. Everything follows from the sizes and the seed.

Runs per model follow a lognormal law (sigma 2): with 10,000 models and 1,000,000 runs the largest model has
about 33,000 of them, half of the models have 14 or fewer, and some have none. docs/operator/sample-archive.md
tells the whole distribution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from tools.sample_archive.samples import ARCHETYPES, MOST_LEVEL

Ints = npt.NDArray[np.int64]
SIGMA = 2.0
SIMULATED_SHARE = 0.02
UNTOLD_BATCH_SHARE = 0.2
SUITES: tuple[tuple[float, tuple[str, ...]], ...] = (
    (0.55, ("zoned",)),
    (0.25, ("zoned", "positional")),
    (0.13, ("zoned", "seeker", "access")),
    (0.07, ("skippy", "zoned", "seeker", "positional", "access")),
)
"""Share of the runs, and the kinds that such a run measures."""
BETWEEN_MODELS, BETWEEN_UNITS, BETWEEN_RUNS = 10.0, 3.0, 0.75
"""Standard deviations in levels of the speed."""
BATCHES_APART_SHARE, BATCH_SHIFT = 0.1, 6
"""In so many models the first batch is slower by so many levels."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is to be, and the seed of all chance."""

    models: int
    units: int
    runs: int
    seed: int
    envelope_every: int = 1
    """Every so many runs have their envelope stored, and all that measured every kind."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Columns by model, by unit and by run; all numbers are places in the other tables."""

    sizes: Sizes
    model_archetype: Ints
    model_simulated: npt.NDArray[np.bool_]
    model_runs: Ints
    model_firmwares: Ints
    model_weeks: Ints
    unit_model: Ints
    unit_level: Ints
    unit_firmware: Ints
    unit_batch: Ints
    """Place of the unit's week among the model's weeks; -1 where it is not told."""
    run_unit: Ints
    """In the order of time."""
    run_level: Ints
    run_suite: Ints

    def has_envelope(self, run: int) -> bool:
        """Return whether a run's envelope is stored."""
        return run % self.sizes.envelope_every == 0 or int(self.run_suite[run]) == len(SUITES) - 1


def plan_make(sizes: Sizes) -> Plan:
    """Return the plan for some sizes; the same for the same seed."""
    rng = np.random.default_rng(np.random.SeedSequence([sizes.seed, 1]))
    model_runs = rng.permutation(_shares(_lognormal(sizes.models), sizes.runs))
    model_units = _units(model_runs, min(sizes.units, sizes.runs))
    archetype = rng.integers(0, len(ARCHETYPES), sizes.models)
    model_level = rng.normal(0.0, BETWEEN_MODELS, sizes.models)
    weeks = np.minimum(np.ceil(np.sqrt(model_units) / 2), 40).astype(np.int64)
    firmwares = 1 + np.minimum(np.floor(np.log2(model_units + 1) / 3), 4).astype(np.int64)
    unit_model = np.repeat(np.arange(sizes.models), model_units)
    units = len(unit_model)
    batch = np.floor(rng.random(units) * weeks[unit_model]).astype(np.int64)
    apart = (rng.random(sizes.models) < BATCHES_APART_SHARE)[unit_model] & (batch == 0)
    unit_level = model_level[unit_model] + rng.normal(0.0, BETWEEN_UNITS, units) + apart * BATCH_SHIFT
    run_unit = rng.permutation(_run_units(rng, model_runs, model_units))
    run_level = np.rint(unit_level[run_unit] + rng.normal(0.0, BETWEEN_RUNS, sizes.runs)).astype(np.int64)
    edges = np.cumsum([share for share, _kinds in SUITES])[:-1]
    return Plan(
        sizes=sizes,
        model_archetype=archetype,
        model_simulated=rng.random(sizes.models) < SIMULATED_SHARE,
        model_runs=model_runs,
        model_firmwares=firmwares,
        model_weeks=weeks,
        unit_model=unit_model,
        unit_level=np.rint(unit_level).astype(np.int64),
        unit_firmware=np.floor(rng.random(units) * firmwares[unit_model]).astype(np.int64),
        unit_batch=np.where(rng.random(units) < UNTOLD_BATCH_SHARE, -1, batch),
        run_unit=run_unit,
        run_level=np.clip(run_level, -MOST_LEVEL, MOST_LEVEL),
        run_suite=np.searchsorted(edges, rng.random(sizes.runs), side="right").astype(np.int64),
    )


def _lognormal(count: int) -> npt.NDArray[np.float64]:
    """Return the law's quantiles, so that the largest share is the same for every seed."""
    places = (np.arange(count) + 0.5) / count
    weights: npt.NDArray[np.float64] = np.exp(SIGMA * stats.norm.ppf(places))
    return weights


def _shares(weights: npt.NDArray[np.float64], total: int) -> Ints:
    """Return whole numbers that add up to `total`, in proportion to the weights (largest remainders)."""
    exact = weights / weights.sum() * total
    found: Ints = np.floor(exact).astype(np.int64)
    found[np.argsort(found - exact, kind="stable")[: total - int(found.sum())]] += 1
    return found


def _units(model_runs: Ints, total: int) -> Ints:
    """Return units per model: at least one where there are runs, never more than runs, `total` in all."""
    found = (model_runs > 0).astype(np.int64)
    while (left := total - int(found.sum())) > 0:
        room = model_runs - found
        found += np.minimum(_shares(room.astype(np.float64), left), room)
    return found


def _run_units(rng: np.random.Generator, model_runs: Ints, model_units: Ints) -> Ints:
    """Return each run's unit: every unit once, and what is left drawn with a preference for some."""
    first = np.cumsum(model_units) - model_units
    every = np.arange(int(model_units.sum()))
    model = np.repeat(np.arange(len(model_runs)), model_runs - model_units)
    drawn = first[model] + np.floor(rng.random(len(model)) ** 1.5 * model_units[model]).astype(np.int64)
    return np.concatenate([every, drawn])
