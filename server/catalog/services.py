"""Writing the catalogue."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils.text import slugify

from server.catalog.models import DriveAlias, DriveModel, Vendor, VendorAlias
from server.core.locks import transaction_lock
from server.core.prepared import prepared_row
from server.core.text import normalize_name, squeeze_spaces

UNKNOWN_VENDOR = "Unknown"
_NO_VENDOR = {"", "ata", "usb", "generic", "unknown", "na"}
"""Vendor fields of bridges and of the SCSI translation of ATA, which name no maker (SAT-4, section
10.3.2)."""


def vendor_resolve(*, name: str) -> Vendor:
    """Return the vendor of that name or alias; make an entry where there is none."""
    name = squeeze_spaces(name) or UNKNOWN_VENDOR
    normalized = normalize_name(name)[:512] or normalize_name(UNKNOWN_VENDOR)
    alias = VendorAlias.objects.select_related("vendor").filter(normalized=normalized).first()
    if alias is not None:
        return alias.vendor
    vendor, _created = Vendor.objects.get_or_create(
        normalized=normalized, defaults={"name": name[:256], "slug": _free_slug(Vendor, name[:80])}
    )
    return vendor


def drive_model_resolve(*, vendor_name: str | None, model_name: str, simulated: bool) -> DriveModel:
    """Return the model that the device's strings mean; make an uncurated entry where none matches."""
    found = drive_model_id_resolve(vendor_name=vendor_name, model_name=model_name, simulated=simulated)
    return DriveModel.objects.select_related("vendor").get(pk=found)


def drive_model_id_resolve(*, vendor_name: str | None, model_name: str, simulated: bool) -> int:
    """Return the number of that model.

    Interfaces name the maker in the vendor field (SCSI), in the model field (ATA) or not at all: the alias
    table is asked for both strings joined, then for the model string alone; only then is the maker looked for
    in the words.
    """
    vendor_text = squeeze_spaces(vendor_name or "")
    if normalize_name(vendor_text) in _NO_VENDOR:
        vendor_text = ""
    model_text = squeeze_spaces(model_name)
    first, _space, rest = model_text.partition(" ")
    maker, number = (vendor_text, model_text) if vendor_text else (first, rest)
    names = [normalize_name(text) for text in (f"{vendor_text} {model_text}", model_text)]
    row = prepared_row(_FIND, *names, normalize_name(maker)[:512], normalize_name(number)[:512])
    found: int | None = row[0] if row else None
    return found or _drive_model_make(vendor_text, model_text, simulated=simulated).pk


_FIND = """
SELECT coalesce(
    (SELECT drive_model_id FROM catalog_drivealias WHERE normalized = nullif(%s, '')),
    (SELECT drive_model_id FROM catalog_drivealias WHERE normalized = nullif(%s, '')),
    (
        SELECT CASE WHEN count(*) = 1 THEN min(model.id) END
        FROM catalog_drivemodel AS model JOIN (
            SELECT id, normalized FROM catalog_vendor
            UNION SELECT vendor_id, normalized FROM catalog_vendoralias
        ) AS maker ON maker.id = model.vendor_id
        WHERE maker.normalized = nullif(%s, '') AND model.normalized = nullif(%s, '')
    )
)
"""
"""The model of an alias, or of a maker's name and a number where that tells; else NULL, which leaves it to
who may make it."""


@transaction.atomic
def _drive_model_make(vendor_text: str, model_text: str, *, simulated: bool) -> DriveModel:
    # Two new models at once would otherwise choose the same address.
    transaction_lock("catalog")
    vendor, number = _split(vendor_text, model_text)
    normalized = normalize_name(number)[:512] or "unnamed"
    existing = DriveModel.objects.filter(vendor=vendor, normalized=normalized).first()
    if existing is not None:
        return existing
    drive_model, _created = DriveModel.objects.get_or_create(
        vendor=vendor,
        normalized=normalized,
        defaults={
            "number": number[:256],
            "slug": _free_slug(DriveModel, f"{vendor.name} {number}"[:180]),
            "simulated": simulated,
            "search_text": search_text_of(
                vendor.name, number, "", list(vendor.aliases.values_list("text", flat=True))
            ),
        },
    )
    return drive_model


def drive_alias_add(*, drive_model: DriveModel, text: str) -> DriveAlias:
    """Make `text` name the model; raises IntegrityError where it names another one."""
    alias, _created = DriveAlias.objects.get_or_create(
        drive_model=drive_model, normalized=normalize_name(text), defaults={"text": text}
    )
    return alias


def drive_model_search_text_update(*, drive_model: DriveModel) -> None:
    """Bring the searched text up to date with the model's names and aliases.

    A text that stays is not written: every write dates the row, and whoever asks what changed would get it.
    """
    others = [*drive_model.aliases.order_by("pk").values_list("text", flat=True), drive_model.family]
    others += drive_model.vendor.aliases.order_by("pk").values_list("text", flat=True)
    text = search_text_of(drive_model.vendor.name, drive_model.number, drive_model.name, others)
    if text != drive_model.search_text:
        drive_model.search_text = text
        drive_model.save(update_fields=["search_text"])


def search_text_of(vendor: str, number: str, name: str, aliases: list[str]) -> str:
    """Return what full-text search looks into: the names, and each without its punctuation."""
    texts = [vendor, number, f"{vendor} {number}", name, *aliases]
    return " ".join(dict.fromkeys(text for raw in texts for text in (raw, normalize_name(raw)) if text))


def _split(vendor_text: str, model_text: str) -> tuple[Vendor, str]:
    """Return the vendor and the model number, where the model string may begin with the maker's name."""
    if vendor_text:
        return vendor_resolve(name=vendor_text), model_text
    first, _space, rest = model_text.partition(" ")
    known = normalize_name(first)
    if rest and (
        VendorAlias.objects.filter(normalized=known).exists()
        or Vendor.objects.filter(Q(normalized=known)).exists()
    ):
        return vendor_resolve(name=first), rest
    return vendor_resolve(name=UNKNOWN_VENDOR), model_text


def _free_slug(model: type[Vendor] | type[DriveModel], text: str) -> str:
    """Return a slug for `text` that no other row has; a number is appended where needed."""
    base = slugify(text) or "unnamed"
    slug, number = base, 2
    while model._default_manager.filter(slug=slug).exists():
        slug, number = f"{base}-{number}", number + 1
    return slug
