"""Writing drive models' summaries: in the worker, after a change, never for a page.

A model's row is counted from its own runs, and the archive's row (`archive_counts.py`) is the sum over the
models' rows, so that one publication never makes anyone read a million runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db import connection, transaction

from server.benchmarks.measurands import answered
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import Claim, DriveAlias, DriveModel, LiteratureValue
from server.claims.models import ClaimVerdict
from server.claims.selectors import UNTESTED
from server.claims.verdicts import Outcome
from server.core import clock
from server.core.bulk import row_upsert
from server.core.lifecycle import Provenance
from server.core.text import normalize_name
from server.measurements.model_measurements import ModelMeasurements, model_measurements_read
from server.measurements.models import Aggregate
from server.search.archive_counts import archive_counts_follow
from server.search.class_rank import VARIATION
from server.search.columns import COLUMNS, LITERATURE, published_spreads
from server.search.facets import facet_words
from server.search.models import DriveSummary
from server.stats.wording import count_words

_DIGITS = re.compile(r"\d+")
MOST_NEEDED = 12
"""More drives than this are no wish that anyone could fulfil."""


@transaction.atomic(savepoint=False)
def summary_update(
    *, drive_model_id: int, model: DriveModel | None = None, published: ModelMeasurements | None = None
) -> None:
    """Write a model's row anew, and make the archive's due. A model that is gone has none."""
    model = model or DriveModel.objects.select_related("vendor").filter(pk=drive_model_id).first()
    if model is None:
        return
    published = published or model_measurements_read(drive_model_id=drive_model_id)
    runs, stated = _runs(published), _stated(model)
    verdicts = _verdicts(model) if stated["claims"] else {}
    identity = _identity(model, stated["aliases"])
    counts = {
        name: runs[name] for name in ("measured_runs", "simulated_runs", "units", "batches", "firmwares")
    }
    literature, claims = stated["literature"], stated["claims"]
    provenances = [
        provenance
        for provenance, there in (
            (Provenance.PROBE.value, counts["measured_runs"]),
            (LITERATURE, literature),
            (Provenance.IMPORTED.value, runs["imported_runs"]),
            (Provenance.SIMULATED.value, counts["simulated_runs"]),
        )
        if there
    ]
    outcomes = sorted({outcome for counted in verdicts.values() for outcome in counted})
    values = (
        identity
        | counts
        | _amounts(published)
        | {
            "listed": model.curated
            or model.seen_units > 0
            or claims > 0
            or bool(counts["measured_runs"] or counts["simulated_runs"] or runs["imported_runs"]),
            "last_published_at": runs["last"],
            "claims": claims,
            "facets": facet_words(
                identity | {"vendor": model.vendor.slug},
                counts=counts | {"claims": claims, "runs": counts["measured_runs"]},
                provenances=provenances,
                outcomes=outcomes,
            ),
            "literature_values": literature,
            "provenances": provenances,
            "headline": _headline(model, literature=bool(literature)),
            "verdicts": verdicts,
            "outcomes": outcomes,
            "updated_at": clock.now(),
        }
    )
    recommended = recommended_run_of(
        measured_runs=counts["measured_runs"],
        units=counts["units"],
        batches=counts["batches"],
        claims=claims,
        undecided=_undecided(model) if claims else (),
    )
    values["recommended_rank"], values["recommended_words"] = recommended or (None, "")
    row_upsert(DriveSummary(drive_model=model, **values), "drive_model")
    archive_counts_follow()


def summaries_missing() -> list[int]:
    """Return the ids of models that have no row yet."""
    return list(DriveModel.objects.filter(summary__isnull=True).order_by("pk").values_list("pk", flat=True))


def sort_name_of(vendor: str, number: str) -> str:
    """Return what names are sorted by: `ST2` comes before `ST10`."""
    return _DIGITS.sub(lambda found: found.group().zfill(8), f"{vendor} {number}".casefold())[:600]


_STATED = f"""
SELECT (SELECT count(*) FROM {LiteratureValue._meta.db_table} WHERE drive_model_id = m.id AND NOT hidden),
    (SELECT count(*) FROM {Claim._meta.db_table} WHERE drive_model_id = m.id AND NOT hidden),
    (SELECT coalesce(array_agg(text ORDER BY id), '{{}}') FROM {DriveAlias._meta.db_table}
        WHERE drive_model_id = m.id)
