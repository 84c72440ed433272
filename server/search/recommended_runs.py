"""Which further runs would settle most: the board of runs that are wanted. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from server.stats.wording import count_words

MANY = 12
"""More drives than this are no wish that anyone could fulfil."""


@dataclass(frozen=True, slots=True)
class UndecidedClaim:
    """A claim that measurements have not decided."""

    claim: str
    """What the vendor states, for example `Average seek, reads: at most 8.5 ms`."""
    needed: int
    """How many more drives, or runs of the only one, would decide."""
    units: int
    """Different drives measured so far."""


@dataclass(frozen=True, slots=True)
class RecommendedRun:
    """What is wanted of a model."""

    rank: int
    """The smaller, the more a single run settles."""
    words: str


def recommended_run_of(
    *, measured_runs: int, units: int, batches: int, claims: int, undecided: Iterable[UndecidedClaim]
) -> RecommendedRun | None:
    """Return what is wanted most of a model; None where nothing is.

    First what would decide a claim that runs speak about already, then a second drive of a model known by
    one, then a first look at claims that nobody has measured, then a second batch.
    """
    near = min(
        (one for one in undecided if one.units and 0 < one.needed <= MANY),
        key=lambda one: (one.needed, one.claim),
        default=None,
    )
    if near is not None:
        what = "drive" if near.units > 1 else "run"
        words = f"{_count(near.needed, what)} more would decide a claim of the vendor: {near.claim}."
        return RecommendedRun(10 + near.needed, words)
    if measured_runs and units < 2:
        known = _count(measured_runs, "run")
        return RecommendedRun(30, f"{known} of one drive: a second drive tells the model from the specimen.")
    if claims and not measured_runs:
        stated = _count(claims, "claim")
        return RecommendedRun(
            40, f"{stated} of the vendor and no measured run. Four drives would give a first interval."
        )
    if units > 1 and batches == 1:
        every = "Both" if units == 2 else f"All {units}"
        return RecommendedRun(
            50, f"{every} drives are of one batch: one of another would show what batches differ in."
        )
    return None


def _count(number: int, noun: str) -> str:
    return count_words(number, noun).capitalize()
