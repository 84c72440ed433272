"""A stretch of runs as rows: what intake, extraction and publication leave of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from django.db import transaction

from server.core.envelope import sha256_hex
from server.core.envelope_store import envelope_name, envelope_store
from server.core.lifecycle import State
from server.measurements.models import Batch, Benchmark, Measurement, Run, Unit
from server.submissions.models import Submission, SubmissionEvent
from tools.sample_archive.documents import (
    compact,
    envelope_bytes,
    license_of,
    summary_of_run,
)
from tools.sample_archive.identity import (
    BEGIN,
    firmware_of,
    key_of,
    moment_of,
    time_ids,
    unit_digest,
    week_of,
)
from tools.sample_archive.parts import MEASUREMENT_COLUMNS, KindPart, kind_part
from tools.sample_archive.plan import SUITES, Plan
from tools.sample_archive.samples import ARCHETYPES, BLOCK_BYTES
from tools.sample_archive.tables import CopyTable

RUNS_PER_CHUNK = 2000
_MOST_KINDS, _MOST_NUMBERS = 8, 64
"""Rows of a benchmark and numbers of a measurement follow from the run's place, so that several processes
fill the tables without asking each other."""
EVENTS = (
    (State.RECEIVED, "Sample: the envelope came in."),
    (State.PUBLISHED, "Sample: the run is public. Nothing of it was measured."),
)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the rows that runs refer to begin: primary keys of the first model, unit, batch and key."""

    model: int
    unit: int
    batch: int
    key: int


class ChunkWriter:
    """Writes runs of a plan, stretch by stretch, in one process."""

    def __init__(self, plan: Plan, places: Places) -> None:
        """Take what is to be written and what it refers to."""
        self._plan = plan
        self._places = places
        self._batch_first = np.cumsum(plan.model_weeks) - plan.model_weeks
        self._submissions = CopyTable(
            Submission,
            (
                *("id", "digest", "size_bytes", "storage_name", "probe_key_id"),
                *("state", "received_at", "published_at", "next_sweep_at"),
            ),
        )
        self._events = CopyTable(SubmissionEvent, ("id", "submission_id", "at", "state", "reason"))
        self._runs = CopyTable(
            Run,
            (
                *("run_id", "submission_id", "drive_model_id", "unit_id", "batch_id", "provenance"),
                *("created_at", "license", "firmware", "capacity_bytes", "block_bytes", "summary"),
            ),
        )
        self._benchmarks = CopyTable(
            Benchmark,
            (
                *("id", "run_id", "kind", "position", "state", "elapsed_ns", "samples"),
                *("extractor_version", "extracted_at", "details"),
            ),
        )
        self._measurements = CopyTable(Measurement, ("id", "benchmark_id", *MEASUREMENT_COLUMNS))

    def write(self, first: int) -> int:
        """Write the stretch that begins with run `first` in one transaction; return how many numbers."""
        runs = range(first, min(first + RUNS_PER_CHUNK, self._plan.sizes.runs))
        rng = np.random.default_rng(np.random.SeedSequence([self._plan.sizes.seed, 2, first]))
        moments = [moment_of(self._plan, run) for run in runs]
        ids = zip(time_ids(moments, rng), time_ids(moments, rng), strict=True)
        for run, moment, (run_id, submission_id) in zip(runs, moments, ids, strict=True):
            self._run(run, moment, run_id, submission_id)
        with transaction.atomic():
            for table in (self._submissions, self._events, self._runs, self._benchmarks):
                table.send()
            return self._measurements.send()

    def _run(self, run: int, moment: datetime, run_id: str, submission_id: str) -> None:
        plan, places = self._plan, self._places
        unit = int(plan.run_unit[run])
        model = int(plan.unit_model[unit])
        drive, simulated = int(plan.model_archetype[model]), bool(plan.model_simulated[model])
        level = int(plan.run_level[run])
        kinds = SUITES[int(plan.run_suite[run])][1]
        parts = [kind_part(kind, drive, level, simulated=simulated) for kind in kinds]
        summary = compact(summary_of_run(plan, run, run_id, moment))
        key = key_of(plan, unit)
        digest, size_bytes, name = self._envelope(run, run_id, summary, parts, key)
        came, went = (moment + timedelta(hours=1, seconds=seconds) for seconds in (0, 40))
        state = State.PUBLISHED.value
        self._submissions.add(
            submission_id, digest, size_bytes, name, places.key + key, state, came, went, went
        )
        for index, ((step, words), at) in enumerate(zip(EVENTS, (came, went), strict=True)):
            self._events.add(run * len(EVENTS) + index + 1, submission_id, at, step.value, words)
        batch = int(plan.unit_batch[unit])
        self._runs.add(
            *(run_id, submission_id, places.model + model, places.unit + unit),
            None if batch < 0 else places.batch + int(self._batch_first[model]) + batch,
            *("simulated" if simulated else "probe", moment, license_of(run)),
            firmware_of(model, int(plan.unit_firmware[unit])),
            *(ARCHETYPES[drive].blocks * BLOCK_BYTES, BLOCK_BYTES, summary),
        )
        for position, (kind, part) in enumerate(zip(kinds, parts, strict=True)):
            self._benchmark(run * _MOST_KINDS + position + 1, run_id, position, kind, part, went)

    def _envelope(
        self, run: int, run_id: str, summary: str, parts: list[KindPart], key: int
    ) -> tuple[str, int, str]:
        """Return digest, size and name of a run's envelope; one that is left out has the name of nothing."""
        if not self._plan.has_envelope(run):
            digest = sha256_hex(b"left out: " + run_id.encode())
            return digest, 0, envelope_name(digest)
        seed = self._plan.sizes.seed
        content = envelope_bytes(summary, [part.document for part in parts], seed=seed, key=key)
        digest = sha256_hex(content)
        return digest, len(content), envelope_store(digest=digest, content=content)

    def _benchmark(
        self, number: int, run_id: str, position: int, kind: str, part: KindPart, at: datetime
    ) -> None:
        state = Benchmark.State.EXTRACTED.value
        self._benchmarks.add(
            *(number, run_id, kind, position, state, part.elapsed_ns, part.samples),
            *(part.extractor_version, at, part.details),
        )
        first = number * _MOST_NUMBERS
        for index, row in enumerate(part.measurements):
            self._measurements.add(first + index, number, *row)


def unit_rows(plan: Plan, places: Places) -> CopyTable:
    """Return the units as noted rows."""
    table = CopyTable(Unit, ("id", "drive_model_id", "digest", "first_seen_at"))
    for unit, model in enumerate(plan.unit_model.tolist()):
        table.add(places.unit + unit, places.model + model, unit_digest(plan, unit), BEGIN)
    return table


def batch_rows(plan: Plan, places: Places) -> CopyTable:
    """Return the batches as noted rows."""
    table, number = CopyTable(Batch, ("id", "drive_model_id", "year", "week", "label")), places.batch
    for model, weeks in enumerate(plan.model_weeks.tolist()):
        for index in range(weeks):
            year, week = week_of(plan, model, index)
            table.add(number, places.model + model, year, week, "")
            number += 1
    return table
