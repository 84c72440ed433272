"""How a published run stands among the other drives of its model: which keys confirm it, and the place of
each headline number. Reads what the plausibility checks compare with, as it is now and not as it was when
the run came in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Max

from server.core.cache import cached
from server.core.lifecycle import State
from server.measurements.models import Aggregate, Run
from server.plausibility.evidence import USABLE, Number, PeerUnit
from server.plausibility.evidence_loader import numbers_gather
from server.plausibility.peer_units import peers_gather
from server.plausibility.peers import keys_agreeing

_FORM = 1
"""Raised when the dataclasses below change, so that none of an older form comes out of the cache."""


@dataclass(frozen=True, slots=True)
class NumberAmong:
    """One headline number of a run among those of the model's other drives, one value each."""

    metric: str
    title: str
    scope: str
    unit: str
    value: float
    low: float | None
    high: float | None
    others: int
    below: int
    """How many of the others are lower."""
    median: float
    minimum: float
    maximum: float

    @property
    def percent_off(self) -> float | None:
        """Distance from the others' median, in per cent of it; None where that is nought."""
        return 100 * (self.value / self.median - 1) if self.median else None


@dataclass(frozen=True, slots=True)
class RunPeerRank:
    """A run beside the other drives of its model, measured under comparable conditions."""

    confirming: int
    """Other keys that signed a run of another drive with the same numbers: four fifths of the headline
    numbers that both have lie within 15 %."""
    other_keys: int
    """Other keys that measured other drives of the model at all."""
    other_units: int
    unlike_units: int
    """Other drives measured under conditions that do not compare."""
    numbers: tuple[NumberAmong, ...]


def run_peer_rank(*, run: Run) -> RunPeerRank | None:
    """Return how a run stands among its model's other drives; None unless it is published.

    It is computed once after each change of the model's aggregates.
    """
    if run.submission.state != State.PUBLISHED:
        return None
    updated = Aggregate.objects.filter(drive_model=run.drive_model_id, provenance=run.provenance).aggregate(
        at=Max("updated_at")
    )["at"]
    key = f"run-standing:{_FORM}:{run.pk}:{updated.timestamp() if updated else 0}"

    def compute() -> RunPeerRank:
        peers, unlike = peers_gather(run=run)
        return peer_rank_of(numbers_gather(run=run), peers, run.submission.probe_key.holder.keyid, unlike)

    return cached(key, compute)


def peer_rank_of(
    numbers: Sequence[Number], peers: Sequence[PeerUnit], keyid: str, unlike_units: int = 0
) -> RunPeerRank:
    """Return how some numbers stand among those of other drives."""
    mine = [number for number in numbers if number.headline and number.quality in USABLE]
    others = {other for peer in peers for other in peer.keyids} - {keyid}
    return RunPeerRank(
        confirming=len(keys_agreeing(mine, peers, keyid)),
        other_keys=len(others),
        other_units=len(peers),
        unlike_units=unlike_units,
        numbers=tuple(_among(number, values) for number in mine if (values := _values_of(number, peers))),
    )


def _values_of(number: Number, peers: Sequence[PeerUnit]) -> list[float]:
    key = (number.metric, number.scope)
    return [peer.values[key] for peer in peers if key in peer.values]


def _among(number: Number, values: Sequence[float]) -> NumberAmong:
    return NumberAmong(
        metric=number.metric,
        title=number.title,
        scope=number.scope,
        unit=number.unit,
        value=number.value,
        low=number.low,
        high=number.high,
        others=len(values),
        below=sum(value < number.value for value in values),
        median=float(np.median(values)),
        minimum=min(values),
        maximum=max(values),
    )
