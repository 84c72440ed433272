"""The tables of a release that kinds keep in their details: zones, points of seek curves, tracks."""

from __future__ import annotations

from dataclasses import replace

from server.benchmarks.contract import Kind
from server.benchmarks.detail_tables import DetailColumn, DetailTable
from server.datasets.columns import Column, Table
from server.measurements.detail_tables import (
    INNER,
    MIDDLE,
    TRACK_BLOCKS,
    TRACK_BLOCKS_ABOUT,
    counted_metric,
    detail_tables,
)
from server.measurements.model_measurements import USABLE

_SQL_TYPES = {"string": "text", "integer": "bigint", "number": "float8", "boolean": "boolean"}


def details_table(table: Table, kind: Kind, detail: DetailTable) -> Table:
    """Return the release's table of a detail table; `table` has the columns of the run and the licence."""
    *own, license = table.columns
    columns = (
        *own,
        Column("kind", "string", "b.kind", "The benchmark's kind."),
        Column("position", "integer", "x.n - 1", "Place among the run's rows, from 0."),
        *(_column(one) for one in detail.columns),
    )
    if detail.counted_tracks:
        columns += (Column(TRACK_BLOCKS, "number", _COUNTED, TRACK_BLOCKS_ABOUT),)
    columns += (
        Column("extractor_version", "string", "b.extractor_version", "Version of the extraction."),
        license,
    )
    return replace(
        table,
        name=detail.name,
        title=detail.title,
        about=f"{detail.about} One row for each {detail.row}.",
        columns=columns,
        source=f"FROM release_run rr {details_join(kind, detail)}",
        order="rr.vendor, rr.leaf, x.n",
        key=("run_id", "position"),
        by_vendor=True,
    )


def details_join(kind: Kind, detail: DetailTable) -> str:
    """Return what follows a run `rr` in FROM: its benchmark `b` and the rows `x`."""
    part = f"b.details #> '{{{','.join(detail.path)}}}'"
    counted = _COUNTS if detail.counted_tracks else ""
    # Where details lack the part, it is null, and there are no rows.
    return (
        f"JOIN measurements_benchmark b ON b.run_id = rr.run_id AND b.kind = '{kind.slug}' "
        f"AND b.state = 'extracted' {counted}CROSS JOIN LATERAL jsonb_array_elements("
        f"CASE jsonb_typeof({part}) WHEN 'array' THEN {part} WHEN 'object' THEN jsonb_build_array({part}) "
        "ELSE '[]' END) WITH ORDINALITY x(entry, n)"
    )


def _column(one: DetailColumn) -> Column:
    value = f"(x.entry #>> '{{{','.join(one.steps)}}}')"
    # An integer may have been written as 12.0.
    value = f"{value}::float8" if one.type == "integer" else value
    return Column(one.name, one.type, f"{value}::{_SQL_TYPES[one.type]}", one.about)


_START, _END = "(x.entry ->> 'start_mb')::float8", "(x.entry ->> 'end_mb')::float8"
_COUNTS = (
    "JOIN measurements_run r ON r.run_id = rr.run_id LEFT JOIN LATERAL "
    "(SELECT max(t.value) FILTER (WHERE t.scope = 'outer') AS outer_blocks, "
    "max(t.value) FILTER (WHERE t.scope = 'middle') AS middle_blocks, "
    "max(t.value) FILTER (WHERE t.scope = 'inner') AS inner_blocks "
    "FROM measurements_benchmark tb JOIN measurements_measurement t ON t.benchmark_id = tb.id "
    "AND t.extractor_version = tb.extractor_version "
    f"WHERE tb.run_id = rr.run_id AND t.metric = '{counted_metric()}' "
    f"AND t.quality IN {USABLE}) counted ON true "
)
_COUNTED = (
    "coalesce(CASE WHEN x.n = 1 THEN counted.outer_blocks END, "
    f"CASE WHEN {_START} < {MIDDLE} * r.capacity_bytes / 1e6 AND {_END} >= {MIDDLE} * r.capacity_bytes / 1e6 "
    f"THEN counted.middle_blocks END, CASE WHEN {_END} > {INNER} * r.capacity_bytes / 1e6 "
    "THEN counted.inner_blocks END)"
)


def details_tables(table: Table) -> tuple[Table, ...]:
    """Return all of them, in the order of the registry."""
    return tuple(details_table(table, *found) for found in detail_tables().values())
