"""Evidence out of the database: the run's numbers, its model, the model's other units, and samples seen
before."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.db.models import F, Q

from server.benchmarks.registry import metrics_by_key
from server.core.lifecycle import State
from server.measurements.models import Benchmark, Measurement, Run
from server.plausibility.evidence import (
    NEAR_NS,
    ROTATION_RATE,
    USABLE,
    Copy,
    Evidence,
    ModelFacts,
    Number,
    PeerUnit,
    Trace,
    trace_of,
)
from server.plausibility.models import SampleTrace

PEER_RUNS = 200
CANDIDATES = 200


def evidence_gather(*, run: Run, document: dict[str, Any]) -> Evidence:
    """Return what is known of a run all of whose benchmarks have ended; keeps its samples' traces."""
    model = run.drive_model
    peers, unlike = peers_gather(run=run)
    return Evidence(
        document=document,
        numbers=numbers_gather(run=run),
        model=ModelFacts(
            title=model.number,
            curated=model.curated,
            capacity_bytes=model.capacity_bytes,
            capacity_tolerance=model.capacity_tolerance,
            rated_rpm=model.rated_rpm,
        ),
        peers=peers,
        unlike_peers=unlike,
        keyid=run.submission.probe_key.keyid,
        copies=tuple(_copies(run, document)),
        received_at=run.submission.received_at,
    )


def numbers_gather(*, run: Run) -> tuple[Number, ...]:
    """Return the run's numbers with what the registry says of them."""
    return tuple(_numbers(run))


def peers_gather(*, run: Run) -> tuple[tuple[PeerUnit, ...], int]:
    """Return the model's other units under comparable conditions, and how many there are under others."""
    alike, unlike = _peer_runs(run)
    return tuple(_peers(alike)), unlike


def _numbers(run: Run) -> Iterator[Number]:
    metrics = metrics_by_key()
    rows = Measurement.objects.filter(
        benchmark__run=run,
        benchmark__state=Benchmark.State.EXTRACTED,
        extractor_version=F("benchmark__extractor_version"),
        value__isnull=False,
    )
    for row in rows.order_by("id"):
        metric = metrics.get(row.metric)
        unit, title, headline = (metric.unit, metric.title, metric.headline) if metric else ("", "", False)
        yield Number(
            row.metric,
            row.scope,
            float(row.value or 0),
            row.low,
            row.high,
            row.quality,
            unit,
            title,
            headline,
        )


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


def _peer_runs(run: Run) -> tuple[list[Run], int]:
    """Return the latest published runs of the model's other units, alike in conditions, and how many units
    are not.

    A run without a unit's digest that the same key signed may be of this very drive: it counts for nothing.
    """
    others = Run.objects.filter(
        drive_model=run.drive_model, provenance=run.provenance, submission__state=State.PUBLISHED
    ).exclude(pk=run.pk)
    if run.unit_id is not None:
        others = others.exclude(unit_id=run.unit_id)
    unknown = Q(unit__isnull=True) if run.unit_id is not None else Q()
    others = others.exclude(unknown & Q(submission__probe_key=run.submission.probe_key_id))
    mine = conditions_key(run.summary["device"], run.summary["conditions"])
    alike, unlike = [], set()
    for other in others.select_related("submission__probe_key", "unit").order_by("-created_at")[:PEER_RUNS]:
        if conditions_key(other.summary["device"], other.summary["conditions"]) == mine:
            alike.append(other)
        else:
            unlike.add(other.unit_id or other.pk)
    return alike, len(unlike)


def _peers(runs: list[Run]) -> Iterator[PeerUnit]:
    """Make one entry of each unit, so that a unit measured often counts once."""
    by_unit: dict[object, list[Run]] = {}
    for run in runs:
        by_unit.setdefault(run.unit_id or run.pk, []).append(run)
    values = _values(runs)
    for mine in by_unit.values():
        found: dict[tuple[str, str], list[float]] = {}
        for run in mine:
            for key, value in values.get(run.pk, {}).items():
                found.setdefault(key, []).append(value)
        name = mine[0].unit.digest[:12] if mine[0].unit else str(mine[0].pk)[:13]
        keyids = tuple(sorted({run.submission.probe_key.keyid for run in mine}))
        yield PeerUnit(name, keyids, {key: float(np.median(column)) for key, column in found.items()})


def _values(runs: list[Run]) -> dict[object, dict[tuple[str, str], float]]:
    headline = [key for key, metric in metrics_by_key().items() if metric.headline]
    rows = Measurement.objects.filter(
        Q(metric__in=headline) | Q(metric__endswith=ROTATION_RATE),
        benchmark__run__in=runs,
        extractor_version=F("benchmark__extractor_version"),
        quality__in=USABLE,
        value__isnull=False,
    ).values_list("benchmark__run_id", "metric", "scope", "value")
    found: dict[object, dict[tuple[str, str], float]] = {}
    for run_id, metric, scope, value in rows:
        found.setdefault(run_id, {})[metric, scope] = float(value or 0.0)
    return found


def _copies(run: Run, document: Mapping[str, Any]) -> Iterator[Copy]:
    """Keep the traces of this run's samples and return the earlier runs that have the same."""
    benchmarks = {benchmark.position: benchmark for benchmark in run.benchmarks.all()}
    for position, part in enumerate(document["benchmarks"]):
        if "skipped" in part or position not in benchmarks or (trace := trace_of(part)) is None:
            continue
        SampleTrace.objects.update_or_create(
            benchmark=benchmarks[position],
            defaults={
                "kind": trace.kind,
                "times_digest": trace.times_digest,
                "places_digest": trace.places_digest,
                "first_times_ns": list(trace.first_times_ns),
            },
        )
        if (copy := _copy_of(run, trace)) is not None:
            yield copy


def _copy_of(run: Run, trace: Trace) -> Copy | None:
    same = Q(times_digest=trace.times_digest) | Q(places_digest=trace.places_digest)
    earlier = (
        # Of any provenance: what a simulator gave, sent as a disk's, has its samples too.
        SampleTrace.objects.filter(same, kind=trace.kind)
        .exclude(benchmark__run=run)
        .filter(benchmark__run__submission__received_at__lte=run.submission.received_at)
        .order_by("-id")
    )
    rows = earlier.values_list("benchmark__run_id", "times_digest", "first_times_ns")
    for run_id, digest, first_times_ns in rows[:CANDIDATES]:
        if digest == trace.times_digest:
            return Copy(trace.kind, str(run_id), exact=True, median_difference_ns=0.0)
        near = trace.near_ns(first_times_ns)
        if near is not None and near < NEAR_NS:
            return Copy(trace.kind, str(run_id), exact=False, median_difference_ns=near)
    return None
