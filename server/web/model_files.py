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
class FormatLinks:
    """One format that simulators read, with its addresses by provenance."""

    title: str
    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ExportsView:
    """The formats that a model's numbers are enough for."""

    formats: tuple[FormatLinks, ...]
    lacking: tuple[str, ...]
    """What its measured runs lack, where no format can be had of any runs."""


def _tables() -> tuple[TableLink, ...]:
    return tuple(
        TableLink(kind.slug, table.title, reverse(f"api:{name.replace('_', '-')}").rstrip("/"))
        for name, (kind, table) in detail_tables().items()
    )


DETAIL_TABLES = SimpleLazyObject(_tables)
"""Zones, seek curves and tracks, once the addresses are known."""


def exports_view(model: DriveModel) -> ExportsView:
    """Return the formats that a model's numbers are enough for. Whether what extraction kept is enough too,
    the file says: finding out takes as long as making it."""
    lacking = drive_exports_lacking(drive_model=model)
    ready = [provenance for provenance, missing in lacking.items() if not missing]
    base = reverse("api:drive-exports", args=[model.slug])
    formats = tuple(
        FormatLinks(
            one_format.title.replace("`", ""),
            tuple((one.value, f"{base}{one_format.slug}/?provenance={one.value}") for one in ready),
        )
        for one_format in FORMATS.values()
        if ready
    )
    return ExportsView(formats, () if ready else lacking.get(Provenance.PROBE, ()))
