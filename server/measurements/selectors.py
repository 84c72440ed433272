"""Reading runs."""

from __future__ import annotations

from functools import cache
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, QuerySet

from server.catalog.models import Claim, DriveModel
from server.core.lifecycle import Provenance, State
from server.core.querying import CompiledQuery
from server.measurements.models import Benchmark, Run, Unit

_KINDS = Benchmark.objects.filter(run=OuterRef("pk")).order_by("position").values("kind")


def runs_published() -> QuerySet[Run]:
    """Return the published runs, latest first, with what a list shows; `kinds` of each are its benchmarks',
    in their order."""
    return (
        Run.objects.filter(submission__state=State.PUBLISHED)
        .select_related("drive_model__vendor", "submission__probe_key", "unit", "batch")
        .annotate(kinds=ArraySubquery(_KINDS))
        .order_by("-submission__published_at", "-run_id")
    )


def drive_models_public() -> Q:
    """Return the condition for models that anybody may see: a person entered them or a claim about them, a
    public collection has drives of them, or a run was published.

    Until then a model's name is what a stranger wrote.
    """
    published = Run.objects.filter(drive_model=OuterRef("pk"), submission__state=State.PUBLISHED)
    claimed = Claim.objects.filter(drive_model=OuterRef("pk"), hidden=False)
    return Q(curated=True) | Q(seen_units__gt=0) | Q(Exists(claimed)) | Q(Exists(published))


def vendors_public() -> Q:
    """Return the condition for vendors that anybody may see: those of a public model."""
    return Q(Exists(DriveModel.objects.filter(drive_models_public(), vendor=OuterRef("pk"))))


def drive_model_public(*, slug: str) -> DriveModel | None:
    """Return the model of a slug with its vendor; None where there is none that anybody may see."""
    models = DriveModel.objects.select_related("vendor").filter(drive_models_public())
    return models.filter(slug=slug).first()


def runs_latest(*, limit: int = 10) -> list[Run]:
    """Return the runs published last."""
    return list(runs_published()[:limit])


def runs_of_model(*, drive_model: DriveModel) -> QuerySet[Run]:
    """Return the published runs of a model, latest first."""
    return runs_published().filter(drive_model=drive_model)


_OF_A_LINE = (
    *(
        "provenance",
        "standing",
        "measured_on_request",
        "in_browser",
        "created_at",
        "firmware",
        "unit__digest",
    ),
    *("batch__year", "batch__week", "batch__label"),
)
"""What a list of one model's runs shows: documents' summaries and models need not be read for it."""


def runs_before(
    *,
    drive_model: DriveModel,
    provenance: Provenance,
    before: UUID | None = None,
    standing: str = "",
    limit: int = 25,
) -> tuple[list[Run], UUID | None]:
    """Return published runs of a model, or those of one standing, the latest measured first, from behind the
    run `before` on; and the run to go on behind, None where these are the last. Each run's `kinds` are its
    benchmarks', in its order.

    An unknown `before` begins at the latest, so that an old address still shows something.
    """
    start = Run.objects.filter(pk=before, drive_model=drive_model).first() if before else None
    if start is None and not standing:
        found = _lines(limit).rows(drive_model_id=drive_model.pk, provenance=provenance)
    else:
        runs = _runs_of_lines(drive_model.pk, provenance)
        if standing:
            runs = runs.filter(standing=standing)
        if start is not None:
            earlier = Q(created_at__lt=start.created_at) | Q(created_at=start.created_at, pk__lt=start.pk)
            runs = runs.filter(earlier, created_at__lte=start.created_at)
        found = list(runs[: limit + 1])
    return found[:limit], found[limit - 1].pk if len(found) > limit else None


def _runs_of_lines(drive_model_id: Any, provenance: Any) -> QuerySet[Run]:
    return (
        Run.objects.filter(
            drive_model_id__given=drive_model_id,
            provenance__given=provenance,
            submission__state=State.PUBLISHED,
        )
        .select_related("unit", "batch")
        .only(*_OF_A_LINE)
        .annotate(kinds=ArraySubquery(_KINDS))
        .order_by("-created_at", "-run_id")
    )


@cache
def _lines(limit: int) -> CompiledQuery[Run]:
    return CompiledQuery(
        lambda drive_model_id, provenance: _runs_of_lines(drive_model_id, provenance)[: limit + 1]
    )


def runs_of_unit(*, unit: Unit, limit: int = 12) -> list[Run]:
    """Return the latest published measured runs of a unit, as lists show them."""
    runs = _runs_of_lines(unit.drive_model_id, Provenance.PROBE).filter(unit=unit)
    return list(runs[:limit])
