"""Facet counts of any choice in well under a millisecond: one bit for each listed model in one number per
value.

The worker lays the numbers into the cache whenever the archive's counts change, and the first reader does
where the cache has lost them. While it has those of other counts, the database's rows are counted instead:
slower, and the same. The orders of the list lie beside them (list_orders.py).
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, TextField

from server.core.cache import breaker, cache
from server.search.models import ArchiveCounts, DriveSummary
from server.search.sort_index import SORTS, ListOrders
from server.search.trigrams import trigrams_of_names

STOP = "\x1f"
"""Stands before each word of a text."""
SHORTEST_PART = 3
"""So many letters are looked for within a name; fewer would be in almost any."""
_KEY = "search.bitmap-index.5"
"""The last digit is raised when the form changes."""
_TOKEN = "search.bitmap-index.token.5"
_SAMPLE = 400
_TEXTS = ArrayField(TextField())
_held: dict[str, FacetBits] = {}
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
    order: tuple[int, ...] = ()
    """The models in the order of their bits, which is that of their names."""
    texts: tuple[str, ...] = ()
    """What each is found by: the words of its names, each behind a `STOP`, then the names as they are."""
    firsts: tuple[str, ...] = ()
    """Each one's number, normalised."""
    common: frozenset[int] = frozenset()
    """Pieces (trigrams.py) that more than one in twenty has, as far as a sample of the models tells."""
    orders: ListOrders = field(default_factory=ListOrders)
    """In which the list can be had."""
    token: str = ""
    """Tells these from others that were laid down."""

    @property
    def everything(self) -> int:
        """The bits of all models."""
        return (1 << len(self.places)) - 1

    def of_places(self, places: Iterable[int]) -> int:
        """Return the bits of the models at some places."""
        filled = bytearray(len(self.places) // 8 + 1)
        for place in places:
            filled[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(filled, "little")

    def of_models(self, ids: Iterable[int]) -> int:
        """Return the bits of some models; one that is not listed has none."""
        return self.of_places(self.places[pk] for pk in ids if pk in self.places)

    def literal(self, words: Collection[str], squeezed: str) -> list[int]:
        """Return the places of the models that have each word as the beginning of one of theirs, or the whole
        as a part of a name: what `finding.models_find` has the database look for."""
        first, *others = (STOP + word for word in words)
        whole = squeezed if len(squeezed) >= SHORTEST_PART else STOP * 2
        return [
            place
            for place, text in enumerate(self.texts)
            if whole in text or (first in text and all(start in text for start in others))
        ]

    def chosen(self, facets: Mapping[str, Collection[str]], among: int, *, without: str = "") -> int:
        """Return the models that the choices leave, not looking at those in the facet `without`."""
        for key, values in facets.items():
            if key != without:
                any_of = 0
                for value in values:
                    any_of |= self.words.get(f"{key}:{value}", 0)
                among &= any_of
        return among

    def page(self, places: Iterable[int], among: int, start: int, rows: int) -> list[int]:
        """Return some of the models at `places`, in that order: those of `among`, from `start` on."""
        mask = among.to_bytes(len(self.places) // 8 + 1, "little")
        left = places if among == self.everything else (p for p in places if mask[p >> 3] >> (p & 7) & 1)
        return [self.order[place] for place in islice(left, start, start + rows)]

    def counts(self, among: int) -> dict[str, int]:
        """Return how many of these models have each value; values that none has are left out."""
        found = ((word, (bits & among).bit_count()) for word, bits in self.words.items())
        return {word: number for word, number in found if number}


def facet_bits_build(version: datetime) -> FacetBits:
    """Read the listed models' values and names out of their summaries."""
    lexemes = Func(F("drive_model__search"), function="tsvector_to_array", output_field=_TEXTS)
    rows = (
        DriveSummary.objects.filter(listed=True)
        .order_by("sort_name", "pk")
        .annotate(lexemes=lexemes)
        .values_list(
            "pk", "facets", "names", "lexemes", "drive_model__search_text", "headline", *SORTS.values()
        )
    )
    orders = ListOrders()
    order, texts, firsts, every = [], [], [], []
    members: dict[str, list[int]] = {}
    for pk, words, names, found, text, headline, *facts in rows.iterator(chunk_size=2000):
        orders.add(dict(zip(SORTS, facts, strict=True)), headline)
        order.append(pk)
        firsts.append(names[0] if names else "")
        every.append(names)
        texts.append("".join(STOP + word for word in found) + "\n" + text)
        for word in words:
            members.setdefault(word, []).append(pk)
    bits = FacetBits(
        version=version,
        places={pk: place for place, pk in enumerate(order)},
        words={},
        order=tuple(order),
        texts=tuple(texts),
        firsts=tuple(firsts),
        common=_common(every[:: max(1, len(every) // _SAMPLE)]),
        orders=orders,
        token=secrets.token_hex(8),
    )
    bits.words.update((word, bits.of_models(ids)) for word, ids in members.items())
    return bits


def _common(names: Sequence[Sequence[str]]) -> frozenset[int]:
    counted = Counter(piece for each in names for piece in trigrams_of_names(each))
    return frozenset(piece for piece, count in counted.items() if count > len(names) / 20)


def facet_bits_keep(bits: FacetBits) -> None:
    """Lay the numbers where the web processes find them."""
    cache.set(_KEY, bits, _KEEP_S)
    cache.set(_TOKEN, bits.token, _KEEP_S)


def facet_bits() -> FacetBits | None:
    """Return what was laid down last; None where that does not fit the counts, or nothing was counted yet.

    Each process holds what it read last, and reads again when other ones are laid down.
    """
    token = cache.get(_TOKEN)
    # Without Redis what the process holds is good while it fits.
    held = next(iter(_held.values()), None) if breaker.open else None
    found = _held.get(token) if token else held
    if found is None:
        found = cache.get(_KEY)
    if isinstance(found, FacetBits):
        if found.token == token:
            _hold(found)
        fits = ArchiveCounts.objects.filter(updated_at=found.version).exists()
        return found if fits else None
    version = ArchiveCounts.objects.values_list("updated_at", flat=True).first()
    if version is None:
        return None
    bits = facet_bits_build(version)
    # Newer ones that the worker has laid down meanwhile stay.
    if cache.add(_KEY, bits, _KEEP_S):
        cache.set(_TOKEN, bits.token, _KEEP_S)
    _hold(bits)
    return bits


def _hold(bits: FacetBits) -> None:
    _held.clear()
    _held[bits.token] = bits
