"""All numbers of a model's published runs at once, as columns: what is computed about a model after a
publication reads them once and no run twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import Q
from numpy.typing import NDArray

from server.accounts.holders import holder_keyid_at, not_revoked_at
from server.benchmarks.contract import Quality
from server.core.binary_rows import array_read, binary_rows
from server.core.lifecycle import Provenance, State
from server.measurements.conditions import RunConditions, rows_with_conditions
from server.measurements.models import Run

USABLE = ("good", "fair")
"""Qualities that count; what is poor is counted as excluded, so that nothing vanishes unsaid."""

SeriesKey = tuple[str, str, str]
"""Provenance, metric and scope."""


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """One published run of the model, of a key that was its holder's."""

    run_id: UUID
    provenance: str
    unit: str
    """Of which drive: its digest, or else the key that signed. Runs that do not tell their drive count as one
    unit of each key: as many drives of their own they would outvote those that are known."""
    block_bytes: int
    conditions: RunConditions
    unit_known: bool
    keyid: str
    """Of its holder's first key."""
    batch_id: int | None
    firmware: str
    created_at: datetime
    published_at: datetime | None
    beyond_share: bool = False
    """Whether it is of a drive beyond its holder's share of the model."""


@dataclass(frozen=True, slots=True)
class Column:
    """The numbers at one place, in the order in which the archive wrote them down."""

    runs: NDArray[np.int64]
    """Places in `Published.runs`."""
    values: NDArray[np.float64]
    lows: NDArray[np.float64]
    """Not a number where there is none; `highs` too."""
    highs: NDArray[np.float64]
    qualities: NDArray[np.str_]

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which of them count."""
        return np.isin(self.qualities, USABLE)

    def where(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Column:
        """Return some of the numbers, those that a mask or their places choose."""
        return Column(
            runs=self.runs[chosen],
            values=self.values[chosen],
            lows=self.lows[chosen],
            highs=self.highs[chosen],
            qualities=self.qualities[chosen],
        )


@dataclass(frozen=True, slots=True)
class ModelMeasurements:
    """A model's published runs in the order in which they were made, and their present numbers."""

    runs: tuple[PublishedRun, ...]
    columns: Mapping[SeriesKey, Column]
    """In the order of metric and scope."""
    kinds: NDArray[np.int64]
    """How many kinds of each run were extracted."""
    samples: NDArray[np.int64]
    """How many timings each run brought."""

    def counting(self) -> ModelMeasurements:
        """Return the same without the numbers of runs that are beyond their holder's share."""
        counts = np.asarray([not run.beyond_share for run in self.runs], dtype=np.bool_)
        if counts.all():
            return self
        columns = {key: column.where(counts[column.runs]) for key, column in self.columns.items()}
        return replace(self, columns={key: column for key, column in columns.items() if column.runs.size})

    @property
    def provenances(self) -> frozenset[str]:
        """The provenances of which there is a run."""
        return frozenset(run.provenance for run in self.runs)

    def of(self, provenance: Provenance) -> list[PublishedRun]:
        """Return the runs of one provenance."""
        return [run for run in self.runs if run.provenance == provenance]


# Arrays by place: a row for each number would cost more to read than all that is computed from it. A number's
# run is told by its benchmark, so that one of a run published between the two queries belongs to none.
_NUMBERS = """
SELECT r.provenance, x.metric, x.scope, array_send(array_agg(x.id)), array_send(array_agg(x.benchmark_id)),
       array_send(array_agg(x.value)), array_send(array_agg(coalesce(x.low, 'NaN'))),
       array_send(array_agg(coalesce(x.high, 'NaN'))),
       array_send(array_agg(array_position(%(qualities)s::text[], x.quality::text)))
FROM measurements_run r
JOIN submissions_submission s ON s.id = r.submission_id AND s.state = %(published)s
JOIN measurements_benchmark b ON b.run_id = r.run_id
JOIN measurements_measurement x ON x.benchmark_id = b.id AND x.extractor_version = b.extractor_version
WHERE r.drive_model_id = %(model)s AND x.value IS NOT NULL
  AND (%(metrics)s::text[] IS NULL OR x.metric = ANY(%(metrics)s::text[]))
GROUP BY r.provenance, x.metric, x.scope
"""
_ELEMENTS = ("i8", "i8", "f8", "f8", "f8", "i4")
"""Of the arrays that this selects."""
_QUALITIES = tuple(map(str, Quality))
_BENCHMARKS = """
SELECT b.id, b.run_id, b.state = 'extracted', coalesce(b.samples, 0)
FROM measurements_benchmark b JOIN measurements_run r USING (run_id) WHERE r.drive_model_id = %s
"""


