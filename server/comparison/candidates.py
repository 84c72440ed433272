"""What can be put into a comparison, found by typing: drive models, their variants, batches, firmware
revisions and units, and runs.

A part is named behind its model, as in `hd103 1AJ10001`, `hd103 2012-W31`, `wd10ezex 75WN4A0` or
`hd103 0f3a9c`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from server.core.lifecycle import Provenance, State
from server.measurements.group_keys import LONGEST, Source, model_key, run_key, unit_key
from server.measurements.models import Run, Unit
from server.model_stats.overview import drive_overview
from server.search.drive_list import MATCH, DriveList, DriveQuery
from server.search.models import DriveSummary
from server.search.text_search import runs_find
from server.stats.wording import count_words

MOST = 10
_MODELS = 6
_PARTS_OF = 2
"""So many of the likeliest models offer their parts too."""
_UNITS = 5
_SHORTEST_DIGEST = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group that could be compared."""

    key: str
    title: str
    detail: str
    """What its numbers rest on."""


def candidates_find(text: str) -> tuple[Candidate, ...]:
    """Return at most ten groups that a text may mean, the likeliest first."""
    text = " ".join(text.replace("\0", "").split())[:LONGEST]
    if not text:
        return ()
    runs = [run for run in runs_find(text) if run.submission.state == State.PUBLISHED]
    found = chain(
        _of_units(runs, text.casefold()),
        (_of_run(run) for run in runs),
        _named_parts(text),
        _of_models(_models(text)),
    )
    by_key: dict[str, Candidate] = {}
    for one in found:
        by_key.setdefault(one.key, one)
        if len(by_key) == MOST:
            break
    return tuple(by_key.values())


def _models(text: str) -> list[DriveSummary]:
    """The models of a text that have numbers to compare."""
    rows = DriveList(DriveQuery(text=text, sort=MATCH)).page(1, _MODELS)
    return [row for row in rows if row.measured_runs or row.simulated_runs or row.literature_values]


def _of_models(rows: list[DriveSummary]) -> Iterator[Candidate]:
    """Every model, then the parts of the likeliest ones."""
    for row in rows:
        yield _of_model(row)
    for row in rows[:_PARTS_OF]:
        yield from _other_sources(row)
        yield from _parts(row, "")


def _of_model(row: DriveSummary) -> Candidate:
    detail = "published values"
    if row.measured_runs:
        detail = _counted(row.measured_runs, "measured run", row.units)
    elif row.simulated_runs:
        detail = count_words(row.simulated_runs, "simulated run")
    return Candidate(model_key(row.drive_model.slug), row.drive_model.title, detail)


def _other_sources(row: DriveSummary) -> Iterator[Candidate]:
    """What a model has beside the numbers that its own key means."""
    slug, title = row.drive_model.slug, row.drive_model.title
    if row.measured_runs and row.simulated_runs:
        detail = count_words(row.simulated_runs, "simulated run")
        yield Candidate(model_key(slug, Source.SIMULATED), f"{title}, simulated", detail)
    if row.literature_values and (row.measured_runs or row.simulated_runs):
        detail = count_words(row.literature_values, "published value")
        yield Candidate(model_key(slug, Source.LITERATURE), f"{title}, published values", detail)


def _named_parts(text: str) -> Iterator[Candidate]:
    """The parts that the last word names, of the models that the words before it mean."""
    before, _, last = text.rpartition(" ")
    if before:
        for row in _models(before)[:_PARTS_OF]:
            yield from _parts(row, last.casefold())


def _parts(row: DriveSummary, wanted: str) -> Iterator[Candidate]:
    model = row.drive_model
    provenance = Provenance.PROBE if row.measured_runs else Provenance.SIMULATED
    if not (row.measured_runs or row.simulated_runs):
        return
    overview = drive_overview(drive_model=model, provenance=provenance)
    noun = "measured run" if row.measured_runs else "simulated run"
    parts = {"variant": overview.variants, "batch": overview.batches, "firmware": overview.firmwares}
    for what, found in parts.items():
        for part in found:
            if part.key and wanted in f"{what} {part.label} {part.part}".casefold():
                detail = _counted(part.runs, noun, part.units)
                yield Candidate(part.key, f"{model.title}, {what} {part.label}", detail)
    if len(wanted) >= _SHORTEST_DIGEST and set(wanted) <= set("0123456789abcdef"):
        units = Unit.objects.filter(drive_model=model, digest__startswith=wanted).order_by("digest")
        for unit in units[:_UNITS]:
            yield Candidate(unit_key(model.slug, unit.digest), f"{model.title}, unit {unit}", "one unit")


def _counted(runs: int, noun: str, units: int) -> str:
    of = f" of {count_words(units, 'unit')}" if units else ""
    return f"{count_words(runs, noun)}{of}"


def _of_run(run: Run) -> Candidate:
    words = "simulated" if run.provenance == Provenance.SIMULATED else "measured"
    title = f"{run.drive_model.title}, run {str(run.pk)[:13]}"
    return Candidate(run_key(run.pk), title, f"{words} {run.created_at:%Y-%m-%d}")


def _of_units(runs: list[Run], digest: str) -> Iterator[Candidate]:
    """The drives among those runs that a pasted digest means."""
    for run in runs:
        if run.unit and run.unit.digest.startswith(digest):
            title = f"{run.drive_model.title}, unit {run.unit}"
            yield Candidate(unit_key(run.drive_model.slug, run.unit.digest), title, "one unit")
