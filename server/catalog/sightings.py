"""The catalogue of day one: models that drives of a public collection are of, before anyone measured one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from server.catalog.identities import Identity, identities
from server.catalog.models import DriveAlias, DriveModel, Vendor, VendorAlias
from server.catalog.names import DriveName, drive_name, former_families, makers
from server.catalog.services import (
    drive_alias_add,
    drive_model_resolve,
    drive_model_search_text_update,
    vendor_resolve,
)
from server.catalog.signals import catalogue_changed
from server.core.locks import transaction_lock
from server.core.text import normalize_name, squeeze_spaces

SOURCE = {
    "title": "EnterpriseDrive, Linux hardware project",
    "url": "https://github.com/linuxhw/EnterpriseDrive",
    "license": "CC BY 4.0",
}
"""Whose facts these are."""


@dataclass(slots=True)
class _Seen:
    """The drives of one model."""

    name: DriveName
    rows: list[Identity] = field(default_factory=list)
    variants: Counter[str] = field(default_factory=Counter)
    firmware: Counter[str] = field(default_factory=Counter)

    def most_common(self, counts: Iterable[Counter[int]]) -> int | None:
        """Return what most of the drives say; None where none says anything."""
        total = sum(counts, Counter[int]())
        return total.most_common(1)[0][0] if total else None


@transaction.atomic
def sightings_load() -> int:
    """Bring the models of `identities.csv`; return how many there are. A second call changes nothing.

    What a document or a person said of a model stays: only what nobody said is filled in.
    """
    transaction_lock("catalog")
    words = makers()
    changed = set()
    models = _models()
    for vendor_name in sorted({seen.name.vendor for seen in models}):
        _spellings(vendor_resolve(name=vendor_name), words.get(vendor_name, []))
    for seen in models:
        drive_model = drive_model_resolve(
            vendor_name=seen.name.vendor, model_name=seen.name.model, simulated=False
        )
        if _fill(drive_model, seen):
            changed.add(drive_model.pk)
    if changed:
        catalogue_changed.send(sender=DriveModel, drive_model_ids=changed, at_once=False)
    return len(models)


def _models() -> list[_Seen]:
    found: dict[tuple[str, str], _Seen] = {}
    for one in identities():
        name = drive_name(None, one.model_string)
        seen = found.setdefault((name.vendor, name.model), _Seen(name))
        seen.rows.append(one)
        seen.variants[name.variant] += one.units
        seen.firmware += one.firmware
    return list(found.values())


def _spellings(vendor: Vendor, texts: list[str]) -> None:
    for text in texts:
        VendorAlias.objects.get_or_create(
            normalized=normalize_name(text), defaults={"vendor": vendor, "text": text}
        )


def _fill(drive_model: DriveModel, seen: _Seen) -> bool:
    """Write what the drives say; return whether anything is new."""
    stated = {
        "capacity_bytes": seen.most_common(one.capacities for one in seen.rows),
        "rated_rpm": seen.most_common(one.rotations for one in seen.rows),
        "form_factor": next((one.form_factor.split()[0] + "in" for one in seen.rows if one.form_factor), ""),
        "interface": "SATA" if any(one.sata_version for one in seen.rows) else "ATA",
        "family": seen.name.family or seen.rows[0].family,
    }
    if drive_model.curated:
        stated = {}
    values: dict[str, Any] = {
        name: value for name, value in stated.items() if value and not getattr(drive_model, name)
    }
    if stated and drive_model.family and drive_model.family == former_families().get(seen.name.model):
        values["family"] = stated["family"]
    values["seen_units"] = sum(one.units for one in seen.rows)
    values["seen"] = {
        "variants": {text: count for text, count in seen.variants.most_common() if text},
        "firmware": dict(seen.firmware.most_common()),
    }
    changed = [name for name, value in values.items() if getattr(drive_model, name) != value]
    if changed:
        for name in changed:
            setattr(drive_model, name, values[name])
        drive_model.save(update_fields=changed)
    for one in seen.rows:
        _alias(drive_model, one)
    drive_model_search_text_update(drive_model=drive_model)
    return bool(changed)


def _alias(drive_model: DriveModel, identity: Identity) -> None:
    """Make the drive's own string name the model, without what is of one drive; and whoever sold it, with
    the number."""
    name = drive_name(None, identity.model_string)
    text = squeeze_spaces(identity.model_string)
    if name.brand == "Sun":
        text = text[: text.upper().index(name.oem_part) + len(name.oem_part)]
    texts = [text, f"{name.brand} {name.model}"] if name.maker and name.brand else [text]
    for one in texts:
        if not DriveAlias.objects.filter(normalized=normalize_name(one)).exists():
            drive_alias_add(drive_model=drive_model, text=one)