FROM {DriveModel._meta.db_table} m WHERE m.id = %s
"""


def _stated(model: DriveModel) -> dict[str, Any]:
    """Return how many values and claims of a model are shown, and its other names."""
    with connection.cursor() as cursor:
        cursor.execute(_STATED, [model.pk])
        return dict(zip(("literature", "claims", "aliases"), cursor.fetchone(), strict=True))


def _identity(model: DriveModel, aliases: Iterable[str]) -> dict[str, Any]:
    names = [model.number, f"{model.vendor.name} {model.number}", model.name, f"{model.family} {model.name}"]
    names += aliases
    return {
        "vendor": model.vendor,
        "sort_name": sort_name_of(model.vendor.name, model.number),
        "family": model.family,
        "capacity_bytes": model.capacity_bytes,
        "rpm": model.rated_rpm,
        "interface": model.interface,
        "form_factor": model.form_factor,
        "recording": model.recording,
        "year": model.year,
        "names": f" {' '.join(dict.fromkeys(filter(None, map(normalize_name, names))))} ",
    }


def _runs(published: ModelMeasurements) -> dict[str, Any]:
    measured = published.of(Provenance.PROBE)
    return {
        "measured_runs": len(measured),
        "simulated_runs": len(published.of(Provenance.SIMULATED)),
        "imported_runs": len(published.of(Provenance.IMPORTED)),
        "units": len({run.unit for run in measured}),
        "batches": len({run.batch_id for run in measured} - {None}),
        "firmwares": len({run.firmware for run in measured} - {""}),
        "last": max((run.published_at for run in published.runs if run.published_at), default=None),
    }


def _undecided(model: DriveModel) -> list[UndecidedClaim]:
    """Return the claims of a model that its measured runs have not decided."""
    rows = ClaimVerdict.objects.filter(
        drive_model=model,
        claim__hidden=False,
        evidence=ClaimVerdict.Evidence.MEASURED,
        outcome=Outcome.INCONCLUSIVE.value,
        needed__isnull=False,
    ).select_related("claim")
    found = []
    for row in rows:
        metric = metrics_by_key().get(row.claim.metric)
        title = metric.title if metric else row.claim.metric
        stated = f"{title}, “{row.claim.printed}”" if row.claim.printed else title
        found.append(UndecidedClaim(stated, row.needed or 0, row.units))
    return found


def _amounts(published: ModelMeasurements) -> dict[str, int]:
    """Return how many timings and numbers the model's measured runs brought."""
    measured = [run.provenance == Provenance.PROBE for run in published.runs]
    numbers = sum(column.runs.size for key, column in published.columns.items() if key[0] == Provenance.PROBE)
    return {"samples": int(published.samples[measured].sum()), "measurements": numbers}


def _headline(model: DriveModel, *, literature: bool) -> dict[str, dict[str, list[float | int | None]]]:
    """Return provenance to place to median, lower and upper quartile, runs, units and the interval that
    the digits follow, of the list's columns."""
    keys = {column.metric_scope for column in COLUMNS}
    metrics = {column.metric for column in COLUMNS}
    found: dict[str, dict[str, list[float | int | None]]] = {}
    for row in Aggregate.objects.filter(drive_model=model, metric__in=metrics):
        if (key := f"{row.metric}|{row.scope}") in keys:
            spread = [row.median, row.q1, row.q3, row.n, row.units, row.low, row.high]
            numbers = found.setdefault(row.provenance, {})
            numbers[key] = spread
            if row.stdev is not None and row.mean > 0 and (row.metric, row.scope) in answered():
                # Read by ranks alone: no column of a list is called so.
                numbers[f"{key}|{VARIATION}"] = [100 * row.stdev / row.mean, None, None, row.n, row.units]
    for key, stated in published_spreads(metrics, [model.pk]).items() if literature else ():
        if key in keys:
            found.setdefault(LITERATURE, {})[key] = stated[model.pk]
    return found


def _verdicts(model: DriveModel) -> dict[str, dict[str, int]]:
    """Return how many claims have which verdict, by what it rests on; nothing is no evidence for one."""
    counted: dict[str, dict[str, int]] = {}
    rows = ClaimVerdict.objects.filter(drive_model=model, claim__hidden=False)
    for evidence, verdict in rows.values_list("evidence", "effective_verdict"):
        outcome = UNTESTED if evidence == ClaimVerdict.Evidence.NONE else verdict
        of_evidence = counted.setdefault(evidence, {})
        of_evidence[outcome] = of_evidence.get(outcome, 0) + 1
    return counted


# ---- Which further run would settle most.


class UndecidedClaim(NamedTuple):
    """A claim that measurements have not decided."""

    claim: str
    """What the vendor states, for example `Average seek, reads: at most 8.5 ms`."""
    needed: int
    """How many more drives, or runs of the only one, would decide."""
    units: int
    """Different drives measured so far."""


class RecommendedRun(NamedTuple):
    """What a further run of a model would settle."""

    rank: int
    """The smaller, the more a single run settles."""
    words: str


def recommended_run_of(
    *, measured_runs: int, units: int, batches: int, claims: int, undecided: Iterable[UndecidedClaim]
) -> RecommendedRun | None:
    """Return what is wanted most of a model; None where nothing is.

    First what would decide a claim that runs speak about already, then a second drive of a model known by
    one, then a first look at claims that nobody has measured, then a second batch.
    """
    near = min(
        (one for one in undecided if one.units and 0 < one.needed <= MOST_NEEDED),
        key=lambda one: (one.needed, one.claim),
        default=None,
    )
    if near is not None:
        what = "unit" if near.units > 1 else "run"
        words = f"{_count(near.needed, what)} more would decide a claim of the vendor: {near.claim}."
        return RecommendedRun(10 + near.needed, words)
    if measured_runs and units < 2:
        known = _count(measured_runs, "run")
        return RecommendedRun(30, f"{known} of one unit: a second unit tells the model from the specimen.")
    if claims and not measured_runs:
        stated = _count(claims, "claim")
        return RecommendedRun(
            40, f"{stated} of the vendor and no measured run. Four units would give a first interval."
        )
    if units > 1 and batches == 1:
        every = "Both" if units == 2 else f"All {units}"
        return RecommendedRun(
            50, f"{every} units are of one batch: one of another would show what batches differ in."
        )
    return None


def _count(number: int, noun: str) -> str:
    return count_words(number, noun).capitalize()
