"""Loading the catalogue's data file. Doing it again changes nothing but what the file changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from server.catalog.models import (
    Citation,
    Claim,
    DriveAlias,
    DriveModel,
    LiteratureValue,
    Vendor,
    VendorAlias,
)
from server.catalog.services import drive_alias_add, drive_model_search_text_update, vendor_resolve
from server.core.text import normalize_name

DATA = Path(__file__).parent / "data" / "drives.json"
_COPIED = (
    "name",
    "year",
    "interface",
    "capacity_bytes",
    "capacity_tolerance",
    "form_factor",
    "rated_rpm",
    "rated_surfaces",
    "simulated",
    "notes",
)


@transaction.atomic
def catalog_load(*, path: Path = DATA) -> int:
    """Bring the tables up to the file; return how many models it holds."""
    data = json.loads(path.read_text())
    citations = {entry["key"]: _citation(entry) for entry in data["citations"]}
    for name, aliases in data["vendor_aliases"].items():
        _vendor_aliases(vendor_resolve(name=name), [name, *aliases])
    for entry in data["drives"]:
        _drive(entry, citations)
    return len(data["drives"])


def _citation(entry: dict[str, Any]) -> Citation:
    fields = {name: value for name, value in entry.items() if name != "key"}
    citation, _created = Citation.objects.update_or_create(key=entry["key"], defaults=fields)
    return citation


def _vendor_aliases(vendor: Vendor, texts: list[str]) -> None:
    for text in texts:
        VendorAlias.objects.update_or_create(
            normalized=normalize_name(text), defaults={"vendor": vendor, "text": text}
        )


def _drive(entry: dict[str, Any], citations: dict[str, Citation]) -> None:
    vendor = vendor_resolve(name=entry["vendor"])
    number = entry["number"]
    fields = {name: entry[name] for name in _COPIED} | {"number": number, "curated": True}
    drive_model, _created = DriveModel.objects.update_or_create(
        vendor=vendor,
        normalized=normalize_name(number),
        defaults=fields,
        create_defaults={**fields, "slug": slugify(f"{vendor.name} {number}")},
    )
    for text in [f"{vendor.name} {number}", *entry["aliases"]]:
        if not DriveAlias.objects.filter(normalized=normalize_name(text)).exists():
            drive_alias_add(drive_model=drive_model, text=text)
    drive_model_search_text_update(drive_model=drive_model)
    _literature(drive_model, entry["literature"], citations)
    _claims(drive_model, entry["claims"], citations)


def _literature(
    drive_model: DriveModel, values: list[dict[str, Any]], citations: dict[str, Citation]
) -> None:
    for value in values:
        LiteratureValue.objects.update_or_create(
            drive_model=drive_model,
            citation=citations[value["citation"]],
            locator=value["locator"],
            metric=value["metric"],
            scope=value["scope"],
            defaults={"value": value["value"], "unit": value["unit"], "note": value["note"]},
        )


def _claims(drive_model: DriveModel, claims: list[dict[str, Any]], citations: dict[str, Citation]) -> None:
    for claim in claims:
        Claim.objects.update_or_create(
            drive_model=drive_model,
            citation=citations[claim["citation"]],
            metric=claim["metric"],
            scope=claim["scope"],
            form=claim["form"],
            defaults={name: claim[name] for name in ("locator", "low", "high", "unit")},
        )
