"""One state of the database for a whole release: a transaction that sees no later change, and tables in it
that say which runs the release holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import connection

from server.benchmarks.registry import metrics_by_key
from server.catalog.files import facts_by_key
from server.datasets.models import Release
from server.measurements.strata import LOOK_AHEAD_SQL, WAY_SQL, WRITE_CACHE_SQL, stratum_sql

_SETTINGS = (
    "SET LOCAL TIME ZONE 'UTC'",
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
    "SET LOCAL work_mem = '64MB'",
    # Sums of floating-point numbers depend on their order, and the same state has to give the same bytes.
    "SET LOCAL max_parallel_workers_per_gather = 0",
)


STRATUM = stratum_sql("rr")
"""Of a benchmark `b` of a run `rr` of the release."""
_RUNS = f"""
CREATE TEMPORARY TABLE release_run ON COMMIT DROP AS
SELECT r.run_id, p.index AS leaf, p.at AS published_at, p.digest, v.slug::text COLLATE "C" AS vendor,
       m.slug::text COLLATE "C" AS drive_model, u.digest AS unit, r.license, s.storage_name,
       coalesce(u.digest, 'key ' || left(coalesce(h.keyid, k.keyid), 16)) AS unit_name, {WAY_SQL} AS way,
       {WRITE_CACHE_SQL} AS write_cache,
       {LOOK_AHEAD_SQL} AS look_ahead,
       k.revoked_from IS NOT NULL AND s.received_at >= k.revoked_from AS after_revocation,
       r.beyond_share
FROM transparency_logleaf p
JOIN measurements_run r ON r.run_id = p.run_id AND r.provenance = 'probe'
JOIN submissions_submission s ON s.id = r.submission_id AND s.state = 'published' AND s.digest = p.digest
JOIN accounts_probekey k ON k.id = s.probe_key_id
LEFT JOIN accounts_probekey h ON h.id = k.holder_key_id
JOIN catalog_drivemodel m ON m.id = r.drive_model_id
JOIN catalog_vendor v ON v.id = m.vendor_id
LEFT JOIN measurements_unit u ON u.id = r.unit_id
WHERE p.kind = 'published' AND p.index < %(size)s
"""
_CHANGES = """
CREATE TEMPORARY TABLE release_change ON COMMIT DROP AS
SELECT rr.run_id, 'added' AS change, '' AS kind, '' AS extractor_version, rr.leaf
FROM release_run rr WHERE rr.leaf >= %(before)s
UNION ALL
SELECT w.run_id, 'withdrawn', '', '', w.index
FROM transparency_logleaf w JOIN measurements_run r ON r.run_id = w.run_id AND r.provenance = 'probe'
JOIN transparency_logleaf p ON p.run_id = w.run_id AND p.kind = 'published'
WHERE w.kind = 'withdrawn' AND w.index >= %(before)s AND w.index < %(size)s AND p.index < %(before)s
UNION ALL
SELECT rr.run_id, 'reextracted', b.kind, b.extractor_version, rr.leaf
FROM release_run rr JOIN measurements_benchmark b ON b.run_id = rr.run_id
WHERE rr.leaf < %(before)s AND b.extracted_at > %(since)s
"""
_DELTA = """
CREATE TEMPORARY TABLE release_delta ON COMMIT DROP AS
SELECT rr.run_id, CASE WHEN rr.leaf >= %(before)s THEN 'added' ELSE 'changed' END AS change, rr.leaf
FROM release_run rr
JOIN measurements_run r ON r.run_id = rr.run_id
JOIN catalog_drivemodel m ON m.id = r.drive_model_id
JOIN catalog_vendor v ON v.id = m.vendor_id
WHERE %(there)s AND (rr.leaf >= %(before)s OR r.updated_at > %(since)s
    OR (%(renamed)s AND (m.updated_at > %(since)s OR v.updated_at > %(since)s)))
