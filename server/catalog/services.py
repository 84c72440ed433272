"""Writing the catalogue."""

from __future__ import annotations

from django.db import transaction
from django.utils.text import slugify

from server.catalog.models import DriveAlias, DriveModel, Vendor, VendorAlias
from server.catalog.names import DriveName, drive_name, names_nobody
from server.core.locks import transaction_lock
from server.core.prepared import prepared_row
from server.core.text import normalize_name, squeeze_spaces

UNKNOWN_VENDOR = "Unknown"


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

    The alias table is asked for both strings joined, then for the model string alone: what a person entered
    goes first. Then makers' numbers say whose drive it is and what is the model in it (`names.py`).
    """
    given = [squeeze_spaces(vendor_name or ""), squeeze_spaces(model_name)]
    joined, alone = normalize_name(" ".join(given)), normalize_name(given[1])
    name = drive_name(*given)
    maker, number = name.vendor or _stated_vendor(given[0]), name.model
    if not maker:
        maker, number = _first_word_if_known(given[1])
    row = prepared_row(_FIND, joined, alone, normalize_name(maker)[:512], normalize_name(number)[:512])
    found: int | None = row[0] if row else None
    return found or _drive_model_make(maker, number, name, simulated=simulated).pk


def _stated_vendor(vendor_text: str) -> str:
    """Return the maker that the vendor field names, where it names one at all."""
    return "" if names_nobody(vendor_text) else vendor_text


def _first_word_if_known(model_text: str) -> tuple[str, str]:
    """Return vendor and number of a string that may begin with a maker of the catalogue's own."""
    first, _space, rest = model_text.partition(" ")
    known = normalize_name(first)
    if rest and (
        VendorAlias.objects.filter(normalized=known).exists()
        or Vendor.objects.filter(normalized=known).exists()
    ):
        return first, rest
    return UNKNOWN_VENDOR, model_text


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
def _drive_model_make(maker: str, number: str, name: DriveName, *, simulated: bool) -> DriveModel:
    # Two new models at once would otherwise choose the same address.
    transaction_lock("catalog")
    vendor = vendor_resolve(name=maker)
    normalized = normalize_name(number)[:512] or "unnamed"
    drive_model, created = DriveModel.objects.get_or_create(
        vendor=vendor,
        normalized=normalized,
        defaults={
            "number": number[:256],
            "slug": _free_slug(DriveModel, f"{vendor.name} {number}"[:180]),
            "family": name.family,
            "simulated": simulated,
        },
    )
    if created:
        drive_model_search_text_update(drive_model=drive_model)
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
    others += _capacity_words(drive_model.capacity_bytes)
    text = search_text_of(drive_model.vendor.name, drive_model.number, drive_model.name, others)
    if text != drive_model.search_text:
        drive_model.search_text = text
        drive_model.save(update_fields=["search_text"])


def _capacity_words(capacity_bytes: int | None) -> list[str]:
    """Return a capacity as labels have it, `8 TB` or `500 GB`; joined, too, when it is normalised."""
    gigabytes = round((capacity_bytes or 0) / 10**9)
    if gigabytes < 1:
        return []
    words = [f"{gigabytes} GB"]
    return [*words, f"{round(gigabytes / 1000, 1):g} TB"] if gigabytes >= 1000 else words


def search_text_of(vendor: str, number: str, name: str, aliases: list[str]) -> str:
    """Return what full-text search looks into: the names, and each without its punctuation."""
    texts = [vendor, number, f"{vendor} {number}", name, *aliases]
    return " ".join(dict.fromkeys(text for raw in texts for text in (raw, normalize_name(raw)) if text))


def _free_slug(model: type[Vendor] | type[DriveModel], text: str) -> str:
    """Return a slug for `text` that no other row has; a number is appended where needed."""
    base = slugify(text) or "unnamed"
    slug, number = base, 2
    while model._default_manager.filter(slug=slug).exists():
        slug, number = f"{base}-{number}", number + 1
    return slug
