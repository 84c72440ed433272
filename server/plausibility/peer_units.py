"""The model's other units, out of the database: what checks compare a run's numbers with.

Runs of one model share what is asked for: its latest runs are read once for all of a batch.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Q

from server.accounts.holders import HOLDER_ID_SQL, NOT_REVOKED_SQL
from server.benchmarks.registry import metrics_by_key
from server.core.lifecycle import State
from server.measurements.model_measurements import unit_name
from server.measurements.models import Measurement, Run
from server.plausibility.evidence import ROTATION_RATE, USABLE, PeerUnit

PEER_RUNS = 200
READ_FIRST = 250
"""Runs of a model that are read at first; some of them may be of the very unit that is compared."""

_Model = tuple[int, str]
"""A drive model's id, and a provenance."""
_Values = Mapping[tuple[str, str], float]
"""Values by metric and scope."""


@dataclass(frozen=True, slots=True)
class _PeerRun:
    """A published run that others may be compared with."""

    run_id: UUID
    unit_id: int | None
    unit: str | None
    holder_id: int
    keyid: str
    conditions: str

    @property
    def same(self) -> object:
        """What runs of one unit have in common: those of one holder that do not tell it count as one, as in
        aggregates."""
        return self.unit_id or self.keyid

    def compares_with(self, run: Run) -> bool:
        """Whether it is surely of another unit than `run`: one of the same holder that does not tell its
        unit may be of this very drive."""
        if self.run_id == run.pk or (run.unit_id is not None and self.unit_id == run.unit_id):
            return False
        identified = run.unit_id is not None and self.unit_id is not None
        return identified or self.holder_id != run.submission.probe_key.holder_id


def peers_gather(*, run: Run) -> tuple[tuple[PeerUnit, ...], int]:
    """Return the model's other units under comparable conditions, and how many there are under others."""
    (found,) = peers_of([run])
    return found


def peers_of(runs: Sequence[Run]) -> list[tuple[tuple[PeerUnit, ...], int]]:
    """Return of each run what `peers_gather` returns of one."""
    beside = _beside(runs)
    alike: list[dict[object, list[_PeerRun]]] = [defaultdict(list) for _run in runs]
    unlike: list[set[object]] = [set() for _run in runs]
    for index, run in enumerate(runs):
        mine = conditions_key(run.summary["device"], run.summary["conditions"])
        for peer in beside[index]:
            if peer.conditions == mine:
                alike[index][peer.same].append(peer)
            else:
                unlike[index].add(peer.same)
    values = _values({peer.run_id for units in alike for of_unit in units.values() for peer in of_unit})
    units: dict[tuple[UUID, ...], PeerUnit] = {}
    return [
        (tuple(_unit(of_unit, values, units) for of_unit in mine_alike.values()), len(mine_unlike))
        for mine_alike, mine_unlike in zip(alike, unlike, strict=True)
    ]


def conditions_key(device: Mapping[str, Any], conditions: Mapping[str, Any]) -> str:
    """Return what two runs must have in common for their numbers to be compared."""
    bridge = device.get("bridge") or {}
    return json.dumps(
        [
            device["block_bytes"],
            [bridge.get("usb_vendor_id"), bridge.get("usb_product_id")] if bridge else None,
            conditions.get("write_cache_during"),
        ]
    )


def _beside(runs: Sequence[Run]) -> list[list[_PeerRun]]:
    """Return the latest PEER_RUNS runs of other units of each run's model."""
    models = [(run.drive_model_id, str(run.provenance)) for run in runs]
    latest: dict[_Model, list[_PeerRun]] = {}
    found: list[list[_PeerRun]] = [[] for _run in runs]
    wanted, most = set(models), READ_FIRST
    while wanted:
        latest |= _latest(wanted, most)
        for index, run in enumerate(runs):
            if models[index] in wanted:
                others = [peer for peer in latest[models[index]] if peer.compares_with(run)]
                found[index] = others[:PEER_RUNS]
        # A model that has more runs than were read, while too few of these are of other units.
        wanted = {
            model
            for model, beside in zip(models, found, strict=True)
            if len(beside) < PEER_RUNS and len(latest[model]) == most
        }
        most *= 4
    return found


