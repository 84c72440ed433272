"""The sample archive's catalogue: vendors, models, claims and published values. All of it says what it is."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Max
from django.utils.text import slugify

from server.accounts.models import ProbeKey
from server.catalog.models import Citation, Claim, DriveAlias, DriveModel, LiteratureValue, Vendor
from server.catalog.services import search_text_of, vendor_resolve
from server.core.text import normalize_name
from server.measurements.models import Batch, Unit
from tools.sample_archive.chunks import Places
from tools.sample_archive.identity import NOTES, VENDORS, keys_count, number_of, signing_key, vendor_of
from tools.sample_archive.plan import Plan
from tools.sample_archive.samples import ARCHETYPES, BLOCK_BYTES

AT_ONCE = 1000
CLAIMED_EVERY, PUBLISHED_EVERY, CURATED_EVERY = 4, 20, 3
"""Every so many models have claims, published values, or were looked at by a person."""
_CITATION = {
    "key": "sample-archive",
    "authors": "Sample data",
    "title": "Sample claims and values of seed_archive: no document states them",
    "year": 2026,
}


def places_free() -> Places:
    """Return where new rows begin."""
    return Places(
        *(
            (table._default_manager.aggregate(last=Max("pk"))["last"] or 0) + 1
            for table in (DriveModel, Unit, Batch, ProbeKey)
        )
    )


def catalog_fill(plan: Plan, places: Places) -> None:
    """Write vendors, models with an alias each, claims, published values, and keys."""
    vendors = [vendor_resolve(name=name) for name in VENDORS]
    citation, _made = Citation.objects.get_or_create(key=_CITATION["key"], defaults=_CITATION)
    DriveModel.objects.bulk_create(_models(plan, places, vendors), batch_size=AT_ONCE)
    DriveAlias.objects.bulk_create(_aliases(plan, places), batch_size=AT_ONCE)
    Claim.objects.bulk_create(_claims(plan, places, citation), batch_size=AT_ONCE)
    LiteratureValue.objects.bulk_create(_values(plan, places, citation), batch_size=AT_ONCE)
    ProbeKey.objects.bulk_create(_keys(plan, places), batch_size=AT_ONCE)


def _models(plan: Plan, places: Places, vendors: list[Vendor]) -> Iterator[DriveModel]:
    for model in range(plan.sizes.models):
        drive, number = ARCHETYPES[int(plan.model_archetype[model])], number_of(plan, model)
        vendor = vendors[vendor_of(model)]
        yield DriveModel(
            pk=places.model + model,
            vendor=vendor,
            number=number,
            slug=slugify(f"{vendor.name} {number}"),
            normalized=normalize_name(number),
            curated=model % CURATED_EVERY == 0,
            year=1996 + (model * 7) % 30,
            interface=drive.interface.upper(),
            form_factor=drive.form_factor,
            capacity_bytes=drive.blocks * BLOCK_BYTES,
            rated_rpm=float(drive.rpm),
            simulated=bool(plan.model_simulated[model]),
            notes=NOTES,
            search_text=search_text_of(vendor.name, number, "", [_alias(plan, model)]),
        )


def _alias(plan: Plan, model: int) -> str:
    number = number_of(plan, model)
    return f"{VENDORS[vendor_of(model)].split()[1]} {number[:3]}-{number[3:]}"


def _aliases(plan: Plan, places: Places) -> Iterator[DriveAlias]:
    for model in range(plan.sizes.models):
        text = _alias(plan, model)
        yield DriveAlias(drive_model_id=places.model + model, text=text, normalized=normalize_name(text))


def _claims(plan: Plan, places: Places, citation: Citation) -> Iterator[Claim]:
    for model in range(0, plan.sizes.models, CLAIMED_EVERY):
        drive = ARCHETYPES[int(plan.model_archetype[model])]
        rate = round(drive.outer_mb_per_s * (0.9 + 0.2 * (model % 11) / 10), 1)
        stated = (
            ("zoned.outer_bandwidth", "maximum", "MB/s", None, rate),
            ("seeker.average", "typical", "ms", drive.shortest_seek_ms * 6, drive.shortest_seek_ms * 6),
            ("skippy.rotation_rate", "typical", "rpm", float(drive.rpm), float(drive.rpm)),
        )
        for metric, form, unit, low, high in stated:
            yield Claim(
                drive_model_id=places.model + model,
                citation=citation,
                locator="sample",
                metric=metric,
                scope="without_mtm" if metric == "seeker.average" else "",
                form=form,
                low=low,
                high=high,
                unit=unit,
                note="Sample data: no vendor states this.",
            )


def _values(plan: Plan, places: Places, citation: Citation) -> Iterator[LiteratureValue]:
    for model in range(0, plan.sizes.models, PUBLISHED_EVERY):
        drive = ARCHETYPES[int(plan.model_archetype[model])]
        for metric, value, unit in (
            ("zoned.outer_bandwidth", drive.outer_mb_per_s, "MB/s"),
            ("skippy.rotation_rate", float(drive.rpm), "rpm"),
        ):
            yield LiteratureValue(
                drive_model_id=places.model + model,
                citation=citation,
                locator="sample",
                metric=metric,
                value=value,
                unit=unit,
                note="Sample data: no document states this.",
            )


def _keys(plan: Plan, places: Places) -> Iterator[ProbeKey]:
    for index in range(keys_count(plan)):
        _private, public, keyid = signing_key(plan.sizes.seed, index)
        yield ProbeKey(pk=places.key + index, keyid=keyid, public_key=public)
