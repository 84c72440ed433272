"""`make verdicts-simulated`: how often a claim that holds is called missed, looked at after every drive.

    python -m tools.verdicts_simulated [--sequences 2000] [--seed 1]

Beside it stands what intervals of a fixed size of sample would have said, looked at as often.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import Direction
from server.claims.verdicts import LEVEL, MUST_REACH, Outcome, Terms, evidence_of_values, judge
from server.stats.intervals import mean_interval

UNITS = 60
CLAIM = 100.0
Draw = Callable[[np.random.Generator], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Drives that just keep to a claim, one value of each."""

    words: str
    form: str
    draw: Draw


def _edge(form: str) -> float:
    """Return the least value that meets the claim: what a rounded or a typical number leaves open."""
    return CLAIM - 0.5 if form == "minimum" else CLAIM * 0.95


def _normal(random: np.random.Generator) -> NDArray[np.float64]:
    return random.normal(_edge("typical"), 2.0, UNITS)


def _skewed(random: np.random.Generator) -> NDArray[np.float64]:
    return np.asarray(_edge("typical") + 2.0 * (random.gamma(4.0, 1.0, UNITS) - 4.0) / 2.0)


def _just_reach(random: np.random.Generator) -> NDArray[np.float64]:
    # The share that a minimum leaves lies below it.
    return random.normal(_edge("minimum") + 1.6449 * 2.0, 2.0, UNITS)


def _two_populations(random: np.random.Generator) -> NDArray[np.float64]:
    fail = random.random(UNITS) < 1 - MUST_REACH
    return np.where(fail, random.normal(90, 0.3, UNITS), random.normal(104, 0.3, UNITS))


SCENARIOS = (
    Scenario("typical, the mean at its edge", "typical", _normal),
    Scenario("the same, skewed", "typical", _skewed),
    Scenario("minimum, reached by 95 % of drives", "minimum", _just_reach),
    Scenario("the same, of two populations", "minimum", _two_populations),
)


@dataclass(frozen=True, slots=True)
class Found:
    """Shares of sequences."""

    ever_missed: float
    ever_missed_fixed: float
    """By the t interval of the drives there are."""
    ever_met: float
    """Or exceeded, which a claim at its very edge is not sure to be."""


def simulate(scenario: Scenario, *, sequences: int, seed: int) -> Found:
    """Judge growing numbers of drives, as long as nothing was missed."""
    random = np.random.default_rng(seed)
    terms = Terms(scenario.form, CLAIM, CLAIM, "MB/s", Direction.HIGHER)
    missed = fixed = met = 0
    for _ in range(sequences):
        values = scenario.draw(random)
        outcomes = {
            judge(terms, evidence_of_values(values[:count].tolist(), units=count, runs=count)).outcome
            for count in range(1, UNITS + 1)
        }
        missed += Outcome.MISSED in outcomes
        met += bool(outcomes & {Outcome.MET, Outcome.EXCEEDED})
        intervals = (mean_interval(values[:count], LEVEL) for count in range(2, UNITS + 1))
        fixed += any(one is not None and one.high < _edge(scenario.form) for one in intervals)
    return Found(missed / sequences, fixed / sequences, met / sequences)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="verdicts-simulated", description=__doc__.partition("\n")[0])
    parser.add_argument("--sequences", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"Of {options.sequences} sequences of {UNITS} drives, looked at after each:\n")
    print("| claim | wrongly missed | by a fixed t interval | met or exceeded |\n|---|---|---|---|")
    for scenario in SCENARIOS:
        found = simulate(scenario, sequences=options.sequences, seed=options.seed)
        print(
            f"| {scenario.words} | {found.ever_missed:.1%} | {found.ever_missed_fixed:.1%} |"
            f" {found.ever_met:.1%} |"
        )


if __name__ == "__main__":
    main()