UNION ALL
SELECT run_id, change, leaf FROM release_change WHERE %(there)s AND change = 'withdrawn'
"""
_MODELS = """
SELECT encode(sha256(convert_to(coalesce(string_agg(m.id || ' ' || v.slug || ' ' || m.slug, chr(10)
    ORDER BY m.id), ''), 'UTF8')), 'hex')
FROM catalog_drivemodel m JOIN catalog_vendor v ON v.id = m.vendor_id
"""
_METRICS = """
CREATE TEMPORARY TABLE release_metric (
    metric text PRIMARY KEY, kind text, title text, unit text, direction text, definition text, method text,
    source text
) ON COMMIT DROP
"""
_STALE = """
SELECT EXISTS (
    SELECT 1 FROM transparency_logleaf w
    JOIN transparency_logleaf p ON p.run_id = w.run_id AND p.kind = 'published'
    WHERE w.kind = 'withdrawn' AND w.index >= %(size)s AND p.index < %(size)s
) OR EXISTS (
    SELECT 1 FROM release_run rr JOIN measurements_benchmark b USING (run_id) WHERE b.extracted_at > %(began)s
)
"""


@contextmanager
def snapshot_open() -> Iterator[Any]:
    """Give a psycopg connection of its own in a repeatable-read transaction; nothing of it is kept."""
    own = connection.copy()
    own.ensure_connection()
    raw = own.connection
    try:
        raw.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        for statement in _SETTINGS:
            raw.execute(statement)
        yield raw
    finally:
        own.close()


DELTA_MARGIN = timedelta(minutes=5)
"""A row is dated when it is written and seen when that is committed: changes are looked for from a little
before the release before, and some rows of a delta may be the same as they were."""


def log_size(raw: Any) -> int:
    """Return the number of the log's leaves in the snapshot."""
    return int(raw.execute("SELECT coalesce(max(index) + 1, 0) FROM transparency_logleaf").fetchone()[0])


def models_digest(raw: Any) -> str:
    """Return what changes when a vendor or model is renamed: rows written before would have the old name."""
    return str(raw.execute(_MODELS).fetchone()[0])


def tables_prepare(raw: Any, release: Release) -> None:
    """Make `release_run`, `release_metric`, `release_change` and `release_delta`."""
    raw.execute("DROP TABLE IF EXISTS release_run, release_metric, release_change, release_delta")
    # Run, submission and leaf name each other, which the planner takes for chance: it expects one row of all
    # three, and would look every model up anew for each of a million.
    raw.execute("SET LOCAL enable_nestloop = off")
    raw.execute(_RUNS, {"size": release.log_size})
    raw.execute("SET LOCAL enable_nestloop = on")
    raw.execute("CREATE UNIQUE INDEX ON release_run (run_id)")
    raw.execute("CREATE INDEX ON release_run (vendor, leaf)")
    raw.execute("ANALYZE release_run")
    raw.execute(_METRICS)
    with raw.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO release_metric VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", sorted(_metrics())
        )
    before = release.previous
    raw.execute(
        _CHANGES,
        {
            "size": release.log_size,
            "before": before.log_size if before else 0,
            "since": before.began_at if before else release.began_at,
        },
    )
    raw.execute(
        _DELTA,
        {
            # The first release has nothing before it: its deltas would be the whole of it again.
            "there": before is not None,
            "before": before.log_size if before else 0,
            "since": (before or release).began_at - DELTA_MARGIN,
            "renamed": before is not None and before.models_digest != release.models_digest,
        },
    )


def _metrics() -> Iterator[tuple[str | None, ...]]:
    """Give the rows of `release_metric`: what is measured, and what is only published."""
    for key, fact in facts_by_key().items():
        yield key, None, fact.title, fact.unit, None, fact.definition, None, None
    for key, one in metrics_by_key().items():
        kind = key.partition(".")[0]
        yield key, kind, one.title, one.unit, one.direction.value, one.definition, one.method, one.source


def is_stale(raw: Any, release: Release) -> bool:
    """Return whether parts that were written before no longer say what the database says."""
    if models_digest(raw) != release.models_digest:
        return True
    return bool(raw.execute(_STALE, {"size": release.log_size, "began": release.began_at}).fetchone()[0])
