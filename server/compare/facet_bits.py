"""Facet counts of any choice in well under a millisecond: one bit for each listed model in one number per
value.

The worker lays the numbers into the cache whenever the archive's counts change, and the first reader does
where the cache has lost them. While it has those of other counts, the database's rows are counted instead:
slower, and the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache

from server.compare.models import ArchiveCounts, DriveSummary

_KEY = "compare.facet-bits.1"
"""The last digit is raised when the form changes."""
_KEEP_S = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class FacetBits:
    """Which listed models have which values."""

    version: datetime
    """When the counts were made that these belong to."""
    places: dict[int, int]
    """Drive model to its bit."""
    words: dict[str, int]
    """`facet:value` to the bits of the models that have it."""

    @property
    def everything(self) -> int:
        """The bits of all models."""
        return (1 << len(self.places)) - 1

    def of_models(self, ids: Iterable[int]) -> int:
        """Return the bits of some models; one that is not listed has none."""
        filled = bytearray(len(self.places) // 8 + 1)
        for pk in ids:
            place = self.places.get(pk)
            if place is not None:
                filled[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(filled, "little")

    def chosen(self, facets: Mapping[str, Collection[str]], among: int, *, without: str = "") -> int:
        """Return the models that the choices leave, not looking at those in the facet `without`."""
        for key, values in facets.items():
            if key != without:
                any_of = 0
                for value in values:
                    any_of |= self.words.get(f"{key}:{value}", 0)
                among &= any_of
        return among

    def counts(self, among: int) -> dict[str, int]:
        """Return how many of these models have each value; values that none has are left out."""
        found = ((word, (bits & among).bit_count()) for word, bits in self.words.items())
        return {word: number for word, number in found if number}


def facet_bits_build(version: datetime) -> FacetBits:
    """Read the listed models' values out of their summaries."""
    rows = DriveSummary.objects.filter(listed=True).order_by("pk").values_list("pk", "facets")
    places: dict[int, int] = {}
    members: dict[str, list[int]] = {}
    for place, (pk, words) in enumerate(rows.iterator(chunk_size=2000)):
        places[pk] = place
        for word in words:
            members.setdefault(word, []).append(pk)
    bits = FacetBits(version, places, {})
    bits.words.update((word, bits.of_models(ids)) for word, ids in members.items())
    return bits


def facet_bits_keep(bits: FacetBits) -> None:
    """Lay the numbers where the web processes find them."""
    cache.set(_KEY, bits, _KEEP_S)


def facet_bits() -> FacetBits | None:
    """Return what was laid down last; None where that does not fit the counts, or nothing was counted yet."""
    found = cache.get(_KEY)
    if isinstance(found, FacetBits):
        fits = ArchiveCounts.objects.filter(updated_at=found.version).exists()
        return found if fits else None
    version = ArchiveCounts.objects.values_list("updated_at", flat=True).first()
    if version is None:
        return None
    bits = facet_bits_build(version)
    # Newer ones that the worker has laid down meanwhile stay.
    cache.add(_KEY, bits, _KEEP_S)
    return bits
