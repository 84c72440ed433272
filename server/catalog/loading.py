"""Loading the catalogue's files. Doing it again changes nothing but what the files changed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from server.catalog.files import DATA, CatalogError, CatalogFiles, catalog_read, claim_rows, value_rows
from server.catalog.models import (
    Citation,
    Claim,
    DriveAlias,
    DriveModel,
    LiteratureValue,
    Loaded,
    Vendor,
    VendorAlias,
)
from server.catalog.services import (
    drive_alias_add,
    drive_model_resolve,
    drive_model_search_text_update,
    vendor_resolve,
)
from server.catalog.sheets import citation_of, claims_of, findings, identity_of
from server.catalog.signals import catalogue_changed
from server.catalog.sync import LoadReport, Table
from server.core.locks import transaction_lock
from server.core.text import normalize_name

_DRIVE_KEY = ("vendor", "normalized")
_VALUE_KEY = ("drive_model", "citation", "locator", "metric", "scope")
_CLAIM_KEY = ("drive_model", "citation", "locator", "metric", "scope", "form", "quantity", "conditions")
_OWN = {"id", "updated_at", "loaded_digest"}
"""Columns that no file holds."""


@transaction.atomic
def catalog_load(*, folder: Path = DATA, overwrite: bool = False) -> LoadReport:
    """Bring the tables up to the files; return what changed.

    What a person edited stays and is reported, unless `overwrite`. Published values and claims that left the
    files are removed; drive models never are, since runs hang on them. Raises CatalogError.
    """
    files = catalog_read(folder)
    for found in (found for key, sheet in files.sheets.items() for found in findings(key, sheet)):
        raise CatalogError(str(found))
    transaction_lock("catalog")
    report = LoadReport()
    sources = Table(Citation, ("key",), report, overwrite=overwrite)
    citations = {entry["key"]: sources.bring({"url": ""} | entry) for entry in files.citations}
    for name, aliases in files.vendors.items():
        _vendor_aliases(vendor_resolve(name=name), [name, *aliases])
    drive_models = Table(DriveModel, _DRIVE_KEY, report, overwrite=overwrite)
    values = Table(LiteratureValue, _VALUE_KEY, report, overwrite=overwrite, at_once=True)
    claims = Table(Claim, _CLAIM_KEY, report, overwrite=overwrite, at_once=True)
    touched = set()
    for entry in files.drives.values():
        drive_model = _drive(entry, drive_models)
        touched.add(drive_model.pk)
        for row in value_rows(entry):
            values.bring(_whole(LiteratureValue, row, drive_model, citations))
        for row in claim_rows(entry):
            claims.bring(_whole(Claim, row, drive_model, citations))
    before = set(Claim.objects.exclude(loaded_digest="").values_list("drive_model_id", flat=True))
    stated = _sheets(files, sources, claims)
    report.drives = len(touched | stated)
    values.finish(tuple(_defaults(LiteratureValue)))
    claims.finish(tuple(_defaults(Claim)))
    if report.created or report.changed or report.removed:
        catalogue_changed.send(sender=DriveModel, drive_model_ids=touched, at_once=True)
        catalogue_changed.send(sender=DriveModel, drive_model_ids=(stated | before) - touched, at_once=False)
    return report


def _sheets(files: CatalogFiles, sources: Table[Citation], claims: Table[Claim]) -> set[int]:
    """Bring vendors' documents with their claims; return the models that they are about."""
    touched = set()
    for key, sheet in files.sheets.items():
        citations = {key: sources.bring(citation_of(key, sheet))}
        for number, rows in claims_of(sheet).items():
            drive_model = drive_model_resolve(vendor_name=sheet["maker"], model_name=number, simulated=False)
            _fill(drive_model, identity_of(sheet, number))
            touched.add(drive_model.pk)
            for row in rows:
                claims.bring(_whole(Claim, row | {"citation": key}, drive_model, citations))
    return touched


def _fill(drive_model: DriveModel, stated: dict[str, Any]) -> None:
    """Write what a document says a model is where nobody said it yet. A person's entry stays as it is."""
    if drive_model.curated:
        return
    new = {name: value for name, value in stated.items() if value and not getattr(drive_model, name)}
    if new:
        for name, value in new.items():
            setattr(drive_model, name, value)
        drive_model.save(update_fields=list(new))
    drive_model_search_text_update(drive_model=drive_model)


@cache
def _defaults(model: type[Loaded]) -> dict[str, Any]:
    """Return the columns that files fill, each with what it holds where a file leaves it out."""
    return {field.name: field.get_default() for field in model._meta.fields if field.name not in _OWN}


def _whole(
    model: type[Loaded], row: dict[str, Any], drive_model: DriveModel, citations: dict[str, Citation]
) -> dict[str, Any]:
    """Return a row with the model's defaults for what the file leaves out."""
    return _defaults(model) | row | {"drive_model": drive_model, "citation": citations[row["citation"]]}


def _vendor_aliases(vendor: Vendor, texts: list[str]) -> None:
    """Add spellings; one that already means a vendor goes on meaning it."""
    for text in texts:
        VendorAlias.objects.get_or_create(
            normalized=normalize_name(text), defaults={"vendor": vendor, "text": text}
        )


def _drive(entry: dict[str, Any], drive_models: Table[DriveModel]) -> DriveModel:
    vendor, number = vendor_resolve(name=entry["vendor"]), entry["number"]
    existing = DriveModel.objects.filter(vendor=vendor, normalized=normalize_name(number)).first()
    whole = {name: entry[name] for name in _defaults(DriveModel).keys() & entry.keys()} | {
        "vendor": vendor,
        "normalized": normalize_name(number),
        "slug": existing.slug if existing else slugify(f"{vendor.name} {number}"),
        "curated": True,
    }
    drive_model = drive_models.bring(whole, untouched=existing is not None and not existing.curated)
    for text in [f"{vendor.name} {number}", *entry["aliases"]]:
        if not DriveAlias.objects.filter(normalized=normalize_name(text)).exists():
            drive_alias_add(drive_model=drive_model, text=text)
    drive_model_search_text_update(drive_model=drive_model)
    return drive_model
