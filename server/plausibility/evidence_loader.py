"""Evidence out of the database: the runs' models, their other units, and samples seen before.

Several runs are looked at together, so that what they have in common is asked for once: a query for all of
them, not for each.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from server.benchmarks.registry import metrics_by_key
from server.core.bulk import json_text
from server.core.locks import transaction_lock
from server.measurements.extraction import MeasurementRow, rows_of
from server.measurements.models import Benchmark, Run
from server.plausibility.evidence import (
    NEAR_NS,
    Copy,
    Evidence,
    ModelFacts,
    Number,
    PeerUnit,
    Request,
    Trace,
    trace_of,
)
from server.plausibility.models import SampleTrace
from server.plausibility.nonces import requests_of
from server.plausibility.peer_units import peers_of
from server.plausibility.reputation import reputable_against

ALIKE_TRACES = 8
"""Earlier traces that one is compared with: those that look most like it, the earliest first."""


@dataclass(frozen=True, slots=True)
class AssessedRun:
    """A run all of whose benchmarks have ended, fetched with its model, submission and key."""

    run: Run
    document: dict[str, Any]
    benchmarks: Sequence[Benchmark]
    rows: Sequence[MeasurementRow]
    """The numbers of its extracted benchmarks."""


def evidence_gather(runs: Sequence[AssessedRun]) -> list[Evidence]:
    """Return what is known of each run; keeps their samples' traces."""
    traces = [list(_traces(one)) for one in runs]
    with transaction.atomic():
        # One at a time: whoever keeps its traces later sees those of whoever came before.
        transaction_lock("sample-traces")
        _traces_keep(runs, traces)
        copies = _copies(runs, traces)
    peers = peers_of([one.run for one in runs])
    requests = requests_of([(one.run, one.document) for one in runs])
    return [
        _evidence(one, found, requests.get(one.run.pk), *others)
        for one, found, others in zip(runs, copies, peers, strict=True)
    ]


def _evidence(
    one: AssessedRun,
    copies: tuple[Copy, ...],
    request: Request | None,
    peers: tuple[PeerUnit, ...],
    unlike: int,
) -> Evidence:
    model = one.run.drive_model
    return Evidence(
        document=one.document,
        numbers=tuple(numbers_of(one.rows)),
        model=ModelFacts(
            title=model.number,
            curated=model.curated,
            capacity_bytes=model.capacity_bytes,
            capacity_tolerance=model.capacity_tolerance,
            rated_rpm=model.rated_rpm,
        ),
        peers=peers,
        unlike_peers=unlike,
        keyid=one.run.submission.probe_key.holder.keyid,
        copies=copies,
        received_at=one.run.submission.received_at,
        request=request,
        reputable_among=reputable_against(one.run),
    )


def numbers_gather(*, run: Run) -> tuple[Number, ...]:
    """Return a run's stored numbers with what the registry says of them."""
    rows = rows_of(run.benchmarks.filter(state=Benchmark.State.EXTRACTED))
    return tuple(numbers_of(rows))


def numbers_of(rows: Iterable[MeasurementRow]) -> Iterable[Number]:
    """Return the numbers among rows, with what the registry says of them."""
    metrics = metrics_by_key()
    for row in rows:
        if row.value is None:
            continue
        metric = metrics.get(row.metric)
        unit, title, headline = (metric.unit, metric.title, metric.headline) if metric else ("", "", False)
        yield Number(
            row.metric,
            row.scope,
            float(row.value),
            row.low,
            row.high,
            row.quality,
            unit,
            title,
            headline,
        )


# ---- Samples seen before.


def _traces(one: AssessedRun) -> Iterator[Trace]:
    for benchmark in one.benchmarks:
        part = one.document["benchmarks"][benchmark.position]
        if "skipped" not in part and (trace := trace_of(part)) is not None:
            yield trace


