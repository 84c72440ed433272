"""What is different from the release before, row by row: tables by which a reader who has that release
comes to this one. See `release_delta` in `snapshot.py` for what counts as different."""

from __future__ import annotations

from dataclasses import replace

from server.datasets.columns import Column, Table
from server.datasets.detail_tables import details_join
from server.datasets.tables import BENCHMARKS, DETAILS, MEASUREMENTS, RUNS
from server.measurements.detail_tables import detail_tables

_CHANGE = Column("change", "string", "d.change", "added, changed or withdrawn: what became of the run.")
_FROM = "FROM release_delta d JOIN release_run rr ON rr.run_id = d.run_id "
_HOW = (
    "To bring the release before up to this one, delete the rows of every run that `delta_runs` names, then "
    "add these."
)


def _delta(table: Table, about: str, source: str, order: str) -> Table:
    return replace(
        table,
        name=f"delta_{table.name}",
        title=f"{table.title}, changes",
        about=f"{about} {_HOW}",
        columns=(_CHANGE, *table.columns),
        source=source,
        order=order,
        by_kind=False,
        by_vendor=False,
    )


_KNOWN = {
    "run_id": "d.run_id::text",
    "leaf": "d.leaf",
    "license": "coalesce(rr.license, 'CC0-1.0')",
}
_RUNS = replace(RUNS, columns=tuple(replace(one, sql=_KNOWN.get(one.name, one.sql)) for one in RUNS.columns))
_BENCHMARK = "JOIN measurements_benchmark b ON b.run_id = rr.run_id"
DELTAS = (
    _delta(
        _RUNS,
        "Runs added, changed or withdrawn since the release before; of a withdrawn one only its id and the "
        "leaf of its withdrawal.",
        "FROM release_delta d LEFT JOIN release_run rr ON rr.run_id = d.run_id "
        "LEFT JOIN measurements_run r ON r.run_id = rr.run_id "
        "LEFT JOIN submissions_submission s ON s.id = r.submission_id "
        "LEFT JOIN accounts_probekey k ON k.id = s.probe_key_id "
        "LEFT JOIN measurements_batch ba ON ba.id = r.batch_id",
        "d.leaf",
    ),
    _delta(
        BENCHMARKS,
        "The benchmarks of runs that were added or changed.",
        f"{_FROM}{_BENCHMARK}",
        "d.leaf, b.position",
    ),
    _delta(
        MEASUREMENTS,
        "The numbers of runs that were added or changed.",
        f"{_FROM}{_BENCHMARK} JOIN measurements_measurement x ON x.benchmark_id = b.id "
        "AND x.extractor_version = b.extractor_version LEFT JOIN release_metric me ON me.metric = x.metric",
        'd.leaf, x.metric COLLATE "C", x.scope COLLATE "C"',
    ),
    *(
        _delta(
            table,
            f"{table.title} of runs that were added or changed.",
            f"{_FROM}{details_join(*detail_tables()[table.name])}",
            "d.leaf, x.n",
        )
        for table in DETAILS
    ),
)