# What came in after its key was revoked, or is beyond its holder's share, counts for nothing.
_LATEST = f"""
SELECT asked.model, asked.provenance, r.run_id, r.unit_id, u.digest, holder.id, holder.keyid, r.block_bytes,
    r.summary -> 'device' -> 'bridge', r.summary -> 'conditions' -> 'write_cache_during'
FROM unnest(%s::bigint[], %s::text[]) AS asked(model, provenance)
CROSS JOIN LATERAL (
    SELECT r.*, {HOLDER_ID_SQL} AS holder FROM measurements_run r
    JOIN submissions_submission s ON s.id = r.submission_id AND s.state = '{State.PUBLISHED.value}'
    JOIN accounts_probekey k ON k.id = s.probe_key_id
    WHERE r.drive_model_id = asked.model AND r.provenance = asked.provenance
      AND {NOT_REVOKED_SQL} AND NOT r.beyond_share AND NOT r.in_browser
    ORDER BY r.created_at DESC LIMIT %s
) r
JOIN accounts_probekey holder ON holder.id = r.holder
LEFT JOIN measurements_unit u ON u.id = r.unit_id
ORDER BY r.created_at DESC
"""


def _latest(models: Collection[_Model], most: int) -> dict[_Model, list[_PeerRun]]:
    """Return the latest published runs of each model, at most so many, the latest first."""
    found: dict[_Model, list[_PeerRun]] = {model: [] for model in models}
    with transaction.atomic(), connection.cursor() as cursor:
        # The planner takes each model for one of average size, and would read and sort all of a large one.
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute(_LATEST, [*map(list, zip(*models, strict=True)), most])
        rows = cursor.fetchall()
        cursor.execute("SET LOCAL enable_bitmapscan TO DEFAULT")
    for model, provenance, run_id, unit_id, unit, holder_id, keyid, block_bytes, *written in rows:
        # Django leaves the decoding of JSON to its own fields.
        bridge, write_cache = (json.loads(value) if isinstance(value, str) else value for value in written)
        conditions = conditions_key(
            {"block_bytes": block_bytes, "bridge": bridge}, {"write_cache_during": write_cache}
        )
        found[model, provenance].append(_PeerRun(run_id, unit_id, unit, holder_id, keyid, conditions))
    return found


def _unit(
    of_unit: Sequence[_PeerRun],
    values: Mapping[UUID, _Values],
    known: dict[tuple[UUID, ...], PeerUnit],
) -> PeerUnit:
    """Make one entry of a unit's runs, so that a unit measured often counts once."""
    key = tuple(peer.run_id for peer in of_unit)
    if key not in known:
        found: dict[tuple[str, str], list[float]] = defaultdict(list)
        for peer in of_unit:
            for metric_key, value in values.get(peer.run_id, {}).items():
                found[metric_key].append(value)
        first = of_unit[0]
        known[key] = PeerUnit(
            unit_name(first.unit, first.keyid)[:12],
            tuple(sorted({peer.keyid for peer in of_unit})),
            {metric_key: median(column) for metric_key, column in found.items()},
        )
    return known[key]


def _values(runs: Iterable[UUID]) -> dict[UUID, dict[tuple[str, str], float]]:
    headline = [key for key, metric in metrics_by_key().items() if metric.headline]
    rows = Measurement.objects.filter(
        Q(metric__in=headline) | Q(metric__endswith=ROTATION_RATE),
        benchmark__run__in=list(runs),
        extractor_version=F("benchmark__extractor_version"),
        quality__in=USABLE,
        value__isnull=False,
    ).values_list("benchmark__run_id", "metric", "scope", "value")
    found: dict[UUID, dict[tuple[str, str], float]] = {}
    for run_id, metric, scope, value in rows:
        found.setdefault(run_id, {})[metric, scope] = float(value or 0.0)
    return found