_KEEP = f"""
INSERT INTO {SampleTrace._meta.db_table}
    (run_id, kind, times_digest, places_digest, first_times_ns, near_keys)
SELECT * FROM json_to_recordset(%s) AS given(run_id uuid, kind text, times_digest text,
    places_digest text, first_times_ns jsonb, near_keys bigint[])
ON CONFLICT (run_id, kind) DO UPDATE SET times_digest = excluded.times_digest,
    places_digest = excluded.places_digest, first_times_ns = excluded.first_times_ns,
    near_keys = excluded.near_keys
"""


def _traces_keep(runs: Sequence[AssessedRun], traces: Sequence[Sequence[Trace]]) -> None:
    """Keep the traces of each run."""
    rows = [
        {
            "run_id": one.run.pk,
            "kind": trace.kind,
            "times_digest": trace.times_digest,
            "places_digest": trace.places_digest,
            "first_times_ns": trace.first_times_ns,
            "near_keys": trace.near_keys(),
        }
        for one, found in zip(runs, traces, strict=True)
        for trace in found
    ]
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [json_text(rows)])


# Of any provenance: what a simulator gave, sent as a disk's, has its samples too. Equal times come first,
# then traces that share many keys, as near ones do and others by chance do not; of each the earliest. A run
# meets those received before it, and those received later that were assessed before and did not see it.
_ALIKE = f"""
SELECT mine.place, seen.run_id, seen.times_digest, seen.places_digest, seen.first_times_ns
FROM json_to_recordset(%s) AS mine(place int, run_id uuid, received_at timestamptz, kind text,
    times_digest text, near_keys bigint[])
JOIN {SampleTrace._meta.db_table} own ON own.run_id = mine.run_id AND own.kind = mine.kind
CROSS JOIN LATERAL (
    SELECT t.run_id, t.times_digest, t.places_digest, t.first_times_ns
    FROM {SampleTrace._meta.db_table} t
    JOIN measurements_run r ON r.run_id = t.run_id
    JOIN submissions_submission s ON s.id = r.submission_id
    WHERE t.run_id <> mine.run_id
        AND (s.received_at <= mine.received_at OR (t.id < own.id AND t.run_id <> ALL(%s)))
        AND t.kind = mine.kind AND (t.times_digest = mine.times_digest OR t.near_keys && mine.near_keys)
    ORDER BY t.times_digest = mine.times_digest DESC,
        (SELECT count(*) FROM unnest(t.near_keys) AS k(key) WHERE k.key = ANY(mine.near_keys)) DESC, t.id
    LIMIT {ALIKE_TRACES}
) seen
"""


def _copies(runs: Sequence[AssessedRun], traces: Sequence[Sequence[Trace]]) -> list[tuple[Copy, ...]]:
    """Return the earlier runs that have the same samples as each run."""
    every = [(number, trace) for number, found in enumerate(traces) for trace in found]
    sought = [
        {
            "place": index,
            "run_id": runs[number].run.pk,
            "received_at": runs[number].run.submission.received_at,
            "kind": trace.kind,
            "times_digest": trace.times_digest,
            "near_keys": trace.keys_sought(),
        }
        for index, (number, trace) in enumerate(every)
    ]
    with connection.cursor() as cursor:
        cursor.execute(_ALIKE, [json_text(sought), [one.run.pk for one in runs]])
        rows = cursor.fetchall()
    seen: dict[int, list[Copy]] = defaultdict(list)
    for index, run_id, times_digest, places_digest, first_times_ns in rows:
        trace = every[index][1]
        other = Trace(trace.kind, times_digest, places_digest, tuple(json.loads(first_times_ns)))
        if (copy := _copy_of(trace, other, run_id)) is not None:
            seen[index].append(copy)
    found: list[list[Copy]] = [[] for _run in runs]
    for index, (number, _trace) in enumerate(every):
        found[number] += seen[index][:1]
    return [tuple(copies) for copies in found]


def _copy_of(trace: Trace, other: Trace, run_id: UUID) -> Copy | None:
    if other.times_digest == trace.times_digest:
        return Copy(trace.kind, str(run_id), exact=True, median_difference_ns=0.0)
    near = trace.near_ns(other.first_times_ns) if other.places_digest == trace.places_digest else None
    if near is not None and near < NEAR_NS:
        return Copy(trace.kind, str(run_id), exact=False, median_difference_ns=near)
    return None
