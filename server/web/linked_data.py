"""What a drive model's page says to programs that read schema.org's words (JSON-LD)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.urls import reverse

from server.catalog.models import DriveModel
from server.web.answers import ALIKE, AnswersView, AnswerView, FactView

_NOT_OF_A_NUMBER = re.compile(r"[^0-9.eE+-]")


def model_linked_data(
    model: DriveModel, answers: AnswersView, rotation: FactView | None, *, runs: int
) -> dict[str, Any]:
    """Return a model as `ProductModel` with what was measured or published of it as its properties, and its
    measurements as a `Dataset` where there are `runs`. What is simulated is no property of the model."""
    url = _address("drive-detail", model.slug)
    # How alike units are is no number of a unit.
    facts = [row for row in answers.rows if row.shown and row.question != ALIKE]
    found: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "ProductModel",
        "@id": f"{url}#model",
        "name": model.title,
        "model": model.number,
        "brand": {"@type": "Brand", "name": model.vendor.name},
        "category": "Hard disk drive",
        "url": url,
        "image": _address("drive-card", model.slug),
        "additionalProperty": [
            *_stated(model),
            *([_property("Rotation", rotation)] if rotation else []),
            *(_property(", ".join(filter(None, (row.name.title, row.name.scope))), row) for row in facts),
        ],
    }
    if model.year:
        found["releaseDate"] = str(model.year)
    if runs:
        found["subjectOf"] = _measurements(model, url)
    return found


def _stated(model: DriveModel) -> Iterable[dict[str, Any]]:
    for name, value, unit in (
        ("Capacity", model.capacity_bytes, "B"),
        ("Rated rotation", model.rated_rpm, "rpm"),
        ("Form factor", model.form_factor, ""),
        ("Interface", model.interface, ""),
    ):
        if value:
            found = {"@type": "PropertyValue", "name": name, "value": value}
            yield {**found, "unitText": unit} if unit else found


def _property(name: str, fact: AnswerView | FactView) -> dict[str, Any]:
    shown = fact.shown
    if shown is None:
        return {"@type": "PropertyValue", "name": name}
    found: dict[str, Any] = {
        "@type": "PropertyValue",
        "name": name,
        "value": _number(shown.value),
        "description": fact.behind,
        "measurementTechnique": f"{settings.SITE_URL}{fact.name.url}",
    }
    if shown.unit:
        found["unitText"] = shown.unit
    if shown.low:
        found |= {"minValue": _number(shown.low), "maxValue": _number(shown.high)}
    return found


def _measurements(model: DriveModel, url: str) -> dict[str, Any]:
    statistics = _address("api:drive-statistics", model.slug)
    return {
        "@type": "Dataset",
        "name": f"Measurements of the {model.title}",
        "description": f"What runs of the probe measured on units of the {model.title}: medians, quartiles "
        "and counts of each number, with raw samples and signatures run by run.",
        "url": url,
        "isAccessibleForFree": True,
        "license": f"{settings.SITE_URL}{reverse('licenses')}",
        "creator": {"@type": "Organization", "name": "DiskAtlas contributors"},
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": form, "contentUrl": address}
            for form, address in (
                ("application/json", statistics),
                ("text/csv", f"{statistics.rstrip('/')}.csv"),
            )
        ],
    }


def _number(text: str) -> float:
    return float(_NOT_OF_A_NUMBER.sub("", text))


def _address(name: str, *parts: object) -> str:
    return f"{settings.SITE_URL}{reverse(name, args=parts)}"