def counting_runs() -> Q:
    """Return the condition for runs that count in numbers of many: none since a revocation, none beyond its
    holder's share, none that no probe signed."""
    return not_revoked_at("submission") & Q(beyond_share=False, in_browser=False)


def unit_name(digest: str | None, keyid: str) -> str:
    """Return what the unit of a run is called among those of its model."""
    return digest or f"key {keyid[:16]}"


def model_measurements_read(
    *, drive_model_id: int, metrics: Collection[str] | None = None
) -> ModelMeasurements:
    """Return the present numbers of a model's published runs: of some metrics, or of all."""
    found = Run.objects.filter(
        not_revoked_at("submission"),
        drive_model_id=drive_model_id,
        in_browser=False,
        submission__state=State.PUBLISHED,
    )
    rows = rows_with_conditions(
        found.annotate(holder=holder_keyid_at("submission")).order_by("created_at", "run_id"),
        *("run_id", "provenance", "unit__digest", "holder", "block_bytes", "batch_id"),
        *("firmware", "created_at", "submission__published_at", "beyond_share"),
    )
    runs = tuple(
        PublishedRun(
            run_id,
            provenance,
            unit_name(digest, keyid),
            block_bytes,
            made,
            digest is not None,
            keyid,
            *others,
        )
        for made, run_id, provenance, digest, keyid, block_bytes, *others in rows
    )
    kinds, samples = (np.zeros(len(runs), dtype=np.int64) for _column in range(2))
    if not runs:
        return ModelMeasurements((), {}, kinds, samples)
    indices = {run.run_id: index for index, run in enumerate(runs)}
    run_of: dict[int, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(_BENCHMARKS, [drive_model_id])
        for benchmark, run_id, extracted, timings in cursor.fetchall():
            if (index := indices.get(run_id)) is not None:
                run_of[benchmark] = index
                kinds[index] += extracted
                samples[index] += timings
    return ModelMeasurements(runs, _columns(drive_model_id, run_of, metrics), kinds, samples)


def _columns(
    drive_model_id: int, run_of: Mapping[int, int], metrics: Collection[str] | None
) -> dict[SeriesKey, Column]:
    rows = binary_rows(
        _NUMBERS,
        {
            "published": State.PUBLISHED.value,
            "model": drive_model_id,
            "metrics": None if metrics is None else sorted(metrics),
            "qualities": list(_QUALITIES),
        },
    )
    found: dict[SeriesKey, Column] = {}
    for provenance, metric, scope, *sent in sorted(rows, key=lambda row: (row[1], row[2], row[0])):
        arrays = map(array_read, sent, _ELEMENTS)
        found[provenance, metric, scope] = _column(run_of, *arrays)
    return found


def _column(
    run_of: Mapping[int, int],
    ids: NDArray[np.int64],
    benchmarks: NDArray[np.int64],
    values: NDArray[np.float64],
    lows: NDArray[np.float64],
    highs: NDArray[np.float64],
    qualities: NDArray[np.int32],
) -> Column:
    order = np.argsort(ids, kind="stable")
    runs = np.asarray([run_of.get(benchmark, -1) for benchmark in benchmarks.tolist()], dtype=np.int64)
    order = order[runs[order] >= 0]
    names = np.asarray(_QUALITIES)[qualities[order] - 1]
    return Column(runs[order], values[order], lows[order], highs[order], names)
