"""The files in which a drive model can be taken along."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.exports.selectors import FORMATS, drive_exports_lacking
from server.measurements.detail_tables import detail_tables


@dataclass(frozen=True, slots=True)
class TableLink:
    """A table of the API."""

    kind: str
    """Slug of the kind whose details it holds."""
    title: str
    url: str
    """Without its ending."""


@dataclass(frozen=True, slots=True)
class FormLinks:
    """One form that simulators read, with its addresses by provenance."""

    title: str
    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ExportsView:
    """The forms that a model's numbers are enough for."""

    forms: tuple[FormLinks, ...]
    lacking: tuple[str, ...]
    """What its measured runs lack, where no form can be had of any runs."""


def _tables() -> tuple[TableLink, ...]:
    return tuple(
        TableLink(kind.slug, table.title, reverse(f"api:{name.replace('_', '-')}").rstrip("/"))
        for name, (kind, table) in detail_tables().items()
    )


DETAIL_TABLES = SimpleLazyObject(_tables)
"""Zones, seek curves and tracks, once the addresses are known."""


def exports_view(model: DriveModel) -> ExportsView:
    """Return the forms that a model's numbers are enough for. Whether what extraction kept is enough too, the
    file says: finding out takes as long as making it."""
    lacking = drive_exports_lacking(drive_model=model)
    ready = [provenance for provenance, lacks in lacking.items() if not lacks]
    base = reverse("api:drive-exports", args=[model.slug])
    forms = tuple(
        FormLinks(
            form.title.replace("`", ""),
            tuple((one.value, f"{base}{form.slug}/?provenance={one.value}") for one in ready),
        )
        for form in FORMATS.values()
        if ready
    )
    return ExportsView(forms, () if ready else lacking.get(Provenance.PROBE, ()))
