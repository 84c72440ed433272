"""Comparisons worth a look, for whoever has none in mind."""

from __future__ import annotations

from dataclasses import dataclass

from server.benchmarks.contract import Measurand
from server.benchmarks.measurands import source
from server.catalog.models import DriveModel, LiteratureValue
from server.catalog.selectors import FACT_PREFIX
from server.core.lifecycle import Provenance
from server.measurements.group_keys import Source, model_key
from server.measurements.groups import FEWEST, MOST
from server.measurements.models import Aggregate

MODELS = 4
"""How many of the models with most drives are put beside each other."""
_ROWS = 400


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A comparison with the reason to look at it."""

    title: str
    keys: tuple[str, ...]
    why: str


def suggestions() -> tuple[Suggestion, ...]:
    """Return a few comparisons: measured models with most drives, then those that one document measured."""
    return (*_measured(), *_published())


def _measured() -> list[Suggestion]:
    metric, scope = source(Measurand.OUTER_BANDWIDTH)  # what nearly every run has
    rows = (
        Aggregate.objects.filter(metric=metric, scope=scope, provenance=Provenance.PROBE)
        .order_by("-units", "drive_model_id")
        .values_list("drive_model__slug", "drive_model__vendor__name", "drive_model__number", "units")[
            :MODELS
        ]
    )
    found = [(model_key(slug), f"{vendor} {number}", units) for slug, vendor, number, units in rows]
    if len(found) < FEWEST:
        return []
    units_measured = sum(units for _key, _title, units in found)
    return [
        Suggestion(
            " · ".join(title for _key, title, _units in found),
            tuple(key for key, _title, _units in found),
            f"The models with most units measured here: {units_measured} units.",
        )
    ]


def _published() -> list[Suggestion]:
    rows = (
        LiteratureValue.objects.filter(
            hidden=False,
            basis=LiteratureValue.Basis.MEASURED,
            relation__in=[LiteratureValue.Relation.EQUAL, LiteratureValue.Relation.ABOUT],
        )
        .exclude(metric__startswith=FACT_PREFIX)
        .order_by("citation__year", "citation_id", "drive_model_id")
        .values_list("citation__title", "drive_model_id")
        .distinct()[:_ROWS]
    )
    by_document: dict[str, list[int]] = {}
    for title, model in rows:
        by_document.setdefault(title, []).append(model)
    several = {title: ids for title, ids in by_document.items() if FEWEST <= len(ids) <= MOST}
    models = DriveModel.objects.select_related("vendor").in_bulk(
        [model for ids in several.values() for model in ids]
    )
    return [
        Suggestion(
            " · ".join(f"{models[pk].vendor.name} {models[pk].number}" for pk in ids),
            tuple(model_key(models[pk].slug, Source.LITERATURE) for pk in ids),
            f"Published side by side in “{title}”.",
        )
        for title, ids in several.items()
    ]
